import { square } from '../core/elementary/index.ts';
import { Matrix } from '../core/matrix.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import { matrixTensor } from '../engine/tensors/matrixTensor.ts';
import * as op from '../engine/tensors/ops.ts';
import type { FitProblem } from './fit/fitProblem.ts';
import { slices } from './minimize/slices.ts';

/** Cube root of the rounding unit: where the errors of a central difference, of truncation and of rounding, balance: ∛Number.EPSILON. */
const STEP = 6.055454452393343e-6;

/**
 * Rows and columns of the Hessian of a problem's objective at x by central differences of its gradient,
 * (g(x + h·e_i) − g(x − h·e_i))/2h, not symmetrised.
 *
 * @param rows - variables to move
 * @param columns - entries of the gradient to take
 * @param signal - aborting it throws the signal's reason
 */
export async function gradientDifferences(
  { objective, compute }: FitProblem,
  x: Float64Array,
  rows: readonly number[],
  columns: readonly number[],
  signal?: AbortSignal,
): Promise<Matrix> {
  const result = Matrix.zeros(rows.length, columns.length);
  const slice = slices();
  for (const [r, i] of rows.entries()) {
    signal?.throwIfAborted();
    const above = x.slice();
    const below = x.slice();
    above[i] = x[i]! + STEP * Math.max(1, Math.abs(x[i]!));
    below[i] = x[i]! - STEP * Math.max(1, Math.abs(x[i]!));
    const upper = compute(() => objective(above).gradient);
    const lower = compute(() => objective(below).gradient);
    columns.forEach((j, c) => {
      result.data[r * columns.length + c] = (upper[j]! - lower[j]!) / (above[i]! - below[i]!);
    });
    if (slice.isOver()) await slice.leave();
  }
  return result;
}

/** Definiteness and condition of a symmetric matrix by its eigenvalues. */
export interface Inversion {
  /** Undefined when the matrix is not positive definite. */
  readonly inverse: Matrix | undefined;
  readonly smallest: number;
  readonly largest: number;
  /** Eigenvector of the smallest eigenvalue. */
  readonly direction: Float64Array;
}

/**
 * Inverse of a matrix that is symmetric but for the errors of differences: of its symmetric part, by eigenvalues. It counts as
 * positive definite when the smallest exceeds those errors, which its asymmetry shows. On the float64 backend.
 */
export function inverseOf(matrix: Matrix): Inversion {
  const n = matrix.rows;
  const symmetric = Matrix.zeros(n, n);
  let asymmetry = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      symmetric.data[i * n + j] = (matrix.at(i, j) + matrix.at(j, i)) / 2;
      asymmetry = Math.max(asymmetry, Math.abs(matrix.at(i, j) - matrix.at(j, i)));
    }
  }
  const eigen = op.symmetricEigen(matrixTensor(symmetric), { name: 'The negative Hessian' });
  const values = doublesOf(eigen.values);
  const vectors = new Matrix(doublesOf(eigen.vectors), n, n);
  const smallest = values[0]!;
  const largest = values[n - 1]!;
  const direction = vectors.column(0);
  if (!(smallest > Math.max(n * asymmetry, square(STEP) * largest))) {
    return { inverse: undefined, smallest, largest, direction };
  }
  const inverse = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (vectors.at(i, k) * vectors.at(j, k)) / values[k]!;
      inverse.data[i * n + j] = sum;
    }
  }
  return { inverse, smallest, largest, direction };
}
