import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { compiledKernels } from '../dense/index.ts';
import { sharedMemory } from '../memory.ts';
import {
  Nearest,
  queriedPoints,
  scaledPoints,
  searchedPoints,
  singleCandidates,
  type VisitMeasured,
} from './nearest.ts';
import { columnMeans, pointProducts } from './pointProducts.ts';
import { partLookedAt, type SearchAll, treeSearch } from './pointTree.ts';
import { squaredDistances } from './squaredDistance.ts';

/** Neighbors of points: row i has the k neighbors of point i, nearest first. */
export interface Neighbors {
  /** n×k, row by row: row numbers of the neighbors. */
  readonly indices: Int32Array;
  /** n×k, row by row: Euclidean distances to them. */
  readonly distances: Float64Array;
}

/** Largest number of columns for a tree without sampling: it skips enough, or the cost is small. */
const FEW_COLUMNS = 15;
/** Fraction of points visited in a sample of searches above which products are faster than a tree: of other points, and of pairs, which are computed once for both points. */
const MOST_LOOKED_AT = 0.12;
const LOOKED_AT_FOR_PAIRS = 0.04;

/**
 * The k nearest neighbors of every point, exactly: ordered by ‖y_i − y_j‖², and by row where these are equal. A point is not
 * its own neighbor, but a duplicate of it is. The search uses a k-d tree if it can skip most of the points, and blocks of products otherwise.
 *
 * @param Y - N×D points
 * @param k - number of neighbors, 1 … N − 1 (up to N with `queries`)
 * @param options - `queries`: M×D other points whose neighbors among the rows of Y are searched instead
 * @returns N×k (M×k) indices and distances
 * @throws InvalidInputError if k is outside this range or an entry is not finite
 * @see Friedman, Bentley & Finkel, ACM TOMS 3 (1977)
 * @example
 * ```ts
 * nearestNeighbors([[0], [1], [3], [7]], 2).indices; // Int32Array [1, 2, 0, 2, 1, 0, 2, 1]
 * ```
 */
export function nearestNeighbors(Y: MatrixLike, k: number, options: { readonly queries?: MatrixLike } = {}): Neighbors {
  const points = searchedPoints(Y, 'Y');
  const asked = queriedPoints(points, options.queries, 'queries');
  checkNearest(k, points.rows, asked === points);
  const indices = new Int32Array(asked.rows * k);
  const distances = new Float64Array(asked.rows * k);
  completed(exactSearch(points, asked, k).search(k, indices, distances));
  return { indices, distances };
}

/** Throws unless each point can have k neighbors. */
export function checkNearest(k: number, points: number, isOwn: boolean): void {
  const most = isOwn ? points - 1 : points;
  if (Number.isInteger(k) && k >= 1 && k <= most) return;
  throw new InvalidInputError(
    `${k} nearest neighbors among ${points} points were requested: request a whole number from 1 to ${most}` +
      `${isOwn ? ', as a point is not its own neighbor' : ''}.`,
  );
}

/** The faster exact search, and whether a tree would have to visit many of the points. */
export function exactSearch(
  points: Matrix,
  asked: Matrix,
  k: number,
): { readonly search: SearchAll; readonly isExhaustive: boolean } {
  const part = points.columns <= FEW_COLUMNS || !boundsAreFinite(points, asked) ? 0 : partLookedAt(points, asked, k);
  const isSkipping = part <= (asked === points ? LOOKED_AT_FOR_PAIRS : MOST_LOOKED_AT);
  return {
    search: isSkipping ? treeSearch(points, asked) : productSearch(points, asked),
    isExhaustive: part > MOST_LOOKED_AT,
  };
}

/** Fraction of unresolved points, in a sample, below which a second search for points that single precision leaves open is cheap. */
const MOST_UNPROVEN = 0.125;

/**
 * The search in many dimensions, where a tree skips nothing: all distances are computed from blocks of products, at the speed of the linear algebra,
 * with error bounds. Candidates that the bounds leave are compared by direct differences, so that the result equals an exhaustive search bit for bit.
 *
 * @param points - n×D
 * @param asked - m×D queries; if they are the points themselves, none is its own neighbor
 */
