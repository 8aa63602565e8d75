import { at, lanes, multiplyAdd } from './vectors';

/** Number of rows of H whose sums begin together. */
const ROWS = 4;

/** Arguments of products and sweeps of H_ab = factor·(u_aᵀ(e_i − e_j))², b = (i, j), with u_a the difference of the two rows of U (n×n) in pair a. */
@unmanaged
export class Quadratic {
  factor: f64;
  n: i32;
  u: usize;
  /** Two points per pair, for the rows of a product and for all pairs of a sweep. */
  pairs: usize;
  /** Number of rows of a product, and number of pairs visited by a sweep. */
  count: i32;
  /** The pairs where d may differ from 0, their number, and d at them. */
  moved: usize;
  known: i32;
  steps: usize;
  /** Index of each pair in `moved`, or −1. */
  places: usize;
  visits: usize;
  gradient: usize;
  curvature: usize;
  lower: usize;
  upper: usize;
  y: usize;
  /** Workspace of products by points: n×n numbers, and n + 3·known. */
  b: usize;
  lists: usize;
  /** Remaining workspace, 4n + 16 numbers. */
  work: usize;
}

/**
 * One sweep of coordinate descent on Σ_a g_a·d_a + ½·Σ_ab H_ab·d_a·d_b over lower ≤ d ≤ upper. Visits the pairs with the indices in `visits`. The sum
 * over b includes only the `known` pairs of `moved`, where d may differ from 0; `places` has the index of each pair in `moved`. A pair that moves for
 * the first time is appended. Returns the new number of such pairs, and stores the largest |Δd_a|·√H_aa as the first number of `work`.
 *
 * The sums of four pairs at a time begin together, up to the first pair whose step may change the others.
 */
export function quadraticSweep(q: Quadratic): i32 {
  const n = q.n;
  const u = q.u;
  const pairs = q.pairs;
  const visits = q.visits;
  const count = q.count;
  const factor = q.factor;
  const places = q.places;
  const moved = q.moved;
  const steps = q.steps;
  const work = q.work;
  let known = q.known;
  const sums = at(work, ROWS * n);
  let largest = 0.0;
  for (let v = 0; v < count; v += ROWS) {
    const end = min(count, v + ROWS);
    let fixed = known;
    for (let w = v; w < end - 1; w++) {
      const place = load<i32>(places + (load<i32>(visits + (w << 2)) << 2));
      if (place >= 0) fixed = min(fixed, place);
    }
    fixed = fixed & ~3;
    rowDifferences(n, u, pairs, visits, v, end, work);
    beginSums(fixed, moved, steps, work, sums);
    for (let w = v; w < end; w++) {
      const a = load<i32>(visits + (w << 2));
      const slope = load<f64>(at(q.gradient, a)) + factor * completedSum(w - v, fixed, known, moved, steps, work, sums);
      const place = load<i32>(places + (a << 2));
      const before = place < 0 ? 0.0 : load<f64>(at(steps, place));
      const h = load<f64>(at(q.curvature, a));
      const after = max(load<f64>(at(q.lower, a)), min(load<f64>(at(q.upper, a)), before - slope / h));
      if (after == before) continue;
      largest = max(largest, abs(after - before) * sqrt(h));
      if (place >= 0) {
        store<f64>(at(steps, place), after);
        continue;
      }
      store<i32>(places + (a << 2), known);
      store<i64>(moved + (known << 3), load<i64>(pairs + (a << 3)));
      store<f64>(at(steps, known), after);
      known++;
    }
  }
  store<f64>(work, largest);
  return known;
}

/** y ← H·v for the pairs `pairs` of rows and v = `steps` at the pairs `moved`. */
export function quadraticProduct(q: Quadratic): void {
  const n = q.n;
  const count = q.count;
  const columns = q.moved;
  const v = q.steps;
  const length = q.known;
  const work = q.work;
  const sums = at(work, ROWS * n);
  const whole = length & ~3;
  for (let a = 0; a < count; a += ROWS) {
    const end = min(count, a + ROWS);
    rowDifferences(n, q.u, q.pairs, 0, a, end, work);
    beginSums(whole, columns, v, work, sums);
    for (let r = 0; r < end - a; r++) {
      store<f64>(at(q.y, a + r), q.factor * completedSum(r, whole, length, columns, v, work, sums));
    }
  }
}

