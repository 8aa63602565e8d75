import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { boundsAreFinite } from './nearestNeighbours.ts';
import { pointProducts } from './pointProducts.ts';
import { squaredDistance } from './squaredDistance.ts';

/** The neighbours of some rows, all of them; its arrays are reused for the next block. */
export interface RankedBlock {
  /** The first row and how many follow it. */
  readonly first: number;
  readonly count: number;
  /** count×(N − 1): the other points, the nearest first. */
  readonly order: Int32Array;
  /** count×N: squared distances to every point. */
  readonly squares: Float64Array;
}

/** Where distances are less than this part of those to the mean, products about the mean have lost digits, and differences are taken. */
const NEAR = 1e-4;

/** A run of nearly equal distances that is longer is sorted by comparisons rather than by insertion. */
const LONG_RUN = 32;

/**
 * Every point's list of all others, the nearest first, in blocks of rows, so that no N×N array is kept. Distances are computed as products at the speed of the linear
 * algebra and sorted by their leading bits; those that are equal within rounding are compared by their differences, so that the order is that of the squared distances
 * Σ_d (x_id − x_jd)² added in the order of the coordinates. Of equally near points the one of lowest index comes first.
 *
 * @param points - N×D, N at least 2
 * @throws InvalidInputError when squared distances are too large for a double
 */
export function* rankedNeighbours(points: Matrix): Generator<RankedBlock, void, void> {
  const { rows: N, columns: D } = points;
  if (!boundsAreFinite(points, points)) {
    throw new InvalidInputError(
      'Squared distances between the points are larger than the largest double. Rescale them.',
    );
  }
  const sorter = rowSorter(N);
  let [order, squares] = [new Int32Array(0), new Float64Array(0)];
  let [first, count] = [0, 0];
  const blockRows = (rows: number) => {
    if (rows * N <= squares.length) return;
    const [olderOrder, olderSquares] = [order, squares];
    order = new Int32Array(rows * (N - 1));
    squares = new Float64Array(rows * N);
    order.set(olderOrder);
    squares.set(olderSquares);
  };
  const work = pointProducts(points, points, 'all', (i, square, norms, products, slack) => {
    if (count === 0) first = i;
    if ((count + 1) * N > squares.length) blockRows(Math.max(1, 2 * count));
    const own = squares.subarray(count * N, (count + 1) * N);
    let largest = 0;
    for (let j = 0; j < N; j++) {
      const reach = square + norms[j]!;
      let distance = reach + products[j]!;
      if (distance < NEAR * reach) distance = squaredDistance(points.data, i * D, j * D, D);
      own[j] = distance;
      if (reach > largest) largest = reach;
    }
    // (a + b)² ≤ 2·(a² + b²), for each of the two distances that are compared.
    const slackOfTwo = 4 * slack.relative * largest + 2 * slack.absolute;
    sorter(own, i, order.subarray(count * (N - 1), (count + 1) * (N - 1)), slackOfTwo, (j) =>
      squaredDistance(points.data, i * D, j * D, D),
    );
    count++;
  });
  while (!work.next().done) {
    yield { first, count, order, squares };
    count = 0;
  }
}

/** The blocks of two lists of as many points, row by row. */
export function* rankedTogether(Y: Matrix, X: Matrix): Generator<readonly [RankedBlock, RankedBlock], void, void> {
  const [ofY, ofX] = [rankedNeighbours(Y), rankedNeighbours(X)];
  try {
    for (;;) {
      const [y, x] = [ofY.next(), ofX.next()];
      if (y.done || x.done) return;
      yield [y.value, x.value];
    }
  } finally {
    ofY.return();
    ofX.return();
  }
}

/** Bits of a digit of the sort. */
const DIGIT = 12;
const BUCKETS = 1 << DIGIT;
/** Two digits tell distances apart whose squares are within 2¹⁶ of the largest, to one part in a million. Nearer points are in the lowest bucket together, unless there are many. */
const TWO_DIGITS = 2 ** (2 * DIGIT);
const MANY = 1 / 16;

/** The half of a double that holds its sign, its exponent and the first of its digits. */
const UPPER = new Uint32Array(new Float64Array([1]).buffer)[0] === 0 ? 1 : 0;

