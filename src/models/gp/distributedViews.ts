import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { Standardization } from '../../core/observations.ts';
import { checkOptions } from '../../core/options.ts';
import { checkKernel } from '../../kernels/algebra.ts';
import { isLatentDistribution, type LatentDistribution } from '../../latents/latentDistribution.ts';
import { checkObserved } from '../../mapping/likelihoods/checkObserved.ts';
import { startedKernel } from '../../mapping/startedKernel.ts';
import { collapsedModel } from '../../mapping/variational/collapsedModel.ts';
import { lostDivergence } from '../../mapping/variational/divergence.ts';
import { INDUCING_JITTER } from '../../mapping/variational/inducingFactor.ts';
import { checkInducing } from '../../mapping/variational/inducingInputs.ts';
import { Q_MEAN } from '../../mapping/variational/inducingVariables.ts';
import { lessDivergence, placedDensity, placesRows } from '../../mapping/variational/placedRows.ts';
import { uncollapsedModel } from '../../mapping/variational/uncollapsedModel.ts';
import { latentMoments, type VariationalParts } from '../../mapping/variational/variationalParts.ts';
import {
  conditioned,
  placedMoments,
  relevanceOf,
  standardNormalRows,
} from '../../mapping/variational/variationalPosterior.ts';
import type { DistributedViewed } from '../../model/abilities.ts';
import { imputed } from '../../model/imputation.ts';
import { joinedColumns } from '../../model/language/graph.ts';
import type { Model, ParameterValues } from '../../model/model.ts';
import type {
  DistributedPosterior,
  LatentMoments,
  Mapping,
  PlacedBound,
  PlacedPosterior,
  PredictiveDensity,
  ViewedPosterior,
} from '../../model/posterior.ts';
import { pullBackSum } from '../../model/pullBack.ts';
import { defineTermsModel } from '../../model/termsModel.ts';
import type { Tensor1D, Tensor2D } from '../../tensors/tensorflow.ts';
import type { DistributedViewPaths } from './gpModel.ts';
import { startValues } from './startKinds.ts';
import {
  type CheckedView,
  checkedView,
  checkRows,
  columnsOf,
  type KernelsByView,
  likelihoodFrom,
  type ViewsOptions,
  viewToJSON,
} from './views.ts';

/** log p(x) of each row. */
type PointPrior = (X: Tensor2D) => Tensor1D;

/** A mapping that has all abilities. */
type FullMapping = Required<Mapping>;

/** The mapping of one view. */
interface ViewMapping extends FullMapping {
  /** The density of new observations, with a prior of their latents or without. */
  densityWith(X: Matrix, Y: Matrix, prior: PointPrior | undefined, isRough?: boolean): PredictiveDensity;
}

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

const wholeFromOne = 'a whole number from 1';
const schema = v.strictObject({
  latentDim: v.pipe(v.number(wholeFromOne), v.integer(wholeFromOne), v.minValue(1, wholeFromOne)),
  latents: v.custom<LatentDistribution>(isLatentDistribution),
  views: v.record(v.string(), v.any()),
});

/** Unless more are asked for. */
const MOST_INDUCING = 50;

interface DistributedView {
  readonly name: string;
  readonly checked: CheckedView;
  readonly parts: VariationalParts;
  readonly collapses: boolean;
}

interface DistributedViews {
  readonly latentDim: number;
  readonly latents: LatentDistribution;
  /** Of all views side by side, without holes: what the latents may be a function of. */
  readonly observations: Matrix;
  readonly views: readonly DistributedView[];
}

/** The model of several views with one distribution of the latents. */
export function distributedViewsModel(name: string, options: DistributedViewsOptions): Model {
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
  const views = checked.map(([view, own]) => madeView(view, own, { observations, latentDim, latents }, start));
  return definedAs(name)({ latentDim, latents, observations, views }) as Model;
}

