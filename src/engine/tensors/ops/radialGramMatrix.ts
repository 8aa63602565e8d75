import * as tf from '@tensorflow/tfjs-core';
import { fusedOperations, linearAlgebra } from '../../dense/activeEngine.ts';
import type { PositiveDefiniteOptions } from '../../dense/factorize.ts';
import { type MatrixParts, pivotedCholesky } from '../../dense/pivotedCholesky.ts';
import type { Float64Memory } from '../../memory.ts';
import type { FusedOperations, RadialProfile, RadialSum } from '../../operations/covariances.ts';
import type { LinearAlgebraEngine } from '../../operations/linearAlgebra.ts';
import { doubleOf, doublesOf } from '../doubles.ts';
import { Float64Backend } from '../float64/backend.ts';
import { sizeOf } from '../float64/operations/operation.ts';
import { type GaussianData, gaussianLogDensity, lowRankLogDensity } from '../linearAlgebra/gaussianLogDensity.ts';
import {
  type DensityPlaces,
  fromObservations,
  fromOuterProduct,
  type GaussianAttributes,
  logDensity,
} from '../linearAlgebra/operations/gaussianLogDensity.ts';
import {
  bytesOf,
  differentiable,
  floating,
  type MatrixKernel,
  matrixOperand,
  numbersOf,
  requireBackend,
  scalarOperand,
} from '../linearAlgebra/operations/operation.ts';
import type { NumericFunction } from '../recording.ts';
import { numericOperation } from '../tape.ts';
import { engine, isProfiled, type Scalar, type Tensor, type Tensor2D, type TensorInfo } from '../tensorflow.ts';

const OPERATION = 'radialGramMatrix';

/** Parameters of a radial Gram matrix, as tensors. */
export interface RadialGramParameters {
  /** v, a scalar. */
  readonly variance: Tensor;
  /** l, a scalar or one per column of the points. */
  readonly lengthscale: Tensor;
  /** b, a scalar. */
  readonly bias: Tensor;
  /** s, a scalar. */
  readonly noise: Tensor;
}

/**
 * v·f(Σ_d ((x_id − x_jd)/l_d)²) + b + s·[i = j] among one set of points, for a profile f, as one operation: the sum of a radial covariance,
 * a bias and a white noise forwards, and the gradients in all of them backwards.
 *
 * @param X - n×q
 * @param profile - f and its derivative
 * @param parameters - see {@link RadialGramParameters}
 * @returns n×n
 * @throws InvalidInputError unless X is a matrix, there is one lengthscale or one per column, and the other arguments are single numbers
 * @example
 * ```ts
 * const cauchy: op.RadialProfile = {
 *   name: 'cauchy',
 *   value: (s) => { for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!); },
 *   slope: (s) => { for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2; },
 * };
 * const X = op.tensor<op.Tensor2D>([[0], [1]]);
 * const [one, none] = [op.scalar(1), op.scalar(0)];
 * const parameters = { variance: one, lengthscale: one, bias: none, noise: op.scalar(0.5) };
 * op.radialGramMatrix(X, cauchy, parameters); // [[1.5, 0.5], [0.5, 1.5]]
 * ```
 */
export function radialGramMatrix(X: Tensor2D, profile: RadialProfile, parameters: RadialGramParameters): Tensor2D {
  requireBackend(OPERATION);
  return differentiable(GRAM, GRADIENT, radialOperands(X, parameters, OPERATION), { profile }) as Tensor2D;
}

/** X, variance, lengthscale, bias and noise, each in the shape that the operation needs. */
function radialOperands(
  X: Tensor2D,
  { variance, lengthscale, bias, noise }: RadialGramParameters,
  operation: string,
): [Tensor2D, Tensor, Tensor, Tensor, Tensor] {
  const points = matrixOperand(X, operation, 'X');
  const q = points.shape[1];
  const form = `of one entry or of ${q}, one for each column of X,`;
  const fits = () => lengthscale.size === 1 || lengthscale.size === q;
  return [
    points,
    scalarOperand(variance, operation, 'variance'),
    floating(lengthscale, operation, 'lengthscale', form, fits),
    scalarOperand(bias, operation, 'bias'),
    scalarOperand(noise, operation, 'noise'),
  ];
}

