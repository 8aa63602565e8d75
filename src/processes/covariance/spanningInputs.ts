import { square } from '../../core/elementary/index.ts';
import { Matrix } from '../../core/matrix.ts';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import { matrixTensor, tensorMatrix } from '../../engine/tensors/matrixTensor.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import { whiteOf } from '../../kernels/structure/index.ts';
import type { TensorMap } from '../../model/model.ts';

/**
 * Rows of X that determine the functions at all other rows up to a variance of at most `rest`: the pivots of a Cholesky decomposition of k(X, X),
 * each the row with the largest remaining variance. Called on the float64 backend.
 *
 * @param p - natural values of the kernel's parameters
 * @param X - N×q
 * @param most - largest number of rows
 * @returns M×q; undefined if `most` rows leave a larger variance
 * @see Harbrecht, Peters & Schneider 2012, algorithm 1
 */
export function spanningInputs(
  kernel: Kernel,
  p: TensorMap,
  X: Matrix,
  rest: number,
  most: number,
): Matrix | undefined {
  const A = matrixTensor(X);
  const N = X.rows;
  const white = whiteOf(kernel)?.(p);
  const noise = white === undefined ? 0 : doublesOf(white)[0]!;
  const left = doublesOf(kernel.diagonal(p, A, A)).map((variance) => variance - noise);
  const columns: Float64Array[] = [];
  const chosen: number[] = [];
  for (;;) {
    const pivot = left.reduce((best, variance, i) => (variance > left[best]! ? i : best), 0);
    if (left[pivot]! <= rest) return rowsAt(X, chosen);
    if (chosen.length === most) return undefined;
    const own = tensorMatrix(kernel.covariance(p, A, matrixTensor(rowsAt(X, [pivot])), A)).data;
    for (const column of columns) {
      const factor = column[pivot]!;
      for (let i = 0; i < N; i++) own[i]! -= factor * column[i]!;
    }
    const root = Math.sqrt(left[pivot]!);
    for (let i = 0; i < N; i++) {
      own[i]! /= root;
      left[i]! -= square(own[i]!);
    }
    left[pivot] = 0;
    columns.push(own);
    chosen.push(pivot);
  }
}

function rowsAt(X: Matrix, rows: readonly number[]): Matrix {
  const result = Matrix.zeros(rows.length, X.columns);
  rows.forEach((row, k) => {
    result.data.set(X.row(row), k * X.columns);
  });
  return result;
}
