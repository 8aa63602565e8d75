import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { givenOptions, unknownName } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { checkKernel } from '../kernels/algebra.ts';
import type { Kernel, KernelPaths, PathsOf } from '../kernels/kernel.ts';
import type { Density, DensityContext, Saying } from '../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import { type Parameter, type ParameterLike, type ParameterValue, real } from '../model/parameter.ts';
import { ownTensors } from '../model/part.ts';
import {
  type Covariance,
  type CovarianceStructure,
  dataOf,
  disposeData,
  keptPatternData,
  type ObservedData,
  type ObservedPattern,
} from './covariance/covariance.ts';
import { inducingCovariance } from './covariance/lowRank.ts';
import { type MomentsAt, patternMoments, remembered } from './functionMoments.ts';
import { checkNoise, gaussian, noiseOfNew } from './likelihoods/gaussian.ts';
import { isLikelihood, type Likelihood, type Noise } from './likelihoods/likelihood.ts';
import { processDensity, structureOf } from './processDensity.ts';
import { sparseDensity } from './variational/boundProcess.ts';
import type { Inducing } from './variational/inducingVariables.ts';

/** Callbacks of a computation. */
export interface ProcessContext {
  /** Called with the jitter that a factorization needed, if any. */
  readonly onJitter?: (jitter: number) => void;
  /** Called with the rank of a pivoted Cholesky approximation, if one replaced the full covariance. */
  readonly onRank?: (rank: number) => void;
  /** Called with the inducing inputs, if there are any, and with what measures by how much their bound is too low. */
  readonly onApproximation?: DensityContext['onApproximation'];
  /** Cache of the results of conditioning, for further predictions at the same values. */
  readonly memory?: Map<object, unknown>;
}

/** Moments at new inputs, as tensors. */
export interface ProcessMoments {
  /** n×D */
  readonly mean: Tensor2D;
  /** Variance of the noise-free functions, n×D. */
  readonly variance: Tensor2D;
  /** Variance that the noise adds to it in an observation: a scalar, or D entries. */
  readonly noise: Tensor;
  /** n×n covariances of the noise-free functions between the new inputs: one for all columns, or one per column. */
  readonly covariances: () => readonly Tensor2D[];
}

/** Natural values of a process by path, if the type of its kernel knows them. */
export type ProcessPaths<K> = KernelPaths<PathsOf<K>> & {
  /** A number, or a list if the noise was given per column or row. */
  readonly noise: number | readonly number[];
} & { readonly [Path in 'inducing' | `likelihood.${string}`]: ParameterValue };

/**
 * Y = f(X) + noise, where every column of f is a Gaussian process: a part of a model, with the kernel's parameters under `kernel.…` and the noise's
 * variance under `noise`. Values `p` are tensors by these names.
 */
export interface GaussianProcess<K extends Kernel = Kernel> {
  readonly kind: 'gaussianProcess';
  /** Exists in types only: natural values by path. */
  readonly '~paths'?: ProcessPaths<K>;
  /** In types only: what it says of new rows. */
  readonly '~says'?: Exclude<Saying, 'next' | 'field'>;
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  /** Set if predictions scale each column: see the option. */
  readonly columnScales?: ColumnScales;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /**
   * log p(Y|X), a scalar, of complete observations Y (N×D) at inputs X (N×q):
   * −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ) with K = k(X, X) + σ²I.
   */
  readonly logDensity: (p: TensorMap, X: Tensor2D, Y: Tensor2D, context?: ProcessContext) => Scalar;
  /** Moments at new inputs A (n×q), given Y at X. */
  readonly predict: (p: TensorMap, X: Tensor2D, Y: Tensor2D, A: Tensor2D, context?: ProcessContext) => ProcessMoments;
  /** Density of fixed observations at N inputs; entries may be missing. */
  readonly given: (patterns: readonly ObservedPattern[], points: number) => GivenProcess;
  /**
   * Moments of the functions at any inputs, for known values and observations at X (N×q), with factors that are computed once. A `kernel` with the
   * same parameters replaces the process's in predictions: see `slopeKernel`.
   */
  readonly momentsAt: (
    values: ParameterValues,
    X: Matrix,
    patterns: readonly ObservedPattern[],
    kernel?: Kernel,
  ) => MomentsAt;
  /** The same process through inducing inputs (M×q). */
  readonly through: (inducing: Matrix) => GaussianProcess;
  /** The density of a variable given the inputs: `observed(Y, { density: gaussianProcess({ kernel }), given: z })`. */
  readonly density: Density;
}

