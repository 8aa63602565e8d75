import { InvalidInputError } from '../../core/errors.ts';
import type { Graph } from '../graph/graph.ts';

/**
 * Pattern of a sparse symmetric matrix of order `size`: its lower triangle by columns, including the whole diagonal. Column j has the rows
 * `rows[starts[j]]` … `rows[starts[j + 1] − 1]`, ascending, starting with j. The values of a matrix with this pattern are one array in the order of
 * `rows`.
 */
export interface SymmetricPattern {
  readonly size: number;
  /** size + 1 numbers. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
}

/** The edges (sources[e], targets[e]) of a graph on 0 … size − 1, without duplicates and in any order. */
export interface EdgeList {
  readonly size: number;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
}

/** Number of points below which a dense factor is faster for any graph. */
const SMALL = 200;

/** Fraction of the entries of a dense triangle above which a sparse factor saves nothing. */
export const SPARSE = 0.3;

/** Whether a graph has so few edges that its factor is sparse, such as a neighborhood graph on a surface. */
export const isSparse = ({ size: N, sources }: EdgeList): boolean =>
  N >= SMALL && sources.length < (SPARSE * N * N) / 4;

/** A pattern, and the positions of the edges of its graph. */
export interface GraphPattern {
  readonly pattern: SymmetricPattern;
  /** `edgeEntries[e]` is the index, in the pattern's rows, of the entry of edge e. */
  readonly edgeEntries: Int32Array;
}

/**
 * The pattern of a graph's Laplacian: the diagonal and an entry for every edge.
 *
 * @throws InvalidInputError if an edge has an end outside of 0 … size − 1, is a loop, or is a duplicate
 */
export function patternOfGraph({ size, sources, targets }: EdgeList): GraphPattern {
  const edges = sources.length;
  const starts = new Int32Array(size + 1);
  for (let e = 0; e < edges; e++) {
    const [i, j] = [sources[e]!, targets[e]!];
    if (!(i >= 0 && j >= 0 && i < size && j < size && i !== j)) {
      throw new InvalidInputError(
        `Edge ${e} of the graph is (${i}, ${j}): join two different points of 0 … ${size - 1}.`,
      );
    }
    starts[Math.min(i, j) + 1]!++;
  }
  for (let j = 0; j < size; j++) starts[j + 1]! += starts[j]! + 1;
  const rows = new Int32Array(edges + size);
  const next = starts.slice(0, size);
  for (let j = 0; j < size; j++) rows[next[j]!++] = j;
  for (let e = 0; e < edges; e++)
    rows[next[Math.min(sources[e]!, targets[e]!)]!++] = Math.max(sources[e]!, targets[e]!);
  for (let j = 0; j < size; j++) rows.subarray(starts[j]!, starts[j + 1]!).sort();
  const pattern = { size, starts, rows };
  const edgeEntries = new Int32Array(edges);
  for (let e = 0; e < edges; e++) {
    edgeEntries[e] = entryOf(pattern, Math.max(sources[e]!, targets[e]!), Math.min(sources[e]!, targets[e]!));
  }
  refuseRepeats(pattern);
  return { pattern, edgeEntries };
}

/** Index of the entry (i, j), i ≥ j, among the pattern's rows; −1 if there is none. */
export function entryOf({ starts, rows }: SymmetricPattern, i: number, j: number): number {
  let low = starts[j]!;
  let high = starts[j + 1]! - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (rows[middle] === i) return middle;
    if (rows[middle]! < i) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function refuseRepeats({ size, starts, rows }: SymmetricPattern): void {
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      if (rows[p] !== rows[p - 1]) continue;
      throw new InvalidInputError(
        `The edge (${j}, ${rows[p]}) comes more than once: give every pair of points one edge.`,
      );
    }
  }
}

/** The graph of a pattern's off-diagonal entries, by nodes. */
export interface Adjacency {
  readonly size: number;
  readonly starts: Int32Array;
  readonly neighbors: Int32Array;
}

/** Neighbors of every node in the pattern's graph, ascending. */
export function adjacencyOf({ size, starts, rows }: SymmetricPattern): Adjacency {
  const first = new Int32Array(size + 1);
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      first[j + 1]!++;
      first[rows[p]! + 1]!++;
    }
  }
  for (let j = 0; j < size; j++) first[j + 1]! += first[j]!;
  const neighbors = new Int32Array(first[size]!);
  const next = first.slice(0, size);
  // Node i receives its smaller neighbors while j < i runs, then its larger ones at j = i.
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      neighbors[next[j]!++] = rows[p]!;
      neighbors[next[rows[p]!]!++] = j;
    }
  }
  return { size, starts: first, neighbors };
}

