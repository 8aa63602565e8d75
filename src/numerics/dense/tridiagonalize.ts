import { gemm } from './gemm.ts';
import { block, type MatrixView, rowMajor, transposed } from './matrixView.ts';
import { multiplySymmetric } from './symmetricVectorProduct.ts';

/** Reflectors that are gathered before the rest of the matrix is updated with all of them at once. */
export const PANEL = 32;

/**
 * For a matrix of norm 1: sums of squares below are dropped with what they are sums of, because squares that underflow would
 * leave a reflector that is not orthogonal.
 */
const NEGLIGIBLE = 2 ** -900;

/** What remains of A = QTQᵀ besides the reflectors: T has `diagonal` and `offDiagonal`, reflector c is I − scale[c]·v·vᵀ. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly offDiagonal: Float64Array;
  readonly scale: Float64Array;
}

/**
 * A = QTQᵀ with T tridiagonal and Q = H₀H₁…H_{n−2} by Householder reflections, of which v_c is left in A[c, c+1:], its
 * leading 1 included. Reads and writes the upper triangle of A, which is row-major and of norm about 1.
 *
 * Blocked: within a panel the trailing matrix stays as it is and the products with it are corrected, then it is updated by
 * A ← A − VWᵀ − WVᵀ (Dongarra, Sorensen & Hammarling 1989; LAPACK's dsytrd).
 */
export function tridiagonalize(n: number, a: MatrixView): Tridiagonal {
  const diagonal = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  const scale = new Float64Array(n);
  const w = new Float64Array(PANEL * n);
  const { data, start, rowStride } = a;
  for (let first = 0; first < n - 1; first += PANEL) {
    const size = Math.min(PANEL, n - 1 - first);
    for (let j = 0; j < size; j++) {
      const c = first + j;
      const row = start + c * rowStride;
      for (let q = 0; q < j; q++) {
        const vq = start + (first + q) * rowStride;
        const wq = q * n;
        addScaled(n - c, -data[vq + c]!, w, wq + c, data, row + c);
        addScaled(n - c, -w[wq + c]!, data, vq + c, data, row + c);
      }
      diagonal[c] = data[row + c]!;
      const length = n - c - 1;
      const v = row + c + 1;
      scale[c] = reflector(length, data, v, offDiagonal, c);
      const target = j * n + c + 1;
      multiplySymmetric(length, block(a, c + 1, c + 1), data, v, w, target);
      for (let q = 0; q < j; q++) {
        const vq = start + (first + q) * rowStride + c + 1;
        const wq = q * n + c + 1;
        const along = dot(length, w, wq, data, v);
        const across = dot(length, data, vq, data, v);
        addScaled(length, -along, data, vq, w, target);
        addScaled(length, -across, w, wq, w, target);
      }
      for (let i = 0; i < length; i++) w[target + i]! *= scale[c]!;
      addScaled(length, -0.5 * scale[c]! * dot(length, w, target, data, v), data, v, w, target);
    }
    const next = first + size;
    const rest = n - next;
    const rowsV = block(a, first, next);
    const rowsW = rowMajor(w, n, next);
    const trailing = block(a, next, next);
    gemm(rest, rest, size, -1, transposed(rowsV), rowsW, 1, trailing, 'upper');
    gemm(rest, rest, size, -1, transposed(rowsW), rowsV, 1, trailing, 'upper');
  }
  if (n > 0) diagonal[n - 1] = data[start + (n - 1) * (rowStride + 1)]!;
  return { diagonal, offDiagonal, scale };
}

/** x ← v with v₀ = 1 and (I − t·v·vᵀ)x = β·e₀; β goes to `images[index]`, t is returned. */
function reflector(length: number, x: Float64Array, start: number, images: Float64Array, index: number): number {
  const head = x[start]!;
  const tail = length > 1 ? dot(length - 1, x, start + 1, x, start + 1) : 0;
  x[start] = 1;
  if (tail <= NEGLIGIBLE) {
    x.fill(0, start + 1, start + length);
    images[index] = head;
    return 0;
  }
  const norm = Math.sqrt(head * head + tail);
  const image = head > 0 ? -norm : norm;
  const factor = 1 / (head - image);
  for (let i = 1; i < length; i++) x[start + i]! *= factor;
  images[index] = image;
  return (image - head) / image;
}

function dot(length: number, x: Float64Array, xStart: number, y: Float64Array, yStart: number): number {
  let even = 0;
  let odd = 0;
  let i = 0;
  for (; i + 2 <= length; i += 2) {
    even += x[xStart + i]! * y[yStart + i]!;
    odd += x[xStart + i + 1]! * y[yStart + i + 1]!;
  }
  if (i < length) even += x[xStart + i]! * y[yStart + i]!;
  return even + odd;
}

function addScaled(
  length: number,
  factor: number,
  x: Float64Array,
  xStart: number,
  y: Float64Array,
  yStart: number,
): void {
  for (let i = 0; i < length; i++) y[yStart + i]! += factor * x[xStart + i]!;
}
