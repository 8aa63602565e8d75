import { FULL, multiply } from './multiply';
import { implicitQl, largestRow, rotateRows } from './tridiagonal';
import { at, lanes, scaleVector } from './vectors';

const MOST_STEPS: i32 = 100;
/** Half the distance from 1 to the next number. */
const EPSILON: f64 = 1.1102230246251565e-16;

/** Results of `sumPoles`: a sum of poles and its slope. */
let sum: f64 = 0;
let slope: f64 = 0;

/**
 * The root λ between d_i and d_(i+1), or above d_i for the last, of the secular equation 1/rho + Σ_j z_j²/(d_j − λ) = 0 for ascending d
 * and rho > 0; row ← d − λ with full relative accuracy, as distances are measured from the nearer pole.
 *
 * Each step fits a constant and a pole at d_i to the terms up to i, and another pole at d_(i+1) to the others (Bunch, Nielsen &
 * Sorensen 1978), and bisects the bracket if it is left.
 */
function secularRoot(k: i32, i: i32, rho: f64, d: usize, z: usize, row: usize): f64 {
  const isLast = i == k - 1;
  // The poles that the steps fit are p and p + 1.
  const p = isLast ? i - 1 : i;
  const split = p + 1;
  const constant = 1.0 / rho;
  const gap = k > 1 ? load<f64>(at(d, p + 1)) - load<f64>(at(d, p)) : 0.0;
  let origin = load<f64>(at(d, i));
  let low = 0.0;
  let high = isLast ? rho * squares(k, z) : 0.5 * gap;
  let x = high;
  if (k > 1) {
    const middle = isLast ? 0.5 * high : high;
    sumPoles(0, k, d, z, origin, middle);
    const value = constant + sum;
    const one = square(load<f64>(at(z, p)));
    const two = square(load<f64>(at(z, p + 1)));
    if (isLast) {
      const c = value + one / (gap + middle) + two / middle;
      const b = c * gap - one - two;
      const root = sqrt(b * b + 4.0 * c * two * gap);
      x = b <= 0.0 ? (root - b) / (2.0 * c) : (2.0 * two * gap) / (b + root);
      if (value < 0.0) low = middle;
      else high = middle;
    } else {
      const c = value + (one - two) / middle;
      if (value >= 0.0) {
        const a = c * gap + one + two;
        const root = sqrt(abs(a * a - 4.0 * one * gap * c));
        x = a > 0.0 ? (2.0 * one * gap) / (a + root) : (a - root) / (2.0 * c);
      } else {
        origin = load<f64>(at(d, i + 1));
        low = -high;
        high = 0.0;
        const a = c * gap - one - two;
        const root = sqrt(abs(a * a + 4.0 * two * gap * c));
        x = a < 0.0 ? (2.0 * two * gap) / (a - root) : -(a + root) / (2.0 * c);
      }
    }
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    for (let step = 0; step < MOST_STEPS; step++) {
      sumPoles(0, split, d, z, origin, x);
      const left = sum;
      const leftSlope = slope;
      sumPoles(split, k, d, z, origin, x);
      const f = constant + left + sum;
      const rise = leftSlope + slope;
      if (abs(f) <= EPSILON * (8.0 * (constant + abs(left) + abs(sum)) + abs(x) * rise)) break;
      if (f < 0.0) low = x;
      else high = x;
      const to1 = load<f64>(at(d, p)) - origin - x;
      const to2 = load<f64>(at(d, p + 1)) - origin - x;
      const c = f - to1 * leftSlope - to2 * slope;
      const a = (to1 + to2) * f - to1 * to2 * rise;
      const b = to1 * to2 * f;
      const root = sqrt(abs(a * a - 4.0 * b * c));
      let next = x;
      if (isLast) next += a >= 0.0 ? (a + root) / (2.0 * c) : (2.0 * b) / (a - root);
      else next += a <= 0.0 ? (a - root) / (2.0 * c) : (2.0 * b) / (a + root);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (next == x) break;
      x = next;
    }
  }
  for (let j = 0; j < k; j++) store<f64>(at(row, j), load<f64>(at(d, j)) - origin - x);
  return origin + x;
}

/** Σ z_j²/(d_j − origin − x) and its slope in x, over the poles `from` to before `to`. */
function sumPoles(from: i32, to: i32, d: usize, z: usize, origin: f64, x: f64): void {
  const origins = f64x2.splat(origin);
  const xs = f64x2.splat(x);
  let sums = f64x2.splat(0);
  let slopes = f64x2.splat(0);
  let j = from;
  for (; j + 2 <= to; j += 2) {
    const zj = v128.load(at(z, j));
    const ratio = f64x2.div(zj, f64x2.sub(f64x2.sub(v128.load(at(d, j)), origins), xs));
    sums = f64x2.add(sums, f64x2.mul(zj, ratio));
    slopes = f64x2.add(slopes, f64x2.mul(ratio, ratio));
  }
  sum = lanes(sums);
  slope = lanes(slopes);
  if (j < to) {
    const ratio = load<f64>(at(z, j)) / (load<f64>(at(d, j)) - origin - x);
    sum += load<f64>(at(z, j)) * ratio;
    slope += ratio * ratio;
  }
}

