import { square } from '../../../core/elementary/index.ts';
import { InvalidInputError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, incidentEdges, pairKey } from '../../../engine/graph/graph.ts';
import {
  type Reconstruction,
  reconstructionWeights,
  repeatsAdvice,
} from '../../../engine/graph/reconstructionWeights.ts';
import { neighborsInParts } from '../../../engine/neighbors/index.ts';
import type { SparseSymmetric } from '../../../engine/sparse/index.ts';
import { outerProduct } from '../../../engine/sparse/sparseSymmetric.ts';
import { type Disconnected, lengthsOf, type NeighborInput, shownComponent } from './neighborhood.ts';

/** The k nearest neighbors of every point, ties by index; pauses during the search. */
export function* nearestLists(Y: Matrix, k: number): ProgressiveWork<Int32Array[]> {
  const { indices } = yield* neighborsInParts('exact', Y, k);
  return Array.from({ length: Y.rows }, (_, i) => indices.slice(i * k, (i + 1) * k));
}

/** Columns of M, L = MMᵀ: m_ii(e_i − Σ_j w_ji·e_j). */
export interface ReconstructionFactor {
  readonly reconstruction: Reconstruction;
  /** m_ii, 0 for points without neighbors. */
  readonly diagonal: Float64Array;
  /** ‖y_i − Σ_j w_ji·y_j‖² */
  readonly residuals: Float64Array;
}

/**
 * Weights that reconstruct every point from its neighbors, and their precisions: m_ii = 1 (normalized), or m_ii² = D/‖residual‖²
 * at the maximum of the pseudolikelihood.
 *
 * @param regularization - fraction of the trace that is added to the diagonal of each C_i; 'auto' is 1e-3 if D is below the number of neighbors, otherwise 0
 * @throws InvalidInputError for a point that its neighbors reconstruct exactly, which would make m_ii infinite
 * @see Lawrence 2012, §2.7
 */
export function reconstructionFactor(
  Y: Matrix,
  neighbors: readonly Int32Array[],
  regularization: number | 'auto',
  normalized: boolean,
): ReconstructionFactor {
  const { reconstruction, residuals } = neighborWeights(Y, neighbors, regularization);
  const size = largestSquaredNorm(Y);
  const diagonal = residuals.map((residual, i) => {
    if (neighbors[i]!.length === 0) return 0;
    if (normalized) return 1;
    if (residual > ROUNDING * size) return Math.sqrt(Y.columns / residual);
    throw new InvalidInputError(
      `The ${neighbors[i]!.length} neighbors of point index ${i} reconstruct it exactly, so its precision is infinite. ${repeatsAdvice(Y) ?? 'Raise the regularization.'}`,
    );
  });
  return { reconstruction, diagonal, residuals };
}

/** Residual relative to the largest ‖y_i‖² that counts as rounding of 0. */
const ROUNDING = 1e-28;

function largestSquaredNorm({ data, rows, columns }: Matrix): number {
  let largest = 0;
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let d = 0; d < columns; d++) sum += square(data[i * columns + d]!);
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** Reconstruction weights, with their residuals ‖y_i − Σ_j w_ji·y_j‖². */
export function neighborWeights(
  Y: Matrix,
  neighbors: readonly Int32Array[],
  regularization: number | 'auto',
  nameOf?: (point: number) => string,
): Pick<ReconstructionFactor, 'reconstruction' | 'residuals'> {
  const reconstruction = weightsOf(Y, neighbors, regularization, nameOf);
  return { reconstruction, residuals: residualsOf(Y, reconstruction) };
}

function weightsOf(
  Y: Matrix,
  neighbors: readonly Int32Array[],
  regularization: number | 'auto',
  nameOf?: (point: number) => string,
): Reconstruction {
  if (regularization !== 'auto') return reconstructionWeights(Y, neighbors, regularization, nameOf);
  const none = new Int32Array(0);
  const isUnder = (own: Int32Array) => Y.columns < own.length;
  const under = reconstructionWeights(
    Y,
    neighbors.map((own) => (isUnder(own) ? own : none)),
    1e-3,
    nameOf,
  );
  const over = reconstructionWeights(
    Y,
    neighbors.map((own) => (isUnder(own) ? none : own)),
    0,
    nameOf,
  );
  const weights: number[] = [];
  neighbors.forEach((own, i) => {
    const { starts, weights: all } = isUnder(own) ? under : over;
    weights.push(...all.subarray(starts[i]!, starts[i + 1]!));
  });
  const starts = new Int32Array(neighbors.length + 1);
  neighbors.forEach((own, i) => {
    starts[i + 1] = starts[i]! + own.length;
  });
  return {
    starts,
    neighbors: Int32Array.from(neighbors.flatMap((own) => Array.from(own))),
    weights: Float64Array.from(weights),
  };
}

