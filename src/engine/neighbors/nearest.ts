import { binaryExponent, square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { entryInWords, Matrix, type MatrixLike } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Float64Memory } from '../memory.ts';
import { NEAREST_BLOCK, SINGLE_PRODUCTS } from '../wasm/engineModule.ts';
import { type LinkedKernels, RECORD_BYTES, writeRecord } from '../wasm/instance.ts';

/** Extra candidates: without them the k-th would have to be separated from the next by rounded distances. */
const SPARE = 2;
/** Number of rows in a block of products, and of points whose values of a coordinate are adjacent in memory. */
const ROWS = 64;
const GROUP = 8;
/** Number of coordinates summed before they are added to the rest: a short sum has a small error, and stays in the cache. */
const LAYER = 256;
const BYTES = 4;
/** Half the distance from 1 to the next number in single precision, and the smallest positive number. */
const UNIT = 2 ** -24;
const SMALLEST = 2 ** -149;
/** Largest number of coordinates of all points, which take twelve bytes each. */
const MOST_NUMBERS = 2 ** 26;
/** Largest exponent of coordinates: with larger ones, squares might leave the range of doubles. */
const MOST_EXPONENT = 300;

/**
 * Receives the candidates of point i, with their squared distances by direct differences; all other points are at a squared distance of at least
 * `others`. The arrays are reused.
 */
export type VisitMeasured = (i: number, rows: Int32Array, squares: Float64Array, others: number) => void;

/** Points about their mean, and the power of two that brings the largest coordinate between 1 and 2. */
interface ScaledPoints {
  readonly points: Matrix;
  readonly mean: Float64Array;
  readonly scale: number;
}

/** Scaling of points to the range of single precision; undefined if they all coincide, or are too large, too small, or too many. */
export function scaledPoints(points: Matrix, mean: Float64Array): ScaledPoints | undefined {
  const { data, columns } = points;
  if (data.length > MOST_NUMBERS) return undefined;
  let largest = 0;
  for (let start = 0; start < data.length; start += columns) {
    for (let d = 0; d < columns; d++) {
      const size = Math.abs(data[start + d]! - mean[d]!);
      if (size > largest) largest = size;
    }
  }
  const exponent = binaryExponent(largest);
  return Math.abs(exponent) > MOST_EXPONENT ? undefined : { points, mean, scale: 2 ** -exponent };
}

/**
 * For each point, the k + 2 others that are nearest by lower bounds of their squared distances in single precision, and a lower bound for the rest.
 *
 * Let z be the scaled points, ẑ their values in single precision, u = 2⁻²⁴, and m the number of roundings in a sum of products. Half of ‖z_i − z_j‖²
 * is ½‖ẑ_i‖² + ½‖ẑ_j‖² − ẑ_iᵀẑ_j with an error relative to ‖ẑ_i‖² + ‖ẑ_j‖² of mu/2 for the product, 2u for ẑ, u/2 for the halves, and 2u for the sum
 * of three terms. Errors in double precision sum to less than u for fewer than 2²⁰ columns. The halves are therefore reduced by a factor 1 − 2(m/2 +
 * 6)u, and the sum is a lower bound regardless of other points. D numbers of the smallest size cover underflow.
 *
 * @param visit - called once per point, in an order whose first points are a sample of all
 * @see Higham, Accuracy and Stability of Numerical Algorithms (2002), §3.1
 */