/** `quadraticProduct` for many pairs, as y_a = factor·u_aᵀL(v)u_a: O(n) for each pair of rows and of columns, plus O(n²). */
export function quadraticProductByPoints(q: Quadratic): void {
  const n = q.n;
  const u = q.u;
  const count = q.count;
  const y = q.y;
  const b = q.b;
  productWithLaplacian(n, u, q.moved, q.steps, q.known, b, q.lists);
  memory.fill(y, 0, (<usize>count) << 3);
  // Some columns at a time, so that the columns of both matrices stay in the cache.
  for (let left = 0; left < n; left += STRIPE) {
    const width = min(STRIPE, n - left);
    for (let a = 0; a < count; a++) {
      const pair: usize = q.pairs + (a << 3);
      const i = load<i32>(pair) * n + left;
      const j = load<i32>(pair, 4) * n + left;
      const part = dotOfDifferences(width, at(u, i), at(u, j), at(b, i), at(b, j));
      store<f64>(at(y, a), load<f64>(at(y, a)) + q.factor * part);
    }
  }
}

const STRIPE = 64;

/** B ← (L(v)·U)ᵀ, n×n, row by row of L(v): a row's nonzero columns are the points that share a pair with it, one pair after the other. */
function productWithLaplacian(n: i32, u: usize, pairs: usize, v: usize, length: i32, b: usize, lists: usize): void {
  const steps = lists;
  const others = at(lists, 2 * length);
  const ends = others + (length << 3);
  listNeighbors(n, pairs, v, length, steps, others, ends);
  for (let left = 0; left < n; left += STRIPE) {
    const right = min(n, left + STRIPE);
    let from = 0;
    for (let i = 0; i < n; i++) {
      const to = load<i32>(ends + (i << 2));
      let k = left;
      for (; k + 8 <= right; k += 8) rowEntries(n, u, i, k, steps, others, from, to, b);
      for (; k < right; k++) {
        const own = load<f64>(at(u, i * n + k));
        let sum = 0.0;
        for (let e = from; e < to; e++) {
          sum += load<f64>(at(steps, e)) * (own - load<f64>(at(u, load<i32>(others + (e << 2)) * n + k)));
        }
        store<f64>(at(b, k * n + i), sum);
      }
      from = to;
    }
  }
}

/** Eight entries of a row i of L(v)·U, from column k on. */
function rowEntries(n: i32, u: usize, i: i32, k: i32, steps: usize, others: usize, from: i32, to: i32, b: usize): void {
  const own = at(u, i * n + k);
  const u0 = v128.load(own);
  const u1 = v128.load(own, 16);
  const u2 = v128.load(own, 32);
  const u3 = v128.load(own, 48);
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let s2 = f64x2.splat(0);
  let s3 = f64x2.splat(0);
  for (let e = from; e < to; e++) {
    const other = at(u, load<i32>(others + (e << 2)) * n + k);
    const step = v128.load64_splat(at(steps, e));
    s0 = f64x2.add(s0, f64x2.mul(step, f64x2.sub(u0, v128.load(other))));
    s1 = f64x2.add(s1, f64x2.mul(step, f64x2.sub(u1, v128.load(other, 16))));
    s2 = f64x2.add(s2, f64x2.mul(step, f64x2.sub(u2, v128.load(other, 32))));
    s3 = f64x2.add(s3, f64x2.mul(step, f64x2.sub(u3, v128.load(other, 48))));
  }
  let target = at(b, k * n + i);
  const row: usize = n << 3;
  store<f64>(target, f64x2.extract_lane(s0, 0));
  store<f64>((target += row), f64x2.extract_lane(s0, 1));
  store<f64>((target += row), f64x2.extract_lane(s1, 0));
  store<f64>((target += row), f64x2.extract_lane(s1, 1));
  store<f64>((target += row), f64x2.extract_lane(s2, 0));
  store<f64>((target += row), f64x2.extract_lane(s2, 1));
  store<f64>((target += row), f64x2.extract_lane(s3, 0));
  store<f64>((target += row), f64x2.extract_lane(s3, 1));
}

/** Lists the neighbors of each point, the other points of its pairs in order, with the steps of those pairs; `ends` has the end of each list. */
function listNeighbors(n: i32, pairs: usize, v: usize, length: i32, steps: usize, others: usize, ends: usize): void {
  memory.fill(ends, 0, (<usize>n) << 2);
  for (let c = 0; c < 2 * length; c++) {
    const own = ends + (load<i32>(pairs + (c << 2)) << 2);
    store<i32>(own, load<i32>(own) + 1);
  }
  // The start of each list, which becomes its end once its entries are filled in.
  let begin = 0;
  for (let i = 0; i < n; i++) {
    const own = ends + (i << 2);
    const degree = load<i32>(own);
    store<i32>(own, begin);
    begin += degree;
  }
  for (let c = 0; c < 2 * length; c++) {
    const own = ends + (load<i32>(pairs + (c << 2)) << 2);
    const place = load<i32>(own);
    store<i32>(own, place + 1);
    store<i32>(others + (place << 2), load<i32>(pairs + ((c ^ 1) << 2)));
    store<f64>(at(steps, place), load<f64>(at(v, c >> 1)));
  }
}

