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

/** The k nearest others of every point, ties by index; searched with pauses. */
export function* nearestLists(Y: Matrix, k: number): ProgressiveWork<Int32Array[]> {
  const { indices } = yield* neighborsInParts('exact', Y, k);
  return Array.from({ length: Y.rows }, (_, i) => indices.slice(i * k, (i + 1) * k));
}

/** M of L = MMᵀ by columns: m_ii(e_i − Σ_j w_ji·e_j). */
export interface ReconstructionFactor {
  readonly reconstruction: Reconstruction;
  /** m_ii, 0 for points without neighbors. */
  readonly diagonal: Float64Array;
  /** ‖y_i − Σ_j w_ji·y_j‖² */
  readonly residuals: Float64Array;
}

/**
 * The weights that reconstruct every point from its neighbors, and how precisely: m_ii = 1 (normalized), or m_ii² = D/‖residual‖²
 * at the maximum of the pseudolikelihood.
 *
 * @param regularization - part of the trace added to the diagonal of each C_i; 'auto' is 1e-3 where D is below the number of
 * neighbors, and 0 elsewhere
 * @throws InvalidInputError for a point that its neighbors reconstruct exactly, where m_ii would be infinite
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
      `The ${neighbors[i]!.length} neighbors of point ${i} reconstruct it exactly, so its precision is infinite. ${repeatsAdvice(Y) ?? 'Raise the regularization.'}`,
    );
  });
  return { reconstruction, diagonal, residuals };
}

/** The residual that rounding may leave of 0, relative to the largest ‖y_i‖². */
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

/** The weights alone, and what they leave: ‖y_i − Σ_j w_ji·y_j‖². */
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

/** L = MMᵀ, and its trace. */
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

/** By which others each point that is shown is reconstructed. */
interface ReconstructingLists {
  /** Numbers among the points that are shown, one list of each of them. */
  readonly lists: Int32Array[];
  readonly shown: Int32Array;
  /** A sentence about what was done to a graph that was not connected, after a space. */
  readonly note: string;
}

/**
 * The k nearest others of each point, or its neighbors in a graph from elsewhere; where that does not connect all points, both ends of the
 * shortest edges between components are added to each other's list, or the largest component alone is kept.
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

/** From each point to those of its list. */
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
