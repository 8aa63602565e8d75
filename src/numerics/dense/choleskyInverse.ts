import { BASE, firstHalf } from './halving.ts';
import { block, type MatrixView, transposed } from './matrixView.ts';
import { symmetricRankUpdate } from './symmetricRankUpdate.ts';
import { multiplyRight, triangularMultiply } from './triangularMultiply.ts';
import { triangularSolve } from './triangularSolve.ts';

/**
 * L ← (LLᵀ)⁻¹ in place for L n×n lower triangular and row-major, both triangles filled, exactly symmetric: first X = L⁻¹,
 * then XᵀX, both recursive, 2n³/3 operations together.
 */
export function choleskyInverse(n: number, l: MatrixView): void {
  triangularInverse(n, l);
  triangularGram(n, l);
  mirrorLower(n, l);
}

/** L ← L⁻¹ for L n×n lower triangular; the upper triangle is not touched. */
function triangularInverse(n: number, l: MatrixView): void {
  if (n <= BASE) {
    inverseByRows(n, l);
    return;
  }
  const half = firstHalf(n);
  const rest = n - half;
  const below = block(l, half, 0);
  const lowerRight = block(l, half, half);
  // X₂₁ = −L₂₂⁻¹·L₂₁·X₁₁.
  triangularSolve(rest, half, lowerRight, below, false);
  triangularInverse(half, l);
  multiplyRight(rest, half, -1, l, below);
  triangularInverse(rest, lowerRight);
}

/** Lower triangle of X ← XᵀX for X n×n lower triangular; the upper triangle is not touched. */
function triangularGram(n: number, x: MatrixView): void {
  if (n <= BASE) {
    gramByRows(n, x);
    return;
  }
  const half = firstHalf(n);
  const rest = n - half;
  const below = block(x, half, 0);
  const lowerRight = block(x, half, half);
  triangularGram(half, x);
  symmetricRankUpdate(half, rest, 1, transposed(below), 1, x);
  triangularMultiply(rest, half, lowerRight, below, true);
  triangularGram(rest, lowerRight);
}

/** Copies the lower triangle to the upper one. */
export function mirrorLower(n: number, a: MatrixView): void {
  const { data, start, rowStride } = a;
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

function inverseByRows(n: number, l: MatrixView): void {
  const { data, start, rowStride } = l;
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    const diagonal = 1 / data[row + i]!;
    // Row i of X is −x_ii·Σ_{k<i} l_ik·(row k of X), and entry k of it is free as soon as l_ik has been used.
    for (let k = 0; k < i; k++) {
      const value = -diagonal * data[row + k]!;
      const other = start + k * rowStride;
      for (let j = 0; j < k; j++) data[row + j]! += value * data[other + j]!;
      data[row + k] = value * data[other + k]!;
    }
    data[row + i] = diagonal;
  }
}

function gramByRows(n: number, x: MatrixView): void {
  const { data, start, rowStride } = x;
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