/** Density of a process's observations, which are kept as tensors until `dispose`. */
export interface GivenProcess {
  logDensity(p: TensorMap, X: Tensor2D, context?: ProcessContext): Scalar;
  dispose(): void;
}

export interface GaussianProcessOptions<K extends Kernel = Kernel> {
  /** Covariance of the functions. */
  readonly kernel: K;
  /** Short form of `gaussian({ variance })`: one variance, or a list with one per column; default 0.01. */
  readonly noise?: ParameterLike;
  /** The likelihood: Gaussian, or any with `inducing`. Not together with `noise`. */
  readonly likelihood?: Likelihood;
  /**
   * Initial inducing inputs, M×q, or their number, for the density of a variable. The density is then its bound through them, at cost O(N·M·(M + D)),
   * and they become a parameter `inducing`. The bound takes variables that are Gaussian rows, non-Gaussian likelihoods, and fits in batches, for
   * which q(u) has its own parameters under `variational.…`. Without inducing inputs the density is exact.
   */
  readonly inducing?: Inducing;
  /** Added to the diagonal of the covariance of the inducing inputs, ≥ 0; default 1e-8 of its mean. */
  readonly jitter?: number | undefined;
  /**
   * Scales predictions per column, y_d ~ N(0, s_d²·(K + σ²I)) with s_d² = y_dᵀ(K + σ²I)⁻¹y_d/(N·ν): variances are then in each column's own units,
   * without a further factor. For one noise variance that all columns share; default off.
   */
  readonly columnScales?: ColumnScales;
}

/** Options of the columns' scales. */
export interface ColumnScales {
  /**
   * Number of fitted input coordinates per observed entry: 0 for known inputs (ν = 1), q/D for q free coordinates per row of D columns, for which ν =
   * 1 − (q/D)/(1 − d/N), with the functions' degrees of freedom d = tr(K(K + σ²I)⁻¹) out of N; ν is at least 1/3.
   */
  readonly inputsPerEntry: number;
}

const NAME = 'The covariance of the mapping';
/** Largest number of points for which the exact log density is evaluated at a result, to measure the error of inducing inputs. */
const MOST_EXACT = 2000;

const widthOf = (patterns: readonly ObservedPattern[]) =>
  patterns.reduce((sum, { columns }) => sum + columns.length, 0);

/**
 * A Gaussian process from latents to observations, as a part of a model: `defineModel` takes it among its parts.
 * Linear algebra takes the cheapest form that the kernel allows: with few features, no N×N matrix is formed. With `inducing` the same holds for any
 * kernel: its density is then Titsias' bound, which is exact if the inducing inputs equal the inputs.
 *
 * @param options - see {@link GaussianProcessOptions}
 * @throws InvalidInputError for an unknown option, an invalid kernel, or a likelihood that is not Gaussian
 * @see Rasmussen & Williams 2006, §2.2; Lawrence 2005, eq. 4; Titsias 2009
 * @example
 * ```ts
 * const process = gaussianProcess({ kernel: add(rbf(), bias()), noise: 0.1 });
 * Object.keys(process.parameters); // kernel.rbf.variance, kernel.rbf.lengthscale, kernel.bias.variance, noise
 * ```
 */
