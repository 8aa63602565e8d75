import { Matrix } from '../../core/matrix.ts';

/** A·B */
export function product(A: Matrix, B: Matrix): Matrix {
  const [m, K, n] = [A.rows, A.columns, B.columns];
  const result = Matrix.zeros(m, n);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < K; k++) {
      const factor = A.data[i * K + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < n; j++) result.data[i * n + j]! += factor * B.data[k * n + j]!;
    }
  }
  return result;
}

/** Aᵀ */
export const transposed = (A: Matrix): Matrix => Matrix.zeros(A.columns, A.rows).map((_, i, j) => A.at(j, i));

/** x ← C⁻¹x by a Cholesky factor that overwrites the lower triangle of C, k×k, column by column; false if C is not positive definite. */
export function solvePositiveDefinite(C: Float64Array, k: number, x: Float64Array): boolean {
  for (let c = 0; c < k; c++) {
    const pivot = C[c * k + c]!;
    if (!(pivot > 0)) return false;
    const root = Math.sqrt(pivot);
    C[c * k + c] = root;
    const entry = x[c]! / root;
    x[c] = entry;
    for (let a = c + 1; a < k; a++) {
      const factor = C[a * k + c]! / root;
      C[a * k + c] = factor;
      x[a]! -= factor * entry;
      for (let b = c + 1; b <= a; b++) C[a * k + b]! -= factor * C[b * k + c]!;
    }
  }
  for (let a = k - 1; a >= 0; a--) {
    for (let b = a + 1; b < k; b++) x[a]! -= C[b * k + a]! * x[b]!;
    x[a]! /= C[a * k + a]!;
  }
  return true;
}
