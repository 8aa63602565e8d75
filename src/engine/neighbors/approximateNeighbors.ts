import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { type Random, seededRandom } from '../../core/random.ts';
import { compiledKernels } from '../dense/index.ts';
import { sharedMemory } from '../memory.ts';
import { searchedPoints } from './nearest.ts';
import { checkNearest, exactSearch, type Neighbors, nearestNeighbors } from './nearestNeighbors.ts';
import type { SearchAll } from './pointTree.ts';
import { squaredDistances } from './squaredDistance.ts';

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

/** Smallest number of neighbors kept while searching: more than requested improve the search. */
const FEWEST_KEPT = 20;
const TREES = 8;
const LEAF = 40;
/** Number of candidates of each kind compared around a point in a round. */
const CANDIDATES = 20;
/** Largest number of points compared at a time. */
const MOST_MET = 2 * Math.max(LEAF, CANDIDATES);
const MOST_ROUNDS = 20;
/** The search ends if a round changes a smaller fraction of all neighbors. */
const LEAST_CHANGE = 0.001;

/**
 * An approximate search for many points in many dimensions: groups of near points from random trees, then neighbors of neighbors are compared
 * until few improvements remain. It computes few distances per point instead of N, and may miss neighbors.
 *
 * @param points - n×D
 * @param seed - seed of the trees and samples: the same seed gives the same neighbors
 * @see Dong, Moses & Li, Efficient k-nearest neighbor graph construction for generic similarity measures (2011)
 */
export function descentSearch(points: Matrix, seed: number): SearchAll {
  return function* (k, indices, distances) {
    const random = seededRandom(seed);
    const kept = Math.min(points.rows - 1, Math.max(FEWEST_KEPT, k));
    const pairs = pairSquares(points, MOST_MET);
    const found = new KnownNeighbors(points.rows, kept, pairs);
    try {
      for (let tree = 0; tree < TREES; tree++) {
        projectionLeaves(points, LEAF, random, (group) => found.meet(group, group.length, group, 0));
        yield (tree + 1) / (TREES + MOST_ROUNDS);
      }
      found.fill(random);
      for (let round = 0; round < MOST_ROUNDS; round++) {
        if (descend(found, random) < LEAST_CHANGE * points.rows * kept) break;
        yield (TREES + round + 1) / (TREES + MOST_ROUNDS);
      }
    } finally {
      pairs.release();
    }
    for (let i = 0; i < points.rows; i++) {
      for (let p = 0; p < k; p++) {
        indices[i * k + p] = found.rows[i * kept + p]!;
        distances[i * k + p] = Math.sqrt(found.squares[i * kept + p]!);
      }
    }
  };
}

/** One round: around each point, its new neighbors and the points that newly have it as a neighbor are compared with each other and with the old ones. */
function descend(found: KnownNeighbors, random: Random): number {
  const { size, kept, rows, isNew } = found;
  const fresh = new Samples(size, random);
  const old = new Samples(size, random);
  for (let i = 0; i < size; i++) {
    for (let p = i * kept; p < (i + 1) * kept; p++) {
      const samples = isNew[p] === 1 ? fresh : old;
      samples.offer(i, rows[p]!);
      samples.offer(rows[p]!, i);
    }
  }
  for (let i = 0; i < size; i++) {
    for (let p = i * kept; p < (i + 1) * kept; p++) if (isNew[p] === 1 && fresh.has(i, rows[p]!)) isNew[p] = 0;
  }
  found.changes = 0;
  for (let i = 0; i < size; i++) found.meet(fresh.of(i), fresh.count(i), old.of(i), old.count(i));
  return found.changes;
}

/** Uniform samples of up to `CANDIDATES` of the rows offered for each point. */
class Samples {
  readonly #rows: Int32Array;
  readonly #offered: Int32Array;

  constructor(
    size: number,
    readonly random: Random,
  ) {
    this.#rows = new Int32Array(size * CANDIDATES);
    this.#offered = new Int32Array(size);
  }

  offer(i: number, row: number): void {
    const before = this.#offered[i]!++;
    const place = before < CANDIDATES ? before : this.random.integer(before + 1);
    if (place < CANDIDATES) this.#rows[i * CANDIDATES + place] = row;
  }

  count = (i: number): number => Math.min(CANDIDATES, this.#offered[i]!);

  of = (i: number): Int32Array => this.#rows.subarray(i * CANDIDATES, i * CANDIDATES + this.count(i));

  has = (i: number, row: number): boolean => this.of(i).includes(row);
}

/** The nearest points known so far for each point, nearest first, ties by row. */
class KnownNeighbors {
  /** size×kept, row by row; −1 where fewer are known. */
  readonly rows: Int32Array;
  readonly squares: Float64Array;
  /** Whether a neighbor has not yet been compared with the others around its point. */
  readonly isNew: Uint8Array;
  changes = 0;
  readonly #met = new Int32Array(MOST_MET);

  constructor(
    readonly size: number,
    readonly kept: number,
    readonly pairs: PairSquares,
  ) {
    this.rows = new Int32Array(size * kept).fill(-1);
    this.squares = new Float64Array(size * kept).fill(Infinity);
    this.isNew = new Uint8Array(size * kept).fill(1);
  }

  /** Compares the first points with each other and with the second ones. */
  meet(first: Int32Array, firstCount: number, second: Int32Array, secondCount: number): void {
    const met = this.#met;
    const count = firstCount + secondCount;
    for (let p = 0; p < count; p++) met[p] = p < firstCount ? first[p]! : second[p - firstCount]!;
    const squares = this.pairs.of(met, firstCount, count);
    for (let p = 0; p < firstCount; p++) {
      for (let q = p + 1; q < count; q++) {
        const square = squares[p * MOST_MET + q]!;
        this.#offer(met[p]!, met[q]!, square);
        this.#offer(met[q]!, met[p]!, square);
      }
    }
  }

