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
import type { Likelihood } from '../../model/entrywise/likelihood.ts';
import type { Initialization } from '../../model/initialization.ts';
import { latent } from '../../model/language/latent.ts';
import type { Observations } from '../../model/language/observations.ts';
import { observed } from '../../model/language/variable.ts';
import type { Search } from '../../model/model.ts';
import { fixed } from '../../model/parameter.ts';
import type { Prior } from '../../priors/definePrior.ts';
import { type DynamicsOptions, dynamics } from '../../priors/dynamics.ts';
import type { Inducing } from '../../processes/variational/inducingVariables.ts';
import type { KernelOr, MappedModel } from './gpModel.ts';
import {
  checkFields,
  declaredModel,
  inputsOf,
  isHeld,
  type LatentVariableModelOptions,
  latentEntries,
  MAPPING,
  settings,
} from './latentVariableModel.ts';
import {
  approximatedEntries,
  checkedView,
  checkRows,
  functionVariance,
  isReal,
  pointProcess,
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
   * Number of inducing inputs of the mapping, from 1 to N, or their initial values (M×q): the term `mapping` is then a bound on log p(Y|X), at cost
   * O(N·M·(M + D)) instead of O(N³). 'none' is the exact mapping. By default `gplvm` and `tpslvm` with more than 1000 points use 50 per latent
   * dimension, at most 200, and
   * the message of their fits reports it; all others use none.
   */
  readonly inducing?: Inducing | 'none' | undefined;
  /**
   * Start of the latents: 'pca', 'tsne' (a t-SNE map with a standard deviation of 2 per column, which `fit` computes first), an N×q matrix, or a
   * fitted embedding. Default 'pca', and 'tsne' in one or two dimensions if the library chooses the number of inducing inputs. Not together with `posterior`.
   */
  readonly init?: 'pca' | 'tsne' | MatrixLike | Initialization | undefined;
  /**
   * Map that makes the latents a function of the observations, or 'kernel', 'mlp' or 'linear' for a map of that kind. Default 'kernel' for `gplrf`
   * and `dgplvm`, none for others.
   */
  readonly backConstraint?: LatentMap | 'kernel' | 'mlp' | 'linear' | undefined;
  /**
   * Priors on the latents, a list that replaces the model's default; default `standardNormal()` for `gplvm` and `tpslvm`, and for others the prior
   * that the model is named after; [] for none.
   */
  readonly priors?: Priors | undefined;
  /**
   * Gaussian process dynamics on the latents instead of the default prior. The default `kernel` is rbf + white with a white variance fixed at 0.01:
   * if it were free, log p(X) would be unbounded as latents and variances shrink to 0 together.
   */
  readonly dynamics?: Dynamics | undefined;
}

/** Maximum number of points with the exact mapping as the default. */
export const MOST_EXACT = 1000;
/** Maximum number of latent dimensions for a t-SNE map, whose steps cost as much as N points in these dimensions and all pairs in more. */
const MOST_MAPPED = 2;
/** Default number of inducing inputs per latent dimension, and in total. */
const INDUCING_PER_DIMENSION = 50;
const MOST_INDUCING = 200;
/**
 * Relative decrease of the objective below which a fit with the default inducing inputs has converged. The bound of thousands of points increases by
 * its last thousandth for hundreds of iterations, with no visible change of the map.
 */
const LEAST_GAIN = 1e-5;

/** Defaults of a named model. */
interface FamilyDefaults {
  /** Default prior, without `priors` and `dynamics`. */
  readonly prior: (y: Observations, latentDim: number) => Prior;
  /** Default back-constraint; without it, latents are free. */
  readonly backConstraint?: 'kernel';
  /** Names of the options that are specific to this model, for messages. */
  readonly options?: readonly string[];
  /** True if the mapping of many points uses inducing inputs by default. */
  readonly isSparse?: boolean;
}

/** Options of a named model with short forms expanded. */
export interface SpelledOut {
  readonly priors: readonly Prior[];
  readonly kernel: Kernel | undefined;
  readonly likelihood: Likelihood | undefined;
  readonly offset: ArrayLike<number> | undefined;
}

/** Covariance of a named model. */
export interface FamilyMapping {
  readonly kernel: Kernel;
  /** Sentence for the message of its fits; begins with a space. */
  readonly note?: string;
}

