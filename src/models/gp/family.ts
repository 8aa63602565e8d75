import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, givenOptions } from '../../core/options.ts';
import { lbfgs } from '../../inference/solvers/lbfgs.ts';
import { add } from '../../kernels/algebra.ts';
import { bias, white } from '../../kernels/constant.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { rbf } from '../../kernels/rbf.ts';
import { backConstrained, kernelRegression } from '../../latents/backConstrained.ts';
import type { LatentMap } from '../../latents/defineMap.ts';
import { linearMap, mlpMap } from '../../latents/layersMap.ts';
import type { Initialization } from '../../model/initialization.ts';
import type { Observations } from '../../model/language/observations.ts';
import type { LatentVariable, ObservedVariable, PointRows } from '../../model/language/variable.ts';
import type { Search } from '../../model/model.ts';
import { fixed } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DynamicsOptions, dynamics } from '../../priors/dynamics.ts';
import type { Likelihood } from '../../processes/likelihoods/likelihood.ts';
import type { Inducing } from '../../processes/variational/inducingVariables.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import {
  checkFields,
  declaredModel,
  isHeld,
  type LatentVariableModelOptions,
  latentEntries,
  MAPPING,
  settings,
} from './latentVariableModel.ts';
import {
  checkedView,
  checkRows,
  functionVariance,
  isReal,
  type MadeProcess,
  pointProcess,
  processEntries,
  readUnder,
} from './process.ts';

/** Options of every named model of the Gaussian-process family; all but `latentDim` have defaults. */
export interface FamilyOptions<
  Priors extends readonly Prior[] = readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined = boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined = Kernel | undefined,
