import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import { descentSearch } from './descentSearch.ts';
import { searchedPoints } from './nearest.ts';
import { checkNearest, exactSearch, type Neighbors, nearestNeighbors } from './nearestNeighbors.ts';

/** How neighbors are searched: see `neighborsBy`. */
export type NeighborSearch = 'exact' | 'descent' | 'auto';

/** Neighbors, and what part of the nearest they are where that is not all. */
export interface FoundNeighbors extends Neighbors {
  /** Given by an approximate search: the part of the k nearest that was found, for a sample of points whose neighbors were searched exactly. */
  readonly recall?: number;
}

/** Points from which 'auto' may search approximately. */
const MANY_POINTS = 50_000;
/** Points whose neighbors an approximate search finds exactly too, to say what part it has found. */
const SAMPLED = 256;

/**
 * The k nearest neighbors of every point, 'exact' as by `nearestNeighbors`, or approximately by neighbor 'descent', which has `recall`; 'auto' is
 * exact up to 50 000 points, and beyond where they lie near a set of few dimensions, so that a tree finds them soon.
 *
 * @param Y - N×D points
 * @param k - how many, 1 … N − 1
 * @param seed - of what an approximate search draws
 * @throws InvalidInputError as `nearestNeighbors` does
 * @see Dong, Moses & Li, WWW 2011
 */
export function neighborsBy(search: NeighborSearch, Y: MatrixLike, k: number, seed = 0): FoundNeighbors {
  return completed(neighborsInParts(search, Y, k, seed));
}

/** Neighbor search with pauses. */
export function* neighborsInParts(
  search: NeighborSearch,
  Y: MatrixLike,
  k: number,
  seed = 0,
): ProgressiveWork<FoundNeighbors> {
  const points = searchedPoints(Y, 'Y');
  checkNearest(k, points.rows, true);
  const indices = new Int32Array(points.rows * k);
  const distances = new Float64Array(points.rows * k);
  const exact = search === 'descent' ? undefined : exactSearch(points, points, k);
  if (exact !== undefined && (search === 'exact' || points.rows < MANY_POINTS || !exact.isExhaustive)) {
    yield* exact.search(k, indices, distances);
    return { indices, distances };
  }
  yield* descentSearch(points, seed)(k, indices, distances);
  return { indices, distances, recall: recallOf(points, k, distances, seed) };
}

/** The part of the k nearest, for some points, that are no further than the k-th nearest of an exact search. */
function recallOf(points: Matrix, k: number, distances: Float64Array, seed: number): number {
  const random = seededRandom(seed);
  const rows = Array.from({ length: Math.min(SAMPLED, points.rows) }, () => random.integer(points.rows));
  const queries = Matrix.from(rows.map((i) => points.row(i)));
  // Among k + 1 the point itself is one.
  const { distances: exact } = nearestNeighbors(points, k + 1, { queries });
  let found = 0;
  rows.forEach((i, sample) => {
    const furthest = exact[sample * (k + 1) + k]!;
    for (let p = 0; p < k; p++) if (distances[i * k + p]! <= furthest) found++;
  });
  return found / (rows.length * k);
}
