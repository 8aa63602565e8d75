import { log } from '../../../../core/elementary/index.ts';
import { logDeterminantOf } from '../../../dense/factorize.ts';
import type { Float64Memory } from '../../../memory.ts';
import { contiguous, type LinearAlgebraEngine } from '../../../operations/linearAlgebra.ts';
import { type GaussianAttributes, logDensity, notFinite, sumOfSquares } from './gaussianLogDensity.ts';
import { bytesOf } from './operation.ts';

/** Byte offsets of an evaluation's arrays. */
export interface LowRankPlaces {
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
  /** n×n; with a gradient, its lower triangle becomes that of G. */
  readonly gradient: number;
  /** n×width; K⁻¹Y afterwards. */
  readonly solved: number;
}

/**
 * Log density of observations Y under N(0, K), K = RᵀR + s·I, and the lower triangle of G = ½(K⁻¹YYᵀK⁻¹ − D·K⁻¹). The only work that grows with N² is
 * matrix products, where a factor of K grows with N³. With CCᵀ = s·I + RRᵀ and V = C⁻¹R,
 * K⁻¹ = (I − VᵀV)/s,  log|K| = (N − r)·log s + log|CCᵀ|,  tr(YᵀK⁻¹Y) = s·‖K⁻¹Y‖² + ‖RK⁻¹Y‖²;
 * the last is a sum of squares, so that nothing cancels.
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
