import type { MatrixView } from './matrixView.ts';

/** L ← (LLᵀ)⁻¹ = XᵀX with X = L⁻¹, in place, for L n×n lower triangular and row-major; both triangles filled, exactly symmetric. */
export function choleskyInverse(n: number, l: MatrixView): void {
  triangularInverse(n, l);
  triangularGram(n, l);
  mirrorLower(n, l);
}

/** L ← L⁻¹; row i of the inverse is −x_ii·Σ_{k<i} l_ik·(row k of it), and the place of l_ik is free as soon as it has been used. */
function triangularInverse(n: number, { data, start, rowStride }: MatrixView): void {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    const diagonal = 1 / data[row + i]!;
    for (let k = 0; k < i; k++) {
      const value = -diagonal * data[row + k]!;
      const other = start + k * rowStride;
      for (let j = 0; j < k; j++) data[row + j]! += value * data[other + j]!;
      data[row + k] = value * data[other + k]!;
    }
    data[row + i] = diagonal;
  }
}

/** Lower triangle of X ← XᵀX, from the first row down. */
function triangularGram(n: number, { data, start, rowStride }: MatrixView): void {
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    const diagonal = data[row + i]!;
    for (let j = 0; j <= i; j++) data[row + j]! *= diagonal;
    for (let k = i + 1; k < n; k++) {
      const other = start + k * rowStride;
      const value = data[other + i]!;
      for (let j = 0; j <= i; j++) data[row + j]! += value * data[other + j]!;
    }
  }
}

/** Copies the lower triangle to the upper one. */
export function mirrorLower(n: number, { data, start, rowStride }: MatrixView): void {
  // Tile by tile: a whole column of a large matrix would miss the cache at every entry.
  const size = 16;
  for (let top = 0; top < n; top += size) {
    const bottom = Math.min(top + size, n);
    for (let left = 0; left <= top; left += size) {
      for (let i = top; i < bottom; i++) {
        const right = Math.min(left + size, i);
        for (let j = left; j < right; j++) data[start + j * rowStride + i] = data[start + i * rowStride + j]!;
      }
    }
  }
}