/** Parameters of a radial Gram matrix, as plain numbers. */
interface RadialNumbers {
  readonly variance: number;
  readonly lengthscale: Float64Array;
  readonly bias: number;
  readonly noise: number;
}

const numbersAt = (v: TensorInfo, l: TensorInfo, b: TensorInfo, s: TensorInfo): RadialNumbers => ({
  variance: doubleOf(v),
  lengthscale: doublesOf(l),
  bias: doubleOf(b),
  noise: doubleOf(s),
});

/** Reads the parameters from the memory: v, lengthscales, b, s. */
function numbersIn(memory: Float64Memory, places: readonly number[], lengthscales: number): RadialNumbers {
  const [v, l, b, s] = places as [number, number, number, number];
  return {
    variance: memory.number(v),
    lengthscale: memory.float64(l, lengthscales).slice(),
    bias: memory.number(b),
    noise: memory.number(s),
  };
}

function parametersOf({ variance, lengthscale, bias, noise }: RadialNumbers, q: number): RadialSum {
  const lengthscales = lengthscale.length === 1 ? new Float64Array(q).fill(lengthscale[0]!) : lengthscale;
  return { variance, lengthscales, bias, noise };
}

interface GramAttributes {
  readonly profile: RadialProfile;
}

const GRAM: MatrixKernel<GramAttributes> = {
  name: 'latentfield.RadialGramMatrix',
  inputs: ['x', 'v', 'l', 'b', 's'],
  outputs: ([x]) => [[x![0]!, x![0]!]],
  compute({ memory, inputs, outputs }, [x, , l], { profile }) {
    const [n, q] = x as [number, number];
    const parameters = parametersOf(numbersIn(memory, inputs.slice(1), sizeOf(l!)), q);
    fusedOperations(memory).radialSum(n, q, inputs[0]!, profile, parameters, outputs[0]!);
  },
};

const GRADIENT: MatrixKernel<GramAttributes> = {
  name: 'latentfield.RadialGramMatrixGradient',
  inputs: ['x', 'result', 'dy', 'v', 'l', 'b', 's'],
  outputs: ([x, , , , l]) => [x!, [], l!, [], []],
  compute({ memory, inputs, outputs }, [x, , , , l], { profile }) {
    const [n, q] = x as [number, number];
    const [points, k, dy, ...places] = inputs as [number, number, number, ...number[]];
    const numbers = numbersIn(memory, places, sizeOf(l!));
    const operations = fusedOperations(memory);
    const parameters = parametersOf(numbers, q);
    const gradient = operations.radialSumGradient(n, q, points, profile, parameters, k, dy, outputs[0]!);
    const lengthscales = lengthscaleGradient(gradient, numbers);
    memory.float64(outputs[1]!, 1)[0] = gradient.variance;
    memory.float64(outputs[2]!, lengthscales.length).set(lengthscales);
    memory.float64(outputs[3]!, 1)[0] = gradient.bias;
    memory.float64(outputs[4]!, 1)[0] = gradient.noise;
  },
};

/** Gradient in each lengthscale; their sum for one that all columns share. */
function lengthscaleGradient(
  { lengthscales }: RadialSum,
  { lengthscale }: Pick<RadialNumbers, 'lengthscale'>,
): Float64Array {
  if (lengthscale.length !== 1) return Float64Array.from(lengthscales);
  let sum = 0;
  for (let d = 0; d < lengthscales.length; d++) sum += lengthscales[d]!;
  return Float64Array.of(sum);
}

const DENSITY_OPERATION = 'gaussianLogDensity of a radialGramMatrix';

export interface DensityOptions extends PositiveDefiniteOptions {
  /** Called with the rank of the pivoted Cholesky approximation, if one replaced the full covariance. */
  readonly onRank?: (rank: number) => void;
}