function square(x: f64): f64 {
  return x * x;
}

function squares(k: i32, z: usize): f64 {
  let s = 0.0;
  for (let j = 0; j < k; j++) s += square(load<f64>(at(z, j)));
  return s;
}

/** Largest order of tridiagonal matrices that the QL iteration solves directly. */
export const LEAF: i32 = 64;

const HALF_ROOT: f64 = 0.7071067811865476;

/** Nonzero parts of an eigenvector: the upper half, both, or the lower half. */
const UPPER_HALF: i32 = 0;
const BOTH: i32 = 1;
const LOWER_HALF: i32 = 2;

/** Size of the workspace of `divideAndConquer`: combined rows, the matrix that combines them, and eight lists. */
export function divideAndConquerWorkspace(n: i32): i32 {
  return 2 * n * n + 8 * n;
}

/**
 * Eigenvalues (over d, unsorted) and eigenvectors (rows of `vectors`, n×n) of a symmetric tridiagonal matrix with diagonal d and off-diagonal e, by
 * divide and conquer. T = diag(T₁, T₂) + |e|·vvᵀ has eigenvalues that are the roots of a secular equation, and its eigenvectors are the halves'
 * eigenvectors times a matrix, so that nearly all work is in products. The largest entries are about 1. Eigenpairs that the rank-one matrix does not
 * change are deflated (Cuppen 1981). The matrix is computed from a modified vector whose exact roots are the computed ones, so that it is orthogonal
 * to working precision (Gu & Eisenstat 1995).
 *
 * Off-diagonal entries below `floor` count as zero. Returns 0, or 1 if the QL iteration of a small part did not converge.
 */
export function divideAndConquer(n: i32, d: usize, e: usize, floor: f64, vectors: usize, work: usize): i32 {
  memory.fill(vectors, 0, (n * n) << 3);
  const lowest = max(floor, 2.0 * EPSILON * largestRow(n, d, e));
  return solve(0, n, n, d, e, lowest, vectors, work);
}

function solve(from: i32, to: i32, n: i32, d: usize, e: usize, floor: f64, vectors: usize, work: usize): i32 {
  if (to - from <= LEAF) return leaf(from, to, n, d, e, floor, vectors, work);
  const middle = from + ((to - from) >> 1);
  const coupling = load<f64>(at(e, middle - 1));
  store<f64>(at(d, middle - 1), load<f64>(at(d, middle - 1)) - abs(coupling));
  store<f64>(at(d, middle), load<f64>(at(d, middle)) - abs(coupling));
  if (solve(from, middle, n, d, e, floor, vectors, work) != 0) return 1;
  if (solve(middle, to, n, d, e, floor, vectors, work) != 0) return 1;
  merge(from, middle, to, n, coupling, d, vectors, work);
  return 0;
}

function leaf(from: i32, to: i32, n: i32, d: usize, e: usize, floor: f64, vectors: usize, work: usize): i32 {
  const size = to - from;
  for (let i = from; i < to; i++) store<f64>(at(vectors, i * (n + 1)), 1.0);
  store<f64>(at(e, to - 1), 0.0);
  const block: usize = at(vectors, from * (n + 1));
  if (implicitQl(size, at(d, from), at(e, from), floor, block, n, work) != 0) return 1;
  for (let i = from; i < to; i++) insert(from, i, i, d, orderIn(n, work));
  return 0;
}

/** The lists of n numbers that follow the two matrices in the workspace. */
function listsIn(n: i32, work: usize): usize {
  return at(work, 2 * n * n);
}

/** The rows of each solved part in ascending order of their eigenvalues: n four-byte numbers, followed by n more for merging. */
function orderIn(n: i32, work: usize): usize {
  return at(listsIn(n, work), 6 * n);
}

/** Inserts `row` into a list that is sorted from `first` to before `end`. */
function insert(first: i32, end: i32, row: i32, d: usize, list: usize): void {
  const value = load<f64>(at(d, row));
  let place = end;
  for (; place > first; place--) {
    const other = load<i32>(list + ((place - 1) << 2));
    if (load<f64>(at(d, other)) <= value) break;
    store<i32>(list + (place << 2), other);
  }
  store<i32>(list + (place << 2), row);
}

