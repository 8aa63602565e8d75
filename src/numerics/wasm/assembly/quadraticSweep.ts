import { multiplyAdd } from './multiplyAdd';
import { at, lanes } from './vectors';

/**
 * One sweep of coordinate descent on Σ_a g_a·d_a + ½·Σ_ab H_ab·d_a·d_b, H_ab = factor·(u_aᵀ(e_i − e_j))² with b = (i, j) and u_a the
 * difference of the two rows of U (n×n) that pair a names, over lower ≤ d ≤ upper. Visits the pairs whose numbers are in `visits`; the sum
 * over b runs over the `known` pairs of `moved` alone, all that d may differ from 0 at, `places` says where in it each pair is, and a pair
 * that moves for the first time joins them. Returns how many those are then; the largest |Δd_a|·√H_aa is written after `work`'s n numbers.
 */
export function quadraticSweep(
  n: i32,
  u: usize,
  pairs: usize,
  visits: usize,
  count: i32,
  factor: f64,
  gradient: usize,
  curvature: usize,
  lower: usize,
  upper: usize,
  places: usize,
  moved: usize,
  steps: usize,
  known: i32,
  work: usize,
): i32 {
  let largest = 0.0;
  for (let v = 0; v < count; v++) {
    const a = load<i32>(visits + (v << 2));
    const pair: usize = pairs + (a << 3);
    difference(n, u + ((load<i32>(pair) * n) << 3), u + ((load<i32>(pair, 4) * n) << 3), work);
    const slope = load<f64>(at(gradient, a)) + factor * weightedSquares(known, moved, steps, work);
    const place = load<i32>(places + (a << 2));
    const before = place < 0 ? 0.0 : load<f64>(at(steps, place));
    const h = load<f64>(at(curvature, a));
    const after = max(load<f64>(at(lower, a)), min(load<f64>(at(upper, a)), before - slope / h));
    if (after == before) continue;
    largest = max(largest, abs(after - before) * sqrt(h));
    if (place >= 0) {
      store<f64>(at(steps, place), after);
      continue;
    }
    store<i32>(places + (a << 2), known);
    store<i64>(moved + (known << 3), load<i64>(pair));
    store<f64>(at(steps, known), after);
    known++;
  }
  store<f64>(at(work, n), largest);
  return known;
}

/** y_a ← factor·Σ_b (u_aᵀ(e_i − e_j))²·v_b, b = (i, j): H·v for the pairs a of `rows` and b of `columns`. */
export function quadraticProduct(
  n: i32,
  u: usize,
  rows: usize,
  count: i32,
  factor: f64,
  columns: usize,
  v: usize,
  length: i32,
  y: usize,
  work: usize,
): void {
  for (let a = 0; a < count; a++) {
    const pair: usize = rows + (a << 3);
    difference(n, u + ((load<i32>(pair) * n) << 3), u + ((load<i32>(pair, 4) * n) << 3), work);
    store<f64>(at(y, a), factor * weightedSquares(length, columns, v, work));
  }
}

/**
 * The same for many pairs, as y_a = factor·u_aᵀL(v)u_a: O(n) for each pair of `rows` and of `columns`, and O(n²).
 *
 * @param b - n×n numbers of workspace
 */
export function quadraticProductByPoints(
  n: i32,
  u: usize,
  rows: usize,
  count: i32,
  factor: f64,
  columns: usize,
  v: usize,
  length: i32,
  y: usize,
  b: usize,
): void {
  memory.fill(b, 0, (<usize>n * n) << 3);
  // Some columns at a time, of which those of both matrices stay in the cache.
  for (let left = 0; left < n; left += STRIPE) {
    const width = min(STRIPE, n - left);
    for (let c = 0; c < length; c++) {
      const pair: usize = columns + (c << 3);
      const i = load<i32>(pair) * n + left;
      const j = load<i32>(pair, 4) * n + left;
      addAcross(width, load<f64>(at(v, c)), at(u, i), at(u, j), at(b, i), at(b, j));
    }
  }
  transpose(n, b);
  memory.fill(y, 0, (<usize>count) << 3);
  for (let left = 0; left < n; left += STRIPE) {
    const width = min(STRIPE, n - left);
    for (let a = 0; a < count; a++) {
      const pair: usize = rows + (a << 3);
      const i = load<i32>(pair) * n + left;
      const j = load<i32>(pair, 4) * n + left;
      const part = dotOfDifferences(width, at(u, i), at(u, j), at(b, i), at(b, j));
      store<f64>(at(y, a), load<f64>(at(y, a)) + factor * part);
    }
  }
}

