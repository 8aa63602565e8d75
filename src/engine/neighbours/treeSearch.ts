import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { Nearest } from './nearest.ts';
import { LEAF, type PointTree, pointTree } from './pointTree.ts';
import { squaredDistances, squaredDistanceToBox } from './squaredDistance.ts';

/** Writes the neighbours of query i into row i of both, nearest first. */
export type SearchAll = (k: number, indices: Int32Array, distances: Float64Array) => ProgressiveWork<void>;

/** Queries between two pauses. */
const TOGETHER = 256;

/** How many points' searches say whether a tree can skip much, among every how many-th point. */
const PROBES = 16;
const STEP = 8;

/**
 * The search by a k-d tree.
 *
 * @param points - n×D
 * @param asked - m×D queries; where they are the points themselves, none is its own neighbour
 * @see Friedman, Bentley & Finkel, ACM TOMS 3 (1977)
 */
export function treeSearch(points: Matrix, asked: Matrix): SearchAll {
  const isOwn = asked === points;
  return function* (k, indices, distances) {
    const tree = pointTree(points);
    const nearest = new Nearest(k);
    const around = searchOf(tree, nearest);
    // In the tree's order one search finds what the one before it has left in the cache.
    for (let p = 0; p < asked.rows; p++) {
      const i = isOwn ? tree.order[p]! : p;
      around(asked.data, i * asked.columns, isOwn ? i : -1);
      nearest.drain(indices, distances, i * k);
      if (p % TOGETHER === TOGETHER - 1) yield (p + 1) / asked.rows;
    }
  };
}

/**
 * What part of every eighth point a tree of these looks at in a search of an eighth of k, for some of the points: small where the points lie near a
 * set of few dimensions. Of all points a tree looks at about a third of that part.
 */
export function partLookedAt(points: Matrix, asked: Matrix, k: number): number {
  const sample = Matrix.zeros(Math.ceil(points.rows / STEP), points.columns);
  const { data, columns: D } = points;
  for (let i = 0; i < sample.rows; i++) sample.data.set(data.subarray(STEP * i * D, (STEP * i + 1) * D), i * D);
  const nearest = new Nearest(Math.ceil(k / STEP));
  const around = searchOf(pointTree(sample), nearest);
  const queries = asked === points ? sample : asked;
  const probes = Math.min(PROBES, queries.rows);
  const [rows, distances] = [new Int32Array(nearest.k), new Float64Array(nearest.k)];
  let seen = 0;
  for (let p = 0; p < probes; p++) {
    const i = Math.floor((p * queries.rows) / probes);
    seen += around(queries.data, i * queries.columns, queries === sample ? i : -1);
    nearest.drain(rows, distances, 0);
  }
  return seen / (probes * sample.rows);
}

/** Searches the neighbours of the point that starts at `start` in x, leaving out one row; says to how many distances were computed. */
function searchOf(tree: PointTree, nearest: Nearest): (x: Float64Array, start: number, leftOut: number) => number {
  const { dimension, order, points, start: from, end: to, child, first, lower, upper } = tree;
  // A path down and a sibling at each level: 2·64 entries are enough for any number of points.
  const nodes = new Int32Array(128);
  const bounds = new Float64Array(128);
  const squares = new Float64Array(LEAF);
  return (x, start, leftOut) => {
    let depth = 1;
    let seen = 0;
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
      seen += count;
      squaredDistances(x, start, points, begin * dimension, dimension, count, squares);
      for (let p = 0; p < count; p++) {
        const square = squares[p]!;
        const row = order[begin + p]!;
        if (square > nearest.worst || (square === nearest.worst && row > nearest.worstRow) || row === leftOut) continue;
        nearest.offer(square, row);
      }
    }
    return seen;
  };
}