/** Merges two adjacent sorted parts of a list. */
function mergeSorted(first: i32, middle: i32, end: i32, d: usize, list: usize, spare: usize): void {
  let i = first;
  let j = middle;
  for (let place = first; place < end; place++) {
    const one = load<i32>(list + (i << 2));
    const two = load<i32>(list + (j << 2));
    const takesOne = j == end || (i < middle && load<f64>(at(d, one)) <= load<f64>(at(d, two)));
    store<i32>(spare + (place << 2), takesOne ? one : two);
    if (takesOne) i++;
    else j++;
  }
  memory.copy(list + (first << 2), spare + (first << 2), (end - first) << 2);
}

/** Rows `from` to before `to` of the vectors ← eigenvectors of the whole part, computed from its halves' eigenvectors. */
function merge(from: i32, middle: i32, to: i32, n: i32, coupling: f64, d: usize, vectors: usize, work: usize): void {
  const size = to - from;
  const lists = listsIn(n, work);
  const z = lists;
  const poles: usize = at(z, n);
  const weights: usize = at(poles, n);
  const refined: usize = at(weights, n);
  const line: usize = at(refined, n);
  const kept: usize = at(line, n);
  const places: usize = kept + (n << 2);
  const order = orderIn(n, work);
  const spare: usize = order + (n << 2);
  const halves: usize = at(order, n);
  const dropped: usize = halves + (n << 2);

  mergeSorted(from, middle, to, d, order, spare);
  const rho = 2.0 * abs(coupling);
  const sign = copysign(HALF_ROOT, coupling);
  let largest = 0.0;
  let largestZ = 0.0;
  for (let i = from; i < to; i++) {
    const isUpper = i < middle;
    const row: usize = at(vectors, i * n);
    const value = isUpper ? HALF_ROOT * load<f64>(at(row, middle - 1)) : sign * load<f64>(at(row, middle));
    store<f64>(at(z, i), value);
    store<i32>(halves + (i << 2), isUpper ? UPPER_HALF : LOWER_HALF);
    largestZ = max(largestZ, abs(value));
    largest = max(largest, abs(load<f64>(at(d, i))));
  }
  const tolerance = 8.0 * EPSILON * max(largest, largestZ);
  if (rho * largestZ <= tolerance) return;

  // Rows that stay eigenvectors: their entry of z is negligible, or becomes so by a rotation with the next row of nearly the same value.
  let count = 0;
  let left = 0;
  let previous = -1;
  for (let p = from; p < to; p++) {
    const row = load<i32>(order + (p << 2));
    if (rho * abs(load<f64>(at(z, row))) <= tolerance) {
      insert(0, left++, row, d, dropped);
      continue;
    }
    if (previous >= 0) {
      if (rotatedAway(previous, row, from, size, n, tolerance, d, z, halves, vectors)) {
        insert(0, left++, previous, d, dropped);
      } else {
        store<i32>(kept + (count++ << 2), previous);
      }
    }
    previous = row;
  }
  store<i32>(kept + (count++ << 2), previous);

  let upper = 0;
  let both = 0;
  for (let i = 0; i < count; i++) {
    const row = load<i32>(kept + (i << 2));
    const half = load<i32>(halves + (row << 2));
    store<f64>(at(poles, i), load<f64>(at(d, row)));
    store<f64>(at(weights, i), load<f64>(at(z, row)));
    upper += i32(half == UPPER_HALF);
    both += i32(half == BOTH);
  }

  // The rows of the halves, side by side: those with entries in the upper half, then those with entries in the lower, then the dropped.
  const upperSize = middle - from;
  const lowerSize = to - middle;
  const matrix: usize = at(work, n * n);
  const lowerRows: usize = at(work, (upper + both) * upperSize);
  const droppedRows: usize = at(lowerRows, (count - upper) * lowerSize);
  let nextUpper = 0;
  let nextBoth = upper;
  let nextLower = upper + both;
  for (let i = 0; i < count; i++) {
    const row = load<i32>(kept + (i << 2));
    const half = load<i32>(halves + (row << 2));
    const place = half == UPPER_HALF ? nextUpper++ : half == BOTH ? nextBoth++ : nextLower++;
    store<i32>(places + (i << 2), place);
    const source: usize = at(vectors, row * n + from);
    if (half != LOWER_HALF) memory.copy(at(work, place * upperSize), source, upperSize << 3);
    if (half != UPPER_HALF) {
      memory.copy(at(lowerRows, (place - upper) * lowerSize), at(source, upperSize), lowerSize << 3);
    }
  }
  for (let i = 0; i < left; i++) {
    const row = load<i32>(dropped + (i << 2));
    memory.copy(at(droppedRows, i * size), at(vectors, row * n + from), size << 3);
    store<f64>(at(z, i), load<f64>(at(d, row)));
  }

  for (let i = 0; i < count; i++) {
    store<f64>(at(d, from + i), secularRoot(count, i, rho, poles, weights, at(matrix, i * count)));
    store<i32>(order + ((from + i) << 2), from + i);
  }
  for (let i = 0; i < left; i++) {
    const row = from + count + i;
    store<f64>(at(d, row), load<f64>(at(z, i)));
    store<i32>(order + (row << 2), row);
    memory.copy(at(vectors, row * n + from), at(droppedRows, i * size), size << 3);
  }
  mergeSorted(from, from + count, to, d, order, spare);
  refine(count, poles, weights, matrix, refined);
  for (let i = 0; i < count; i++) unitRow(count, refined, at(matrix, i * count), line, places);
  const target: usize = at(vectors, from * n + from);
  combine(count, upperSize, upper + both, matrix, count, work, target, n);
  combine(count, lowerSize, count - upper, at(matrix, upper), count, lowerRows, at(target, upperSize), n);
}