const STRIPE = 64;
const BLOCK = 16;

/** X ← Xᵀ, n×n. */
function transpose(n: i32, x: usize): void {
  for (let top = 0; top < n; top += BLOCK) {
    const bottom = min(n, top + BLOCK);
    for (let left = 0; left <= top; left += BLOCK) {
      for (let i = top; i < bottom; i++) {
        const end = min(i, left + BLOCK);
        for (let j = left; j < end; j++) {
          const here = at(x, i * n + j);
          const there = at(x, j * n + i);
          const kept = load<f64>(here);
          store<f64>(here, load<f64>(there));
          store<f64>(there, kept);
        }
      }
    }
  }
}

/** z ← z + step·(x − y), w ← w − step·(x − y). */
function addAcross(n: i32, step: f64, x: usize, y: usize, z: usize, w: usize): void {
  const steps = f64x2.splat(step);
  let k = 0;
  for (; k + 2 <= n; k += 2) {
    const across = f64x2.mul(steps, f64x2.sub(v128.load(x), v128.load(y)));
    v128.store(z, f64x2.add(v128.load(z), across));
    v128.store(w, f64x2.sub(v128.load(w), across));
    x += 16;
    y += 16;
    z += 16;
    w += 16;
  }
  if (k < n) {
    const across = step * (load<f64>(x) - load<f64>(y));
    store<f64>(z, load<f64>(z) + across);
    store<f64>(w, load<f64>(w) - across);
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

/** Target ← x − y, n numbers each. */
function difference(n: i32, x: usize, y: usize, target: usize): void {
  let k = 0;
  for (; k + 2 <= n; k += 2) v128.store(at(target, k), f64x2.sub(v128.load(at(x, k)), v128.load(at(y, k))));
  if (k < n) store<f64>(at(target, k), load<f64>(at(x, k)) - load<f64>(at(y, k)));
}

/** Σ_b d_b·(x_i − x_j)², b = (i, j), in four sums. */
function weightedSquares(count: i32, pairs: usize, d: usize, x: usize): f64 {
  let s0 = 0.0;
  let s1 = 0.0;
  let s2 = 0.0;
  let s3 = 0.0;
  let b = 0;
  for (; b + 4 <= count; b += 4) {
    const t0 = load<f64>(at(x, load<i32>(pairs))) - load<f64>(at(x, load<i32>(pairs, 4)));
    const t1 = load<f64>(at(x, load<i32>(pairs, 8))) - load<f64>(at(x, load<i32>(pairs, 12)));
    const t2 = load<f64>(at(x, load<i32>(pairs, 16))) - load<f64>(at(x, load<i32>(pairs, 20)));
    const t3 = load<f64>(at(x, load<i32>(pairs, 24))) - load<f64>(at(x, load<i32>(pairs, 28)));
    s0 += load<f64>(d) * (t0 * t0);
    s1 += load<f64>(d, 8) * (t1 * t1);
    s2 += load<f64>(d, 16) * (t2 * t2);
    s3 += load<f64>(d, 24) * (t3 * t3);
    pairs += 32;
    d += 32;
  }
  for (; b < count; b++) {
    const t = load<f64>(at(x, load<i32>(pairs))) - load<f64>(at(x, load<i32>(pairs, 4)));
    s0 += load<f64>(d) * (t * t);
    pairs += 8;
    d += 8;
  }
  return s0 + s1 + (s2 + s3);
}
