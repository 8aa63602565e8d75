import { partsAlong, performParts, startOf } from './team';

/** Number of points in a group of products, and smallest number of rows and columns of a shared part. */
const GROUP: i32 = 8;
const LEAST_ROWS: i32 = 4;
const LEAST_GROUPS: i32 = 16;

/** A block of `count` points from `first`, a multiple of eight, and their heaps: see `nearestOfBlock`. */
@unmanaged
export class NearestBlock {
  first: i32;
  count: i32;
  n: i32;
  products: usize;
  halves: usize;
  worst: usize;
  distances: usize;
  points: usize;
  kept: i32;
  columns: i32;
  x: usize;
  squares: usize;
  /** Set by the routine: number of parts that complete the heaps of the block, and of parts that offer its points to others. */
  rowParts: i32;
  columnParts: i32;
}

/**
 * Takes `count` points from `first`, a multiple of eight, and offers their pairs with each other and with all later points to the heaps of both
 * points, in single precision: halves_i + (halves_j − products_ij). Rows of products have one entry per point, from column `first` on. A heap has
 * `kept` distances with their points, the largest on top and repeated in `worst`. Up to `n`, a multiple of eight, there may be padding points at
 * infinite distance, with a `worst` of −∞.
 *
 * The first points have then been compared with all others: `squares` receives their squared distances to the points in their heaps by direct
 * differences of x, doubles in `columns` columns, with kept + 3 numbers per point.
 */
export function nearestOfBlock(b: NearestBlock): void {
  // A difference of doubles that are read here and there takes as long as four products.
  const cost = <f64>b.count * (2 * (b.n - b.first) + 4.0 * b.kept * b.columns);
  b.rowParts = partsAlong(b.count, LEAST_ROWS, cost);
  b.columnParts = b.rowParts == 1 ? 1 : partsAlong((b.n - after(b)) / GROUP, LEAST_GROUPS, cost);
  performParts(blockPart, b.rowParts + b.columnParts, changetype<usize>(b), b.rowParts == 1 ? 0.0 : cost);
}

/** The first point after a block, a multiple of eight. */
function after(b: NearestBlock): i32 {
  return min(b.n, (b.first + b.count + GROUP - 1) & -GROUP);
}

/** One part of the work: offers the points of the block to the heaps of later points, or completes heaps of the block. */
function blockPart(number: i32, record: usize): void {
  const b = changetype<NearestBlock>(record);
  if (number < b.columnParts) {
    const from = after(b);
    const start = from + startOf(number, b.columnParts, b.n - from, GROUP);
    const end = from + startOf(number + 1, b.columnParts, b.n - from, GROUP);
    offerToOthers(b, start, end);
    return;
  }
  const part = number - b.columnParts;
  const start = b.first + startOf(part, b.rowParts, b.count, 1);
  const end = b.first + startOf(part + 1, b.rowParts, b.count, 1);
  for (let i = start; i < end; i++) completeOwn(i, b);
}

/** Offers the points of a block to the heaps of the later points `start` … `end` − 1. */
function offerToOthers(b: NearestBlock, start: i32, end: i32): void {
  const halves = b.halves;
  const worst = b.worst;
  const kept = b.kept;
  for (let i = b.first; i < b.first + b.count; i++) {
    const row = rowOf(i, b);
    const half = load<f32>(place(halves, i));
    const halfOfAll = f32x4.splat(half);
    for (let j = start; j < end; j += 4) {
      const sums = f32x4.add(halfOfAll, f32x4.sub(v128.load(place(halves, j)), v128.load(place(row, j))));
      const isNear = f32x4.lt(sums, v128.load(place(worst, j)));
      for (let near = i32x4.bitmask(isNear); near != 0; near &= near - 1) {
        const other = j + ctz(near);
        const distance = half + (load<f32>(place(halves, other)) - load<f32>(place(row, other)));
        store<f32>(place(worst, other), replaceTop(b.distances, b.points, other * kept, kept, distance, i));
      }
    }
  }
}