export function productSearch(points: Matrix, asked: Matrix): SearchAll {
  return asked === points ? ownSearch(points) : (k, ...found) => searchOthers(points, asked, k, undefined, ...found);
}

/**
 * Neighbors among the points themselves, with each distance computed once per pair. Candidates are selected by products in single precision or, if it
 * distinguishes too few points, in double precision. Points whose candidates are not proven to suffice, because many others are as near as the k-th,
 * are searched again.
 */
function ownSearch(points: Matrix): SearchAll {
  return function* (k, indices, distances) {
    const D = points.columns;
    const nearest = new Nearest(k);
    let [looked, unproven]: [number, number[]] = [0, []];
    const look: VisitMeasured = (i, rows, squares, others) => {
      for (let p = 0; p < rows.length; p++) {
        const [square, row] = [squares[p]!, rows[p]!];
        if (square < nearest.worst || (square === nearest.worst && row < nearest.worstRow)) nearest.offer(square, row);
      }
      if (!(nearest.worst < others)) unproven.push(i);
      nearest.drain(indices, distances, i * k);
      looked++;
    };
    const memory = sharedMemory();
    const kernels = compiledKernels(memory);
    const scaled = kernels && scaledPoints(points, columnMeans(points));
    let isEnough = scaled !== undefined;
    if (kernels !== undefined && scaled !== undefined) {
      for (const part of singleCandidates(scaled, memory, kernels, k, look)) {
        // The first block is a sample: points that are too near each other for single precision take double.
        isEnough &&= unproven.length <= MOST_UNPROVEN * looked;
        if (!isEnough) break;
        yield part;
      }
    }
    if (!isEnough) {
      unproven = [];
      let squares = new Float64Array(0);
      yield* ownCandidates(points, k, (i, rows, others) => {
        if (squares.length < rows.length) squares = new Float64Array(rows.length);
        squaredDistances(points.data, i * D, points.data, 0, D, rows.length, squares, rows);
        look(i, rows, squares, others);
      });
    }
    if (unproven.length === 0) return;
    const asked = Matrix.from(unproven.map((i) => points.row(i)));
    const [rows, lengths] = [new Int32Array(unproven.length * k), new Float64Array(unproven.length * k)];
    yield* searchOthers(points, asked, k, unproven, rows, lengths);
    unproven.forEach((i, p) => {
      indices.set(rows.subarray(p * k, (p + 1) * k), i * k);
      distances.set(lengths.subarray(p * k, (p + 1) * k), i * k);
    });
  };
}

/** The k nearest points are among those whose lower bound is at most the k-th smallest upper bound; query i excludes point leftOut[i]. */
function* searchOthers(
  points: Matrix,
  asked: Matrix,
  k: number,
  leftOut: readonly number[] | undefined,
  indices: Int32Array,
  distances: Float64Array,
): ProgressiveWork<void> {
  const D = points.columns;
  const square = new Float64Array(1);
  const bound = new Nearest(k);
  const nearest = new Nearest(k);
  const [ignoredRows, ignoredBounds] = [new Int32Array(k), new Float64Array(k)];
  yield* distanceBounds(asked, points, (i, lower, upper) => {
    const own = leftOut?.[i] ?? -1;
    for (let j = 0; j < upper.length; j++) if (upper[j]! < bound.worst && j !== own) bound.offer(upper[j]!, j);
    const threshold = bound.worst;
    bound.drain(ignoredRows, ignoredBounds, 0);
    for (let j = 0; j < lower.length; j++) {
      if (lower[j]! > threshold || j === own) continue;
      squaredDistances(asked.data, i * D, points.data, j * D, D, 1, square);
      // Rows come in order, so that among equal distances the first is kept.
      if (square[0]! < nearest.worst) nearest.offer(square[0]!, j);
    }
    nearest.drain(indices, distances, i * k);
  });
}

/** Extra candidates: without them the k-th would have to be separated from the next by rounded distances. */
const SPARE = 4;

/** Receives the candidates of point i in the order of their rows; all other points are at a squared distance of at least `others`. */
type VisitCandidates = (i: number, rows: Int32Array, others: number) => void;

