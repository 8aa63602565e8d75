import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { queriedPoints, searchedPoints } from './nearest.ts';
import { LEAF, type PointTree, pointTree } from './pointTree.ts';
import { squaredDistances, squaredDistanceToBox } from './squaredDistance.ts';

/** Largest number of queries, and of neighbors found, between two pauses. */
const TOGETHER = 256;
const MOST_FOUND = 20_000;

/** Neighbors of point i are the entries `starts[i]` … `starts[i + 1]` − 1, in the order of their rows. */
export interface BallNeighbors {
  /** n + 1 numbers. */
  readonly starts: Int32Array;
  /** Row numbers of the neighbors. */
  readonly indices: Int32Array;
  /** Euclidean distances to them. */
  readonly distances: Float64Array;
}

/**
 * All points within a distance of every point, ‖y_i − y_j‖ ≤ r, exactly. A point is not its own neighbor, but a duplicate of
 * it is.
 *
 * @param Y - N×D points
 * @param r - the radius, ≥ 0, in the unit of Y
 * @param options - `queries`: M×D other points whose neighbors among the rows of Y are searched instead
 * @throws InvalidInputError if r is not a number ≥ 0 or an entry of Y is not finite
 * @example
 * ```ts
 * withinRadius([[0], [1], [3]], 2).indices; // Int32Array [1, 0, 2, 1]
 * ```
 */
export function withinRadius(Y: MatrixLike, r: number, options: { readonly queries?: MatrixLike } = {}): BallNeighbors {
  return completed(withinRadiusInParts(Y, r, options));
}

/** `withinRadius` with pauses. */
export function* withinRadiusInParts(
  Y: MatrixLike,
  r: number,
  options: { readonly queries?: MatrixLike } = {},
): ProgressiveWork<BallNeighbors> {
  const points = searchedPoints(Y, 'Y');
  const asked = queriedPoints(points, options.queries, 'queries');
  if (!(r >= 0)) {
    throw new InvalidInputError(`Neighbors within a radius of ${r} were requested: give a radius of 0 or more.`);
  }
  const tree = pointTree(points);
  const ball = new Ball(tree, r);
  const starts = new Int32Array(asked.rows + 1);
  let paused = 0;
  let counted = 0;
  for (let i = 0; i < asked.rows; i++) {
    ball.collect(asked.data, i * asked.columns, asked === points ? i : -1);
    starts[i + 1] = ball.count;
    // Points in a large ball are as much work as many searches.
    if (i - paused >= TOGETHER || ball.count - counted >= MOST_FOUND) {
      yield (i + 1) / asked.rows;
      paused = i;
      counted = ball.count;
    }
  }
  return { starts, indices: ball.rows.slice(0, ball.count), distances: ball.distances.slice(0, ball.count) };
}

/** Collects the points within a radius of one point after another. */
class Ball {
  rows: Int32Array;
  distances: Float64Array;
  count = 0;
  readonly #squares = new Float64Array(LEAF);

  constructor(
    readonly tree: PointTree,
    readonly r: number,
  ) {
    this.rows = new Int32Array(16 * tree.size);
    this.distances = new Float64Array(16 * tree.size);
  }

  /** Appends the points around the one that starts at `start` in x, except `leftOut`, in the order of their rows. */
  collect(x: Float64Array, start: number, leftOut: number): void {
    const { r } = this;
    const { dimension, order, points, start: from, end: to, child, lower, upper } = this.tree;
    const squares = this.#squares;
    const begin = this.count;
    const waiting = [0];
    for (let v = waiting.pop(); v !== undefined; v = waiting.pop()) {
      if (Math.sqrt(squaredDistanceToBox(x, start, lower, upper, v * dimension, dimension)) > r) continue;
      if (child[v] !== 0) {
        waiting.push(child[v]! + 1, child[v]!);
        continue;
      }
      const size = to[v]! - from[v]!;
      squaredDistances(x, start, points, from[v]! * dimension, dimension, size, squares);
      for (let p = 0; p < size; p++) {
        const distance = Math.sqrt(squares[p]!);
        const row = order[from[v]! + p]!;
        if (distance <= r && row !== leftOut) this.#append(row, distance);
      }
    }
    sortByRow(this.rows, this.distances, begin, this.count);
  }

  #append(row: number, distance: number): void {
    if (this.count === this.rows.length) {
      const rows = new Int32Array(2 * this.count);
      rows.set(this.rows);
      this.rows = rows;
      const distances = new Float64Array(2 * this.count);
      distances.set(this.distances);
      this.distances = distances;
    }
    this.rows[this.count] = row;
    this.distances[this.count++] = distance;
  }
}

/** Sorts the entries [from, to) of both by row. */
function sortByRow(rows: Int32Array, distances: Float64Array, from: number, to: number): void {
  const distanceOf = new Map<number, number>();
  for (let p = from; p < to; p++) distanceOf.set(rows[p]!, distances[p]!);
  rows.subarray(from, to).sort();
  for (let p = from; p < to; p++) distances[p] = distanceOf.get(rows[p]!)!;
}
