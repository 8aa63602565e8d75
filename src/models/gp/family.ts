import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix, type MatrixLike } from '../../core/matrix.ts';
import { isScaled, observationsFrom, standardizationOf, standardized } from '../../core/observations.ts';
import { givenOptions, unknownName } from '../../core/options.ts';
import { shortNumber } from '../../core/wording.ts';
import { fit } from '../../inference/fit/fit.ts';
import { OutOfTime } from '../../inference/fit/fitOptions.ts';
import { lbfgs } from '../../inference/solvers/lbfgs.ts';
import { add } from '../../kernels/algebra.ts';
import { bias, white } from '../../kernels/constant.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { backConstrained, kernelRegression } from '../../latents/backConstrained.ts';
import type { LatentMap } from '../../latents/defineMap.ts';
import type { Latents } from '../../latents/latents.ts';
import { linearMap, mlpMap } from '../../latents/layersMap.ts';
import { free } from '../../latents/pointLatents.ts';
import { madeHere } from '../../model/givenModel.ts';
import { type Initialization, initialLatents } from '../../model/initialization.ts';
import { meanVariance } from '../../model/leastNoise.ts';
import type { Model, Search } from '../../model/model.ts';
import { fixed } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DynamicsOptions, dynamics } from '../../priors/dynamics.ts';
import { functionsOf, isLikelihood } from '../../processes/likelihoods/likelihood.ts';
import type { Inducing } from '../../processes/variational/inducingVariables.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import { type LatentVariableModelOptions, namedModel, OPTION_NAMES } from './latentVariableModel.ts';
import { isReal } from './views.ts';

/** Options of every named model of the Gaussian-process family; all but `latentDim` have defaults. */
export interface FamilyOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends Omit<LatentVariableModelOptions<Priors>, 'observations' | 'kernel' | 'inducing'> {
  /** Covariance of the mapping. */
  readonly kernel?: K | undefined;
  /**
   * How many inducing inputs the mapping goes through, from 1 to N, or where they start (M×q): the term `mapping` is then a bound of log p(Y|X), at cost
   * O(N·M·(M + D)) in the place of O(N³). 'none' is the mapping itself. Unless given, `gplvm` and `tpslvm` of more than 1000 points take 50 a latent
   * dimension, 200 at most, and the message of their fits says so; all others take none.
   */
  readonly inducing?: Inducing | 'none' | undefined;
  /**
   * Where the latents start: 'pca', 'tsne' (a t-SNE map at a standard deviation of 2 a column, which `fit` makes first), an N×q matrix, or a fitted embedding.
   * Unless given, 'pca', and 'tsne' in one or two dimensions where the library chooses the number of inducing inputs. Not together with `latents`.
   */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization | undefined;
  /** Makes the latents a function of the observations: a map, or 'kernel', 'mlp' or 'linear' for the map of that kind. */
  readonly backConstraint?: LatentMap | 'kernel' | 'mlp' | 'linear' | undefined;
  /**
   * Puts Gaussian-process dynamics on the latents in the place of the default prior. Unless `kernel` is given its covariance is rbf + white
   * with the white variance held at 0.01: were it free, latents and variances that shrink to 0 together would raise log p(X) without bound.
   */
  readonly dynamics?: Dynamics | undefined;
}

/** Differences between the named models. */
export interface FamilyMember {
  /** The prior when neither `priors` nor `dynamics` is given. */
  readonly prior: () => Prior;
  /** The default kernel, which may hold scales that a prior would drive to 0. */
  readonly kernel: (Y: MatrixLike, options: FamilyOptions, hasPrior: boolean) => Kernel;
  /** The map when `backConstraint` is not given; free latents without it. */
  readonly backConstraint?: 'kernel';
  /** Names of the options that only this model takes, for messages. */
  readonly options?: readonly string[];
  /** Whether the mapping of many points goes through inducing inputs unless told otherwise. */
  readonly isSparse?: boolean;
}

/** Most points whose mapping does not go through inducing inputs unless asked for. */
export const MOST_EXACT = 1000;
/** Most latent dimensions of a t-SNE map whose steps cost as much as N points do; in more, all pairs. */
const MOST_MAPPED = 2;
/** Inducing inputs a latent dimension, and in all at most, where their number is not given. */
const INDUCING_PER_DIMENSION = 50;
const MOST_INDUCING = 200;
/**
 * Of the objective, which an iteration must gain for a fit through the usual inducing inputs to go on. The bound of thousands of points rises by its last
 * thousandth for hundreds of iterations, which the map does not show.
 */