function madeView(
  name: string,
  checked: CheckedView,
  shared: Pick<VariationalParts, 'observations' | 'latentDim' | 'latents'>,
  start: () => Matrix,
): DistributedView {
  const { owner, given, scaled, raw, seen, patterns } = checked;
  const kernel = startedKernel(checkKernel(given.kernel, `Option 'kernel' of ${owner}`), start);
  const likelihood = likelihoodFrom(owner, given, seen);
  checkObserved(raw, likelihood, given.centre || scaled);
  const inducing = checkInducing(given.inducing ?? Math.min(MOST_INDUCING, raw.rows), raw.rows, owner);
  return {
    name,
    checked,
    parts: { ...shared, seen, patterns, inducing, kernel, likelihood, jitter: INDUCING_JITTER },
    collapses: likelihood.conjugate !== undefined && typeof likelihood.parameters.noise?.initial === 'number',
  };
}

const [OWN, prefixOf] = ['mapping.', ({ name }: DistributedView) => `views.${name}.`] as const;

/** The values of the latents and of one view, under the paths of a model that has no other. */
function ownValues<T>(view: DistributedView, values: Readonly<Record<string, T>>): Record<string, T> {
  const prefix = prefixOf(view);
  return Object.fromEntries(
    Object.entries(values).flatMap(([path, value]) => {
      if (path.startsWith('latents.')) return [[path, value]];
      return path.startsWith(prefix) ? [[OWN + path.slice(prefix.length), value]] : [];
    }),
  );
}

const boundOf = (own: object) => (Q_MEAN in own ? uncollapsedModel : collapsedModel);

const definedAs = (name: string) =>
  defineTermsModel({
    name,
    points: ({ observations }: DistributedViews) => observations.rows,
    parts: ({ views, latents, observations, latentDim }: DistributedViews, seed, { batched }) => ({
      ...latents.parameters(observations, latentDim, seed),
      ...Object.fromEntries(
        views.flatMap((view) => {
          const model = view.collapses && !batched ? collapsedModel : uncollapsedModel;
          return Object.entries(model.parameters(view.parts, seed))
            .filter(([path]) => path.startsWith(OWN))
            .map(([path, parameter]) => [prefixOf(view) + path.slice(OWN.length), parameter]);
        }),
      ),
    }),
    pointwise: ({ latents }) => latents.pointwise,
    held: ({ views }, parameters) => {
      const held = views.map((view) => ({ view, own: boundOf(ownValues(view, parameters)).held }));
      const first = held.find(({ own }) => own !== undefined)?.own;
      const paths = held.flatMap(({ view, own }) =>
        (own?.paths ?? []).map((path) => prefixOf(view) + path.slice(OWN.length)),
      );
      return first && { paths, iterations: first.iterations };
    },
    constants: ({ views }, parameters) => {
      const open = views.map((view) => boundOf(ownValues(view, parameters)).constants(view.parts));
      return {
        open,
        dispose: () => {
          for (const own of open) own.dispose();
        },
      };
    },
    terms: (values, { views }, context) => {
      const plain = Object.fromEntries(Object.keys(values).map((path) => [path, values[path]!]));
      const bounds = views.map((view, i) => context.constants.open[i]!.bound(ownValues(view, plain), context));
      return {
        ...Object.fromEntries(views.map((view, i) => [view.name, bounds[i]!.mapping])),
        divergence: lostDivergence(bounds, context.batch?.scale ?? 1),
      };
    },
    startAt: (kind, { latents, observations, latentDim }, seed) =>
      startValues(latents, kind, observations, latentDim, seed),
    posterior: (values, model) => posteriorOf(values, model),
    toJSON: ({ views, latentDim, latents }) => ({
      model: 'latentVariableModel',
      name,
      latentDim,
      latents: latents.toJSON(),
      priors: [],
      views: Object.fromEntries(
        views.map((view) => {
          const { kernel, likelihood, inducing } = view.parts;
          return [view.name, viewToJSON(view.checked, kernel, likelihood, inducing)];
        }),
      ),
    }),
  });

