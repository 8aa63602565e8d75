import { performParts, threadNumber } from './team';

/** Number of rows in a shared part, and number of multiplications that take as long as ranking one point of a row. */
const ROWS: i32 = 4;
const COST: f64 = 200.0;
/** Number of bits in a digit of the sort, and offsets of the counts of the three digits. */
const DIGIT: i32 = 11;
const BUCKETS: i32 = 1 << DIGIT;
const MASK: i32 = BUCKETS - 1;

/** Rows `first` … first + count − 1 of n points: see `rankedRows`. */
@unmanaged
export class RankedRows {
  /** Fraction of the squared distances to the mean below which differences are used. */
  near: f64;
  /** Possible rounding error in the difference of two squared distances, relative to the largest squared distance to the mean, and absolute. */
  relative: f64;
  absolute: f64;
  first: i32;
  count: i32;
  n: i32;
  columns: i32;
  x: usize;
  norms: usize;
  largest: f64;
  squares: usize;
  ranks: usize;
  work: usize;
}

/** Size of a thread's workspace in bytes: two lists of keys with points, counts of each digit, and distances in the order of the keys. */
export function rankedRowsWorkspace(n: i32): i32 {
  return 24 * n + 12 * BUCKETS;
}

/**
 * Ranks of all points by their distances from each of `count` rows: 1 for the nearest, 0 for the row itself; among equally near points, the first is
 * nearer. `squares` contains −2·x_iᵀx_j about the mean, row by row, and receives squared distances; `norms` are the squared norms about the mean, and
 * `largest` is their maximum. Distances whose order may be affected by rounding are compared by differences of x (n×columns), added in the order of
 * the coordinates.
 */
export function rankedRows(b: RankedRows): void {
  performParts(rankedPart, (b.count + ROWS - 1) / ROWS, changetype<usize>(b), COST * b.count * b.n);
}

function rankedPart(part: i32, record: usize): void {
  const b = changetype<RankedRows>(record);
  const end = min(b.count, (part + 1) * ROWS);
  const work: usize = b.work + threadNumber() * rankedRowsWorkspace(b.n);
  for (let p = part * ROWS; p < end; p++) rankRow(b, p, work);
}

function rankRow(b: RankedRows, p: i32, work: usize): void {
  const n = b.n;
  const self = b.first + p;
  const squares: usize = b.squares + ((p * n) << 3);
  const ranks: usize = b.ranks + ((p * n) << 2);
  const pairs = work;
  const spare: usize = pairs + (n << 3);
  const values: usize = spare + (n << 3);
  const counts: usize = values + (n << 3);
  memory.fill(counts, 0, 12 * BUCKETS);
  const own = load<f64>(b.norms + (self << 3));
  // Nonnegative doubles are ordered like their bits, so that they are sorted by the upper half.
  for (let j = 0; j < n; j++) {
    const reach = own + load<f64>(b.norms + (j << 3));
    let square = reach + load<f64>(squares + (j << 3));
    if (square < b.near * reach) square = squareBetween(b, self, j);
    store<f64>(squares + (j << 3), square);
    const key: u32 = j == self ? u32.MAX_VALUE : <u32>(reinterpret<u64>(square) >> 32);
    store<u64>(pairs + (j << 3), ((<u64>key) << 32) | <u64>j);
    tally(counts, key & MASK);
    tally(counts + 4 * BUCKETS, (key >> DIGIT) & MASK);
    tally(counts + 8 * BUCKETS, key >> (2 * DIGIT));
  }
  sortDigit(n, pairs, spare, counts, 32);
  sortDigit(n, spare, pairs, counts + 4 * BUCKETS, 32 + DIGIT);
  sortDigit(n, pairs, spare, counts + 8 * BUCKETS, 32 + 2 * DIGIT);
  // The row itself is the last.
  const others = n - 1;
  for (let r = 0; r < others; r++) {
    const j = load<u32>(spare + (r << 3));
    store<i32>(pairs + (r << 2), j);
    store<f64>(values + (r << 3), load<f64>(squares + (j << 3)));
  }
  for (let start = 0, r = 1; r <= others; r++) {
    if (r < others && load<u32>(spare + (r << 3), 4) == load<u32>(spare + (start << 3), 4)) continue;
    sortRun(values, pairs, start, r);
    start = r;
  }
  const tolerance = b.relative * (own + b.largest) + b.absolute;
  for (let start = 0, r = 1; r <= others; r++) {
    if (r < others && load<f64>(values + (r << 3)) - load<f64>(values + (r << 3) - 8) <= tolerance) continue;
    if (r - start > 1) {
      for (let a = start; a < r; a++) {
        store<f64>(values + (a << 3), squareBetween(b, self, load<i32>(pairs + (a << 2))));
      }
      sortRun(values, pairs, start, r);
    }
    start = r;
  }
  for (let r = 0; r < others; r++) store<i32>(ranks + (load<i32>(pairs + (r << 2)) << 2), r + 1);
  store<i32>(ranks + (self << 2), 0);
}

/** @inline */
function tally(counts: usize, digit: u32): void {
  store<i32>(counts + (digit << 2), load<i32>(counts + (digit << 2)) + 1);
}

/** Distributes keys with their points into the buckets of one digit (stable). */
function sortDigit(n: i32, from: usize, to: usize, counts: usize, shift: i32): void {
  for (let bucket = 0, sum = 0; bucket < BUCKETS; bucket++) {
    const inside = load<i32>(counts + (bucket << 2));
    store<i32>(counts + (bucket << 2), sum);
    sum += inside;
  }
  for (let p = 0; p < n; p++) {
    const pair = load<u64>(from + (p << 3));
    const place: usize = counts + ((<u32>(pair >> shift) & MASK) << 2);
    const at = load<i32>(place);
    store<i32>(place, at + 1);
    store<u64>(to + (at << 3), pair);
  }
}

/** Sorts positions start … end − 1 by their values, ties by their points: Shell's method, since runs of many equal distances occur in any order. */
function sortRun(values: usize, points: usize, start: i32, end: i32): void {
  let gap = 1;
  while (3 * gap + 1 < end - start) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (let p = start + gap; p < end; p++) {
      const value = load<f64>(values + (p << 3));
      const point = load<i32>(points + (p << 2));
      let at = p;
      for (; at >= start + gap; at -= gap) {
        const before = load<f64>(values + ((at - gap) << 3));
        if (before < value || (before == value && load<i32>(points + ((at - gap) << 2)) < point)) break;
        store<f64>(values + (at << 3), before);
        store<i32>(points + (at << 2), load<i32>(points + ((at - gap) << 2)));
      }
      store<f64>(values + (at << 3), value);
      store<i32>(points + (at << 2), point);
    }
  }
}

/** ‖x_i − x_j‖², added in the order of the coordinates. */
function squareBetween(b: RankedRows, i: i32, j: i32): f64 {
  const bytes = b.columns << 3;
  const own: usize = b.x + i * bytes;
  const other: usize = b.x + j * bytes;
  let sum = 0.0;
  for (let d = 0; d < bytes; d += 8) {
    const difference = load<f64>(own + d) - load<f64>(other + d);
    sum += difference * difference;
  }
  return sum;
}
