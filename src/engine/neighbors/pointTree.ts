import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { Nearest } from './nearest.ts';
import { squaredDistances, squaredDistanceToBox } from './squaredDistance.ts';

/** Writes the neighbors of query i into row i of both, nearest first. */
export type SearchAll = (k: number, indices: Int32Array, distances: Float64Array) => ProgressiveWork<void>;

/** Number of queries between two pauses. */
const TOGETHER = 256;

/** Number of points whose searches estimate how much a tree can skip, and spacing of the sampled points. */
const PROBES = 16;
const STEP = 8;

/**
 * Search with a k-d tree.
 *
 * @param points - n×D
 * @param asked - m×D queries; if they are the points themselves, none is its own neighbor
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
 * Fraction of points visited by a search for k/8 neighbors in a tree of every eighth point, measured for some of the points. It is small if the
 * points lie near a low-dimensional set. A tree of all points visits about a third of this fraction.
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

/** Searches the neighbors of the point that starts at `start` in x, excluding one row; returns the number of distances computed. */
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

/** Largest number of points in a leaf: smaller leaves mean more boxes to visit, larger ones more distances to compute. */
export const LEAF = 12;

/**
 * A k-d tree of points: a node is a range of `order` with the smallest box around its points, halved at the median of the
 * box's longest side until `LEAF` points are left.
 *
 * A search skips boxes that are farther than its current neighbors. As boxes are fitted to the points, the cost depends on the dimension of the set
 * that the points lie on, not of the space. If nothing can be skipped, visiting the boxes costs less than half as much as the distances.
 */
export interface PointTree {
  readonly size: number;
  readonly dimension: number;
  /** Row numbers of the points, node by node; ascending where all points of a node coincide. */
  readonly order: Int32Array;
  /** The points in that order, row by row. */
  readonly points: Float64Array;
  /** Node v contains the points `start[v]` … `end[v]` − 1 of the order; node 0 contains all. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Children of node v are `child[v]` and `child[v]` + 1; 0 at a leaf. */
  readonly child: Int32Array;
  /** The smallest row number in each node. */
  readonly first: Int32Array;
  /** Smallest and largest coordinates in node v: `dimension` numbers each from v·dimension on. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** The tree of the rows of a matrix, which must be finite. */
export function pointTree({ data, rows: size, columns: dimension }: Matrix): PointTree {
  const most = nodesFor(size);
  const tree = {
    size,
    dimension,
    order: Int32Array.from({ length: size }, (_, i) => i),
    points: new Float64Array(size * dimension),
    start: new Int32Array(most),
    end: new Int32Array(most),
    child: new Int32Array(most),
    first: new Int32Array(most),
    lower: new Float64Array(most * dimension),
    upper: new Float64Array(most * dimension),
  };
  tree.end[0] = size;
  const keys = new Float64Array(size);
  for (let v = 0, nodes = 1; v < nodes; v++) {
    measure(tree, data, v);
    const from = tree.start[v]!;
    const to = tree.end[v]!;
    if (to - from <= LEAF) continue;
    const axis = longestSide(tree, v);
    for (let p = from; p < to; p++) keys[p] = data[tree.order[p]! * dimension + axis]!;
    const middle = (from + to) >> 1;
    partition(keys, tree.order, from, to, middle);
    tree.child[v] = nodes;
    tree.start[nodes] = from;
    tree.end[nodes] = middle;
    tree.start[nodes + 1] = middle;
    tree.end[nodes + 1] = to;
    nodes += 2;
  }
  const { order, points } = tree;
  for (let p = 0; p < size; p++) {
    const row = order[p]! * dimension;
    for (let d = 0; d < dimension; d++) points[p * dimension + d] = data[row + d]!;
  }
  return tree;
}

/** Largest number of nodes: halves of ranges above LEAF have more than LEAF / 2 points each. */
function nodesFor(size: number): number {
  return 2 * Math.ceil((2 * size) / LEAF) + 1;
}

/** Fills in the box and the first row of node v. */
function measure(tree: PointTree, data: Float64Array, v: number): void {
  const { dimension, order, lower, upper } = tree;
  const box = v * dimension;
  let first = tree.size;
  lower.fill(Infinity, box, box + dimension);
  upper.fill(-Infinity, box, box + dimension);
  for (let p = tree.start[v]!; p < tree.end[v]!; p++) {
    const row = order[p]!;
    if (row < first) first = row;
    for (let d = 0; d < dimension; d++) {
      const value = data[row * dimension + d]!;
      if (value < lower[box + d]!) lower[box + d] = value;
      if (value > upper[box + d]!) upper[box + d] = value;
    }
  }
  tree.first[v] = first;
}

function longestSide({ dimension, lower, upper }: PointTree, v: number): number {
  let axis = 0;
  let longest = -1;
  for (let d = 0; d < dimension; d++) {
    const side = upper[v * dimension + d]! - lower[v * dimension + d]!;
    if (side > longest) {
      longest = side;
      axis = d;
    }
  }
  return axis;
}

/**
 * Rearranges keys and rows of [from, to) so that those at `middle` and after come last in the order of (key, row): Hoare's
 * selection. Since rows are part of the order, coincident points are divided by row, and a search for the first of them can skip nodes.
 */
function partition(keys: Float64Array, rows: Int32Array, from: number, to: number, middle: number): void {
  let low = from;
  let high = to - 1;
  while (low < high) {
    const pivot = (low + high) >> 1;
    const key = keys[pivot]!;
    const row = rows[pivot]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (keys[i]! < key || (keys[i] === key && rows[i]! < row)) i++;
      while (keys[j]! > key || (keys[j] === key && rows[j]! > row)) j--;
      if (i > j) break;
      const swappedKey = keys[i]!;
      keys[i] = keys[j]!;
      keys[j] = swappedKey;
      const swappedRow = rows[i]!;
      rows[i] = rows[j]!;
      rows[j] = swappedRow;
      i++;
      j--;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