function posteriorOf(
  values: ParameterValues,
  { views, latents, observations }: DistributedViews,
): DistributedPosterior & ViewedPosterior & Partial<PlacedPosterior> {
  const { mean, variance } = latentMoments({ latents, observations }, values, observations);
  const standardization = sideBySideStandardization(views.map(({ checked }) => checked));
  const processes = views.map((view) => {
    const own = ownValues(view, values);
    return conditioned(boundOf(own), view.parts, own, view.checked.standardization);
  });
  const mappings = views.map((view, i): ViewMapping => {
    const { process } = processes[i]!;
    return {
      observedColumns: view.checked.seen.columns,
      predict: (X, noise, variances) => process().predict(X, noise, variances),
      metric: (X) => process().metric(X),
      sample: (X, random, noise) => process().sample(X, random, noise),
      densityWith: (X, Y, prior) => process().predictiveDensity(X, Y, prior),
      predictiveDensity: (X, Y) => process().predictiveDensity(X, Y, standardNormalRows),
    };
  });
  const mapping = sideBySideMapping(mappings, standardNormalRows);
  return {
    latents: mean,
    distribution: {
      variances: variance,
      relevance: Object.fromEntries(
        views.flatMap((view) => {
          const relevance = relevanceOf(view.parts, ownValues(view, values));
          return relevance === undefined ? [] : [[view.name, relevance]];
        }),
      ),
      ...(views.every(({ parts }) => placesRows(parts.likelihood)) && {
        placedBound: (Y: Matrix, x: LatentMoments) => placedInViews(values, views, processes, Y, x),
      }),
    },
    mapping,
    views: Object.fromEntries(views.map(({ name }, i) => [name, mappings[i]!])),
    ...(latents.mapsObservations && {
      placement: {
        acceptsMissing: true,
        searchesMissing: true,
        observedColumns: standardization.mean.length,
        place: (Y: Matrix) => {
          const own = placedMoments({ latents, observations }, values, Y, standardization);
          const { density } = mapping.predictiveDensity(own.mean, Y);
          return { latents: own.mean, latentVariances: own.variance, logDensity: density };
        },
      },
    }),
  };
}

/** What new rows, the columns of all views side by side, add to the bounds of the views that they are seen in. */
function placedInViews(
  values: ParameterValues,
  views: readonly DistributedView[],
  processes: readonly ReturnType<typeof conditioned>[],
  Y: Matrix,
  x: LatentMoments,
): PlacedBound {
  let from = 0;
  const densities = views.flatMap((view, i) => {
    const { standardization, seen } = view.checked;
    const own = columnsOf(Y, from, seen.columns);
    from += seen.columns;
    if (own.data.every(Number.isNaN)) return [];
    return [placedDensity(view.parts, ownValues(view, values), processes[i]!.inducing, standardization, own, x)];
  });
  return lessDivergence(densities, x);
}

/** The mapping to the columns of all views side by side, which are independent given the latents; of one view that view's own. */
function sideBySideMapping(views: readonly ViewMapping[], prior: PointPrior | undefined): FullMapping {
  if (views.length === 1) return views[0]!;
  return {
    observedColumns: views.reduce((sum, view) => sum + view.observedColumns, 0),
    predict: (X, noise) => {
      const parts = views.map((view) => view.predict(X, noise));
      const joined = (of: 'mean' | 'variance') => joinedColumns(parts.map((part) => part[of]));
      return { mean: joined('mean'), variance: joined('variance') };
    },
    metric: (X) => pullBackSum(views.map((view) => view.metric(X))),
    sample: (X, random, noise) => joinedColumns(views.map((view) => view.sample(X, random, noise))),
    predictiveDensity: (X, Y, isRough) => {
      let from = 0;
      const given = views.map((view) => {
        const own = columnsOf(Y, from, view.observedColumns);
        from += view.observedColumns;
        return { view, own };
      });
      const observed = given.filter(({ own }) => !own.data.every(Number.isNaN));
      // A point has one prior, however many views it is seen in.
      const parts = (observed.length > 0 ? observed : given.slice(0, 1)).map(({ view, own }, i) =>
        view.densityWith(X, own, i === 0 ? prior : undefined, isRough),
      );
      const sum = (of: (part: PredictiveDensity) => Float64Array) =>
        parts.map(of).reduce((total, part) => total.map((entry, i) => entry + part[i]!));
      return {
        density: sum(({ density }) => density),
        posterior: sum(({ posterior }) => posterior),
        gradient: new Matrix(
          sum(({ gradient }) => gradient.data),
          X.rows,
          X.columns,
        ),
      };
    },
  };
}

/** The standardization of the columns of all views. */
function sideBySideStandardization(views: readonly Pick<CheckedView, 'standardization'>[]): Standardization {
  const joined = (of: keyof Standardization) =>
    Float64Array.from(views.flatMap(({ standardization }) => Array.from(standardization[of])));
  return { mean: joined('mean'), deviation: joined('deviation') };
}
