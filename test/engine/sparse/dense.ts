import { Matrix } from '../../../src/core/matrix.ts';
import { symmetricEigenpairs } from '../../../src/engine/dense/eigenpairs.ts';
import type { SparseSymmetric } from '../../../src/engine/sparse/index.ts';

/** Both triangles of a sparse matrix. */
export function denseOf({ pattern: { size, starts, rows }, values }: SparseSymmetric): Matrix {
  const A = Matrix.zeros(size, size);
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]!; p < starts[j + 1]!; p++) {
      A.data[rows[p]! * size + j] = values[p]!;
      A.data[j * size + rows[p]!] = values[p]!;
    }
  }
  return A;
}

/** Inverse and log-determinant of a symmetric positive definite matrix through its eigenvalues. */
export function denseInverse(A: Matrix): { inverse: Matrix; logDeterminant: number } {
  const n = A.rows;
  const { values, vectors } = symmetricEigenpairs(A);
  const inverse = Matrix.zeros(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (vectors.at(i, k) * vectors.at(j, k)) / values[k]!;
      inverse.data[i * n + j] = sum;
    }
  }
  return { inverse, logDeterminant: values.reduce((sum, value) => sum + Math.log(value), 0) };
}
