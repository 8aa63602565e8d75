import { InvalidInputError } from '../core/errors.ts';
import type { Matrix } from '../core/matrix.ts';
import type { Standardization } from '../core/observations.ts';
import type { Latents } from '../latents/latents.ts';
import type { TensorMap, TermContext } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import type { Parts } from '../model/part.ts';
import type { Prior } from '../priors/definePrior.ts';
import { matrixTensor } from '../tensors/matrixTensor.ts';
import type { Scalar, Tensor2D } from '../tensors/tensorflow.ts';
import type { ObservedPattern } from './observedPatterns.ts';
import type { ViewProcess } from './variational/variationalProcess.ts';

/** The name of the only view's term, and the segment of its parameters' paths. */
export const MAPPING = 'mapping';

/** What one view of the points is made of, with everything checked and defaults filled in. */
export interface ModelView {
  /** What it is called, in a model with several. */
  readonly name: string | undefined;
  /** Name of its term. */
  readonly term: string;
  /** Prefix of its parameters' paths. */
  readonly path: string;
  /** The observed entries as the mapping sees them: centred, scaled. */
  readonly patterns: readonly ObservedPattern[];
  readonly standardization: Standardization;
  readonly process: ViewProcess;
  /** Where its inducing inputs start for latents that start there, if that is not given. */
  readonly inducingAt?: (latents: Matrix) => Matrix;
}

/** A prior in its place in a model: two of one name are distinguished. */
export interface PlacedPrior {
  readonly name: string;
  readonly prior: Prior;
}

/** The parts of a Gaussian-process latent variable model, with everything checked and defaults filled in. */
export interface ModelParts {
  /** N×D of all views side by side, centred, scaled; missing entries imputed, for what needs complete observations. */
  readonly observations: Matrix;
  /** At least one. */
  readonly views: readonly ModelView[];
  readonly latentDim: number;
  readonly latents: Latents;
  readonly priors: readonly PlacedPrior[];
}

/** Gives the second prior of a name the name with a 2, and so on; `taken` are names of other terms. */
export function placed(priors: readonly Prior[], taken: readonly string[]): PlacedPrior[] {
  const count = new Map(taken.map((name) => [name, 1]));
  return priors.map((prior) => {
    const number = (count.get(prior.name) ?? 0) + 1;
    count.set(prior.name, number);
    return { name: number === 1 ? prior.name : `${prior.name}${number}`, prior };
  });
}

/** Where a prior's parameters are. */
export const pathOf = ({ name }: PlacedPrior) => `priors.${name}`;

/** The parts of the model by their paths, started: latents, the process of each view, priors. */
export function partsByPath({ observations, views, latentDim, latents, priors }: ModelParts, seed: number): Parts {
  return {
    ...restricted(latents.parameters(observations, latentDim, seed), priors),
    ...Object.fromEntries(views.map(({ path, process }) => [path, process])),
    ...Object.fromEntries(priors.map((placed) => [pathOf(placed), placed.prior])),
  };
}

/** What the terms need that stays the same: the observations, and what priors and latents make of them. */
export function constantsOf({ observations: Y, views, latents, priors }: ModelParts) {
  const seen = latents.features(Y, Y);
  const observations = matrixTensor(Y);
  const given = views.map(({ process, patterns }) => process.given(patterns, Y.rows));
  return {
    observations,
    features: seen === Y ? observations : matrixTensor(seen),
    given,
    prepared: priors.map(({ prior }) => prior.prepare(Y)),
    dispose: () => {
      for (const process of given) process.dispose();
    },
  };
}

/** log p(Y|X) of each view and log p(X) of each prior, by name. `v` holds the tensors of the parts by their paths. */
export function termsOf(
  { views, priors }: ModelParts,
  v: Readonly<Record<string, TensorMap>>,
  X: Tensor2D,
  { observations, given, prepared }: ReturnType<typeof constantsOf>,
  context: TermContext,
): Record<string, Scalar> {
  const terms: Record<string, Scalar> = {};
  views.forEach(({ term, path }, i) => {
    terms[term] = given[i]!.logDensity(v[path]!, X, context);
  });
  priors.forEach((placed, i) => {
    const own = { observations, constants: prepared[i], onJitter: context.onJitter };
    terms[placed.name] = placed.prior.logDensity(v[pathOf(placed)]!, X, own);
  });
  return terms;
}

/** The parameters with free latents moved within what the priors allow only. */
function restricted(
  parameters: Readonly<Record<string, Parameter>>,
  priors: readonly PlacedPrior[],
): Record<string, Parameter> {
  const result = { ...parameters };
  for (const { name, prior } of priors) {
    if (prior.restrict === undefined) continue;
    if (result.latents === undefined) {
      throw new InvalidInputError(
        `The prior '${name}' restricts the latents, which only free ones allow, but here they are a function of the observations. ` +
          `Use free latents, or a form of the prior that does not restrict them (rank({ energy: 'free' })).`,
      );
    }
    result.latents = prior.restrict(result.latents);
  }
  return result;
}