type SortRow = (
  squares: Float64Array,
  self: number,
  order: Int32Array,
  tolerance: number,
  exact: (j: number) => number,
) => void;

/** Sorts the other points of a row by the leading bits of their distances, as doubles above 0 are ordered as their bits are, then what these leave open. */
function rowSorter(N: number): SortRow {
  const keys = new Uint32Array(N);
  const spare = new Int32Array(N - 1);
  const places = [0, DIGIT, 2 * DIGIT].map(() => new Int32Array(BUCKETS));
  /** Where each bucket of each digit begins. */
  const count = (digits: number) => {
    for (let digit = 0; digit < digits; digit++) {
      const own = places[digit]!.fill(0);
      const shift = DIGIT * digit;
      for (let j = 0; j < N; j++) own[(keys[j]! >>> shift) & (BUCKETS - 1)]!++;
    }
  };
  /** Puts points into the buckets of one digit, in the order of `from`. */
  const pass = (from: Int32Array, to: Int32Array, self: number, digit: number) => {
    const own = places[digit]!;
    const shift = DIGIT * digit;
    own[(keys[self]! >>> shift) & (BUCKETS - 1)]!--;
    for (let bucket = 0, sum = 0; bucket < BUCKETS; bucket++) {
      const inside = own[bucket]!;
      own[bucket] = sum;
      sum += inside;
    }
    for (let p = 0; p < from.length; p++) {
      const j = from[p]!;
      to[own[(keys[j]! >>> shift) & (BUCKETS - 1)]!++] = j;
    }
  };
  return (squares, self, order, tolerance, exact) => {
    const halves = new Uint32Array(squares.buffer, squares.byteOffset, 2 * N);
    let largest = 0;
    for (let j = 0; j < N; j++) {
      const key = halves[2 * j + UPPER]!;
      keys[j] = key;
      if (key > largest) largest = key;
    }
    let at = 0;
    for (let j = 0; j < N; j++) if (j !== self) order[at++] = j;
    const least = Math.max(0, largest - TWO_DIGITS + 1);
    let below = 0;
    for (let j = 0; j < N; j++) if (keys[j]! < least) below++;
    const isWide = below > 1 + MANY * N;
    if (!isWide) for (let j = 0; j < N; j++) keys[j] = Math.max(keys[j]!, least) - least;
    count(isWide ? 3 : 2);
    pass(order, spare, self, 0);
    pass(spare, order, self, 1);
    if (isWide) {
      pass(order, spare, self, 2);
      order.set(spare);
    }
    finish(squares, keys, order, tolerance, exact);
  };
}

/** Sorts runs of equal leading bits by the whole double, then runs of distances that rounding may have exchanged by their differences. */
function finish(
  squares: Float64Array,
  keys: Uint32Array,
  order: Int32Array,
  tolerance: number,
  exact: (j: number) => number,
): void {
  const size = order.length;
  for (let p = 1, start = 0, before = keys[order[0]!]!; p <= size; p++) {
    const key = p < size ? keys[order[p]!]! : -1;
    if (key === before) continue;
    if (p - start > 1) sortRun(order.subarray(start, p), (j) => squares[j]!);
    [start, before] = [p, key];
  }
  for (let p = 1, start = 0, before = squares[order[0]!]!; p <= size; p++) {
    const square = p < size ? squares[order[p]!]! : Infinity;
    const isNext = square - before <= tolerance;
    before = square;
    if (isNext) continue;
    if (p - start > 1) sortRun(order.subarray(start, p), exact);
    start = p;
  }
}

function sortRun(run: Int32Array, keyOf: (j: number) => number): void {
  const keys = Float64Array.from(run, keyOf);
  if (run.length > LONG_RUN) {
    const places = Int32Array.from(run.keys()).sort((a, b) => keys[a]! - keys[b]! || run[a]! - run[b]!);
    run.set(places.map((p) => run[p]!));
    return;
  }
  for (let p = 1; p < run.length; p++) {
    const [j, key] = [run[p]!, keys[p]!];
    let at = p;
    for (; at > 0 && (keys[at - 1]! > key || (keys[at - 1] === key && run[at - 1]! > j)); at--) {
      run[at] = run[at - 1]!;
      keys[at] = keys[at - 1]!;
    }
    run[at] = j;
    keys[at] = key;
  }
}