/** Named model from its declaration: reads the observations once and expands the options. */
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
  declare: (y: Observations, options: SpelledOut) => FamilyMapping,
): MappedModel<Priors, Dynamics, KernelOr<K, Default>> {
  const options = checkedOptions(name, asked, defaults);
  const {
    init,
    backConstraint = defaults.backConstraint,
    dynamics: sequence,
    posterior: given,
    inducing,
    latentDim,
    priors: only,
    given: beside,
    ...rest
  } = options;
  const ofSequence: Prior[] = sequence ? [dynamics(stepping(sequence === true ? {} : sequence))] : [];
  const y = readUnder(Y, { ...rest, scale: rest.scale ?? 'auto' });
  const others = only ?? (ofSequence.length > 0 ? [] : [defaults.prior(y, latentDim)]);
  const priors: readonly Prior[] = [...others, ...ofSequence];
  const isMany = y.raw.rows > MOST_EXACT;
  const usual =
    inducing === undefined &&
    rest.approximation === undefined &&
    defaults.isSparse === true &&
    isMany &&
    isReal(options);
  const through = usual ? Math.min(MOST_INDUCING, INDUCING_PER_DIMENSION * latentDim) : inducing;
  // A sequence, a map of the observations and rows with missing entries start at principal components by default.
  const isFree = given === undefined && backConstraint === undefined && !sequence && rest.missing === undefined;
  const start = init ?? (usual && isFree && latentDim <= MOST_MAPPED ? 'tsne' : 'pca');
  const map = given === undefined && backConstraint !== undefined ? mapFrom(backConstraint) : undefined;
  const posterior = map ? backConstrained(map, { init: start === 'tsne' ? 'pca' : start }) : (given ?? 'point');
  const latents = latent({
    ...{ dim: latentDim, factors: priors, posterior },
    init: start === 'tsne' || posterior === 'point' ? start : undefined,
  });
  const setting = settings([y], posterior, latentDim, start, beside);
  const { kernel: own, likelihood, offset } = rest;
  const parts = { priors, kernel: own, likelihood, offset };
  const { kernel, note = '' } =
    beside?.mapping(declare, y, parts, setting.completed(0), latentDim) ?? declare(y, parts);
  const view = checkedView(name, '', {
    ...{ ...rest, observations: y, kernel, scale: rest.scale ?? 'auto' },
    inducing: through === 'none' && rest.approximation === undefined ? undefined : (through as Inducing | undefined),
  });
  const areTied = isHeld(posterior) || priors.some(({ independent }) => independent !== true);
  if (!areTied) checkRows(name, [view]);
  const process = pointProcess(view, setting.of(0));
  const variable = observed(y, {
    density: process,
    given: inputsOf(latents, y, beside, process),
    weights: rest.rowWeights,
  });
  const said = usual
    ? ` The mapping goes through ${through} inducing inputs, as there are more than ${MOST_EXACT} points; \`inducing: 'none'\` uses all.`
    : '';
  const model = declaredModel(name, options, () => ({
    ...{ posterior, priors, latents, given: beside, mappings: { [MAPPING]: { variable, process } } },
    search: usual ? searchOfMany : searchOf(isMany, options, defaults),
    note: said + note,
  }));
  return model as MappedModel<Priors, Dynamics, KernelOr<K, Default>>;
}

const entries = {
  ...latentEntries,
  ...approximatedEntries,
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
 * Search for thousands of points. Latents, inducing inputs and scales have very different curvature: L-BFGS with a learned diagonal needs half the
 * evaluations, and reaches a better bound.
 */
export const searchOfMany: Search = {
  relativeDecrease: LEAST_GAIN,
  solver: lbfgs({ scaling: 'diagonal' }),
};

/**
 * Search for likelihoods without closed form, whose q(u) are variables along with the latents: 300×50 counts gain only 1.5 of −23 230 in the seven
 * tenths of the evaluations that are saved.
 */
const searchOfFunctions: Search = { ...searchOfMany, relativeDecrease: LEAST_GAIN / 10 };

/**
 * Search for the weights of a kernel regression, which mostly hardly move the latents: with this relative decrease, two moons of 200 points lack
 * 0.04 of 24 and wine 0.0007 of −1665, and the nearest-neighbor errors equal those at the maximum.
 */
const searchOfRegression: Search = { relativeDecrease: 1e-8 };

/** Search of a model without default inducing inputs; counts and labels always set their number. */
function searchOf(isMany: boolean, options: FamilyOptions, { backConstraint }: FamilyDefaults): Search {
  if (isReal(options)) return backConstraint === undefined ? {} : searchOfRegression;
  return isMany ? searchOfMany : searchOfFunctions;
}

/** Dynamics with the default kernel of a model, if none is set or it is undefined. */
function stepping(given: DynamicsOptions): DynamicsOptions {
  return { ...given, kernel: given.kernel ?? steps() };
}

/** Dynamics kernel for latents that start at unit variance, with an uncertainty of a tenth of a standard deviation. */
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
 * rbf + bias. With a prior that shrinks the latents, X → c·X with lengthscale → c·lengthscale leaves the likelihood unchanged, so the prior would
 * drive both to 0: the lengthscale is then fixed at 1, and the rbf's variance at the variance of the functions.
 */
export function smoothKernel(y: Observations, { likelihood, priors, offset }: SpelledOut): Kernel {
  const variance = functionVariance(y, likelihood, offset);
  const smooth = priors.length > 0 ? rbf({ variance: fixed(variance), lengthscale: fixed(1) }) : rbf({ variance });
  return add(smooth, bias({ variance: (isReal({ likelihood }) ? 0.1 : 1) * variance }));
}
