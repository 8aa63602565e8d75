import { BASE, firstHalf } from './halving.ts';
import { block, type MatrixView } from './matrixView.ts';
import { symmetricRankUpdate } from './symmetricRankUpdate.ts';
import { solveRight } from './triangularSolve.ts';

/**
 * Lower triangle of A ← L with A = LLᵀ; reads and writes the lower triangle only. A is row-major (its columns are
 * adjacent).
 *
 * Recursive: with A = [A₁₁ ·; A₂₁ A₂₂], L₁₁ = chol(A₁₁), L₂₁ = A₂₁·L₁₁⁻ᵀ, L₂₂ = chol(A₂₂ − L₂₁L₂₁ᵀ), so that nearly all of
 * the n³/3 operations are matrix products (Gustavson 1997; LAPACK's dpotrf2).
 *
 * @returns −1, or the index of the first pivot that is not positive (or not a number), whose value is then at A[i, i]
 */
export function cholesky(n: number, a: MatrixView): number {
  if (n <= BASE) return choleskyByRows(n, a);
  const half = firstHalf(n);
  const failedAbove = cholesky(half, a);
  if (failedAbove >= 0) return failedAbove;
  const below = block(a, half, 0);
  solveRight(n - half, half, a, below);
  const rest = block(a, half, half);
  symmetricRankUpdate(n - half, half, -1, below, 1, rest);
  const failedBelow = cholesky(n - half, rest);
  return failedBelow < 0 ? -1 : half + failedBelow;
}

function choleskyByRows(n: number, a: MatrixView): number {
  const { data, start, rowStride } = a;
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    for (let j = 0; j <= i; j++) {
      const other = start + j * rowStride;
      let even = 0;
      let odd = 0;
      let k = 0;
      for (; k + 2 <= j; k += 2) {
        even += data[row + k]! * data[other + k]!;
        odd += data[row + k + 1]! * data[other + k + 1]!;
      }
      if (k < j) even += data[row + k]! * data[other + k]!;
      const rest = data[row + j]! - (even + odd);
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