/**
 * Gaussian log density of constant data with a radial Gram matrix, as one operation. If it is differentiated, gradients in the points and all
 * parameters are computed with it, and no N×N array is kept. It has the bits of the two separate operations, unless the covariance has a form of low
 * rank: see `withRadialRoot`.
 *
 * @param X - N×q
 * @param profile - see `radialGramMatrix`
 * @param parameters - see `radialGramMatrix`
 * @param data - see `gaussianLogDensity`; if the data need a gradient, the two separate operations are used
 * @param options - see `gaussianLogDensity`, and `onRank`
 * @returns a scalar
 */
export function radialLogDensity(
  X: Tensor2D,
  profile: RadialProfile,
  parameters: RadialGramParameters,
  data: GaussianData,
  options: DensityOptions,
): Scalar {
  if ('observations' in data && data.constant !== true) {
    return gaussianLogDensity(radialGramMatrix(X, profile, parameters), data, options);
  }
  requireBackend(DENSITY_OPERATION);
  const isOuter = 'outerProduct' in data;
  const given = isOuter ? data.outerProduct : data.observations;
  const gradient = engine().state.gradientDepth > 0;
  const operands = radialOperands(X, parameters, DENSITY_OPERATION);
  const sizes = operands.map(({ size }) => size);
  const columns = isOuter ? data.columns : given.shape[1];
  return numericOperation(
    operands,
    ([x, v, l, b, s, y], isWanted) => {
      const atOnce = gradient && !isOuter ? valueAtOnce([x!, v!, l!, b!, s!, y!], profile, isWanted) : undefined;
      if (atOnce !== undefined) return atOnce;
      // Named members come first: V8 makes a slow object of a literal that starts with two spreads.
      const attributes: DensityAttributes = {
        columns,
        isOuter,
        gradient,
        ...options,
        profile,
        ...numbersAt(v!, l!, b!, s!),
      };
      // Plain numbers, because tensors that are kept for the backward pass cost more.
      const [value, inParameters, inPoints] = numbersOf(DENSITY, [x!, y!], attributes, isWanted(0) ? 3 : 2);
      return {
        value: value![0]!,
        slopes: (slope) => [multiplied(inPoints ?? NONE, slope), ...unpacked(inParameters!, sizes.slice(1), slope)],
      };
    },
    [given],
  );
}

/** The value and gradients of few points in one call of the engine, without tensors or views of the memory. */
function valueAtOnce(
  [x, v, l, b, s, y]: readonly TensorInfo[],
  profile: RadialProfile,
  isWanted: (input: number) => boolean,
): ReturnType<NumericFunction> | undefined {
  const backend = tf.backend();
  if (!(backend instanceof Float64Backend) || isProfiled()) return undefined;
  const memory = backend.memory64;
  if (linearAlgebra(memory).name !== 'wasm') return undefined;
  const [n, q] = x!.shape as [number, number];
  const width = y!.shape[1]!;
  const observed = { n, q, x: backend.offset(x!), y: backend.offset(y!), width, columns: width };
  const one = (info: TensorInfo) => memory.number(backend.offset(info));
  const isShared = sizeOf(l!.shape) === 1;
  const lengthscales = new Float64Array(q);
  if (isShared) lengthscales.fill(one(l!));
  else lengthscales.set(backend.float64(l!));
  const numbers = { variance: one(v!), lengthscales, bias: one(b!), noise: one(s!) };
  const found = fusedOperations(memory).radialLogDensity(observed, profile, numbers, isWanted(0));
  if (found === undefined) return undefined;
  const { slopes, points } = found;
  return {
    value: logDensity(n, width, found.logDeterminant, found.quadratic),
    slopes: (slope) => [
      points === undefined ? NONE : multiplied(points, slope),
      isWanted(1) ? single(slope * slopes.variance) : NONE,
      isWanted(2) ? inLengthscales(slopes, isShared, slope) : NONE,
      isWanted(3) ? single(slope * slopes.bias) : NONE,
      isWanted(4) ? single(slope * slopes.noise) : NONE,
    ],
  };
}