/** Offers the points of its block and all later ones to the heap of point i, and computes the distances of the points in it. */
function completeOwn(i: i32, b: NearestBlock): void {
  const halves = b.halves;
  const worst = b.worst;
  const kept = b.kept;
  const row = rowOf(i, b);
  store<f32>(place(row, i), -Infinity);
  const half = load<f32>(place(halves, i));
  const halfOfAll = f32x4.splat(half);
  let own = load<f32>(place(worst, i));
  for (let j = b.first; j < b.n; j += 4) {
    const sums = f32x4.add(halfOfAll, f32x4.sub(v128.load(place(halves, j)), v128.load(place(row, j))));
    for (let near = i32x4.bitmask(f32x4.lt(sums, f32x4.splat(own))); near != 0; near &= near - 1) {
      const other = j + ctz(near);
      const distance = half + (load<f32>(place(halves, other)) - load<f32>(place(row, other)));
      if (distance < own) own = replaceTop(b.distances, b.points, i * kept, kept, distance, other);
    }
  }
  store<f32>(place(worst, i), own);
  listedSquares(i, b.columns, b.x, place(b.points, i * kept), kept, b.squares + (((i - b.first) * (kept + 3)) << 3));
}

/** Address of column 0 of the products of point i. @inline */
function rowOf(i: i32, b: NearestBlock): usize {
  return b.products + (((i - b.first) * b.n - b.first) << 2);
}

/** Replaces the largest entry of a heap and returns the new largest one. */
function replaceTop(distances: usize, points: usize, start: i32, count: i32, distance: f32, point: i32): f32 {
  const values: usize = place(distances, start);
  const names: usize = place(points, start);
  let top = 0;
  for (let child = 1; child < count; child = 2 * top + 1) {
    if (child + 1 < count && load<f32>(place(values, child + 1)) > load<f32>(place(values, child))) child++;
    if (load<f32>(place(values, child)) <= distance) break;
    store<f32>(place(values, top), load<f32>(place(values, child)));
    store<i32>(place(names, top), load<i32>(place(names, child)));
    top = child;
  }
  store<f32>(place(values, top), distance);
  store<i32>(place(names, top), point);
  return load<f32>(values);
}

/** Address of entry i of an array of four-byte numbers. @inline */
function place(start: usize, i: i32): usize {
  return start + (i << 2);
}

/**
 * squares_p ← ‖x_i − x_j‖² for the `count` points j of a list, by direct differences of doubles added in the order of the coordinates; up to three
 * further numbers are written, so that four sums always hide the latency of each other's additions.
 */
function listedSquares(i: i32, columns: i32, x: usize, list: usize, count: i32, squares: usize): void {
  const bytes = columns << 3;
  const own: usize = x + i * bytes;
  for (let p = 0; p < count; p += 4) {
    const x0: usize = x + load<i32>(place(list, p)) * bytes;
    const x1: usize = x + load<i32>(place(list, min(p + 1, count - 1))) * bytes;
    const x2: usize = x + load<i32>(place(list, min(p + 2, count - 1))) * bytes;
    const x3: usize = x + load<i32>(place(list, min(p + 3, count - 1))) * bytes;
    let s0 = 0.0;
    let s1 = 0.0;
    let s2 = 0.0;
    let s3 = 0.0;
    for (let d = 0; d < bytes; d += 8) {
      const value = load<f64>(own + d);
      const d0 = value - load<f64>(x0 + d);
      const d1 = value - load<f64>(x1 + d);
      const d2 = value - load<f64>(x2 + d);
      const d3 = value - load<f64>(x3 + d);
      s0 += d0 * d0;
      s1 += d1 * d1;
      s2 += d2 * d2;
      s3 += d3 * d3;
    }
    store<f64>(squares, s0);
    store<f64>(squares, s1, 8);
    store<f64>(squares, s2, 16);
    store<f64>(squares, s3, 24);
    squares += 32;
  }
}

