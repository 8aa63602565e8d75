import { InvalidInputError } from '../../core/errors.ts';
import type { SymmetricPattern } from './pattern.ts';

/** A sparse symmetric matrix: the entries of its lower triangle, in the order of the pattern's rows. */
export interface SparseSymmetric {
  readonly pattern: SymmetricPattern;
  readonly values: Float64Array;
}

/** A symmetric matrix as a sum of entries; each one off the diagonal also counts for its mirror image. */
export interface SparseTerms {
  readonly size: number;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/**
 * A sparse symmetric matrix as a sum of entries: `values[e]` is added at (rows[e], columns[e]) and, off the diagonal, at (columns[e], rows[e]). The
 * pattern always includes the diagonal.
 *
 * @param size - N
 * @param rows - row of each term, in either triangle
 * @param columns - column of each term
 * @param values - the terms; those of one entry are added in order
 * @throws InvalidInputError if the lists differ in length or an index is outside of 0 … N − 1
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
  // The terms by columns of the lower triangle, those of one column as they came.
  const ends = new Int32Array(size + 1);
  for (let e = 0; e < terms; e++) ends[Math.min(rows[e]!, columns[e]!) + 1]!++;
  for (let j = 0; j < size; j++) ends[j + 1]! += ends[j]!;
  const termRows = new Int32Array(terms);
  const termValues = new Float64Array(terms);
  for (let e = 0; e < terms; e++) {
    const q = ends[Math.min(rows[e]!, columns[e]!)]!++;
    termRows[q] = Math.max(rows[e]!, columns[e]!);
    termValues[q] = values[e]!;
  }
  const starts = new Int32Array(size + 1);
  const patternRows = new Int32Array(size + terms);
  const entries = new Float64Array(size + terms);
  // For the current column: the sum of each row, and the last column in which the row occurred.
  const sums = new Float64Array(size);
  const lastColumn = new Int32Array(size).fill(-1);
  let count = 0;
  for (let j = 0, q = 0; j < size; j++) {
    patternRows[count++] = j;
    lastColumn[j] = j;
    sums[j] = 0;
    for (; q < ends[j]!; q++) {
      const i = termRows[q]!;
      if (lastColumn[i] !== j) {
        patternRows[count++] = i;
        lastColumn[i] = j;
        sums[i] = 0;
      }
      sums[i]! += termValues[q]!;
    }
    patternRows.subarray(starts[j]!, count).sort();
    for (let p = starts[j]!; p < count; p++) entries[p] = sums[patternRows[p]!]!;
    starts[j + 1] = count;
  }
  return { pattern: { size, starts, rows: patternRows.slice(0, count) }, values: entries.slice(0, count) };
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
