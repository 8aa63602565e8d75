import type { MatrixView } from './matrixView.ts';
import { multiplySymmetric } from './symmetricVectorProduct.ts';

/**
 * For a matrix of norm 1: sums of squares below are dropped with what they are sums of, because squares that underflow would
 * leave a reflector that is not orthogonal.
 */
const NEGLIGIBLE = 2 ** -900;

/** A = QTQᵀ: T by its diagonals, and Qᵀ, n×n row-major. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  /** Entry i couples i and i + 1. */
  readonly offDiagonal: Float64Array;
  readonly basis: Float64Array;
}

/**
 * A = QTQᵀ with T tridiagonal and Q = H₀H₁…H_{n−2} by Householder reflections H_c = I − t·v·vᵀ: with p = t·Av and
 * w = p − ½t(vᵀp)v, A ← A − vwᵀ − wvᵀ. Reads and destroys the upper triangle of A, which is row-major and of norm about 1.
 *
 * @see Golub & Van Loan, Matrix Computations, §8.3.1
 */
export function tridiagonalize(n: number, a: MatrixView): Tridiagonal {
  const { data, start, rowStride } = a;
  const diagonal = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  const scale = new Float64Array(n);
  const w = new Float64Array(n);
  for (let c = 0; c < n - 1; c++) {
    const row = start + c * rowStride;
    diagonal[c] = data[row + c]!;
    const length = n - c - 1;
    const v = data.subarray(row + c + 1, row + n);
    const t = reflector(v, offDiagonal, c);
    scale[c] = t;
    const corner = row + rowStride + c + 1;
    multiplySymmetric(length, { data, start: corner, rowStride, columnStride: 1 }, v, 0, w, 0);
    let along = 0;
    for (let i = 0; i < length; i++) {
      w[i]! *= t;
      along += w[i]! * v[i]!;
    }
    for (let i = 0; i < length; i++) w[i]! -= 0.5 * t * along * v[i]!;
    for (let i = 0; i < length; i++) {
      const below = corner + i * rowStride;
      for (let j = i; j < length; j++) data[below + j]! -= v[i]! * w[j]! + w[i]! * v[j]!;
    }
  }
  if (n > 0) diagonal[n - 1] = data[start + (n - 1) * (rowStride + 1)]!;
  return { diagonal, offDiagonal, basis: accumulated(n, a, scale) };
}

/** Qᵀ from the reflectors, which lie in the rows above the diagonal: last to first, each touches only what is no longer the identity. */
function accumulated(n: number, { data, start, rowStride }: MatrixView, scale: Float64Array): Float64Array {
  const basis = new Float64Array(n * n);
  for (let i = 0; i < n; i++) basis[i * (n + 1)] = 1;
  for (let c = n - 2; c >= 0; c--) {
    const v = start + c * rowStride;
    for (let i = c + 1; i < n; i++) {
      const row = i * n;
      let along = 0;
      for (let j = c + 1; j < n; j++) along += basis[row + j]! * data[v + j]!;
      along *= scale[c]!;
      for (let j = c + 1; j < n; j++) basis[row + j]! -= along * data[v + j]!;
    }
  }
  return basis;
}

/** x ← v with v₀ = 1 and (I − t·v·vᵀ)x = β·e₀; β goes to `images[index]`, t is returned. */
function reflector(x: Float64Array, images: Float64Array, index: number): number {
  const head = x[0]!;
  let tail = 0;
  for (let i = 1; i < x.length; i++) tail += x[i]! * x[i]!;
  x[0] = 1;
  if (tail <= NEGLIGIBLE) {
    x.fill(0, 1);
    images[index] = head;
    return 0;
  }
  const norm = Math.sqrt(head * head + tail);
  const image = head > 0 ? -norm : norm;
  const factor = 1 / (head - image);
  for (let i = 1; i < x.length; i++) x[i]! *= factor;
  images[index] = image;
  return (image - head) / image;
}