/**
 * For each point, the k + 4 others that are nearest by squared distances from products, and a lower bound for the rest.
 *
 * @param points - n×D, satisfying `boundsAreFinite`
 * @param visit - called for i = 0 … n − 1 after all products are computed
 */
export function* ownCandidates(points: Matrix, k: number, visit: VisitCandidates): ProgressiveWork<void> {
  const n = points.rows;
  const kept = Math.min(n - 1, k + SPARE);
  // Heaps with the farthest on top, initially filled with missing points at infinite distance.
  const rows = new Int32Array(n * kept).fill(n);
  const squares = new Float64Array(n * kept).fill(Infinity);
  const worst = new Float64Array(n).fill(Infinity);
  const slacks = new Float64Array(n);
  const offer = (i: number, distance: number, row: number) => {
    replaceTop(rows, squares, i * kept, kept, distance, row);
    worst[i] = squares[i * kept]!;
    return worst[i];
  };
  let furthest = 0;
  yield* pointProducts(points, points, 'once', (i, squaredNorm, norms, products, { relative, absolute }) => {
    if (i === 0) furthest = Math.sqrt(norms.reduce((a, b) => Math.max(a, b)));
    slacks[i] = relative * square(Math.sqrt(squaredNorm) + furthest) + absolute;
    let own = worst[i]!;
    for (let j = i + 1; j < n; j++) {
      const distance = squaredNorm + norms[j]! + products[j]!;
      if (distance < own) own = offer(i, distance, j);
      if (distance < worst[j]!) offer(j, distance, i);
    }
  });
  for (let i = 0; i < n; i++) {
    // With all other points among the candidates, nothing is left.
    const others = kept === n - 1 ? Infinity : worst[i]! - slacks[i]!;
    visit(i, rows.subarray(i * kept, (i + 1) * kept).sort(), others);
  }
}

/** Replaces the largest entry of a heap. */
function replaceTop(
  rows: Int32Array,
  squares: Float64Array,
  start: number,
  count: number,
  square: number,
  row: number,
): void {
  let place = 0;
  for (let child = 1; child < count; child = 2 * place + 1) {
    if (child + 1 < count && squares[start + child + 1]! > squares[start + child]!) child++;
    if (squares[start + child]! <= square) break;
    squares[start + place] = squares[start + child]!;
    rows[start + place] = rows[start + child]!;
    place = child;
  }
  squares[start + place] = square;
  rows[start + place] = row;
}

/** Receives the bounds of row i: `lower[j]` ≤ ‖x_i − y_j‖² ≤ `upper[j]`. Both arrays are reused for the next row. */
type VisitBounds = (i: number, lower: Float64Array, upper: Float64Array) => void;

/** Whether squares and products of the coordinates stay finite, which the bounds require. */
export function boundsAreFinite(...matrices: readonly Matrix[]): boolean {
  let largest = 0;
  for (const { data } of new Set(matrices)) {
    for (let p = 0; p < data.length; p++) {
      const size = Math.abs(data[p]!);
      if (size > largest) largest = size;
    }
  }
  const columns = matrices[0]!.columns;
  return Number.isFinite(64 * columns * largest * largest);
}

/**
 * Bounds of all squared distances between the rows of X and of Y, as computed by direct differences in double precision, from blocks of products.
 *
 * @param X - n×D
 * @param Y - m×D; both satisfy `boundsAreFinite`
 * @param visit - called for i = 0 … n − 1, with a pause after each block of rows
 */
export function* distanceBounds(X: Matrix, Y: Matrix, visit: VisitBounds): ProgressiveWork<void> {
  const n = Y.rows;
  const [lower, upper, norms] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  yield* pointProducts(X, Y, 'all', (i, square, squares, products, { relative, absolute }) => {
    if (i === 0) norms.set(squares.map(Math.sqrt));
    const norm = Math.sqrt(square);
    for (let j = 0; j < n; j++) {
      const reach = norm + norms[j]!;
      const slack = relative * reach * reach + absolute;
      const distance = square + squares[j]! + products[j]!;
      lower[j] = distance - slack;
      upper[j] = distance + slack;
    }
    visit(i, lower, upper);
  });
}
