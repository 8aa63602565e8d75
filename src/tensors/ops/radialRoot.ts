import { type MatrixParts, pivotedCholesky } from '../../numerics/dense/pivotedCholesky.ts';
import type { Float64Memory } from '../../numerics/memory.ts';
import type { FusedOperations, RadialProfile, RadialSum } from '../../numerics/operations/covariances.ts';
import type { LinearAlgebraEngine } from '../../numerics/operations/linearAlgebra.ts';
import { bytesOf } from '../linearAlgebra/operations/operation.ts';

/** Below so many points the whole covariance is factored as fast. */
const LEAST_POINTS = 500;

/** From this part of the points on, as the rank, too. */
const MOST = 0.3;

/** What the root may leave of the covariance, as its trace over the variance of the noise. */
const REMAINDER = 1e-10;

/** What rounding may leave of it, as its trace over that of the covariance: from there on log determinants are right to `REMAINDER`, as the tests hold. */
const ROUNDING = 8 * Number.EPSILON;

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
 * Runs `work` with the rank r of R, r×n, such that RᵀR + s·I is the covariance k(X, X) + s·I in nearly all digits, where there is such an R with few rows:
 * of a smooth covariance of many points. What is left out, E = k(X, X) − RᵀR, is positive semidefinite but for rounding, and tr E ≤ 10⁻¹⁰·s. So the
 * covariance lies between RᵀR + s·I and 1 + 10⁻¹⁰ times that, its log determinant within 10⁻¹⁰.
 *
 * @param root - byte offset of n×n numbers, of which R takes the first; pivotedCholesky needs less than half of them
 * @returns undefined where there is no such R, or `work` returned it
 */
export function withRadialRoot<T>(
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
  // Other profiles may not be positive semidefinite, which the diagonal would not show; and most of them are rough.
  if (profile.compiled !== 'rbf' || !(variance >= 0 && bias >= 0)) return undefined;
  // Where rounding alone may leave more than that, there is no R.
  if (!(noise > 0 && noise < Infinity && remainder >= ROUNDING * n * diagonal)) return undefined;
  const rank = memory.withBlock(bytesOf(n * q), (scaled) => {
    const [X, Z] = [memory.float64(points, n * q), memory.float64(scaled, n * q)];
    const inverses = Float64Array.from({ length: q }, (_, d) => 1 / lengthscales[d]!);
    for (let i = 0; i < n * q; i++) {
      const entry = X[i]! * inverses[i % q]!;
      // An error that names the place follows from the whole covariance.
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
