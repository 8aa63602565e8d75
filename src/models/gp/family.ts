import { InvalidInputError } from '../../core/errors.ts';
import { givenOptions } from '../../core/given.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { unknownName } from '../../core/options.ts';
import { fit } from '../../inference/fit/fit.ts';
import { add } from '../../kernels/algebra.ts';
import { bias } from '../../kernels/bias.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { white } from '../../kernels/white.ts';
import { backConstrained } from '../../latents/backConstrained.ts';
import type { LatentMap } from '../../latents/defineMap.ts';
import { free } from '../../latents/free.ts';
import { kernelRegression } from '../../latents/kernelRegression.ts';
import type { Latents } from '../../latents/latents.ts';
import { linearMap } from '../../latents/linearMap.ts';
import { mlpMap } from '../../latents/mlpMap.ts';
import { isLikelihood } from '../../mapping/likelihoods/likelihood.ts';
import type { Initialization } from '../../model/initialization.ts';
import type { AnyModel, Model } from '../../model/model.ts';
import { fixed } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DynamicsOptions, dynamics } from '../../priors/dynamics.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { type LatentVariableModelOptions, namedModel, OPTION_NAMES } from './latentVariableModel.ts';
import { isReal, meanVariance } from './views.ts';

/** What every named model of the Gaussian-process family takes beside its observations; all but `latentDim` has a default. */
export interface FamilyOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends Omit<LatentVariableModelOptions<Priors>, 'observations' | 'kernel'> {
  /** Covariance of the mapping. */
  readonly kernel?: K | undefined;
  /**
   * Where the latents start: 'pca' (the default), 'neighbours' (a t-SNE map at unit variance a column, which `fit` makes first), an N×q matrix, or a fitted embedding.
   * Not together with `latents`.
   */
  readonly init?: 'pca' | 'neighbours' | MatrixLike | Initialization | undefined;
  /** Makes the latents a function of the observations: a map, or 'kernel', 'mlp' or 'linear' for the map of that kind. */
  readonly backConstraint?: LatentMap | 'kernel' | 'mlp' | 'linear' | undefined;
  /**
   * Puts Gaussian-process dynamics on the latents in the place of the default prior. Unless `kernel` is given its covariance is rbf + white
   * with the white variance held at 0.01: were it free, latents and variances that shrink to 0 together would raise log p(X) without bound.
   */
  readonly dynamics?: Dynamics | undefined;
}

/** What makes one named model differ from another. */
export interface FamilyMember {
  /** The prior when neither `priors` nor `dynamics` is given. */
  readonly prior: () => Prior;
  /** The default kernel, which may hold scales that a prior would drive to 0. */
  readonly kernel: (Y: MatrixLike, options: FamilyOptions, hasPrior: boolean) => Kernel;
  /** The map when `backConstraint` is not given; free latents without it. */
  readonly backConstraint?: 'kernel';
  /** Names of the options that only this model takes, for messages. */
  readonly options?: readonly string[];
}

/** A named model: the general one with the member's defaults and the short forms of its options spelt out. */
export function familyModel<
  Priors extends readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined,
  Default = SmoothKernel,
>(
  name: string,
  Y: MatrixLike,
  given: FamilyOptions<Priors, Dynamics, K>,
  member: FamilyMember,
): MappedModel<Priors, Dynamics, KernelOr<K, Default>> {
  const options = givenOptions(given, name);
  const known = [...OPTION_NAMES, 'init', 'backConstraint', 'dynamics', ...(member.options ?? [])];
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknownName('option', key, known, name);
  if (options.priors !== undefined && !Array.isArray(options.priors)) {
    throw new InvalidInputError(
      `Option 'priors' of ${name} must be a list, such as [standardNormal()], but ${describe(options.priors)} was given.`,
    );
  }
  if (options.likelihood !== undefined && !isLikelihood(options.likelihood)) {
    throw new InvalidInputError(
      `Option 'likelihood' of ${name} must be a likelihood, such as poisson(), but ${describe(options.likelihood)} was given.${typeof options.likelihood === 'function' ? ' Call it, and give what it returns.' : ''}`,
    );
  }
  if (options.init === 'neighbours') {
    const startedAt = (init: 'pca' | Initialization) =>
      familyModel<Priors, Dynamics, K, Default>(name, Y, { ...given, init }, member);
    return Object.freeze({ ...startedAt('pca'), choose: neighbourStart(Y, options, startedAt) });
  }
  const { init, backConstraint, dynamics: sequence, latents, ...rest } = options;
  if (latents !== undefined && (init !== undefined || backConstraint !== undefined)) {
    throw new InvalidInputError(
      `${name} takes either latents, or init and backConstraint, but both were given. Say it in the latents: free({ init }).`,
    );
  }
  const ofSequence: Prior[] = sequence ? [dynamics(stepping(sequence === true ? {} : sequence))] : [];
  const others = rest.priors ?? (ofSequence.length > 0 ? [] : [member.prior()]);
  const priors: readonly Prior[] = [...others, ...ofSequence];
  const model: Model = namedModel(name, {
    ...rest,
    kernel: rest.kernel ?? member.kernel(Y, options, priors.length > 0),
    latents: latents ?? latentsFrom(backConstraint ?? member.backConstraint, init),
    priors,
    observations: Y,
  });
  return model as MappedModel<Priors, Dynamics, KernelOr<K, Default>>;
}

