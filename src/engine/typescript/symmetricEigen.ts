import { binaryExponent } from '../../core/elementary/index.ts';
import { type MatrixView, mirrorLower } from './matrices.ts';

/**
 * A ← V, values ← λ with A = V·diag(λ)·Vᵀ for A n×n symmetric and row-major; only the lower triangle is read. λ is ascending, and column j of V is
 * the unit eigenvector of λ_j with a positive entry of largest modulus (the first of equal ones).
 *
 * Householder tridiagonalization, then the implicit QL iteration on T with the rotations applied to Qᵀ: backward stable, V orthogonal to working
 * precision for any gaps between eigenvalues.
 *
 * @returns 0, or 1 if an entry is not finite or the iteration did not converge; A is then destroyed
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

/** −1 if the entry of largest modulus (the first of equal ones) among `length` numbers is negative, 1 otherwise. */
export function signOfLargest(x: Float64Array, start: number, length: number): number {
  let largest = 0;
  for (let i = start; i < start + length; i++) {
    if (Math.abs(x[i]!) > Math.abs(largest)) largest = x[i]!;
  }
  return largest < 0 ? -1 : 1;
}

/**
 * Multiplies the lower triangle by a power of two, which it returns, so that the largest entry is about 1 and no square
 * overflows; NaN if an entry is not finite.
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

/**
 * Threshold for a matrix of norm 1: vectors whose sum of squares is smaller count as zero, because underflowing squares would give a reflector that
 * is not orthogonal.
 */
const NO_REFLECTION = 2 ** -900;

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
    multiplySymmetric(length, { data, start: corner, rowStride, columnStride: 1 }, v, w);
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

/** Qᵀ from the reflectors, which are stored in the rows above the diagonal, last to first; each changes only the part that is no longer the identity. */
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
  if (tail <= NO_REFLECTION) {
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

/** Largest number of sweeps per eigenvalue; two or three are usual. */
const MAXIMUM_SWEEPS = 60;

/** Threshold for a matrix of norm 1: smaller entries are dropped, so that the squares of the others keep all digits. */
const NO_COUPLING = 2 ** -480;

/**
 * Eigenvalues of a symmetric tridiagonal matrix of norm about 1, in no order, by the implicitly shifted QL iteration; the rotations of T = SΛSᵀ
 * transform the rows of Qᵀ into the rows of (QS)ᵀ.
 *
 * @param d - diagonal; becomes the eigenvalues
 * @param e - e[i] couples i and i + 1; destroyed
 * @param basis - Qᵀ, n×n row-major; becomes (QS)ᵀ
 * @returns whether the iteration converged
 * @see Bowdler, Martin, Reinsch & Wilkinson 1968; Press et al., Numerical Recipes, §11.4 (tqli)
 */
export function implicitQl(n: number, d: Float64Array, e: Float64Array, basis: Float64Array): boolean {
  const floor = Math.max(NO_COUPLING, Number.EPSILON * largestRow(n, d, e));
  for (let first = 0; first < n; first++) {
    for (let sweeps = 0; ; sweeps++) {
      const last = endOfBlock(n, d, e, first, floor);
      if (last === first) break;
      if (sweeps === MAXIMUM_SWEEPS) return false;
      sweep(n, d, e, first, last, basis);
    }
  }
  return true;
}

/**
 * The norm of the largest row. Its rounding error bounds the error of the tridiagonalization, so that smaller entries are negligible: matrices of low
 * rank, with their large rows first, would not converge if each row were compared with its own size.
 */
function largestRow(n: number, d: Float64Array, e: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(d[i]!) + (i < n - 1 ? Math.abs(e[i]!) : 0));
  return largest;
}

/** The first row from `first` on that is coupled to the next one by less than `floor` or the rounding of their diagonal entries. */
function endOfBlock(n: number, d: Float64Array, e: Float64Array, first: number, floor: number): number {
  let last = first;
  for (; last < n - 1; last++) {
    const coupling = Math.abs(e[last]!);
    if (coupling <= floor) break;
    if (coupling <= (Number.EPSILON / 2) * (Math.abs(d[last]!) + Math.abs(d[last + 1]!))) break;
  }
  return last;
}

/** One sweep with Wilkinson's shift, from the bottom of the block up. */
function sweep(n: number, d: Float64Array, e: Float64Array, first: number, last: number, basis: Float64Array): void {
  const slope = (d[first + 1]! - d[first]!) / (2 * e[first]!);
  const root = Math.sqrt(slope * slope + 1);
  let g = d[last]! - d[first]! + e[first]! / (slope + (slope < 0 ? -root : root));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = last - 1; i >= first; i--) {
    const f = s * e[i]!;
    const b = c * e[i]!;
    const r = Math.sqrt(f * f + g * g);
    if (r <= NO_COUPLING) {
      // The block decouples here; completed rotations remain valid.
      e[i + 1] = 0;
      d[i + 1]! -= p;
      e[last] = 0;
      return;
    }
    e[i + 1] = r;
    s = f / r;
    c = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    rotateRows(n, basis, i, c, s);
  }
  d[first]! -= p;
  e[first] = g;
  e[last] = 0;
}

/** Rows i and i + 1 ← c·rowᵢ − s·rowᵢ₊₁ and s·rowᵢ + c·rowᵢ₊₁. */
function rotateRows(n: number, matrix: Float64Array, i: number, c: number, s: number): void {
  for (let p = i * n, q = p + n, end = q; p < end; p++, q++) {
    const above = matrix[p]!;
    const below = matrix[q]!;
    matrix[q] = s * above + c * below;
    matrix[p] = c * above - s * below;
  }
}

/** y ← A·x for A n×n symmetric and row-major. The upper triangle is read once: every entry contributes to its row and its column. */
export function multiplySymmetric(n: number, a: MatrixView, x: Float64Array, y: Float64Array): void {
  y.fill(0, 0, n);
  for (let i = 0; i < n; i++) {
    const row = a.start + i * a.rowStride;
    const own = x[i]!;
    let sum = a.data[row + i]! * own;
    for (let j = i + 1; j < n; j++) {
      const entry = a.data[row + j]!;
      sum += entry * x[j]!;
      y[j]! += entry * own;
    }
    y[i]! += sum;
  }
}