export function* singleCandidates(
  scaled: ScaledPoints,
  memory: Float64Memory,
  kernels: LinkedKernels,
  k: number,
  visit: VisitMeasured,
): ProgressiveWork<void> {
  const { points, scale } = scaled;
  const { rows: n, columns: D } = points;
  const padded = Math.ceil(n / GROUP) * GROUP;
  const kept = Math.min(n - 1, k + SPARE);
  const order = scattered(n);
  const rows = new Int32Array(kept);
  const stride = kept + 3;
  const bytes = RECORD_BYTES + 8 * (n * D + ROWS * stride) + BYTES * (padded * (D + ROWS + 2) + 2 * n * kept);
  const record = memory.allocate(bytes);
  const packed = record + RECORD_BYTES;
  const products = packed + BYTES * padded * D;
  const halves = products + BYTES * padded * ROWS;
  const worst = halves + BYTES * padded;
  const x = worst + BYTES * padded;
  const squares = x + 8 * n * D;
  const distances = squares + 8 * ROWS * stride;
  const neighbors = distances + BYTES * n * kept;
  try {
    const roundings = Math.min(D, LAYER) + Math.ceil(D / LAYER);
    const part = 2 * (roundings / 2 / (1 - roundings * UNIT) + 6) * UNIT;
    pack(scaled, order, 1 - part, {
      all: memory.float64(x, n * D),
      packed: memory.float32(packed, padded * D),
      halves: memory.float32(halves, padded),
    });
    memory.float32(worst, padded).fill(Infinity, 0, n).fill(-Infinity, n);
    memory.float32(distances, n * kept).fill(Infinity);
    for (let first = 0; first < n; first += ROWS) {
      const groups = Math.min(ROWS, padded - first) / GROUP;
      const among = { first, n: padded, columns: D };
      kernels.singleProducts(
        writeRecord(memory, SINGLE_PRODUCTS, record, { ...among, groups, layer: LAYER, packed, c: products }),
      );
      const count = Math.min(ROWS, n - first);
      const heaps = { worst, distances, points: neighbors, kept };
      kernels.nearestOfBlock(
        writeRecord(memory, NEAREST_BLOCK, record, { ...among, count, products, halves, ...heaps, x, squares }),
      );
      for (let p = 0; p < count; p++) {
        const i = first + p;
        const places = memory.int32(neighbors + BYTES * i * kept, kept);
        for (let c = 0; c < kept; c++) rows[c] = order[places[c]!]!;
        // With all other points among the candidates, nothing is left.
        const bound = kept === n - 1 ? Infinity : 2 * memory.float32(worst, n)[i]! - 64 * (D + 4) * SMALLEST;
        visit(order[i]!, rows, memory.float64(squares + 8 * p * stride, kept), bound / scale / scale);
      }
      yield (first + count) / n;
    }
  } finally {
    memory.release(record, bytes);
  }
}

