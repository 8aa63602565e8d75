import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkAllPairs } from '../core/observations.ts';
import { lazily } from '../core/progressiveWork.ts';
import type { Random } from '../core/random.ts';
import { doublesOf, matrixTensor, tensorMatrix } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { checkSlopes, slopeKernel, slopeRows } from '../kernels/slopeKernel.ts';
import { type Basis, featuresOf, symmetricBasisOf, whiteOf } from '../kernels/structure.ts';
import { jointDraw, normalEntries } from '../model/jointDraw.ts';
import type { Conditional, Density, DensityContext, RowMoments, Rows, RowsShape } from '../model/language/density.ts';
import { flooredNoise } from '../model/leastNoise.ts';
import type { ParameterValues, TensorMap } from '../model/model.ts';
import type { Parameter } from '../model/parameter.ts';
import { ownTensors, valueTensors } from '../model/part.ts';
import { columnScales, scaledMoments, scaledNoise } from './columnScales.ts';
import { type CovarianceStructure, type ObservedPattern, observedPatterns } from './covariance/covariance.ts';
import { denseStructure } from './covariance/dense.ts';
import { lowRankStructure, spanningInputs } from './covariance/lowRank.ts';
import { allColumns, covariancesOf, type FunctionMoments, type MomentsAt } from './functionMoments.ts';
import type { GaussianProcess, GivenProcess } from './gaussianProcess.ts';
import { noiseOfNew } from './likelihoods/gaussian.ts';
import { functionsOf, type Likelihood } from './likelihoods/likelihood.ts';
import { expectedMoments, logPredictiveEntries, observedAt } from './likelihoods/normalExpectation.ts';

/** Largest number of points whose covariance, factor and gradient fit into the 4 GiB of the float64 backend. */
const MOST_POINTS = Math.floor(Math.sqrt(2 ** 32 / (3 * 8)));

/**
 * The cheapest linear algebra that a kernel allows for this number of points and columns: with its features if they are fewer than the points, with a
 * symmetric basis if it has one, otherwise with N×N matrices.
 *
 * @throws InvalidInputError for more points than N×N matrices have memory for
 */
export function structureOf(kernel: Kernel, points: number, columns: number): CovarianceStructure {
  const features = featuresOf(kernel, columns);
  if (features !== undefined && features.rank > 0 && features.rank < points) return lowRankStructure(features);
  checkAllPairs(
    'A Gaussian process with this kernel',
    points,
    'Give it inducing inputs (inducing: 100), or a kernel of fewer features than points, such as linear.',
    MOST_POINTS,
  );
  const basis = symmetricBasisOf(kernel, columns);
  return basis === undefined ? denseStructure(kernel) : symmetricBasisStructure(kernel, basis);
}

/**
 * A kernel with k(X, X) = E² + UUᵀ at the inputs of the process. The density of complete data uses E and U, where one factor gives the gradients in
 * both; everything else is as for any kernel.
 */
function symmetricBasisStructure(kernel: Kernel, basis: Basis): CovarianceStructure {
  const dense = denseStructure(kernel);
  return {
    kind: 'symmetricBasis',
    at: (p, X, noise) => {
      const asAny = dense.at(p, X, noise);
      return {
        ...asAny,
        logDensity: (data, options) => {
          const { rows, observations, constants } = data;
          const whole = noise.per === 'all' && rows === undefined && observations.shape[1] <= observations.shape[0];
          if (!whole || constants === undefined) return asAny.logDensity(data, options);
          const { basis: E, features } = basis.at(p, X);
          const white = basis.white?.(p);
          const variance = white === undefined ? noise.variance : op.addScalars(noise.variance, white);
          return op.symmetricBasisLogDensity(E, features, variance, observations, options);
        },
      };
    },
  };
}

/** Fewest points for which preparing predictions through fewer inputs is worthwhile. */
const FEWEST_POINTS = 200;