export function gaussianProcess<K extends Kernel>(options: GaussianProcessOptions<K>): GaussianProcess<K> {
  const { kernel, likelihood, noise, inducing, jitter, columnScales } = checkedOptions(options);
  const names = Object.keys(kernel.parameters);
  const own = ownTensors('kernel', names);
  const structures = new Map<string, CovarianceStructure>();
  const structureFor = (points: number, columns: number) => {
    const key = `${points},${columns}`;
    const structure = structures.get(key) ?? structureOf(kernel, points, columns);
    structures.set(key, structure);
    return structure;
  };
  const covarianceAt = (p: TensorMap, X: Tensor2D): Covariance =>
    inducing === undefined
      ? structureFor(...X.shape).at(own(p), X, noise(p))
      : inducingCovariance(kernel, own(p), p.inducing as Tensor2D, jitter, X, noise(p));
  const start = inducing instanceof Matrix && { inducing: real(inducing) };
  const optionsOf = ({ onJitter, onRank }: ProcessContext = {}) => ({
    name: NAME,
    ...(onJitter && { onJitter }),
    ...(onRank && { onRank }),
  });
  const logDensityAt = (p: TensorMap, X: Tensor2D, data: readonly ObservedData[], context: ProcessContext = {}) => {
    const covariance = covarianceAt(p, X);
    const options = optionsOf(context);
    const parts = data.map((part) => covariance.logDensity(part, options));
    if (inducing !== undefined) {
      context.onApproximation?.({ name: 'inducingInputs', count: p.inducing!.shape[0]! }, () => {
        const exact = X.shape[0] <= MOST_EXACT ? structureFor(...X.shape).at(own(p), X, noise(p)) : undefined;
        const off = data.reduce((sum, part, i) => {
          const above = exact?.logDensity(part, { name: NAME }) ?? covariance.upperBound!(part, { name: NAME });
          return sum + op.valueOf(above) - op.valueOf(parts[i]!);
        }, 0);
        return exact === undefined ? { errorBound: off } : { error: -off };
      });
    }
    return parts.reduce((sum, part) => op.add<Scalar>(sum, part));
  };

  const process: GaussianProcess<K> = Object.freeze<GaussianProcess<K>>({
    kind: 'gaussianProcess',
    kernel,
    likelihood,
    ...(columnScales && { columnScales }),
    parameters: Object.freeze({
      ...Object.fromEntries(names.map((name) => [`kernel.${name}`, kernel.parameters[name]!])),
      ...likelihood.parameters,
      ...start,
    }),
    logDensity: (p, X, Y, context) => {
      checkNoise(likelihood, ...Y.shape);
      return logDensityAt(p, X, [dataOf(Y)], context);
    },
    predict: (p, X, Y, A, context) => {
      checkNoise(likelihood, ...Y.shape);
      const covariance = covarianceAt(p, X);
      const data = dataOf(Y);
      const left = remembered(context?.memory, process, X, Y, () => covariance.condition(data, optionsOf(context)));
      const moments = covariance.momentsAt(A)(data, left);
      const { mean, variance } = moments;
      const wide = variance.shape[1] === mean.shape[1];
      return {
        mean,
        variance: wide ? variance : op.mul<Tensor2D>(variance, op.ones([1, mean.shape[1]])),
        noise: noiseOfNew(noise(p), undefined),
        covariances: () => Array.from({ length: variance.shape[1] }, (_, column) => moments.covariance(column)),
      };
    },
    given: (patterns, points) => {
      const width = widthOf(patterns);
      checkNoise(likelihood, points, width);
      const data = patterns.map((pattern) => keptPatternData(pattern, points, width));
      return {
        logDensity: (p, X, context) => logDensityAt(p, X, data, context),
        dispose: () => data.forEach(disposeData),
      };
    },
    momentsAt: (values, X, patterns, other) => {
      if (other !== undefined) return gaussianProcess({ ...options, kernel: other }).momentsAt(values, X, patterns);
      const width = widthOf(patterns);
      checkNoise(likelihood, X.rows, width);
      return patternMoments({ covarianceAt, values, X, patterns, width, name: NAME });
    },
    through: (at) => gaussianProcess({ kernel, likelihood, inducing: at, ...(columnScales && { columnScales }) }),
    get density() {
      return density();
    },
  });
  const density: () => Density = lazily(() => {
    if (inducing === undefined) return processDensity(process);
    const collapses = likelihood.conjugate !== undefined && typeof likelihood.parameters.noise!.initial === 'number';
    return sparseDensity(process, { kernel, likelihood, inducing, jitter, collapses });
  });
  return process;
}

