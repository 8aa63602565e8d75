import { mirrorLower, rowMajor } from '../../../numerics/typescript/matrices.ts';

/** Copies the lower triangle of an n×n matrix to the upper one. */
export function mirrorLowerOf(n: number, matrix: Float64Array): void {
  mirrorLower(n, rowMajor(matrix, n));
}

/** A ← Aᵀ, tile by tile, so that large matrices stay in the cache. */
export function transposeInPlace(n: number, matrix: Float64Array): void {
  const size = 16;
  for (let top = 0; top < n; top += size) {
    const bottom = Math.min(top + size, n);
    for (let left = 0; left <= top; left += size) {
      for (let i = top; i < bottom; i++) {
        const right = Math.min(left + size, i);
        for (let j = left; j < right; j++) {
          const below = matrix[i * n + j]!;
          matrix[i * n + j] = matrix[j * n + i]!;
          matrix[j * n + i] = below;
        }
      }
    }
  }
}

/** A ← ½(A + Aᵀ) */
export function symmetrizeInPlace(n: number, matrix: Float64Array): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = (matrix[i * n + j]! + matrix[j * n + i]!) / 2;
      matrix[i * n + j] = mean;
      matrix[j * n + i] = mean;
    }
  }
}