/** A sparse matrix by columns: column i has `values[p]` in row `rows[p]` for starts[i] ≤ p < starts[i + 1], with distinct rows. */
export interface SparseColumns {
  /** Number of rows. */
  readonly size: number;
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** MMᵀ; the products in an entry are added column of M by column. The pattern always includes the diagonal. */
export function outerProduct(M: SparseColumns): SparseSymmetric {
  const { size, starts, rows, values } = ascending(M);
  const { ends, columns, places } = byRows(size, starts, rows);
  const most = size + starts.reduce((sum, start, i) => sum + pairs(i === 0 ? 0 : start - starts[i - 1]!), 0);
  const productStarts = new Int32Array(size + 1);
  const productRows = new Int32Array(most);
  const entries = new Float64Array(most);
  // For the current column: the sum in each row, and the column that last used the row.
  const sums = new Float64Array(size);
  const lastColumn = new Int32Array(size).fill(-1);
  let count = 0;
  for (let j = 0, q = 0; j < size; j++) {
    productRows[count++] = j;
    lastColumn[j] = j;
    sums[j] = 0;
    for (; q < ends[j]!; q++) {
      const place = places[q]!;
      const value = values[place]!;
      for (let p = place; p < starts[columns[q]! + 1]!; p++) {
        const i = rows[p]!;
        if (lastColumn[i] !== j) {
          productRows[count++] = i;
          lastColumn[i] = j;
          sums[i] = 0;
        }
        sums[i]! += values[p]! * value;
      }
    }
    sortRows(productRows, productStarts[j]!, count);
    for (let p = productStarts[j]!; p < count; p++) entries[p] = sums[productRows[p]!]!;
    productStarts[j + 1] = count;
  }
  const pattern = { size, starts: productStarts, rows: productRows.slice(0, count) };
  return { pattern, values: entries.slice(0, count) };
}

const pairs = (entries: number) => (entries * (entries + 1)) / 2;

/** Sorts the rows of each column in ascending order. */
function ascending({ size, starts, rows, values }: SparseColumns): SparseColumns {
  const sorted = { size, starts, rows: rows.slice(), values: values.slice() };
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let p = starts[i]! + 1; p < starts[i + 1]!; p++) {
      const [row, value] = [sorted.rows[p]!, sorted.values[p]!];
      let q = p;
      for (; q > starts[i]! && sorted.rows[q - 1]! > row; q--) {
        sorted.rows[q] = sorted.rows[q - 1]!;
        sorted.values[q] = sorted.values[q - 1]!;
      }
      sorted.rows[q] = row;
      sorted.values[q] = value;
    }
  }
  return sorted;
}

/** Entries of each row, up to its end: their columns, ascending, and their positions. */
function byRows(
  size: number,
  starts: Int32Array,
  rows: Int32Array,
): { ends: Int32Array; columns: Int32Array; places: Int32Array } {
  const ends = new Int32Array(size + 1);
  for (let p = 0; p < rows.length; p++) ends[rows[p]! + 1]!++;
  for (let j = 0; j < size; j++) ends[j + 1]! += ends[j]!;
  const columns = new Int32Array(rows.length);
  const places = new Int32Array(rows.length);
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) {
      const q = ends[rows[p]!]!++;
      columns[q] = i;
      places[q] = p;
    }
  }
  return { ends, columns, places };
}

/** Few rows are sorted faster by insertion. */
const FEW = 48;

function sortRows(rows: Int32Array, from: number, to: number): void {
  if (to - from > FEW) {
    rows.subarray(from, to).sort();
    return;
  }
  for (let p = from + 1; p < to; p++) {
    const row = rows[p]!;
    let q = p;
    for (; q > from && rows[q - 1]! > row; q--) rows[q] = rows[q - 1]!;
    rows[q] = row;
  }
}

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
 * @param values - the terms, added in order
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
  // The terms by columns of the lower triangle, in their original order within a column.
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
  // For the current column: the sum of each row, and the last column where the row occurred.
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

/** The Laplacian of a graph with these degrees. */
export function sparseLaplacian({ size, sources, targets, weights }: Graph, degrees: Float64Array): SparseSymmetric {
  const diagonal = Array.from({ length: size }, (_, i) => i);
  return sparseSymmetric(
    size,
    Int32Array.from([...diagonal, ...targets]),
    Int32Array.from([...diagonal, ...sources]),
    Float64Array.from([...degrees, ...weights.map((weight) => -weight)]),
  );
}