function checkedOptions<K extends Kernel>(
  given: GaussianProcessOptions<K>,
): {
  kernel: K;
  likelihood: Likelihood;
  noise: (p: TensorMap) => Noise;
  inducing: Matrix | number | undefined;
  jitter: number | undefined;
  columnScales: ColumnScales | undefined;
} {
  const known = ['kernel', 'noise', 'likelihood', 'inducing', 'jitter', 'columnScales'];
  const options = givenOptions(given, 'gaussianProcess');
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw unknownName('option', key, known, 'gaussianProcess');
  }
  checkKernel(options.kernel, "Option 'kernel' of gaussianProcess");
  const { kernel } = options;
  if (options.noise !== undefined && options.likelihood !== undefined) {
    throw new InvalidInputError(
      'gaussianProcess takes either noise or a likelihood, but both were given. Say it in the likelihood: gaussian({ variance }).',
    );
  }
  const likelihood = options.likelihood ?? gaussian(options.noise === undefined ? {} : { variance: options.noise });
  if (!isLikelihood(likelihood)) {
    throw new InvalidInputError(
      `Option 'likelihood' of gaussianProcess must be a likelihood, such as gaussian({ variance: 0.1 }), but ${describe(likelihood)} was given.`,
    );
  }
  const { conjugate } = likelihood;
  if (conjugate === undefined && options.inducing === undefined) {
    throw new InvalidInputError(
      `A Gaussian process is integrated out exactly under a Gaussian likelihood only, but '${likelihood.name}' was given. Give inducing inputs too, such as inducing: 50: their bound takes others.`,
    );
  }
  const name = "Option 'inducing' of gaussianProcess";
  const inducing = options.inducing === undefined ? undefined : readInducing(options.inducing, name);
  const noise =
    conjugate ??
    (() => {
      throw new InvalidInputError(
        `A Gaussian process under likelihood '${likelihood.name}' is the density of a variable: observed(Y, { density, given: x }). By itself it has no moments.`,
      );
    });
  const { jitter } = options;
  if (jitter !== undefined && !(jitter >= 0 && Number.isFinite(jitter))) {
    throw new InvalidInputError(
      `Option 'jitter' of gaussianProcess is a number from 0, but ${describe(jitter)} was given.`,
    );
  }
  const { columnScales } = options;
  if (columnScales !== undefined && !(columnScales?.inputsPerEntry >= 0 && columnScales.inputsPerEntry < Infinity)) {
    throw new InvalidInputError(
      `Option 'columnScales' of gaussianProcess is { inputsPerEntry } with a number from 0, but ${describe(columnScales?.inputsPerEntry ?? columnScales)} was given.`,
    );
  }
  if (columnScales !== undefined && typeof likelihood.parameters.noise?.initial !== 'number') {
    throw new InvalidInputError(
      'columnScales of gaussianProcess takes one variance of noise for all columns, but a list was given. Leave columnScales out: the noise says the measure of each column.',
    );
  }
  return { kernel, likelihood, noise, inducing, jitter, columnScales };
}

function readInducing(given: Inducing, name: string): Matrix | number {
  if (typeof given !== 'number') return checkNumbers(Matrix.from(given, name), name);
  if (Number.isInteger(given) && given >= 1) return given;
  throw new InvalidInputError(
    `${name} is a whole number of inducing inputs from 1, or a matrix of them, but ${given} was given.`,
  );
}
