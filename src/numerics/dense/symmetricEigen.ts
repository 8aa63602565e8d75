import { binaryExponent } from '../../core/elementary/index.ts';
import { mirrorLower } from './choleskyInverse.ts';
import { implicitQl } from './implicitQl.ts';
import type { MatrixView } from './matrixView.ts';
import { tridiagonalize } from './tridiagonalize.ts';

/**
 * A ← V, values ← λ with A = V·diag(λ)·Vᵀ for A n×n symmetric and row-major, of which the lower triangle is read. λ ascends;
 * column j of V is the unit eigenvector of λ_j, its entry of largest modulus (the first of equals) positive.
 *
 * Householder tridiagonalisation, then the implicit QL iteration on T with the rotations applied to Qᵀ: backward stable, V
 * orthogonal to working precision whatever the gaps between eigenvalues are.
 *
 * @returns 0, or 1 when an entry is not finite or the iteration did not converge; A is then destroyed
 */
export function symmetricEigen(n: number, a: MatrixView, values: Float64Array): number {
  const scale = scaleToOne(n, a);
  if (!Number.isFinite(scale)) return 1;
  mirrorLower(n, a);
  const { diagonal, offDiagonal, basis: vectors } = tridiagonalize(n, a);
  if (!implicitQl(n, diagonal, offDiagonal, vectors)) return 1;
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => diagonal[i]! - diagonal[j]! || i - j);
  const { data, start, rowStride } = a;
  for (let j = 0; j < n; j++) {
    const source = order[j]! * n;
    const sign = signOfLargest(vectors, source, n);
    values[j] = diagonal[order[j]!]! / scale;
    for (let i = 0, target = start + j; i < n; i++, target += rowStride) data[target] = sign * vectors[source + i]!;
  }
  return 0;
}

/** −1 when the entry of largest modulus (the first of equals) among `length` numbers is negative, 1 otherwise. */
export function signOfLargest(x: Float64Array, start: number, length: number): number {
  let largest = 0;
  for (let i = start; i < start + length; i++) {
    if (Math.abs(x[i]!) > Math.abs(largest)) largest = x[i]!;
  }
  return largest < 0 ? -1 : 1;
}

/**
 * Multiplies the lower triangle by a power of two, which it returns, so that the largest entry is about 1 and no square
 * overflows; NaN when an entry is not finite.
 */
function scaleToOne(n: number, a: MatrixView): number {
  const { data, start, rowStride } = a;
  let largest = 0;
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    for (let j = 0; j <= i; j++) {
      const size = Math.abs(data[row + j]!);
      if (!(size <= Number.MAX_VALUE)) return Number.NaN;
      if (size > largest) largest = size;
    }
  }
  if (largest === 0) return 1;
  const scale = 2 ** -Math.max(-1000, binaryExponent(largest));
  for (let i = 0; i < n; i++) {
    const row = start + i * rowStride;
    for (let j = 0; j <= i; j++) data[row + j]! *= scale;
  }
  return scale;
}
