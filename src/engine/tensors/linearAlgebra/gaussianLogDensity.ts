import { log } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import { logDeterminantOf, type PositiveDefiniteOptions } from '../../dense/factorize.ts';
import type { Float64Memory } from '../../memory.ts';
import { contiguous, type LinearAlgebraEngine } from '../../operations/linearAlgebra.ts';
import { engine, type Scalar, type Tensor2D } from '../tensorflow.ts';
import {
  FROM_OBSERVATIONS,
  FROM_OUTER_PRODUCT,
  type GaussianAttributes,
  logDensity,
  notFinite,
  registerGaussianLogDensity,
  sumOfSquares,
} from './operations/gaussianLogDensity.ts';
import { bytesOf, requireBackend, systemOperands, withSlopes } from './operations/operation.ts';

/** Data of a Gaussian log density: Y itself, or YYᵀ, which is sufficient if D > N. */
export type GaussianData =
  | {
      /** Y, N×D */
      readonly observations: Tensor2D;
      /** True if no gradient in Y is needed (false). */
      readonly constant?: boolean;
    }
  | {
      /** YYᵀ, N×N; a constant without a gradient. */
      readonly outerProduct: Tensor2D;
      /** D */
      readonly columns: number;
    };

const OPERATION = 'gaussianLogDensity';

/**
 * Log density of D independent columns of Y under N(0, K),
 * −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ).
 *
 * One factorization gives the value and the gradients G = ½(K⁻¹YYᵀK⁻¹ − D·K⁻¹) in K and −K⁻¹Y in Y; G is formed in place
 * over K⁻¹ and is the only N×N array that is retained. G is not formed unless the call is differentiated.
 *
 * @param K - covariance, N×N, symmetric: the lower triangle is read, the gradient is symmetric
 * @param data - `{ observations: Y }` with Y N×D, or `{ outerProduct: YYᵀ, columns: D }`; YYᵀ counts as constant
 * @param options - see `cholesky`; the gradient treats the jitter as constant
 * @returns a scalar
 * @throws InvalidInputError if the shapes do not match
 * @throws NumericalError if K is not positive definite even with jitter, or an entry is not finite
 * @see Lawrence, Probabilistic non-linear principal component analysis with Gaussian process latent variable models, JMLR 6 (2005), eq. 4 and 6
 * @example
 * ```ts
 * const K = op.tensor<Tensor2D>([[2, 0], [0, 2]]);
 * op.gaussianLogDensity(K, { observations: op.tensor<Tensor2D>([[1], [1]]) }); // -3.0310242469692907
 * ```
 */
export function gaussianLogDensity(K: Tensor2D, data: GaussianData, options: PositiveDefiniteOptions = {}): Scalar {
  requireBackend(OPERATION);
  registerGaussianLogDensity();
  const gradient = engine().state.gradientDepth > 0;
  if ('observations' in data) {
    const [k, y] = systemOperands(K, data.observations, OPERATION, ['K', 'observations']);
    const attributes = { ...options, columns: y.shape[1], gradient };
    return withSlopes(FROM_OBSERVATIONS, { k, y }, data.constant === true ? ['k'] : ['k', 'y'], attributes, [1, -1]);
  }
  const [k, s] = systemOperands(K, data.outerProduct, OPERATION, ['K', 'outerProduct']);
  if (s.shape[1] !== s.shape[0]) {
    throw new InvalidInputError(`${OPERATION} needs YYᵀ, N×N, as outerProduct, but it is ${s.shape.join('×')}.`);
  }
  if (!Number.isInteger(data.columns) || data.columns < 0) {
    throw new InvalidInputError(
      `${OPERATION} needs the number of columns of Y with its outer product, but columns is ${data.columns}.`,
    );
  }
  return withSlopes(FROM_OUTER_PRODUCT, { k, s }, ['k'], { ...options, columns: data.columns, gradient });
}

/** Byte offsets of an evaluation's arrays. */
interface LowRankPlaces {
  readonly n: number;
  /** Number of columns of the data. */
  readonly width: number;
  /** Number of rows of R. */
  readonly rank: number;
  /** R, rank×n; afterwards V. */
  readonly root: number;
  /** s, the variance of the noise. */
  readonly noise: number;
  /** Y, n×width. */
  readonly data: number;
  /** n×n; with a gradient, its lower triangle is overwritten by G's. */
  readonly gradient: number;
  /** n×width; K⁻¹Y afterwards. */
  readonly solved: number;
}

/**
 * Log density of observations Y under N(0, K), K = RᵀR + s·I, and the lower triangle of G = ½(K⁻¹YYᵀK⁻¹ − D·K⁻¹). Only matrix products grow with N²,
 * whereas a factor of K grows with N³. With CCᵀ = s·I + RRᵀ and V = C⁻¹R, K⁻¹ = (I − VᵀV)/s, log|K| = (N − r)·log s + log|CCᵀ|, tr(YᵀK⁻¹Y) =
 * s·‖K⁻¹Y‖² + ‖RK⁻¹Y‖²; the last is a sum of squares, so that nothing cancels.
 *
 * @returns the value, or undefined if CCᵀ is not positive definite in double precision
 * @see Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), A.9 and A.10
 */
export function lowRankLogDensity(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  { n, width, rank, root, noise, data, gradient, solved }: LowRankPlaces,
  { columns, gradient: isWanted }: GaussianAttributes,
): number | undefined {
  const rows = contiguous(root, n);
  const transposed = { offset: root, rowStride: 1, columnStride: n };
  const within = (inner: number, weights: number) => {
    algebra.syrk(rank, n, 1, rows, 0, inner);
    const square = memory.float64(inner, rank * rank);
    for (let i = 0; i < rank; i++) square[i * (rank + 1)]! += noise;
    if (algebra.cholesky(rank, inner) >= 0) return undefined;
    algebra.triangularSolve(rank, n, inner, root, false);
    const [Y, small] = [contiguous(data, width), contiguous(weights, width)];
    algebra.gemm(rank, width, n, 1, rows, Y, 0, small);
    memory.float64(solved, n * width).set(memory.float64(data, n * width));
    algebra.gemm(n, width, rank, -1, transposed, small, 1, contiguous(solved, width));
    const weighted = memory.float64(solved, n * width);
    for (let i = 0; i < weighted.length; i++) weighted[i]! /= noise;
    // C⁻ᵀVY = RK⁻¹Y
    algebra.triangularSolve(rank, width, inner, weights, true);
    const quadratic =
      noise * sumOfSquares(memory.float64(solved, n * width)) + sumOfSquares(memory.float64(weights, rank * width));
    if (!Number.isFinite(quadratic)) throw notFinite(memory, data, n, width, 'The observations');
    const logDeterminant = (n - rank) * log(noise) + logDeterminantOf(rank, memory.float64(inner, rank * rank));
    return logDensity(n, columns, logDeterminant, quadratic);
  };
  const value = memory.withBlock(bytesOf(rank * rank), (inner) =>
    memory.withBlock(bytesOf(rank * width), (weights) => within(inner, weights)),
  );
  if (value === undefined || !isWanted) return value;
  const share = columns / (2 * noise);
  algebra.syrk(n, rank, share, transposed, 0, gradient);
  algebra.syrk(n, width, 0.5, contiguous(solved, width), 1, gradient);
  const G = memory.float64(gradient, n * n);
  for (let i = 0; i < n; i++) G[i * (n + 1)]! -= share;
  return value;
}