> extends Omit<LatentVariableModelOptions<Priors>, 'observations' | 'kernel' | 'inducing' | 'init'> {
  /** Covariance of the mapping; default an rbf plus a bias with fixed scales, for `tpslvm` a thin plate spline times the mean variance. */
  readonly kernel?: K | undefined;
  /**
   * Number of inducing inputs of the mapping, from 1 to N, or their starts (M×q): the term `mapping` is then a bound of log p(Y|X), at cost O(N·M·(M + D))
   * instead of O(N³). 'none' is the exact mapping. By default `gplvm` and `tpslvm` of more than 1000 points use 50 per latent dimension, at most 200, and
   * the message of their fits reports it; all others use none.
   */
  readonly inducing?: Inducing | 'none' | undefined;
  /**
   * Start of the latents: 'pca', 'tsne' (a t-SNE map with a standard deviation of 2 per column, which `fit` makes first), an N×q matrix, or a fitted
   * embedding. Default 'pca', and 'tsne' in one or two dimensions where the library chooses the number of inducing inputs. Not together with `posterior`.
   */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization | undefined;
  /**
   * Makes the latents a function of the observations: a map, or 'kernel', 'mlp' or 'linear' for the map of that kind. Default 'kernel' for `gplrf` and
   * `dgplvm`, none for others.
   */
  readonly backConstraint?: LatentMap | 'kernel' | 'mlp' | 'linear' | undefined;
  /**
   * Priors on the latents, a list, instead of the model's own; default `standardNormal()` for `gplvm` and `tpslvm`, the prior that names the model for
   * others; [] for none.
   */
  readonly priors?: Priors | undefined;
  /**
   * Puts Gaussian-process dynamics on the latents instead of the default prior. The default `kernel` is rbf + white with a white variance fixed at 0.01:
   * free, latents and variances that shrink to 0 together would raise log p(X) without bound.
   */
  readonly dynamics?: Dynamics | undefined;
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

/** Defaults of a named model. */
interface FamilyDefaults {
  /** The prior when neither `priors` nor `dynamics` is given. */
  readonly prior: (y: Observations, latentDim: number) => Prior;
  /** The map when `backConstraint` is not given; free latents without it. */
  readonly backConstraint?: 'kernel';
  /** Names of the options that only this model takes, for messages. */
  readonly options?: readonly string[];
  /** True if the mapping of many points goes through inducing inputs unless told otherwise. */
  readonly isSparse?: boolean;
}

/** The options of a named model, with their short forms spelled out. */
export interface SpelledOut {
  readonly latentDim: number;
  /** Where the latents start; undefined where the posterior says it. */
  readonly init: FamilyOptions['init'];
  /** Points that are free, held, or a map of the observations. */
  readonly posterior: 'point' | PointRows;
  readonly priors: readonly Prior[];
  readonly kernel: Kernel | undefined;
  readonly likelihood: Likelihood | undefined;
  /** The process of this covariance from the latents to the observations, with the noise, likelihood and inducing inputs of the options. */
  readonly process: (kernel: Kernel) => MadeProcess;
}

/** The variables of a named model. */
interface FamilyVariables {
  readonly latents: LatentVariable;
  readonly mapping: ObservedVariable;
  /** Sentence for the message of its fits; begins with a space. */
  readonly note?: string;
}

/** A named model from its declaration: observations that are read once, and options that are spelled out. */
export function familyModel<
  Priors extends readonly Prior[],
  Dynamics extends boolean | DynamicsOptions | undefined,
  K extends Kernel | undefined,
  Default = SmoothKernel,
>(
  name: string,
  Y: MatrixLike,
  asked: FamilyOptions<Priors, Dynamics, K>,
  defaults: FamilyDefaults,
  declare: (y: Observations, options: SpelledOut) => FamilyVariables,
): MappedModel<Priors, Dynamics, KernelOr<K, Default>> {
  const options = checkedOptions(name, asked, defaults);
  const {
    init,
    backConstraint = defaults.backConstraint,
    dynamics: sequence,
    posterior: given,
    inducing,
    ...rest
  } = options;
  const { latentDim, kernel, likelihood } = rest;
  const ofSequence: Prior[] = sequence ? [dynamics(stepping(sequence === true ? {} : sequence))] : [];
  const y = readUnder(Y, { ...rest, scale: rest.scale ?? 'auto' });
  const others = rest.priors ?? (ofSequence.length > 0 ? [] : [defaults.prior(y, latentDim)]);
  const priors: readonly Prior[] = [...others, ...ofSequence];
  const isMany = y.raw.rows > MOST_EXACT;
  const usual = inducing === undefined && defaults.isSparse === true && isMany && isReal(options);
  const through = usual ? Math.min(MOST_INDUCING, INDUCING_PER_DIMENSION * latentDim) : inducing;
  // A sequence, a map of the observations and rows with holes start at principal components unless told otherwise.
  const isFree = given === undefined && backConstraint === undefined && !sequence && rest.missing === undefined;
  const start = init ?? (usual && isFree && latentDim <= MOST_MAPPED ? 'tsne' : 'pca');
  const map = given === undefined && backConstraint !== undefined ? mapFrom(backConstraint) : undefined;
  const posterior = map ? backConstrained(map, { init: start === 'tsne' ? 'pca' : start }) : (given ?? 'point');
  let process: MadeProcess | undefined;
  const {
    latents: variable,
    mapping,
    note = '',
  } = declare(y, {
    ...{
      latentDim,
      init: start === 'tsne' || posterior === 'point' ? start : undefined,
      posterior,
      priors,
      kernel,
      likelihood,
    },
    process: (own) => {
      const { noise, missing, center, scale = 'auto', jitter } = rest;
      const view = checkedView(name, '', {
        ...{ observations: y, kernel: own, noise, likelihood, missing, center, scale, jitter },
        inducing: through === 'none' ? undefined : through,
      });
      const areTied = isHeld(posterior) || priors.some(({ independent }) => independent !== true);
      if (!areTied) checkRows(name, [view]);
      process = pointProcess(view, settings([y], posterior, latentDim, start).of(0));
      return process;
    },
  });
  const said = usual
    ? ` The mapping goes through ${through} inducing inputs, as there are more than ${MOST_EXACT} points; \`inducing: 'none'\` takes all of them.`
    : '';
  const model = declaredModel(name, options, () => ({
    ...{ posterior, priors, latents: variable, mappings: { [MAPPING]: { variable: mapping, process: process! } } },
    search: usual ? searchOfMany : searchOf(isMany, options, defaults),
    note: said + note,
  }));
  return model as MappedModel<Priors, Dynamics, KernelOr<K, Default>>;
}

const entries = {
  ...latentEntries,
  ...processEntries,
  backConstraint: v.optional(v.any()),
  dynamics: v.optional(v.any()),
};

function checkedOptions<O extends FamilyOptions>(name: string, given: O, defaults: FamilyDefaults): O {
  const own = Object.fromEntries((defaults.options ?? []).map((option) => [option, v.optional(v.any())]));
  const options = checkOptions(v.strictObject({ ...entries, ...own }), givenOptions(given, name), name) as unknown as O;
  checkFields(name, options.priors);
  const { posterior, init, backConstraint } = options;
  if (posterior === undefined || (init === undefined && backConstraint === undefined)) return options;
  throw new InvalidInputError(
    `${name} takes either posterior, or init and backConstraint, but both were given. Put them into the posterior: backConstrained(map, { init }).`,
  );
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
function searchOf(isMany: boolean, options: FamilyOptions, { backConstraint }: FamilyDefaults): Search {
  if (isReal(options)) return backConstraint === undefined ? {} : searchOfRegression;
  return isMany ? searchOfMany : searchOfFunctions;
}

/** Dynamics with the default kernel of a model, where none is given or that is undefined. */
function stepping(given: DynamicsOptions): DynamicsOptions {
  return { ...given, kernel: given.kernel ?? steps() };
}

/** Steps of latents that start at unit variance, known to a tenth of a standard deviation. */
function steps(): Kernel {
  return add(rbf(), white({ variance: fixed(0.01) }));
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
 * prior would drive both to 0: then the lengthscale is held at 1 and the rbf's variance at that of the functions.
 */
export function smoothKernel(y: Observations, { likelihood, priors }: SpelledOut): Kernel {
  const variance = functionVariance(y, likelihood);
  const smooth = priors.length > 0 ? rbf({ variance: fixed(variance), lengthscale: fixed(1) }) : rbf({ variance });
  return add(smooth, bias({ variance: (isReal({ likelihood }) ? 0.1 : 1) * variance }));
}