/** (x − y)ᵀ(z − w), in four sums. */
function dotOfDifferences(n: i32, x: usize, y: usize, z: usize, w: usize): f64 {
  let s0 = f64x2.splat(0);
  let s1 = f64x2.splat(0);
  let k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 = multiplyAdd(f64x2.sub(v128.load(x), v128.load(y)), f64x2.sub(v128.load(z), v128.load(w)), s0);
    s1 = multiplyAdd(f64x2.sub(v128.load(x, 16), v128.load(y, 16)), f64x2.sub(v128.load(z, 16), v128.load(w, 16)), s1);
    x += 32;
    y += 32;
    z += 32;
    w += 32;
  }
  let s = lanes(f64x2.add(s0, s1));
  for (; k < n; k++) {
    s += (load<f64>(x) - load<f64>(y)) * (load<f64>(z) - load<f64>(w));
    x += 8;
    y += 8;
    z += 8;
    w += 8;
  }
  return s;
}

/**
 * The differences u_a of four pairs, with the four values of an entry adjacent; if there are fewer pairs, the last one is repeated.
 *
 * @param visits - indices of the pairs, or 0 for consecutive pairs
 */
function rowDifferences(n: i32, u: usize, pairs: usize, visits: usize, from: i32, end: i32, target: usize): void {
  const last = end - 1;
  const p0 = pairs + (numberOf(visits, from) << 3);
  const p1 = pairs + (numberOf(visits, min(last, from + 1)) << 3);
  const p2 = pairs + (numberOf(visits, min(last, from + 2)) << 3);
  const p3 = pairs + (numberOf(visits, min(last, from + 3)) << 3);
  const size: usize = n << 3;
  let x0 = u + load<i32>(p0) * size;
  let y0 = u + load<i32>(p0, 4) * size;
  let x1 = u + load<i32>(p1) * size;
  let y1 = u + load<i32>(p1, 4) * size;
  let x2 = u + load<i32>(p2) * size;
  let y2 = u + load<i32>(p2, 4) * size;
  let x3 = u + load<i32>(p3) * size;
  let y3 = u + load<i32>(p3, 4) * size;
  const whole = target + ((n & ~3) << 5);
  while (target < whole) {
    storeBeside(
      f64x2.sub(v128.load(x0), v128.load(y0)),
      f64x2.sub(v128.load(x1), v128.load(y1)),
      f64x2.sub(v128.load(x2), v128.load(y2)),
      f64x2.sub(v128.load(x3), v128.load(y3)),
      target,
    );
    storeBeside(
      f64x2.sub(v128.load(x0, 16), v128.load(y0, 16)),
      f64x2.sub(v128.load(x1, 16), v128.load(y1, 16)),
      f64x2.sub(v128.load(x2, 16), v128.load(y2, 16)),
      f64x2.sub(v128.load(x3, 16), v128.load(y3, 16)),
      target + 64,
    );
    target += 128;
    x0 += 32;
    y0 += 32;
    x1 += 32;
    y1 += 32;
    x2 += 32;
    y2 += 32;
    x3 += 32;
    y3 += 32;
  }
  for (let k = n & ~3; k < n; k++) {
    store<f64>(target, load<f64>(x0) - load<f64>(y0));
    store<f64>(target, load<f64>(x1) - load<f64>(y1), 8);
    store<f64>(target, load<f64>(x2) - load<f64>(y2), 16);
    store<f64>(target, load<f64>(x3) - load<f64>(y3), 24);
    target += 32;
    x0 += 8;
    y0 += 8;
    x1 += 8;
    y1 += 8;
    x2 += 8;
    y2 += 8;
    x3 += 8;
    y3 += 8;
  }
}

/** Stores two entries of each of four vectors, with the four values of an entry adjacent. @inline */
function storeBeside(d0: v128, d1: v128, d2: v128, d3: v128, target: usize): void {
  v128.store(target, v128.shuffle<f64>(d0, d1, 0, 2));
  v128.store(target, v128.shuffle<f64>(d2, d3, 0, 2), 16);
  v128.store(target, v128.shuffle<f64>(d0, d1, 1, 3), 32);
  v128.store(target, v128.shuffle<f64>(d2, d3, 1, 3), 48);
}

function numberOf(visits: usize, k: i32): i32 {
  return visits == 0 ? k : load<i32>(visits + (k << 2));
}