const LEAST_GAIN = 1e-5;

/** A named model: the general one with the member's defaults and the short forms of its options spelled out. */
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
  const { init, backConstraint, dynamics: sequence, latents, inducing, ...rest } = options;
  if (latents !== undefined && (init !== undefined || backConstraint !== undefined)) {
    throw new InvalidInputError(
      `${name} takes either latents, or init and backConstraint, but both were given. Say it in the latents: free({ init }).`,
    );
  }
  const ofSequence: Prior[] = sequence ? [dynamics(stepping(sequence === true ? {} : sequence))] : [];
  const others = rest.priors ?? (ofSequence.length > 0 ? [] : [member.prior()]);
  const priors: readonly Prior[] = [...others, ...ofSequence];
  const usual = inducing === undefined && member.isSparse ? usualInducing(Y, options) : undefined;
  const through = inducing === 'none' ? undefined : (inducing ?? usual);
  const kernel = rest.kernel ?? member.kernel(Y, options, priors.length > 0);
  const startedAt = (start: FreeStart): Model =>
    namedModel(name, {
      ...rest,
      scale: rest.scale ?? 'auto',
      ...(through !== undefined && { inducing: through }),
      kernel,
      latents: latents ?? latentsFrom(backConstraint ?? member.backConstraint, start),
      priors,
      observations: Y,
    });
  // A sequence, a map of the observations and rows with holes have no t-SNE map to start at.
  const isMapped = (backConstraint ?? member.backConstraint) !== undefined;
  const isFree = latents === undefined && !isMapped && !sequence && rest.missing === undefined;
  const start = init ?? (usual !== undefined && isFree && options.latentDim <= MOST_MAPPED ? 'tsne' : 'pca');
  const map = start === 'tsne' ? neighborStart(Y, options, startedAt) : undefined;
  let model = startedAt(start === 'tsne' ? 'pca' : start);
  // The principal components of counts and labels, which are checked by now, are those of the functions behind them.
  if (typeof start === 'string' && isFree && !isReal(options)) {
    const functions = functionsOf(options.likelihood!, observationsFrom(Y));
    model = startedAt(initialLatents('pca', functions, options.latentDim));
  }
  if (usual !== undefined) model = throughInducing(model, usual, map);
  else {
    const search = { ...searchOf(Y, options, member), ...model.search };
    model = withMembers(model, { search, ...(map && { choose: startedBy(map, search) }) });
  }
  return model as MappedModel<Priors, Dynamics, KernelOr<K, Default>>;
}

type FreeStart = Exclude<FamilyOptions['init'], 'tsne'>;
export type Choose = NonNullable<Model['choose']>;

/** A choice whose models are searched for in a way of their own. */
const startedBy =
  (choose: Choose, search: Search): Choose =>
  async (settings) => {
    const { model, message } = await choose(settings);
    return { model: withMembers(model, { search }), message };
  };

/** Default number of inducing inputs of the mapping; undefined if it has none. */
function usualInducing(Y: MatrixLike, options: FamilyOptions): number | undefined {
  const { latentDim, missing } = options;
  const { rows } = observationsFrom(Y, missing === 'ignore');
  return rows > MOST_EXACT && isReal(options) ? Math.min(MOST_INDUCING, INDUCING_PER_DIMENSION * latentDim) : undefined;
}

/** A model that is searched for in another way, or from another start. What it has that is computed when it is asked for stays so. */
export function withMembers(model: Model, own: Pick<Model, 'choose' | 'search'>): Model {
  const changes = { ...own, ...(own.choose !== undefined && { choosesStart: true }) };
  const members = { ...Object.getOwnPropertyDescriptors(model), ...Object.getOwnPropertyDescriptors(changes) };
  return madeHere(Object.freeze(Object.defineProperties({}, members)) as Model);
}

/**
 * The search of thousands of points. Latents, inducing inputs and scales differ much in curvature: L-BFGS on a learned diagonal takes half the evaluations, to a better
 * bound.
 */
export const searchOfMany: Search = {
  relativeDecrease: LEAST_GAIN,
  solver: lbfgs({ scaling: 'diagonal' }),
};

/**
 * The search under likelihoods without closed form, where q(u) are variables beside the latents: 300×50 counts gain 1.5 of −23 230 in the seven tenths of the evaluations
 * that are left out.
 */