/** Gradient in each lengthscale, or in the one that all columns share. */
function inLengthscales({ lengthscales }: RadialSum, isShared: boolean, slope: number): Float64Array {
  if (!isShared) return multiplied(lengthscales as Float64Array, slope);
  let sum = 0;
  for (let d = 0; d < lengthscales.length; d++) sum += lengthscales[d]!;
  return single(slope * sum);
}

const NONE = new Float64Array(0);

/** One number. V8 takes several times as long for `Float64Array.of`. */
function single(value: number): Float64Array {
  const result = new Float64Array(1);
  result[0] = value;
  return result;
}

/** Splits gradients that are stored one after the other, times a slope. */
function unpacked(gradients: Float64Array, sizes: readonly number[], slope: number): Float64Array[] {
  let at = 0;
  return sizes.map((size) => {
    at += size;
    return multiplied(gradients.subarray(at - size, at), slope);
  });
}

function multiplied(gradient: Float64Array, slope: number): Float64Array {
  const result = new Float64Array(gradient.length);
  for (let i = 0; i < gradient.length; i++) result[i] = slope * gradient[i]!;
  return result;
}

interface DensityAttributes extends RadialNumbers, GaussianAttributes, DensityOptions {
  readonly profile: RadialProfile;
  /** True if the data are YYᵀ. */
  readonly isOuter: boolean;
}

/** Outputs: the value; the gradients in variance, lengthscale, bias and noise, one after the other; the gradient in the points. */
const DENSITY: MatrixKernel<DensityAttributes> = {
  name: 'latentfield.RadialGaussianLogDensity',
  inputs: ['x', 'given'],
  outputs: ([x], { gradient, lengthscale }) => (gradient ? [[], [lengthscale.length + 3], x!] : [[]]),
  compute({ memory, algebra, inputs, outputs }, [x, given], attributes) {
    const [n, q] = x as [number, number];
    const width = given![1]!;
    const [points, data] = inputs as [number, number];
    const operations = fusedOperations(memory);
    const { profile, lengthscale } = attributes;
    const parameters = parametersOf(attributes, q);
    const process = { n, q, points, profile, parameters };
    const evaluate = ({ k, factor, solved }: Pick<DensityPlaces, 'k' | 'factor' | 'solved'>) => {
      const form = () => operations.radialSum(n, q, points, profile, parameters, k, 'lower');
      const whole = () => {
        form();
        const density = attributes.isOuter ? fromOuterProduct : fromObservations;
        return density(memory, algebra, { n, width, k, data, factor, solved }, attributes);
      };
      // R is stored in the memory of K.
      const ofLowRank = (rank: number) => {
        const places = { n, width, rank, root: k, noise: attributes.noise, data, gradient: factor, solved };
        const value = lowRankLogDensity(memory, algebra, places, attributes);
        if (value === undefined) return undefined;
        if (attributes.gradient) form();
        attributes.onRank?.(rank);
        return value;
      };
      const value =
        (attributes.isOuter ? undefined : withRadialRoot(memory, algebra, operations, process, k, ofLowRank)) ??
        whole();
      memory.float64(outputs[0]!, 1)[0] = value;
      if (!attributes.gradient) return;
      const dx = outputs[2]!;
      const slope = operations.radialSumGradient(n, q, points, profile, parameters, k, factor, dx, 'lower');
      const others = memory.float64(outputs[1]!, lengthscale.length + 3);
      others[0] = slope.variance;
      others.set(lengthscaleGradient(slope, attributes), 1);
      others[lengthscale.length + 1] = slope.bias;
      others[lengthscale.length + 2] = slope.noise;
    };
    memory.withBlock(bytesOf(n * n), (k) =>
      memory.withBlock(bytesOf(n * n), (factor) =>
        memory.withBlock(bytesOf(n * width), (solved) => evaluate({ k, factor, solved })),
      ),
    );
  },
};