/** Largest fraction of the points that may represent all of them. */
const MOST_INPUTS = 1 / 4;

/** Largest remaining variance of the functions at the other points, relative to the noise. */
const REST = 0.01;

/** A process that can be approximated through fewer inputs. */
type ApproximatedProcess = Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters'> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * Representative inputs of a process: M of its inputs, given which the functions at the others are known to a hundredth of the noise. Predictions
 * through them cost O(M²) per point in place of O(N²). For searches whose result is refined with the exact process.
 *
 * @param values - natural values of the process's parameters
 * @param X - N×q
 * @returns undefined if a quarter of the points is not enough, or if the exact process is as cheap
 */
function representativeInputs(
  { kernel, likelihood, parameters }: Pick<GaussianProcess, 'kernel' | 'likelihood' | 'parameters'>,
  values: ParameterValues,
  X: Matrix,
): Matrix | undefined {
  if (parameters.inducing !== undefined || X.rows < FEWEST_POINTS) return undefined;
  if (structureOf(kernel, X.rows, X.columns).kind !== 'dense') return undefined;
  return withFloat64(() => {
    const tensors = valueTensors(values);
    const own = Object.fromEntries(Object.keys(kernel.parameters).map((name) => [name, tensors[`kernel.${name}`]!]));
    const noise = Math.min(...doublesOf(likelihood.conjugate!(tensors).variance));
    return spanningInputs(kernel, own, X, REST * noise, Math.floor(MOST_INPUTS * X.rows));
  });
}

/** Moments of the functions through representative inputs, which approximate those of the process; undefined without {@link representativeInputs}. */
export function sparseMoments(
  process: ApproximatedProcess,
  values: ParameterValues,
  X: Matrix,
  patterns: readonly ObservedPattern[],
): MomentsAt | undefined {
  if (process.through === undefined) return undefined;
  const inducing = representativeInputs(process, values, X);
  return inducing && process.through(inducing).momentsAt({ ...values, inducing }, X, patterns);
}

/** A process without its density. */
export type Process = Pick<
  GaussianProcess,
  'kernel' | 'likelihood' | 'parameters' | 'given' | 'momentsAt' | 'logDensity' | 'columnScales'
> &
  Partial<Pick<GaussianProcess, 'through'>>;

/**
 * The inputs of a process: its parent variables side by side.
 *
 * @throws InvalidInputError if they have other numbers of rows
 */
function inputs(given: readonly Tensor2D[]): Tensor2D {
  if (given.length === 1) return given[0]!;
  if (given.some(({ shape }) => shape[0] !== given[0]!.shape[0])) {
    const sizes = given.map(({ shape }) => shape.join('×')).join(', ');
    throw new InvalidInputError(
      `Variables that a process is given stand side by side and need the same number of rows, but they are ${sizes}.`,
    );
  }
  return op.concat([...given], 1) as Tensor2D;
}

const calibrates = ({ columnScales }: Pick<Process, 'columnScales'>) => columnScales !== undefined;

/** Parts of a process, without its functions of observations. */
type Described = Pick<Process, 'kernel' | 'likelihood' | 'parameters'>;

/** k(X, X), with the kernel's parameters among those of the process. */
function covarianceOf(kernel: Kernel, p: TensorMap, X: Tensor2D): Tensor2D {
  return kernel.covariance(ownTensors('kernel', Object.keys(kernel.parameters))(p), X, X, X);
}

/** Jitter of a draw from the prior, relative to the mean variance: covariances of smooth functions have no Cholesky factor without it. */
const DRAW_JITTER = 1e-10;