/** Fits a t-SNE map to observations as the model sees them, at which it then starts. */
function neighbourStart(
  Y: MatrixLike,
  { latentDim, scale = false }: FamilyOptions,
  startedAt: (init: Initialization) => AnyModel,
): NonNullable<Model['choose']> {
  return async ({ seed, signal, maxSeconds }) => {
    const { tsneMap } = await import('../maps/tsneMap.ts');
    const observations = observationsFrom(Y);
    const seen = standardized(observations, standardizationOf(observations, false, scale));
    const limits = { ...(signal && { signal }), ...(maxSeconds !== undefined && { maxSeconds }) };
    const map = await fit(tsneMap(seen, { latentDim }), { seed, ...limits });
    return { model: startedAt(map), message: ' The latents started at a t-SNE map.' };
  };
}

/** Dynamics with the default kernel of a model, where none is given or that is undefined. */
function stepping(given: DynamicsOptions): DynamicsOptions {
  return { ...given, kernel: given.kernel ?? steps() };
}

/** Steps of latents that start at unit variance, known to a tenth of a standard deviation. */
function steps(): Kernel {
  return add(rbf(), white({ variance: fixed(0.01) }));
}

function latentsFrom(
  backConstraint: FamilyOptions['backConstraint'],
  init: Exclude<FamilyOptions['init'], 'neighbours'> = 'pca',
): Latents {
  return backConstraint === undefined ? free({ init }) : backConstrained(mapFrom(backConstraint), { init });
}

function mapFrom(backConstraint: NonNullable<FamilyOptions['backConstraint']>): LatentMap {
  if (typeof backConstraint !== 'string') return backConstraint;
  const maps: Record<string, () => LatentMap> = {
    kernel: kernelRegression,
    mlp: mlpMap,
    linear: linearMap,
  };
  if (Object.hasOwn(maps, backConstraint)) return maps[backConstraint]!();
  throw new InvalidInputError(
    `backConstraint is a map, or one of ${Object.keys(maps).join(', ')}, but ${describe(backConstraint)} was given.`,
  );
}

/** What {@link smoothKernel} makes. */
export type SmoothKernel = Kernel<{
  readonly 'rbf.variance': number;
  readonly 'rbf.lengthscale': number;
  readonly 'bias.variance': number;
}>;

/**
 * rbf + bias. With a prior that shrinks the latents, X → c·X with lengthscale → c·lengthscale leaves the likelihood as it is, so the
 * prior would drive both to 0: then the lengthscale is held at 1 and the rbf's variance at the observations' mean variance.
 */
export function smoothKernel(Y: MatrixLike, options: FamilyOptions, hasPrior: boolean): Kernel {
  if (!isReal(options)) return latentFunctionKernel(Y, options, hasPrior);
  const variance = fittedVariance(Y, options);
  const smooth = hasPrior ? rbf({ variance: fixed(variance), lengthscale: fixed(1) }) : rbf({ variance });
  return add(smooth, bias({ variance: 0.1 * variance }));
}

/** The same for functions behind counts or labels: of the variance that the observations speak for, at least 1. */
function latentFunctionKernel(Y: MatrixLike, { likelihood, missing }: FamilyOptions, hasPrior: boolean): Kernel {
  const { data, rows, columns } = observationsFrom(Y, missing === 'ignore');
  const functions = new Matrix(
    data.map((y) => (Number.isNaN(y) ? y : likelihood!.start(y))),
    rows,
    columns,
  );
  const variance = Math.max(1, meanVariance(standardized(functions, standardizationOf(functions, true, false))));
  const smooth = hasPrior ? rbf({ variance: fixed(variance), lengthscale: fixed(1) }) : rbf({ variance });
  return add(smooth, bias({ variance }));
}

/** The mean variance of the observations as they are fitted: it goes with the square of their unit. */
export function fittedVariance(Y: MatrixLike, { centre = true, scale = false, missing }: FamilyOptions): number {
  const observations = observationsFrom(Y, missing === 'ignore');
  return meanVariance(standardized(observations, standardizationOf(observations, centre, scale)));
}