function residualsOf(
  { data, rows: N, columns: D }: Matrix,
  { starts, neighbors, weights }: Reconstruction,
): Float64Array {
  return Float64Array.from({ length: N }, (_, i) => {
    let squares = 0;
    for (let d = 0; d < D; d++) {
      let difference = data[i * D + d]!;
      for (let p = starts[i]!; p < starts[i + 1]!; p++) difference -= weights[p]! * data[neighbors[p]! * D + d]!;
      squares += difference * difference;
    }
    return squares;
  });
}

/** Precision L = MMᵀ, with its trace. */
export function precisionOf({ reconstruction, diagonal }: ReconstructionFactor): SparseSymmetric & { trace: number } {
  const { starts: firsts, neighbors, weights } = reconstruction;
  const size = diagonal.length;
  const starts = new Int32Array(size + 1);
  const rows = new Int32Array(size + weights.length);
  const values = new Float64Array(size + weights.length);
  let count = 0;
  let trace = 0;
  const add = (row: number, value: number) => {
    rows[count] = row;
    values[count++] = value;
    trace += value * value;
  };
  for (let i = 0; i < size; i++) {
    const scale = diagonal[i]!;
    if (scale !== 0) {
      add(i, scale);
      for (let p = firsts[i]!; p < firsts[i + 1]!; p++) add(neighbors[p]!, -scale * weights[p]!);
    }
    starts[i + 1] = count;
  }
  const M = { size, starts, rows: rows.subarray(0, count), values: values.subarray(0, count) };
  return { ...outerProduct(M), trace };
}

/** Reconstruction neighbors. */
interface ReconstructingLists {
  /** Indices among the shown points, one list per point. */
  readonly lists: Int32Array[];
  readonly shown: Int32Array;
  /** Sentence about the treatment of a disconnected graph, with a leading space. */
  readonly note: string;
}

/**
 * The k nearest neighbors of each point, or its neighbors in a precomputed graph. If these do not connect all points, the ends of the shortest edges
 * between components are added to each other's list, or only the largest component is kept.
 */
export function* reconstructingLists(
  given: NeighborInput,
  k: number,
  disconnected: Disconnected,
): ProgressiveWork<ReconstructingLists> {
  const lists = given.graph === undefined ? yield* nearestLists(given.points, k) : neighborsIn(given.graph);
  const N = lists.length;
  const ends = endsOf(lists);
  if (connectedComponents(ends).sizes.length === 1) return { lists, shown: Int32Array.from(lists.keys()), note: '' };
  const keys = Float64Array.from(ends.sources, (i, e) => pairKey(i, ends.targets[e]!, N));
  const near = { size: N, ...edgesOfPairs(keys, N, lengthsOf(given)) };
  const { graph, points: shown, note } = shownComponent(near, given, disconnected, 'lle');
  if (shown.length < N) {
    const place = new Map(Array.from(shown, (i, row) => [i, row]));
    return { lists: Array.from(shown, (i) => lists[i]!.map((j) => place.get(j)!)), shown, note };
  }
  const known = new Set(keys);
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e]!;
    if (known.has(pairKey(i, j, N))) return;
    lists[i] = Int32Array.from([...lists[i]!, j]);
    lists[j] = Int32Array.from([...lists[j]!, i]);
  });
  return { lists, shown, note };
}

/** Edges from each point to the points of its list. */
function endsOf(lists: readonly Int32Array[]): { size: number; sources: Int32Array; targets: Int32Array } {
  const count = lists.reduce((sum, own) => sum + own.length, 0);
  const sources = new Int32Array(count);
  const targets = new Int32Array(count);
  let e = 0;
  lists.forEach((own, i) => {
    targets.set(own, e);
    sources.fill(i, e, e + own.length);
    e += own.length;
  });
  return { size: lists.length, sources, targets };
}

function neighborsIn(graph: Graph): Int32Array[] {
  const { starts, others } = incidentEdges(graph);
  return Array.from({ length: graph.size }, (_, i) => others.slice(starts[i]!, starts[i + 1]!).sort());
}
