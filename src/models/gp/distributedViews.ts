import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { SCALED_NOTE } from '../../core/observations.ts';
import { checkOptions, integerFromOne } from '../../core/options.ts';
import { checkKernel } from '../../kernels/algebra.ts';
import { isLatentDistribution, type LatentDistribution } from '../../latents/latentDistribution.ts';
import type { DistributedViewed } from '../../model/abilities.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import type { Model } from '../../model/model.ts';
import { imputed } from '../../model/posterior.ts';
import type { Likelihood } from '../../processes/likelihoods/likelihood.ts';
import { checkObserved } from '../../processes/likelihoods/likelihood.ts';
import { boundProcess } from '../../processes/variational/boundProcess.ts';
import { checkInducing } from '../../processes/variational/inducingVariables.ts';
import type { DistributedViewPaths } from './gpModel.ts';
import {
  type CheckedView,
  checkedView,
  checkRows,
  type FamilyParts,
  type FamilyView,
  type KernelsByView,
  likelihoodFrom,
  startedKernel,
  type ViewsOptions,
  viewToJSON,
} from './views.ts';

/** Options of a model with several views whose latents are distributions. */
export interface DistributedViewsOptions<Kernels extends KernelsByView = KernelsByView> {
  /** q, from 1. */
  readonly latentDim: number;
  /** `gaussianLatents()`, or `encoded(map)` of the observations of all views side by side. */
  readonly latents: LatentDistribution;
  /** Each goes through its own inducing inputs: at most 50 unless given. */
  readonly views: ViewsOptions<Kernels>;
}

/** A model with several views whose latents are distributions. */
export type DistributedViewsModel<Kernels> = Model<
  DistributedViewPaths<Kernels>,
  DistributedViewed<keyof Kernels & string>,
  'searched'
>;

export function hasDistributions(options: unknown): options is DistributedViewsOptions {
  return (
    typeof options === 'object' && options !== null && 'latents' in options && isLatentDistribution(options.latents)
  );
}

const schema = v.strictObject({
  latentDim: integerFromOne,
  latents: v.custom<LatentDistribution>(isLatentDistribution),
  views: v.record(v.string(), v.any()),
});

/** Unless more are asked for. */
const MOST_INDUCING = 50;

/** True where q(u) can be worked out: under Gaussian noise with one variance. */
export const collapses = ({ conjugate, parameters }: Likelihood): boolean =>
  conjugate !== undefined && typeof parameters.noise?.initial === 'number';

/** The parts of a model of several views with one distribution of the latents. */
export function distributedParts(name: string, options: DistributedViewsOptions): FamilyParts {
  if (!('views' in options)) {
    throw new InvalidInputError(
      `Latents of ${name} that are distributions need views. Use bayesianGplvm for one view, or give views: { pose: { observations: Y, kernel: rbf() } }.`,
    );
  }
  if ('priors' in options) {
    throw new InvalidInputError(
      `Latents of ${name} that are distributions have a standard normal prior, and take no other. Leave out priors.`,
    );
  }
  const { latentDim, latents, views: given } = checkOptions(schema, options, name);
  const checked = Object.entries(given).map(([view, own]) => [view, checkedView(name, view, own)] as const);
  if (checked.length === 0) throw new InvalidInputError(`${name} needs at least one view.`);
  checkRows(name, checked);
  const observations = imputed(joinedColumns(checked.map(([, { seen }]) => seen)), latentDim);
  const start = () => latents.start(observations, latentDim);
  const views = checked.map(([view, own]) => madeView(view, own, start));
  return { latentDim, latents, observations, views, priors: [] };
}

function madeView(name: string, checked: CheckedView, start: () => Matrix): FamilyView {
  const { owner, given, scaled, raw, seen, patterns } = checked;
  const kernel = startedKernel(checkKernel(given.kernel, `Option 'kernel' of ${owner}`), start);
  const likelihood = likelihoodFrom(owner, given, seen);
  checkObserved(raw, likelihood, given.center || scaled);
  const inducing = checkInducing(given.inducing ?? Math.min(MOST_INDUCING, raw.rows), raw.rows, owner);
  return {
    name,
    term: name,
    path: `views.${name}`,
    patterns,
    raw,
    seenAs: { missing: given.missing, center: given.center, scale: scaled },
    ...(scaled && given.scale === 'auto' && { note: SCALED_NOTE }),
    process: boundProcess({ kernel, likelihood, inducing, jitter: given.jitter, collapses: collapses(likelihood) }),
    toJSON: () => viewToJSON(checked, kernel, likelihood, inducing),
  };
}