/**
 * Squared distances between the `first` points of a list of `count` and the points after each of them, by direct differences of doubles added in the
 * order of the coordinates: row p has the distance to the q-th point in column q. Rows have `stride` numbers, a multiple of four, and their number is
 * rounded up to a multiple of four; other columns are undefined.
 */
export function pairSquares(
  first: i32,
  count: i32,
  columns: i32,
  x: usize,
  list: usize,
  stride: i32,
  squares: usize,
): void {
  for (let p = 0; p < first; p += 4) {
    for (let q = p & ~3; q < count; q += 4) {
      squaresOfTile(
        first - p,
        count - q,
        columns,
        x,
        place(list, p),
        place(list, q),
        stride,
        squares + ((p * stride + q) << 3),
      );
    }
  }
}

/** A tile of four by four such distances; missing rows and columns repeat the last. */
function squaresOfTile(
  rows: i32,
  others: i32,
  columns: i32,
  x: usize,
  own: usize,
  list: usize,
  stride: i32,
  target: usize,
): void {
  const bytes = columns << 3;
  const a0 = pointOf(x, bytes, own, 0, rows);
  const a1 = pointOf(x, bytes, own, 1, rows);
  const a2 = pointOf(x, bytes, own, 2, rows);
  const a3 = pointOf(x, bytes, own, 3, rows);
  const b0 = pointOf(x, bytes, list, 0, others);
  const b1 = pointOf(x, bytes, list, 1, others);
  const b2 = pointOf(x, bytes, list, 2, others);
  const b3 = pointOf(x, bytes, list, 3, others);
  let s00 = f64x2.splat(0);
  let s01 = f64x2.splat(0);
  let s10 = f64x2.splat(0);
  let s11 = f64x2.splat(0);
  let s20 = f64x2.splat(0);
  let s21 = f64x2.splat(0);
  let s30 = f64x2.splat(0);
  let s31 = f64x2.splat(0);
  for (let d = 0; d < bytes; d += 8) {
    const y0 = v128.load64_lane(b1 + d, v128.load64_zero(b0 + d), 1);
    const y1 = v128.load64_lane(b3 + d, v128.load64_zero(b2 + d), 1);
    let value = v128.load64_splat(a0 + d);
    s00 = f64x2.add(s00, squared(f64x2.sub(value, y0)));
    s01 = f64x2.add(s01, squared(f64x2.sub(value, y1)));
    value = v128.load64_splat(a1 + d);
    s10 = f64x2.add(s10, squared(f64x2.sub(value, y0)));
    s11 = f64x2.add(s11, squared(f64x2.sub(value, y1)));
    value = v128.load64_splat(a2 + d);
    s20 = f64x2.add(s20, squared(f64x2.sub(value, y0)));
    s21 = f64x2.add(s21, squared(f64x2.sub(value, y1)));
    value = v128.load64_splat(a3 + d);
    s30 = f64x2.add(s30, squared(f64x2.sub(value, y0)));
    s31 = f64x2.add(s31, squared(f64x2.sub(value, y1)));
  }
  const rowBytes: usize = stride << 3;
  v128.store(target, s00);
  v128.store(target, s01, 16);
  target += rowBytes;
  v128.store(target, s10);
  v128.store(target, s11, 16);
  target += rowBytes;
  v128.store(target, s20);
  v128.store(target, s21, 16);
  target += rowBytes;
  v128.store(target, s30);
  v128.store(target, s31, 16);
}

/** @inline */
function squared(x: v128): v128 {
  return f64x2.mul(x, x);
}

/** Address of the point at index p of a list, or at its last index. @inline */
function pointOf(x: usize, bytes: i32, list: usize, p: i32, count: i32): usize {
  return x + load<i32>(place(list, min(p, count - 1))) * bytes;
}
