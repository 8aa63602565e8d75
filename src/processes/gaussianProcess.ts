import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { givenOptions, unknownName } from '../core/options.ts';
import { lazily } from '../core/progressiveWork.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { checkKernel } from '../kernels/algebra.ts';
import type { Kernel, KernelPaths, PathsOf } from '../kernels/kernel.ts';
import { checkNoise, gaussian, hasOptimum, noiseOfNew } from '../model/entrywise/gaussian.ts';
import { isLikelihood, type Likelihood } from '../model/entrywise/likelihood.ts';
import type { Density, DensityAbility, DensityContext } from '../model/language/density.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter, ParameterLike, ParameterValue } from '../model/parameter.ts';
import { approximationFrom, exact, isInducing, type ProcessApproximation } from './approximations.ts';
import {
  type Covariance,
  dataOf,
  disposeData,
  keptPatternData,
  type ObservedData,
  type ObservedPattern,
} from './covariance/covariance.ts';
import { type MomentsAt, patternMoments, remembered } from './functionMoments.ts';
import { processDensity } from './processDensity.ts';
import { sparseDensity } from './variational/boundProcess.ts';
import type { Inducing } from './variational/inducingVariables.ts';

/** Callbacks of a computation. */
export interface ProcessContext {
  /** Called with the jitter that a factorization needed, if any. */
  readonly onJitter?: (jitter: number) => void;
  /** Called with the rank of a pivoted Cholesky approximation, if one replaced the full covariance. */
  readonly onRank?: (rank: number) => void;
  /** Called with the inducing inputs, if there are any, and with a function that measures the gap between their bound and the log density. */
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
  /** Noise variance of an observation: a scalar, or D entries. */
  readonly noise: Tensor;
  /** n×n covariances of the noise-free functions between the new inputs: one for all columns, or one per column. */
  readonly covariances: () => readonly Tensor2D[];
}

/** Natural values of a process by path, if the type of its kernel knows them. */
export type ProcessPaths<K> = KernelPaths<PathsOf<K>> & {
  /** A number, or a list for noise per column or row. */
  readonly noise: number | readonly number[];
} & { readonly [Path in 'inducing' | `likelihood.${string}`]: ParameterValue };

/**
 * Y = f(X) + noise, where every column of f is a Gaussian process: a component of a model, with the kernel's parameters under `kernel.…` and the
 * noise's variance under `noise`. Values `p` are tensors by these names.
 */
export interface GaussianProcess<K extends Kernel = Kernel> {
  readonly kind: 'gaussianProcess';
  /** Exists in types only: natural values by path. */
  readonly '~paths'?: ProcessPaths<K>;
  /** Abilities on new rows; exists in the type only. */
  readonly '~says'?: Exclude<DensityAbility, 'next' | 'field'>;
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  readonly approximation: ProcessApproximation;
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
   * How the covariance is computed: `exact()`, the default; `inducing(M)`, a bound through M inducing inputs, at cost O(N·M·(M + D)), whose parameters are
   * `inducing` and, for Gaussian rows, other likelihoods and batches, q(u) under `variational.…`; or `basis(m)`, sines along each dimension.
   */
  readonly approximation?: ProcessApproximation | undefined;
  /** Short form of `approximation: inducing(M)`: a number of inducing inputs, or where they start, M×q. Not together with `approximation`. */
  readonly inducing?: Inducing | undefined;
  /**
   * Scales predictions per column, y_d ~ N(0, s_d²·(K + σ²I)) with s_d² = y_dᵀ(K + σ²I)⁻¹y_d/(N·ν): variances are then in the units of each column,
   * without a further factor. Requires one noise variance that all columns share; default off.
   */
  readonly columnScales?: ColumnScales;
}

/** Options of the columns' scales. */
export interface ColumnScales {
  /**
   * Number of fitted input coordinates per observed entry: 0 for known inputs (ν = 1), q/D for q free coordinates per row of D columns, with ν = 1 −
   * (q/D)/(1 − d/N), with the functions' degrees of freedom d = tr(K(K + σ²I)⁻¹) out of N; ν is at least 1/3.
   */
  readonly inputsPerEntry: number;
}

const NAME = 'The covariance of the mapping';
/** Largest number of points whose exact log density is evaluated at a result, to measure the error of inducing inputs. */
const MOST_EXACT = 2000;

const widthOf = (patterns: readonly ObservedPattern[]) =>
  patterns.reduce((sum, { columns }) => sum + columns.length, 0);