/** Number of points below which factoring the full covariance is as fast. */
const LEAST_POINTS = 500;

/** Largest rank relative to the number of points; above it, factoring the full covariance is as fast. */
const MOST = 0.3;

/** Largest trace of the remainder, relative to the variance of the noise. */
const REMAINDER = 1e-10;

/** Largest rounding error of that trace, relative to the trace of the covariance: tests confirm that log determinants are then exact to `REMAINDER`. */
const ROUNDING = 8 * Number.EPSILON;

/** A radial covariance among points, as byte offsets. */
interface RadialPoints {
  readonly n: number;
  readonly q: number;
  /** X, n×q */
  readonly points: number;
  readonly profile: RadialProfile;
  readonly parameters: RadialSum;
}

/**
 * Runs `work` with the rank r of R, r×n, such that RᵀR + s·I equals the covariance k(X, X) + s·I in nearly all digits, if there is such an R with few
 * rows: for smooth covariances of many points. The remainder E = k(X, X) − RᵀR is positive semidefinite up to rounding, and tr E ≤ 10⁻¹⁰·s. So the
 * covariance lies between RᵀR + s·I and 1 + 10⁻¹⁰ times that, and its log determinant is exact to 10⁻¹⁰.
 *
 * @param root - byte offset of n×n numbers, which start with R; pivotedCholesky needs less than half of them
 * @returns the result of `work`; undefined if there is no such R
 */
function withRadialRoot<T>(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  operations: FusedOperations,
  { n, q, points, profile, parameters }: RadialPoints,
  root: number,
  work: (rank: number) => T | undefined,
): T | undefined {
  const { variance, bias, noise, lengthscales } = parameters;
  const [diagonal, remainder, most] = [variance + bias, REMAINDER * noise, Math.floor(MOST * n)];
  if (n < LEAST_POINTS) return undefined;
  // Other profiles may not be positive semidefinite, which the diagonal would not show, and most of them are rough.
  if (profile.compiled !== 'rbf' || !(variance >= 0 && bias >= 0)) return undefined;
  // If rounding alone may exceed the limit, there is no R.
  if (!(noise > 0 && noise < Infinity && remainder >= ROUNDING * n * diagonal)) return undefined;
  const rank = memory.withBlock(bytesOf(n * q), (scaled) => {
    const [X, Z] = [memory.float64(points, n * q), memory.float64(scaled, n * q)];
    const inverses = Float64Array.from({ length: q }, (_, d) => 1 / lengthscales[d]!);
    for (let i = 0; i < n * q; i++) {
      const entry = X[i]! * inverses[i % q]!;
      // The full covariance then gives an error that names the position.
      if (!Number.isFinite(entry)) return undefined;
      Z[i] = entry;
    }
    const cross = (m: number, k: number, A: number, B: number, target: number) => {
      operations.radialCross(m, k, q, A, B, profile, variance, target);
      const K = memory.float64(target, m * k);
      for (let i = 0; i < K.length; i++) K[i]! += bias;
    };
    const parts: MatrixParts = {
      size: n,
      diagonal,
      rows: (rows, target) =>
        withRows(memory, q, scaled, rows, (chosen) => cross(rows.length, n, chosen, scaled, target)),
      among: (rows, target) =>
        withRows(memory, q, scaled, rows, (chosen) => cross(rows.length, rows.length, chosen, chosen, target)),
    };
    return pivotedCholesky(memory, algebra, parts, { remainder, most }, root);
  });
  return rank === undefined ? undefined : work(rank);
}

/** Calls `work` for copies of these points, in blocks. */
function withRows(
  memory: Float64Memory,
  q: number,
  points: number,
  rows: Int32Array,
  work: (chosen: number) => void,
): void {
  memory.withBlock(bytesOf(rows.length * q), (chosen) => {
    const to = memory.float64(chosen, rows.length * q);
    rows.forEach((row, a) => {
      to.set(memory.float64(points + 8 * row * q, q), a * q);
    });
    work(chosen);
  });
}
