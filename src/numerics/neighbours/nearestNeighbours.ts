import { InvalidInputError } from '../../core/errors.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { Nearest } from './nearest.ts';
import { LEAF, type PointTree, pointTree } from './pointTree.ts';
import { queriedPoints, searchedPoints } from './searchedPoints.ts';
import { squaredDistances, squaredDistanceToBox } from './squaredDistance.ts';

/** Row i holds the k neighbours of point i, nearest first. */
export interface Neighbours {
  /** n×k, row by row: row numbers of the neighbours. */
  readonly indices: Int32Array;
  /** n×k, row by row: Euclidean distances to them. */
  readonly distances: Float64Array;
}

/**
 * The k nearest neighbours of every point, exactly: ordered by ‖y_i − y_j‖², and by row where these are equal. A point is not
 * its own neighbour, but a duplicate of it is.
 *
 * @param Y - N×D points
 * @param k - how many, 1 … N − 1 (up to N with `queries`)
 * @param options - `queries`: M×D other points whose neighbours among the rows of Y are searched instead
 * @returns N×k (M×k) indices and distances
 * @throws InvalidInputError when k is not in that range or an entry is not finite
 * @see Friedman, Bentley & Finkel, ACM TOMS 3 (1977)
 * @example
 * ```ts
 * nearestNeighbours([[0], [1], [3], [7]], 2).indices; // Int32Array [1, 2, 0, 2, 1, 0, 2, 1]
 * ```
 */
export function nearestNeighbours(
  Y: MatrixLike,
  k: number,
  options: { readonly queries?: MatrixLike } = {},
): Neighbours {
  const points = searchedPoints(Y, 'Y');
  const asked = queriedPoints(points, options.queries, 'queries');
  const most = asked === points ? points.rows - 1 : points.rows;
  if (!Number.isInteger(k) || k < 1 || k > most) {
    throw new InvalidInputError(
      `${k} nearest neighbours among ${points.rows} points were asked for: ask for a whole number from 1 to ${most}` +
        `${asked === points ? ', as a point is not its own neighbour' : ''}.`,
    );
  }
  const tree = pointTree(points);
  const indices = new Int32Array(asked.rows * k);
  const distances = new Float64Array(asked.rows * k);
  const search = searchOf(tree, new Nearest(k));
  // In the tree's order one search finds what the one before it has left in the cache.
  for (let p = 0; p < asked.rows; p++) {
    const i = asked === points ? tree.order[p]! : p;
    search(asked.data, i * asked.columns, asked === points ? i : -1).drain(indices, distances, i * k);
  }
  return { indices, distances };
}

/** Searches the neighbours of the point that starts at `start` in x, leaving out one row. */
function searchOf(tree: PointTree, nearest: Nearest): (x: Float64Array, start: number, leftOut: number) => Nearest {
  const { dimension, order, points, start: from, end: to, child, first, lower, upper } = tree;
  // A path down and a sibling at each level: 2·64 entries are enough for any number of points.
  const nodes = new Int32Array(128);
  const bounds = new Float64Array(128);
  const squares = new Float64Array(LEAF);
  return (x, start, leftOut) => {
    let depth = 1;
    nodes[0] = 0;
    bounds[0] = 0;
    while (depth > 0) {
      const v = nodes[--depth]!;
      const bound = bounds[depth]!;
      if (bound > nearest.worst || (bound === nearest.worst && first[v]! > nearest.worstRow)) continue;
      const left = child[v]!;
      if (left !== 0) {
        const right = left + 1;
        const toLeft = squaredDistanceToBox(x, start, lower, upper, left * dimension, dimension);
        const toRight = squaredDistanceToBox(x, start, lower, upper, right * dimension, dimension);
        const leftFirst = toLeft < toRight || (toLeft === toRight && first[left]! < first[right]!);
        nodes[depth] = leftFirst ? right : left;
        bounds[depth++] = leftFirst ? toRight : toLeft;
        nodes[depth] = leftFirst ? left : right;
        bounds[depth++] = leftFirst ? toLeft : toRight;
        continue;
      }
      const begin = from[v]!;
      const count = to[v]! - begin;
      squaredDistances(x, start, points, begin * dimension, dimension, count, squares);
      for (let p = 0; p < count; p++) {
        const square = squares[p]!;
        const row = order[begin + p]!;
        if (square > nearest.worst || (square === nearest.worst && row > nearest.worstRow) || row === leftOut) continue;
        nearest.offer(square, row);
      }
    }
    return nearest;
  };
}
