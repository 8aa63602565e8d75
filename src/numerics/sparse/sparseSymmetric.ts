import { InvalidInputError } from '../../core/errors.ts';
import type { SymmetricPattern } from './pattern.ts';

/** A sparse symmetric matrix: the entries of its lower triangle, in the order of the pattern's rows. */
export interface SparseSymmetric {
  readonly pattern: SymmetricPattern;
  readonly values: Float64Array;
}

/**
 * A sparse symmetric matrix as a sum of entries: `values[e]` is added at (rows[e], columns[e]) and, off the diagonal, at
 * (columns[e], rows[e]). The diagonal is in the pattern whether entries are given there or not.
 *
 * @param size - N
 * @param rows - row of each term, in either triangle
 * @param columns - column of each term
 * @param values - the terms; those of one place are added in the order in which they come
 * @throws InvalidInputError when the lists differ in length or an index is outside of 0 … N − 1
 * @example
 * ```ts
 * // [[2, −1], [−1, 3]]
 * sparseSymmetric(2, Int32Array.of(0, 0, 1), Int32Array.of(0, 1, 1), Float64Array.of(2, -1, 3));
 * ```
 */
export function sparseSymmetric(
  size: number,
  rows: Int32Array,
  columns: Int32Array,
  values: Float64Array,
): SparseSymmetric {
  checkTerms(size, rows, columns, values);
  const terms = rows.length;
  // Two stable passes of counting sort, by row and then by column, put the diagonal's own zeros first.
  const all = size + terms;
  const low = new Int32Array(all);
  const high = new Int32Array(all);
  const term = new Float64Array(all);
  for (let i = 0; i < size; i++) {
    low[i] = i;
    high[i] = i;
  }
  for (let e = 0; e < terms; e++) {
    low[size + e] = Math.min(rows[e]!, columns[e]!);
    high[size + e] = Math.max(rows[e]!, columns[e]!);
    term[size + e] = values[e]!;
  }
  const order = new Int32Array(all);
  for (let e = 0; e < all; e++) order[e] = e;
  const sorted = sortedBy(low, size, sortedBy(high, size, order));
  const starts = new Int32Array(size + 1);
  const patternRows = new Int32Array(all);
  const sums = new Float64Array(all);
  let count = 0;
  for (let q = 0; q < all; q++) {
    const e = sorted[q]!;
    const before = sorted[Math.max(q - 1, 0)]!;
    if (q === 0 || low[before] !== low[e] || high[before] !== high[e]) {
      patternRows[count++] = high[e]!;
      starts[low[e]! + 1] = count;
    }
    sums[count - 1]! += term[e]!;
  }
  return { pattern: { size, starts, rows: patternRows.slice(0, count) }, values: sums.slice(0, count) };
}

/** y ← A·x; y must not be x. */
export function multiplySparse({ pattern, values }: SparseSymmetric, x: Float64Array, y: Float64Array): void {
  const { size, starts, rows } = pattern;
  y.fill(0);
  for (let j = 0; j < size; j++) {
    const xj = x[j]!;
    let sum = values[starts[j]!]! * xj;
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      const i = rows[p]!;
      sum += values[p]! * x[i]!;
      y[i]! += values[p]! * xj;
    }
    y[j]! += sum;
  }
}

/** The same indices in the order of their keys, equal keys as they came. */
function sortedBy(keys: Int32Array, size: number, indices: Int32Array): Int32Array {
  const next = new Int32Array(size + 1);
  for (let e = 0; e < keys.length; e++) next[keys[e]! + 1]!++;
  for (let k = 0; k < size; k++) next[k + 1]! += next[k]!;
  const sorted = new Int32Array(indices.length);
  for (let q = 0; q < indices.length; q++) {
    const e = indices[q]!;
    sorted[next[keys[e]!]!++] = e;
  }
  return sorted;
}

function checkTerms(size: number, rows: Int32Array, columns: Int32Array, values: Float64Array): void {
  if (columns.length !== rows.length || values.length !== rows.length) {
    throw new InvalidInputError(
      `A sparse matrix was given ${rows.length} rows, ${columns.length} columns and ${values.length} values: give one of each a term.`,
    );
  }
  for (let e = 0; e < rows.length; e++) {
    const i = rows[e]!;
    const j = columns[e]!;
    if (i >= 0 && j >= 0 && i < size && j < size) continue;
    throw new InvalidInputError(
      `Term ${e} of the sparse ${size}×${size} matrix is at (${i}, ${j}): rows and columns are 0 … ${size - 1}.`,
    );
  }
}
