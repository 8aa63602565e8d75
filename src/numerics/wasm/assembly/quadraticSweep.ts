import { at } from './vectors';

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