/** Name and draws, which the densities of all processes share. */
export function functionsDensity({
  kernel,
  likelihood,
}: Described): Pick<Density, 'kind' | 'name' | 'centered' | 'takesMissing' | 'support' | 'functionStart' | 'sample'> {
  return {
    kind: 'density',
    name: 'gaussianProcess',
    centered: likelihood.conjugate !== undefined,
    takesMissing: true,
    ...(likelihood.density.support && { support: likelihood.density.support }),
    ...(likelihood.conjugate === undefined && { functionStart: (data: Matrix) => functionsOf(likelihood, data) }),
    ...((likelihood.conjugate || likelihood.density.sample) && {
      sample: (p: TensorMap, random: Random, [n, D]: readonly [number, number], given: readonly Tensor2D[]) => {
        const K = covarianceOf(kernel, p, inputs(given));
        const added = op.mul<Scalar>(DRAW_JITTER, op.mean(op.diagPart(K)));
        const factor = op.cholesky(op.addDiagonal(K, added), {
          name: 'The covariance of a prior draw',
        });
        const functions = op.matMul<Tensor2D>(factor, normalEntries(random, n, likelihood.functions * D));
        if (likelihood.conjugate === undefined) return likelihood.density.sample!(p, random, [n, D], [functions]);
        const noise = noiseOfNew(likelihood.conjugate(p), undefined);
        return op.add<Tensor2D>(functions, op.mul(op.sqrt(noise), normalEntries(random, n, D)));
      },
    }),
  };
}

/** Iterations before the noise is freed, for points on a chart. */
const NOISE_HELD = 100;

/** Density of a variable whose columns are draws of a Gaussian process of its parent variables, with noise. */
export function processDensity(process: Process): Density {
  const parameters = process.parameters as Readonly<Record<string, Parameter>>;
  const { noise } = parameters;
  return Object.freeze<Density>({
    ...functionsDensity(process),
    normalized: parameters.inducing === undefined,
    exact: parameters.inducing === undefined,
    independent: false,
    ...(calibrates(process) && { calibrates: true as const }),
    // Noise that differs between columns gives each column another covariance.
    ...(typeof noise?.initial === 'number' && {
      gaussian: {
        precision: (p: TensorMap, { rows, given }: RowsShape, { onJitter }: DensityContext) =>
          op.choleskySolve(
            op.cholesky(op.addDiagonal(covarianceOf(process.kernel, p, inputs(given)), p.noise as Scalar), {
              name: 'The covariance of a process',
              onJitter,
            }),
            op.eye(rows),
          ),
      },
    }),
    parameters: ({ data, isOnChart }) =>
      isOnChart && data !== undefined && noise !== undefined
        ? { ...parameters, noise: flooredNoise(noise, data) }
        : parameters,
    // On a chart, points can follow the observations at any noise level. If the noise were free at once, it would fall before the points are in the order of the manifold.
    search: {
      held: ({ isOnChart }) => (isOnChart && noise?.free ? { names: ['noise'], iterations: NOISE_HELD } : undefined),
    },
    // Fixed observations: what their patterns need is kept. Observations that are inferred come with each evaluation.
    prepare: ({ data }) => (data === undefined ? undefined : process.given(observedPatterns(data), data.rows)),
    logDensity: (p, { value, given }, context) => {
      const kept = context.constants as GivenProcess | undefined;
      return kept === undefined
        ? process.logDensity(p, inputs(given), value, context)
        : kept.logDensity(p, inputs(given), context);
    },
    condition: (p, fitted, context) => conditional(process, p, fitted, context),
  });
}

