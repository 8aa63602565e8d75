import type { MatrixView } from './matrixView.ts';

/**
 * Lower triangle of A ← L with A = LLᵀ, row by row, for A n×n row-major; the upper triangle is neither read nor written.
 *
 * @returns −1, or the first pivot that is not positive (or not a number), whose value is then at A[i, i]
 */
export function cholesky(n: number, { data, start, rowStride }: MatrixView): number {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    for (let j = 0; j <= i; j++) {
      const other = start + j * rowStride;
      let rest = data[row + j]!;
      for (let k = 0; k < j; k++) rest -= data[row + k]! * data[other + k]!;
      if (j < i) {
        data[row + j] = rest / data[other + j]!;
      } else if (rest > 0) {
        data[row + i] = Math.sqrt(rest);
      } else {
        data[row + i] = rest;
        return i;
      }
    }
  }
  return -1;
}
