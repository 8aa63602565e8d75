import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { seededRandom } from '../../core/random.ts';
import { descentSearch } from './descentSearch.ts';
import { searchedPoints } from './nearest.ts';
import { checkNearest, exactSearch, type Neighbors, nearestNeighbors } from './nearestNeighbors.ts';

/** Method of neighbor search: see `neighborsBy`. */
export type NeighborSearch = 'exact' | 'descent' | 'auto';

/** Neighbors and, if they are approximate, their recall. */
export interface FoundNeighbors extends Neighbors {
  /** Set by an approximate search: the fraction of the k nearest neighbors in its result, estimated from a sample of points with an exact search. */
  readonly recall?: number;
}

/** Number of points above which 'auto' may search approximately. */
const MANY_POINTS = 50_000;
/** Number of points whose neighbors an approximate search also computes exactly, to estimate its recall. */
const SAMPLED = 256;

/**
 * The k nearest neighbors of every point, either 'exact' like `nearestNeighbors`, or approximate by neighbor 'descent', with `recall`. 'auto' is
 * exact up to 50 000 points, and for more points if they lie near a low-dimensional set, on which a tree is fast.
 *
 * @param Y - N×D points
 * @param k - number of neighbors, 1 … N − 1
 * @param seed - seed of an approximate search
 * @throws InvalidInputError like `nearestNeighbors`
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

/** Fraction of the k nearest neighbors of some points that are not farther than the k-th of an exact search. */
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
