import { log } from '../../core/elementary/index.ts';
import type { Float64Memory } from '../memory.ts';
import { contiguous, type LinearAlgebraEngine } from '../operations/linearAlgebra.ts';
import { nthSmallest, sumOf } from '../vectors.ts';

/** A positive semidefinite matrix that is computed piecewise; `target` is a byte offset. */
export interface MatrixParts {
  /** Number of rows and columns. */
  readonly size: number;
  /** Value of every diagonal entry. */
  readonly diagonal: number;
  /** Target (rows.length×size) ← these rows. */
  rows(rows: Int32Array, target: number): void;
  /** Target (rows.length×rows.length) ← the entries among these rows. */
  among(rows: Int32Array, target: number): void;
}

/** Number of candidate pivots that are considered together. */
const BLOCK = 64;

/** Smallest remainder of a candidate, relative to the largest … */
const CANDIDATE = 0.1;

/** … and the fraction of it that a pivot must retain after the pivots chosen with it. */
const PIVOT = 0.01;

/** Fraction of the largest rank after which the necessary rank can be predicted. */
const FORESEEN = 1 / 6;

/** A pivot below this fraction of the diagonal is rounding error. */
const ROUNDING = 2 ** -51;

/**
 * Rows of R, r×n, with A = RᵀR + E, where E is positive semidefinite up to rounding and has at most a given trace: a Cholesky factor that stops
 * early, with the largest remainders as pivots. Pivots are taken in blocks, so that nearly all of the work is matrix products.
 *
 * @param remainder - largest trace of E
 * @param most - largest number of rows of R
 * @param root - byte offset of `rootNumbers(n, most)` numbers, for R
 * @returns r, or undefined if R would have more rows, as soon as that is known
 * @see Harbrecht, Peters & Schneider, On the low-rank approximation by the pivoted Cholesky decomposition, Appl. Numer. Math. 62 (2012), Algorithm 1
 */
export function pivotedCholesky(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  A: MatrixParts,
  { remainder, most }: { readonly remainder: number; readonly most: number },
  root: number,
): number | undefined {
  const { size: n, diagonal } = A;
  const left = new Float64Array(n).fill(diagonal);
  const whole = n * diagonal;
  const digits = log(remainder / whole);
  const block = Math.min(BLOCK, n);
  return memory.withBlock(8 * block * (block + most), (corner) => {
    const factors = corner + 8 * block * block;
    let rank = 0;
    for (;;) {
      const rest = sumOf(left);
      if (!(rest < Infinity) || rank > most) return undefined;
      if (rest <= remainder) return rank;
      // The digits gained grow in proportion to the rank or, in several dimensions, ever more slowly: a factorization that lags behind does not catch
      // up.
      if (rank >= FORESEEN * most && rank * digits < most * log(rest / whole)) return undefined;
      const candidates = candidatesOf(left, block);
      const pivots = chosen(memory, algebra, A, { root, rank, corner, factors }, candidates);
      if (pivots.length === 0) return undefined;
      const rows = root + 8 * rank * n;
      A.rows(pivots, rows);
      gatherColumns(memory, n, root, rank, pivots, factors);
      const m = pivots.length;
      algebra.gemm(m, n, rank, -1, contiguous(factors, rank), contiguous(root, n), 1, contiguous(rows, n));
      algebra.triangularSolve(m, n, corner, rows, false);
      takeOff(memory.float64(rows, m * n), left);
      rank += m;
    }
  });
}

/** Numbers written in place of R: the last block of pivots may exceed the largest number of rows. */
export function rootNumbers(n: number, most: number): number {
  return (most + BLOCK) * n;
}