/** `columns` columns of `count` rows of the target ← matrix·rows; the matrix may be empty. */
function combine(
  count: i32,
  columns: i32,
  depth: i32,
  matrix: usize,
  stride: i32,
  rows: usize,
  target: usize,
  n: i32,
): void {
  if (depth > 0) {
    multiply(count, columns, depth, 1.0, matrix, stride, 1, rows, columns, 1, target, n, 1, FULL, false);
    return;
  }
  for (let i = 0; i < count; i++) memory.fill(at(target, i * n), 0, columns << 3);
}

/**
 * Rotates two rows of neighboring values so that the first one's entry of z is zero, if the off-diagonal entry of the rotated matrix is negligible;
 * returns whether it is.
 */
function rotatedAway(
  first: i32,
  second: i32,
  from: i32,
  size: i32,
  n: i32,
  tolerance: f64,
  d: usize,
  z: usize,
  halves: usize,
  vectors: usize,
): bool {
  const z1 = load<f64>(at(z, first));
  const z2 = load<f64>(at(z, second));
  const d1 = load<f64>(at(d, first));
  const d2 = load<f64>(at(d, second));
  const length = sqrt(z1 * z1 + z2 * z2);
  const c = z2 / length;
  const s = z1 / length;
  if (abs((d2 - d1) * c * s) > tolerance) return false;
  store<f64>(at(z, first), 0.0);
  store<f64>(at(z, second), length);
  store<f64>(at(d, first), d1 * c * c + d2 * s * s);
  store<f64>(at(d, second), d1 * s * s + d2 * c * c);
  if (load<i32>(halves + (first << 2)) != load<i32>(halves + (second << 2))) store<i32>(halves + (second << 2), BOTH);
  rotateRows(size, c, s, at(vectors, first * n + from), at(vectors, second * n + from));
  return true;
}

/**
 * refined ← the vector whose exact roots are the computed ones: ẑ_j² = Π_i (λ_i − d_j) / Π_{i ≠ j} (d_i − d_j), with the signs of z. Row i of the
 * matrix is d − λ_i.
 */
function refine(count: i32, d: usize, z: usize, matrix: usize, refined: usize): void {
  for (let j = 0; j < count; j++) store<f64>(at(refined, j), load<f64>(at(matrix, j * (count + 1))));
  for (let i = 0; i < count; i++) {
    const pole = load<f64>(at(d, i));
    const row: usize = at(matrix, i * count);
    multiplyByRatios(0, i, pole, d, row, refined);
    multiplyByRatios(i + 1, count, pole, d, row, refined);
  }
  for (let j = 0; j < count; j++) {
    store<f64>(at(refined, j), copysign(sqrt(abs(load<f64>(at(refined, j)))), load<f64>(at(z, j))));
  }
}

function multiplyByRatios(from: i32, to: i32, pole: f64, d: usize, row: usize, refined: usize): void {
  const poles = f64x2.splat(pole);
  let j = from;
  for (; j + 2 <= to; j += 2) {
    const ratio = f64x2.div(v128.load(at(row, j)), f64x2.sub(v128.load(at(d, j)), poles));
    v128.store(at(refined, j), f64x2.mul(v128.load(at(refined, j)), ratio));
  }
  if (j < to) {
    const ratio = load<f64>(at(row, j)) / (load<f64>(at(d, j)) - pole);
    store<f64>(at(refined, j), load<f64>(at(refined, j)) * ratio);
  }
}

/** row ← the unit vector along z_j/row_j, with its entries at the positions `places`. */
function unitRow(count: i32, z: usize, row: usize, line: usize, places: usize): void {
  let sum = 0.0;
  for (let j = 0; j < count; j++) {
    const entry = load<f64>(at(z, j)) / load<f64>(at(row, j));
    store<f64>(at(line, j), entry);
    sum += entry * entry;
  }
  scaleVector(count, 1.0 / sqrt(sum), line);
  for (let j = 0; j < count; j++) {
    store<f64>(at(row, load<i32>(places + (j << 2))), load<f64>(at(line, j)));
  }
}