function conditional(process: Process, plain: TensorMap, fitted: Rows, context: DensityContext): Conditional {
  const { kernel } = process;
  const width = fitted.value.shape[1];
  const values = context.values!;
  // The factor of the covariance for one fit, computed once when first needed.
  const known = () =>
    context.remember(process, () => {
      const X = tensorMatrix(inputs(fitted.given));
      const Y = withHoles(fitted);
      const patterns = observedPatterns(Y);
      const ofMeans = lazily(() => process.momentsAt(values, X, patterns));
      const { variance } = fitted;
      // Kept as plain numbers: tensors do not outlive the evaluation.
      const S = variance && { variance: tensorMatrix(variance), factors: fitted.factors?.map(tensorMatrix) };
      const exact = S === undefined ? ofMeans : lazily(() => uncertainGiven(process, values, X, ofMeans(), S));
      return {
        X,
        patterns,
        exact,
        scales: lazily(() => columnScales(process, values, X, Y, exact(), process.columnScales!.inputsPerEntry)),
      };
    });
  const isScaled = calibrates(process) && context.isCalibrated !== false && width > 1;
  const scaled = (moments: MomentsAt) => (isScaled ? scaledMoments(moments, known().scales()) : moments);
  return functionsConditional({
    ...process,
    // Only where it is used: the scales of columns take longer than an evaluation, and the end of a fit needs none.
    get p() {
      return isScaled ? scaledNoise(plain, known().scales()) : plain;
    },
    values,
    width,
    inputs: () => known().X,
    momentsAt: (of) => (A) => {
      const { X, patterns, exact } = known();
      const remembered = (key: object, make: () => MomentsAt) =>
        context.remember(key, () => ({ moments: make() })).moments;
      if (of !== kernel) return scaled(remembered(patterns, () => process.momentsAt(values, X, patterns, of)))(A);
      const quick = () => remembered(exact, () => sparseMoments(process, values, X, patterns) ?? exact());
      return scaled(context.isRough ? quick() : exact())(A);
    },
  });
}

/**
 * Moments given Gaussian rows in place of observations. With B = k(A, X)·(K + σ²I)⁻¹, the predictive means for the columns of I, the covariance of
 * column d grows by B·S_d·Bᵀ = (BF_d)(BF_d)ᵀ, F_d = diag(s_d)^½ for rows that are independent.
 */
function uncertainGiven(
  { momentsAt }: Process,
  values: ParameterValues,
  X: Matrix,
  ofMeans: MomentsAt,
  { variance, factors }: { readonly variance: Matrix; readonly factors: readonly Matrix[] | undefined },
): MomentsAt {
  const N = X.rows;
  const identity = Matrix.zeros(N, N);
  for (let i = 0; i < N; i++) identity.data[i * (N + 1)] = 1;
  const weightsAt = momentsAt(values, X, observedPatterns(identity));
  return (A) => {
    const B = allColumns(weightsAt(A), N).mean;
    /** BF_d */
    const spreadOf = (d: number) =>
      factors === undefined
        ? op.mul<Tensor2D>(B, op.sqrt(matrixTensor(new Matrix(variance.column(d), 1, N))))
        : op.matMul<Tensor2D>(B, matrixTensor(factors[d]!));
    return ofMeans(A).map((group) => {
      const columns = Array.from(group.columns);
      const added = op.concat(
        columns.map((d) => op.sum<Tensor2D>(op.square(spreadOf(d)), 1, true)),
        1,
      );
      return {
        ...group,
        variance: op.add<Tensor2D>(group.variance, added),
        covariance: (column) => {
          const spread = spreadOf(columns[column]!);
          return op.add<Tensor2D>(group.covariance(column), op.matMul<Tensor2D>(spread, spread, false, true));
        },
      };
    });
  };
}

/** Moments of the functions at new rows, given the observations. */
interface KnownFunctions {
  readonly kernel: Kernel;
  readonly likelihood: Likelihood;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Natural values of the process's parameters, as tensors and as plain numbers. */
  readonly p: TensorMap;
  readonly values: ParameterValues;
  /** D, times the number of functions of the likelihood. */
  readonly width: number;
  /** Inputs similar to those where the functions are known. */
  readonly inputs: () => Matrix;
  /** Moments of the functions, or of what another kernel with the same parameters derives from them. */
  readonly momentsAt: (kernel: Kernel) => MomentsAt;
}

