import type { LinearAlgebraEngine } from '../../numerics/dense/engine.ts';
import { type MatrixParts, pivotedCholesky, rootNumbers } from '../../numerics/dense/pivotedCholesky.ts';
import type { Float64Memory } from '../../numerics/memory.ts';
import type { FusedOperations, RadialProfile, RadialSum } from '../../numerics/wasm/index.ts';
import { bytesOf } from '../linearAlgebra/operations/operation.ts';

/** Below so many points the whole covariance is factored as fast. */
const LEAST_POINTS = 500;

/** From this part of the points on, as the rank, too. */
const MOST = 0.3;

/** What the root may leave of the covariance, as its trace over the variance of the noise. */
const REMAINDER = 1e-10;

/** A radial covariance among points, as the operations find it: byte offsets. */
export interface RadialPoints {
  readonly n: number;
  readonly q: number;
  /** X, n×q */
  readonly points: number;
  readonly profile: RadialProfile;
  readonly parameters: RadialSum;
}

/**
 * Runs `work` with R, r×n, such that RᵀR + s·I is the covariance k(X, X) + s·I in nearly all digits, where there is such an R with few rows: of a smooth
 * covariance of many points. What is left out, E = k(X, X) − RᵀR, is positive semidefinite, and tr E ≤ 10⁻¹⁰·s. So the covariance lies between
 * RᵀR + s·I and 1 + 10⁻¹⁰ times that, its log determinant within 10⁻¹⁰.
 *
 * @returns undefined where there is no such R, or `work` returned it
 */
export function withRadialRoot<T>(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  operations: FusedOperations,
  { n, q, points, profile, parameters }: RadialPoints,
  work: (root: number, rank: number) => T | undefined,
): T | undefined {
  const { variance, bias, noise, lengthscales } = parameters;
  const [diagonal, remainder] = [variance + bias, REMAINDER * noise];
  // Other profiles may not be positive definite, which the diagonal would not show; of those that are, most are not smooth.
  if (profile.compiled !== 'rbf' || n < LEAST_POINTS) return undefined;
  // Rounding leaves as much.
  if (!(remainder >= n * Number.EPSILON * diagonal)) return undefined;
  const most = Math.floor(MOST * n);
  return memory.withBlock(bytesOf(n * q), (scaled) => {
    const [X, Z] = [memory.float64(points, n * q), memory.float64(scaled, n * q)];
    for (let i = 0; i < n * q; i++) Z[i] = X[i]! / lengthscales[i % q]!;
    const between = (rows: Int32Array, target: number, columns: number, m: number) =>
      withRows(memory, q, scaled, rows, (chosen) => {
        operations.radialCross(rows.length, m, q, chosen, columns < 0 ? chosen : columns, profile, variance, target);
        const K = memory.float64(target, rows.length * m);
        for (let i = 0; i < K.length; i++) K[i]! += bias;
      });
    const parts: MatrixParts = {
      size: n,
      diagonal,
      rows: (rows, target) => between(rows, target, scaled, n),
      among: (rows, target) => between(rows, target, -1, rows.length),
    };
    return memory.withBlock(bytesOf(rootNumbers(n, most)), (root) => {
      const rank = pivotedCholesky(memory, algebra, parts, { remainder, most }, root);
      return rank === undefined ? undefined : work(root, rank);
    });
  });
}

/** Runs `work` with copies of these points, one after the other. */
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
