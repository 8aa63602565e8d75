import { InvalidInputError } from '../../core/errors.ts';

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

/** The edges (sources[e], targets[e]) of a graph on 0 … size − 1, each pair once and in any order. */
export interface EdgeList {
  readonly size: number;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
}

/** Below this many points a dense factor is faster whatever the graph is. */
const SMALL = 200;

/** Fraction of the entries of a dense triangle above which a sparse factor saves nothing. */
export const SPARSE = 0.3;

/** Whether a graph has so few edges that its factor is sparse, as that of neighbours on a surface is. */
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
  readonly neighbours: Int32Array;
}

/** Neighbours of every node in the pattern's graph, ascending. */
export function adjacencyOf({ size, starts, rows }: SymmetricPattern): Adjacency {
  const first = new Int32Array(size + 1);
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      first[j + 1]!++;
      first[rows[p]! + 1]!++;
    }
  }
  for (let j = 0; j < size; j++) first[j + 1]! += first[j]!;
  const neighbours = new Int32Array(first[size]!);
  const next = first.slice(0, size);
  // Node i receives its smaller neighbours while j < i runs, then its larger ones at j = i.
  for (let j = 0; j < size; j++) {
    for (let p = starts[j]! + 1; p < starts[j + 1]!; p++) {
      neighbours[next[j]!++] = rows[p]!;
      neighbours[next[rows[p]!]!++] = j;
    }
  }
  return { size, starts: first, neighbours };
}