export function functionsConditional(functions: KnownFunctions): Conditional {
  const { kernel, likelihood, width: D, momentsAt } = functions;
  const isOne = likelihood.functions === 1;
  const functionsAt = (given: readonly Tensor2D[]) => {
    const { mean, variance } = allColumns(momentsAt(kernel)(inputs(given)), D);
    return { mean, variance: op.relu<Tensor2D>(variance) };
  };
  return {
    ...((isOne || likelihood.momentsAt) && {
      moments: (given: readonly Tensor2D[]) => {
        const groups = momentsAt(kernel)(inputs(given));
        const { mean, variance } = allColumns(groups, D);
        return {
          ...momentsAround(likelihood, functions.p, mean, op.relu<Tensor2D>(variance)),
          ...(isOne && { covariances: () => covariancesOf(groups) }),
        };
      },
    }),
    // An observation of several functions is not itself a function of the latents that a process describes.
    ...(isOne && {
      slopes: (given: readonly Tensor2D[]) => {
        checkSlopesOf(functions);
        const rows = matrixTensor(slopeRows(tensorMatrix(inputs(given))));
        const groups = momentsAt(slopeKernel(kernel, functions.inputs()))(rows);
        return { mean: allColumns(groups, D).mean, covariances: () => covariancesOf(groups) };
      },
    }),
    sample: (given, random) => {
      const groups = momentsAt(kernel)(inputs(given));
      if (likelihood.conjugate !== undefined) {
        return drawnFunctions(groups, D, noiseOfNew(likelihood.conjugate(functions.p), undefined), random);
      }
      return observedAt(likelihood, functions.p, drawnFunctions(groups, D, op.scalar(0), random), random);
    },
    logPredictive: ({ value, given, present }) => {
      const { mean, variance } = functionsAt(given);
      const entries = logPredictiveEntries(likelihood, functions.p, mean, variance, value);
      return op.sum(present === undefined ? entries : op.mul(present, entries), 1);
    },
  };
}

/** Moments of observations around functions with these moments, n×D each; of several functions those of the expected observation, and what is around it. */
export function momentsAround(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
): Pick<RowMoments, 'mean' | 'variance' | 'noise' | 'observed'> {
  if (likelihood.conjugate !== undefined)
    return { mean, variance, noise: noiseOfNew(likelihood.conjugate(p), undefined) };
  if (likelihood.functions === 1) return { mean, variance, observed: () => likelihood.moments(p, mean, variance) };
  const { expected, observed } = expectedMoments(`Likelihood '${likelihood.name}'`, likelihood, p, mean, variance);
  return { ...expected, noise: observed };
}

/** @throws InvalidInputError for a kernel whose functions are not differentiable */
function checkSlopesOf({
  kernel,
  parameters,
  values,
  inputs,
}: Pick<KnownFunctions, 'kernel' | 'parameters' | 'values' | 'inputs'>): void {
  if (parameters.inducing !== undefined && whiteOf(kernel) !== undefined) {
    throw new InvalidInputError(
      'Slopes of functions through inducing inputs are known without white noise in their kernel. Leave out white(): the noise of the likelihood says the same.',
    );
  }
  checkSlopes(kernel, ownTensors('kernel', Object.keys(kernel.parameters))(valueTensors(values)), inputs());
}

/** Joint draw of the functions, with noise of this variance added. */
function drawnFunctions(groups: readonly FunctionMoments[], D: number, noise: Tensor, random: Random): Tensor2D {
  const all = covariancesOf(groups);
  const isShared = all.length === 1;
  const { mean } = allColumns(groups, D);
  return jointDraw({ mean, covarianceOf: (c) => all[isShared ? 0 : c]!, isShared, noise }, random);
}

/** Rows with NaN where entries are missing. */
export function withHoles({ value, present }: Rows): Matrix {
  const whole = tensorMatrix(value);
  if (present === undefined) return whole;
  const seen = doublesOf(present);
  return new Matrix(
    whole.data.map((entry, i) => (seen[i] === 0 ? Number.NaN : entry)),
    whole.rows,
    whole.columns,
  );
}
