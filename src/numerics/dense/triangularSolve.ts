import type { MatrixView } from './matrixView.ts';

/**
 * B ← L⁻¹B, or L⁻ᵀB with `transpose`, by forward or back substitution, for L n×n lower triangular (its upper triangle is not read)
 * and B n×m, both row-major (adjacent columns).
 */
export function triangularSolve(n: number, m: number, l: MatrixView, b: MatrixView, transpose: boolean): void {
  const x = b.data;
  const row = (i: number) => b.start + i * b.rowStride;
  const entry = (i: number, k: number) => l.data[l.start + i * l.rowStride + k]!;
  const first = transpose ? n - 1 : 0;
  const step = transpose ? -1 : 1;
  for (let i = first; i >= 0 && i < n; i += step) {
    const target = row(i);
    for (let k = first; k !== i; k += step) {
      const factor = transpose ? entry(k, i) : entry(i, k);
      for (let j = 0, p = row(k); j < m; j++, p++) x[target + j]! -= factor * x[p]!;
    }
    const pivot = entry(i, i);
    for (let j = 0; j < m; j++) x[target + j]! /= pivot;
  }
}
