import type { MatrixView } from './matrixView.ts';

/**
 * B ← LB, or LᵀB with `transpose`, for L n×n lower triangular (its upper triangle is not read) and B n×m, both row-major (adjacent
 * columns): from the last row up, or the first one down, so that the rows still to be read are those of B.
 */
export function triangularMultiply(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  const x = b.data;
  const row = (i: number) => b.start + i * b.rowStride;
  const entry = (i: number, k: number) => l.data[l.start + i * l.rowStride + k]!;
  for (let t = 0; t < n; t++) {
    const i = transpose ? t : n - 1 - t;
    const target = row(i);
    const diagonal = entry(i, i);
    for (let j = 0; j < m; j++) x[target + j]! *= diagonal;
    for (let k = transpose ? i + 1 : 0; transpose ? k < n : k < i; k++) {
      const factor = transpose ? entry(k, i) : entry(i, k);
      for (let j = 0, p = row(k); j < m; j++, p++) x[target + j]! += factor * x[p]!;
    }
  }
}