const searchOfFunctions: Search = { ...searchOfMany, relativeDecrease: LEAST_GAIN / 10 };

/**
 * The search of the weights of a kernel regression, of which many hardly move the latents: where an iteration gains less than this part of the objective, two moons of 200
 * points lack 0.04 of 24 and wine 0.0007 of −1665, and the errors of the nearest neighbor are those of the maximum.
 */
const searchOfRegression: Search = { relativeDecrease: 1e-8 };

/** The search of a model that does not go through the usual inducing inputs. Of counts and labels their number is always given. */
function searchOf(Y: MatrixLike, options: FamilyOptions, { backConstraint }: FamilyMember): Search {
  if (isReal(options)) return backConstraint === undefined ? {} : searchOfRegression;
  return observationsFrom(Y, options.missing === 'ignore').rows > MOST_EXACT ? searchOfMany : searchOfFunctions;
}

/** A model through the usual number of inducing inputs, which says so, and whose fit ends where an iteration gains little. */
function throughInducing(model: Model, count: number, map: Choose | undefined): Model {
  const search: Search = { ...searchOfMany, ...model.search };
  const said = ` The mapping goes through ${count} inducing inputs, as there are more than ${MOST_EXACT} points; inducing: 'none' takes all of them.`;
  return withMembers(model, {
    search,
    choose: startedBy(async (settings) => {
      const found = await map?.(settings);
      return { model: found?.model ?? model, message: said + (found?.message ?? '') };
    }, search),
  });
}

/** Fits a t-SNE map to observations as the model sees them, at which it then starts. */
function neighborStart(
  Y: MatrixLike,
  { latentDim, scale = 'auto', ...options }: FamilyOptions,
  startedAt: (start: 'pca' | Matrix) => Model,
): Choose {
  return async (settings) => {
    const { tsneMap } = await import('../maps/tsneMap.ts');
    const { spreadMap } = await import('../../model/neighborStart.ts');
    const raw = observationsFrom(Y);
    // Counts and labels are represented by the latent functions behind them.
    const observations = isReal(options) ? raw : functionsOf(options.likelihood!, raw);
    const seen = standardized(
      observations,
      standardizationOf(observations, false, isReal(options) && isScaled(raw, scale)),
    );
    return startedAtMap(tsneMap(seen, { latentDim }), settings, (map) =>
      startedAt(map === 'pca' ? map : spreadMap(map, seen, latentDim)),
    );
  };
}

/** A model that starts at a fitted map, or at the principal components where the time is too short for one, and which of them it is. */
export async function startedAtMap(
  map: Model,
  settings: Parameters<Choose>[0],
  startedAt: (start: 'pca' | Initialization) => Model,
): ReturnType<Choose> {
  try {
    return { model: startedAt(await fit(map, settings)), message: ' The latents started at a t-SNE map.' };
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    const message = ` The latents started at the principal components, as a t-SNE map takes more than its ${shortNumber(settings.maxSeconds!)} seconds.`;
    return { model: startedAt('pca'), message };
  }
}

/** Dynamics with the default kernel of a model, where none is given or that is undefined. */
function stepping(given: DynamicsOptions): DynamicsOptions {
  return { ...given, kernel: given.kernel ?? steps() };
}

/** Steps of latents that start at unit variance, known to a tenth of a standard deviation. */
function steps(): Kernel {
  return add(rbf(), white({ variance: fixed(0.01) }));
}

function latentsFrom(backConstraint: FamilyOptions['backConstraint'], init: FreeStart = 'pca'): Latents {
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

/** Result of {@link smoothKernel}. */
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
  const functions = functionsOf(likelihood!, observationsFrom(Y, missing === 'ignore'));
  const variance = Math.max(1, meanVariance(standardized(functions, standardizationOf(functions, true, false))));
  const smooth = hasPrior ? rbf({ variance: fixed(variance), lengthscale: fixed(1) }) : rbf({ variance });
  return add(smooth, bias({ variance }));
}

/** The mean variance of the observations as they are fitted: it goes with the square of their unit. */
export function fittedVariance(Y: MatrixLike, { center = true, scale = 'auto', missing }: FamilyOptions): number {
  const observations = observationsFrom(Y, missing === 'ignore');
  return meanVariance(
    standardized(observations, standardizationOf(observations, center, isScaled(observations, scale))),
  );
}