/** Rows with large remainders, in ascending order; if there are many, a subset with equal spacing, since neighboring rows are often alike. */
function candidatesOf(left: Float64Array, count: number): Int32Array {
  const least = CANDIDATE * largest(left);
  const many = indicesWhere(left, (entry) => entry >= least);
  if (many.length < count) {
    const next = nthSmallest(left.slice(), left.length - count);
    const others = indicesWhere(left, (entry) => entry >= next && entry < least && entry > 0);
    return Int32Array.of(...many, ...others.subarray(0, count - many.length)).sort();
  }
  for (let k = 0; k < count; k++) many[k] = many[Math.floor((k * many.length) / count)]!;
  return many.subarray(0, count);
}

/** Indices of the entries that satisfy a predicate, ascending. */
function indicesWhere(entries: Float64Array, isSelected: (entry: number) => boolean): Int32Array {
  const places = new Int32Array(entries.length);
  let count = 0;
  for (let i = 0; i < entries.length; i++) if (isSelected(entries[i]!)) places[count++] = i;
  return places.subarray(0, count);
}

function largest(entries: Float64Array): number {
  let most = 0;
  for (const entry of entries) if (entry > most) most = entry;
  return most;
}

/** Memory of a factorization in progress: R has `rank` rows at `root`; `corner` and `factors` are for the candidates. */
interface Factorization {
  readonly root: number;
  readonly rank: number;
  readonly corner: number;
  readonly factors: number;
}

/** The candidates that become pivots, in order, with their Cholesky factor in `corner`. */
function chosen(
  memory: Float64Memory,
  algebra: LinearAlgebraEngine,
  A: MatrixParts,
  { root, rank, corner, factors }: Factorization,
  candidates: Int32Array,
): Int32Array {
  const count = candidates.length;
  A.among(candidates, corner);
  gatherColumns(memory, A.size, root, rank, candidates, factors);
  const transposed = { offset: factors, rowStride: 1, columnStride: rank };
  algebra.gemm(count, count, rank, -1, contiguous(factors, rank), transposed, 1, contiguous(corner, count));
  const corners = memory.float64(corner, count * count);
  const rest = Float64Array.from({ length: count }, (_, a) => corners[a * (count + 1)]!);
  const least = Math.max(PIVOT * largest(rest), ROUNDING * A.diagonal);
  const factor = new Float64Array(count * count);
  const order: number[] = [];
  for (;;) {
    let next = 0;
    for (let a = 1; a < count; a++) if (rest[a]! > rest[next]!) next = a;
    if (!(rest[next]! > least)) break;
    const pivot = Math.sqrt(rest[next]!);
    const k = order.push(next) - 1;
    const own = next * count;
    for (let a = 0; a < count; a++) {
      const row = a * count;
      let entry = corners[row + next]!;
      for (let t = 0; t < k; t++) entry -= factor[row + t]! * factor[own + t]!;
      entry /= pivot;
      factor[row + k] = entry;
      rest[a]! -= entry * entry;
    }
    factor[own + k] = pivot;
    rest[next] = 0;
  }
  const m = order.length;
  order.forEach((a, i) => {
    for (let k = 0; k <= i; k++) corners[i * m + k] = factor[a * count + k]!;
  });
  return Int32Array.from(order, (a) => candidates[a]!);
}

/** Target (columns.length×rank) ← these columns of R, one per row. */
function gatherColumns(
  memory: Float64Memory,
  n: number,
  root: number,
  rank: number,
  columns: Int32Array,
  target: number,
): void {
  const R = memory.float64(root, rank * n);
  const to = memory.float64(target, columns.length * rank);
  for (let k = 0; k < rank; k++) {
    for (let a = 0; a < columns.length; a++) to[a * rank + k] = R[k * n + columns[a]!]!;
  }
}

/** Updates the remainders for new rows of R. */
function takeOff(rows: Float64Array, left: Float64Array): void {
  const n = left.length;
  for (let start = 0; start < rows.length; start += n) {
    for (let i = 0; i < n; i++) {
      const entry = rows[start + i]!;
      left[i]! -= entry * entry;
    }
  }
  // Remainders that rounding makes negative must not compensate for positive ones.
  for (let i = 0; i < n; i++) if (left[i]! < 0) left[i] = 0;
}