  /** Fills up points with too few known neighbors at random, as in small groups of coincident points. */
  fill(random: Random): void {
    const { size, kept, rows } = this;
    const pair = new Int32Array(2);
    for (let i = 0; i < size; i++) {
      while (rows[(i + 1) * kept - 1] === -1) {
        pair[0] = i;
        pair[1] = random.integer(size);
        this.meet(pair, 2, pair, 0);
      }
    }
  }

  #offer(i: number, row: number, square: number): void {
    const { kept, rows, squares, isNew } = this;
    const start = i * kept;
    const last = start + kept - 1;
    if (square > squares[last]! || (square === squares[last] && row > rows[last]! && rows[last] !== -1) || row === i)
      return;
    for (let p = start; p <= last; p++) if (rows[p] === row) return;
    let p = last;
    while (p > start && (squares[p - 1]! > square || (squares[p - 1] === square && rows[p - 1]! > row))) {
      rows[p] = rows[p - 1]!;
      squares[p] = squares[p - 1]!;
      isNew[p] = isNew[p - 1]!;
      p--;
    }
    rows[p] = row;
    squares[p] = square;
    isNew[p] = 1;
    this.changes++;
  }
}

/** Number of bisections that may fail to separate a set of mostly coincident points before it is split in the middle. */
const LOPSIDED = 0.05;

/**
 * Small groups of neighboring points: all points are divided by the plane midway between two random points, and the halves recursively, until no
 * group has more than `size` points.
 *
 * @param visit - called with the row numbers of each group
 * @see Dasgupta & Freund, Random projection trees and low dimensional manifolds (2008)
 */
function projectionLeaves(
  { data, rows, columns: D }: Matrix,
  size: number,
  random: Random,
  visit: (group: Int32Array) => void,
): void {
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  const sides = new Float64Array(rows);
  const normal = new Float64Array(D);
  const middles = new Float64Array(D);
  const waiting: [from: number, to: number][] = [[0, rows]];
  for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
    const [from, to] = range;
    if (to - from <= size) {
      visit(order.subarray(from, to));
      continue;
    }
    const a = order[from + random.integer(to - from)]! * D;
    const b = order[from + random.integer(to - from)]! * D;
    for (let d = 0; d < D; d++) {
      normal[d] = data[a + d]! - data[b + d]!;
      middles[d] = 0.5 * (data[a + d]! + data[b + d]!);
    }
    // Two points at a time: a sum waits for its last term, while the other continues.
    for (let p = from; p < to; p += 2) {
      const row0 = order[p]! * D;
      const row1 = order[Math.min(p + 1, to - 1)]! * D;
      let [side0, side1] = [0, 0];
      for (let d = 0; d < D; d++) {
        side0 += normal[d]! * (data[row0 + d]! - middles[d]!);
        side1 += normal[d]! * (data[row1 + d]! - middles[d]!);
      }
      sides[p] = side0;
      if (p + 1 < to) sides[p + 1] = side1;
    }
    let middle = halved(order, sides, from, to);
    const least = Math.max(1, Math.floor(LOPSIDED * (to - from)));
    if (middle - from < least || to - middle < least) middle = (from + to) >> 1;
    waiting.push([from, middle], [middle, to]);
  }
}

/** Moves the rows of negative side before the others, and returns the position of the others. */
function halved(order: Int32Array, sides: Float64Array, from: number, to: number): number {
  let middle = from;
  for (let p = from; p < to; p++) {
    if (sides[p]! >= 0) continue;
    const row = order[p]!;
    order[p] = order[middle]!;
    sides[p] = sides[middle]!;
    order[middle++] = row;
  }
  return middle;
}

/** Squared distances between the points of short lists. */
interface PairSquares {
  /**
   * Squared distances between the first points of a list and all points after each of them: entry p·most + q for the points at positions p < q. The
   * array is reused.
   *
   * @param list - row numbers; the first `count` are used
   */
  of(list: Int32Array, first: number, count: number): Float64Array;
  /** Frees its memory. */
  release(): void;
}

/** Largest number of coordinates copied for the compiled kernels, 1 GiB. */
const MOST_NUMBERS = 2 ** 27;

/**
 * Squared distances by direct differences, added in the order of the coordinates, with the same bits on every engine.
 *
 * @param most - length of the longest list, a multiple of four
 */
function pairSquares(points: Matrix, most: number): PairSquares {
  const { data, columns: D } = points;
  const memory = sharedMemory();
  const kernels = data.length > MOST_NUMBERS ? undefined : compiledKernels(memory);
  if (kernels === undefined) {
    const squares = new Float64Array(most * most);
    const row = new Float64Array(most);
    return {
      of(list, first, count) {
        for (let p = 0; p < first; p++) {
          squaredDistances(data, list[p]! * D, data, 0, D, count - p - 1, row, list.subarray(p + 1));
          for (let q = p + 1; q < count; q++) squares[p * most + q] = row[q - p - 1]!;
        }
        return squares;
      },
      release: () => undefined,
    };
  }
  const bytes = 8 * (data.length + most * most) + 4 * most;
  const x = memory.allocate(bytes);
  const squares = x + 8 * data.length;
  const places = squares + 8 * most * most;
  memory.float64(x, data.length).set(data);
  return {
    of(list, first, count) {
      memory.int32(places, count).set(list.length === count ? list : list.subarray(0, count));
      kernels.pairSquares(first, count, D, x, places, most, squares);
      return memory.float64(squares, most * most);
    },
    release: () => memory.release(x, bytes),
  };
}