/** The rows 0 … n − 1 in an order that separates consecutive rows, by steps of about 0.62·n. */
function scattered(n: number): Int32Array {
  let step = Math.max(1, Math.round(0.618 * n));
  while (commonDivisor(step, n) > 1) step++;
  let row = 0;
  return Int32Array.from({ length: n }, () => {
    const own = row;
    row = (row + step) % n;
    return own;
  });
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/**
 * Copies the points in an order to `all`, and packs them about their mean in groups of eight: `LAYER` columns of all groups, then the next, padded
 * with zeros. `halves` receives half of their squared norms, times a factor; Infinity where there is no point.
 */
function pack(
  { points, mean, scale }: ScaledPoints,
  order: Int32Array,
  factor: number,
  { all, packed, halves }: { all: Float64Array; packed: Float32Array; halves: Float32Array },
): void {
  const { data, columns: D } = points;
  const padded = halves.length;
  halves.fill(Infinity, order.length);
  for (let p = 0; p < padded; p++) {
    const row = p * D;
    if (p < order.length) all.set(data.subarray(order[p]! * D, (order[p]! + 1) * D), row);
    let half = 0;
    for (let d = 0; d < D; d += LAYER) {
      const depth = Math.min(LAYER, D - d);
      const start = padded * d + (p - (p % GROUP)) * depth + (p % GROUP);
      let sum = 0;
      for (let c = 0; c < depth; c++) {
        const value = p < order.length ? Math.fround((all[row + d + c]! - mean[d + c]!) * scale) : 0;
        packed[start + GROUP * c] = value;
        sum += value * value;
      }
      half += 0.5 * factor * sum;
    }
    if (p < order.length) halves[p] = half;
  }
}

/**
 * The k best of the candidates offered so far, by (squared distance, row): a heap with the worst of them on top. It is not
 * cleared between searches but drained, which leaves it empty.
 */
export class Nearest {
  /** Squared distance of the worst of the k; Infinity while there are fewer. */
  worst = Infinity;
  /** Row of the worst of the k. */
  worstRow = Infinity;
  #count = 0;
  readonly #squares: Float64Array;
  readonly #rows: Int32Array;

  constructor(readonly k: number) {
    this.#squares = new Float64Array(k);
    this.#rows = new Int32Array(k);
  }

  /** Inserts a candidate that comes before the worst of the k. */
  offer(square: number, row: number): void {
    if (this.#count < this.k) {
      this.#rise(this.#count++, square, row);
      if (this.#count < this.k) return;
    } else {
      this.#sink(0, square, row);
    }
    this.worst = this.#squares[0]!;
    this.worstRow = this.#rows[0]!;
  }

  /** Empties the heap into rows and distances, nearest first. */
  drain(rows: Int32Array, distances: Float64Array, start: number): void {
    while (this.#count > 0) {
      const end = --this.#count;
      rows[start + end] = this.#rows[0]!;
      distances[start + end] = Math.sqrt(this.#squares[0]!);
      this.#sink(0, this.#squares[end]!, this.#rows[end]!);
    }
    this.worst = Infinity;
    this.worstRow = Infinity;
  }

  #rise(place: number, square: number, row: number): void {
    const squares = this.#squares;
    const rows = this.#rows;
    let v = place;
    while (v > 0) {
      const parent = (v - 1) >> 1;
      if (squares[parent]! < square || (squares[parent] === square && rows[parent]! < row)) {
        squares[v] = squares[parent]!;
        rows[v] = rows[parent]!;
        v = parent;
      } else break;
    }
    squares[v] = square;
    rows[v] = row;
  }

  #sink(place: number, square: number, row: number): void {
    const squares = this.#squares;
    const rows = this.#rows;
    const count = this.#count;
    let v = place;
    for (let child = 2 * v + 1; child < count; child = 2 * v + 1) {
      const right = child + 1;
      if (
        right < count &&
        (squares[right]! > squares[child]! || (squares[right] === squares[child] && rows[right]! > rows[child]!))
      ) {
        child = right;
      }
      if (squares[child]! < square || (squares[child] === square && rows[child]! < row)) break;
      squares[v] = squares[child]!;
      rows[v] = rows[child]!;
      v = child;
    }
    squares[v] = square;
    rows[v] = row;
  }
}

/** Indices of the k smallest distances (or squared distances), nearest first and ties by index. */
export function nearestOf(distances: Float64Array, k: number): Int32Array {
  const search = new Nearest(k);
  for (let j = 0; j < distances.length; j++) if (distances[j]! < search.worst) search.offer(distances[j]!, j);
  const rows = new Int32Array(k);
  search.drain(rows, new Float64Array(k), 0);
  return rows;
}

/** The points to search, or to search neighbors for: finite, at least one. */
export function searchedPoints(values: MatrixLike, name: string): Matrix {
  // They are only read: a matrix need not be copied.
  const points =
    values instanceof Matrix ? new Matrix(values.data, values.rows, values.columns) : Matrix.from(values, name);
  if (points.rows === 0 || points.columns === 0) {
    throw new InvalidInputError(`${name} has shape ${points.rows}×${points.columns}: give at least one point.`);
  }
  if (!areFinite(points.data)) {
    const bad = points.data.findIndex((value) => !Number.isFinite(value));
    throw new InvalidInputError(
      `${name} must contain finite numbers, but ${entryInWords(points, bad)}. ` +
        'Distances to that point are not defined: drop the row or fill in the value.',
    );
  }
  return points;
}

function areFinite(values: Float64Array): boolean {
  let [sum0, sum1] = [0, 0];
  // x − x is 0 for finite numbers and NaN for others; two sums are sooner done than a question for each.
  for (let p = 0; p < values.length; p += 2) {
    sum0 += values[p]! - values[p]!;
    if (p + 1 < values.length) sum1 += values[p + 1]! - values[p + 1]!;
  }
  return sum0 + sum1 === 0;
}

/** The points whose neighbors are searched: `queries` in the same space, or the searched points themselves. */
export function queriedPoints(points: Matrix, queries: MatrixLike | undefined, name: string): Matrix {
  if (queries === undefined) return points;
  const asked = searchedPoints(queries, name);
  if (asked.columns === points.columns) return asked;
  throw new InvalidInputError(
    `${name} has ${asked.columns} columns, but the points have ${points.columns}. Give both in the same space.`,
  );
}

/** Index of the row of X nearest to a point, by Euclidean distance; the first of several. */
export function nearestRow(X: Matrix, point: Float64Array): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < X.rows; i++) {
    let distance = 0;
    for (let d = 0; d < X.columns; d++) distance += square(X.at(i, d) - point[d]!);
    if (distance < least) [nearest, least] = [i, distance];
  }
  return nearest;
}