/**
 * A Gaussian process from latents to observations, as a component of a model: it can be one of the parts of `defineModel`. Linear algebra uses the
 * cheapest form that the kernel allows: with few features, no N×N matrix is formed. With `inducing`, no kernel needs an N×N matrix: the density is
 * then Titsias' bound, which is exact if the inducing inputs equal the inputs.
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
  const { kernel, likelihood, noise, approximation, columnScales } = checkedOptions(options);
  const names = Object.keys(kernel.parameters);
  const covarianceOf = approximation.of(kernel);
  const covarianceAt = (p: TensorMap, X: Tensor2D): Covariance => covarianceOf(p, X, noise(p));
  // Inducing inputs that are known need no inputs of the process to start from.
  const known = isInducing(approximation) ? approximation.options.inducing : undefined;
  const optionsOf = ({ onJitter, onRank }: ProcessContext = {}) => ({
    name: NAME,
    ...(onJitter && { onJitter }),
    ...(onRank && { onRank }),
  });
  const logDensityAt = (p: TensorMap, X: Tensor2D, data: readonly ObservedData[], context: ProcessContext = {}) => {
    const covariance = covarianceAt(p, X);
    const options = optionsOf(context);
    const joint = covariance.patternsLogDensity?.(data, options);
    if (joint !== undefined) return joint;
    const parts = data.map((part) => covariance.logDensity(part, options));
    const reported = approximation.reported(kernel, p, X);
    if (reported !== undefined) {
      context.onApproximation?.(reported, () => {
        const hasFew = X.shape[0] <= MOST_EXACT;
        if (!hasFew && covariance.upperBound === undefined) return {};
        const other = hasFew ? exact().of(kernel)(p, X, noise(p)) : undefined;
        const off = data.reduce((sum, part, i) => {
          const above = other?.logDensity(part, { name: NAME }) ?? covariance.upperBound!(part, { name: NAME });
          return sum + op.valueOf(above) - op.valueOf(parts[i]!);
        }, 0);
        return hasFew ? { error: -off } : { errorBound: off };
      });
    }
    return parts.reduce((sum, part) => op.add<Scalar>(sum, part));
  };

  const process: GaussianProcess<K> = Object.freeze<GaussianProcess<K>>({
    kind: 'gaussianProcess',
    kernel,
    likelihood,
    approximation,
    ...(columnScales && { columnScales }),
    parameters: Object.freeze({
      ...Object.fromEntries(names.map((name) => [`kernel.${name}`, kernel.parameters[name]!])),
      ...likelihood.parameters,
      ...(known instanceof Matrix && approximation.parameters(() => known, kernel)),
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
  const density = lazily((): Density => {
    if (!isInducing(approximation)) return processDensity(process);
    return sparseDensity(process, { kernel, likelihood, ...approximation.options, collapses: hasOptimum(likelihood) });
  });
  return process;
}

function checkedOptions<K extends Kernel>(given: GaussianProcessOptions<K>) {
  const known = ['kernel', 'noise', 'likelihood', 'approximation', 'inducing', 'columnScales'];
  const options = givenOptions(given, 'gaussianProcess');
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw unknownName('option', key, known, 'gaussianProcess');
  }
  checkKernel(options.kernel, "Option 'kernel' of gaussianProcess");
  const { kernel } = options;
  if (options.noise !== undefined && options.likelihood !== undefined) {
    throw new InvalidInputError(
      'gaussianProcess takes either noise or a likelihood, but both were given. Set it in the likelihood: gaussian({ variance }).',
    );
  }
  const likelihood = options.likelihood ?? gaussian(options.noise === undefined ? {} : { variance: options.noise });
  if (!isLikelihood(likelihood)) {
    throw new InvalidInputError(
      `Option 'likelihood' of gaussianProcess must be a likelihood, such as gaussian({ variance: 0.1 }), but ${describe(likelihood)} was given.`,
    );
  }
  const { conjugate } = likelihood;
  const approximation = approximationFrom(options, 'gaussianProcess');
  if (conjugate === undefined && !isInducing(approximation)) {
    throw new InvalidInputError(
      `A Gaussian process is integrated out exactly under a Gaussian likelihood only, but '${likelihood.name}' was given. Give inducing inputs, such as inducing: 50: their bound takes others.`,
    );
  }
  const noise =
    conjugate ??
    (() => {
      throw new InvalidInputError(
        `A Gaussian process under likelihood '${likelihood.name}' is the density of a variable: observed(Y, { density, given: x }). Alone it has no moments.`,
      );
    });
  const { columnScales } = options;
  if (columnScales !== undefined && !(columnScales?.inputsPerEntry >= 0 && columnScales.inputsPerEntry < Infinity)) {
    throw new InvalidInputError(
      `Option 'columnScales' of gaussianProcess is { inputsPerEntry } with a number from 0, but ${describe(columnScales?.inputsPerEntry ?? columnScales)} was given.`,
    );
  }
  if (columnScales !== undefined && typeof likelihood.parameters.noise?.initial !== 'number') {
    throw new InvalidInputError(
      'columnScales of gaussianProcess takes one noise variance, but a list was given. Leave columnScales out.',
    );
  }
  return { kernel, likelihood, noise, approximation, columnScales };
}
