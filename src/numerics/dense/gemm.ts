import type { MatrixView } from './matrixView.ts';

/**
 * C ← alpha·A·B + beta·C, with A m×k, B k×n and C m×n in any strides; C must not overlap A or B.
 *
 * @param beta - with 0, what C held is ignored, even NaN
 * @param lower - only the lower triangle of C (with its diagonal) is read and written
 */
export function gemm(
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: MatrixView,
  b: MatrixView,
  beta: number,
  c: MatrixView,
  lower = false,
): void {
  const [x, y, z] = [a.data, b.data, c.data];
  for (let i = 0; i < m; i++) {
    const row = c.start + i * c.rowStride;
    const columns = lower ? Math.min(i + 1, n) : n;
    for (let j = 0, q = row; j < columns; j++, q += c.columnStride) z[q] = beta === 0 ? 0 : beta * z[q]!;
    // Down the rows of B, so that they are read in order where they lie one after the other.
    for (let p = 0; p < k; p++) {
      const factor = alpha * x[a.start + i * a.rowStride + p * a.columnStride]!;
      let r = b.start + p * b.rowStride;
      for (let j = 0, q = row; j < columns; j++, q += c.columnStride, r += b.columnStride) z[q]! += factor * y[r]!;
    }
  }
}