/**
 * Σ_b d_b·(x_i − x_j)², b = (i, j), for four x at a time and in four sums each, over the first of the pairs.
 *
 * @param count - number of pairs, a multiple of four
 */
function beginSums(count: i32, pairs: usize, d: usize, x: usize, sums: usize): void {
  let a0 = f64x2.splat(0);
  let a1 = f64x2.splat(0);
  let a2 = f64x2.splat(0);
  let a3 = f64x2.splat(0);
  let b0 = f64x2.splat(0);
  let b1 = f64x2.splat(0);
  let b2 = f64x2.splat(0);
  let b3 = f64x2.splat(0);
  for (let b = 0; b < count; b += 4) {
    let i = x + (load<i32>(pairs) << 5);
    let j = x + (load<i32>(pairs, 4) << 5);
    let step = v128.load64_splat(d);
    a0 = f64x2.add(a0, squares(step, i, j));
    b0 = f64x2.add(b0, nextSquares(step, i, j));
    i = x + (load<i32>(pairs, 8) << 5);
    j = x + (load<i32>(pairs, 12) << 5);
    step = v128.load64_splat(d, 8);
    a1 = f64x2.add(a1, squares(step, i, j));
    b1 = f64x2.add(b1, nextSquares(step, i, j));
    i = x + (load<i32>(pairs, 16) << 5);
    j = x + (load<i32>(pairs, 20) << 5);
    step = v128.load64_splat(d, 16);
    a2 = f64x2.add(a2, squares(step, i, j));
    b2 = f64x2.add(b2, nextSquares(step, i, j));
    i = x + (load<i32>(pairs, 24) << 5);
    j = x + (load<i32>(pairs, 28) << 5);
    step = v128.load64_splat(d, 24);
    a3 = f64x2.add(a3, squares(step, i, j));
    b3 = f64x2.add(b3, nextSquares(step, i, j));
    pairs += 32;
    d += 32;
  }
  v128.store(sums, a0);
  v128.store(sums, b0, 16);
  v128.store(sums, a1, 32);
  v128.store(sums, b1, 48);
  v128.store(sums, a2, 64);
  v128.store(sums, b2, 80);
  v128.store(sums, a3, 96);
  v128.store(sums, b3, 112);
}

/** d·(x_i − x_j)² of the first two rows. @inline */
function squares(d: v128, i: usize, j: usize): v128 {
  const t = f64x2.sub(v128.load(i), v128.load(j));
  return f64x2.mul(d, f64x2.mul(t, t));
}

/** d·(x_i − x_j)² of the last two rows. @inline */
function nextSquares(d: v128, i: usize, j: usize): v128 {
  const t = f64x2.sub(v128.load(i, 16), v128.load(j, 16));
  return f64x2.mul(d, f64x2.mul(t, t));
}

/** Completes the sum of row r of the four that have begun, from the remaining pairs. */
function completedSum(r: i32, from: i32, count: i32, pairs: usize, d: usize, x: usize, sums: usize): f64 {
  x += r << 3;
  sums += r << 3;
  let s0 = load<f64>(sums);
  let s1 = load<f64>(sums, 32);
  let s2 = load<f64>(sums, 64);
  let s3 = load<f64>(sums, 96);
  pairs += from << 3;
  d += from << 3;
  let b = from;
  for (; b + 4 <= count; b += 4) {
    const t0 = load<f64>(x + (load<i32>(pairs) << 5)) - load<f64>(x + (load<i32>(pairs, 4) << 5));
    const t1 = load<f64>(x + (load<i32>(pairs, 8) << 5)) - load<f64>(x + (load<i32>(pairs, 12) << 5));
    const t2 = load<f64>(x + (load<i32>(pairs, 16) << 5)) - load<f64>(x + (load<i32>(pairs, 20) << 5));
    const t3 = load<f64>(x + (load<i32>(pairs, 24) << 5)) - load<f64>(x + (load<i32>(pairs, 28) << 5));
    s0 += load<f64>(d) * (t0 * t0);
    s1 += load<f64>(d, 8) * (t1 * t1);
    s2 += load<f64>(d, 16) * (t2 * t2);
    s3 += load<f64>(d, 24) * (t3 * t3);
    pairs += 32;
    d += 32;
  }
  for (; b < count; b++) {
    const t = load<f64>(x + (load<i32>(pairs) << 5)) - load<f64>(x + (load<i32>(pairs, 4) << 5));
    s0 += load<f64>(d) * (t * t);
    pairs += 8;
    d += 8;
  }
  return s0 + s1 + (s2 + s3);
}
