import { profileSlopes, profileValues } from './radialProfiles';
import { distancesFromPoint } from './squaredDistances';
import { at } from './vectors';

/** Columns of a block, whose distances never leave the first-level cache. */
export const BLOCK: i32 = 32;

/** K_j ← variance·f(‖a − b_j‖²) for `width` ≤ 32 points, dimensions `aBytes` and `bBytes` apart; `work` holds 64 numbers. */
export function valuesFromPoint(
  profile: i32,
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  variance: f64,
  k: usize,
  work: usize,
): void {
  const pairs = distances(width, q, a, aBytes, b, bBytes, work);
  profileValues(profile, pairs, work, at(work, BLOCK));
  const factors = f64x2.splat(variance);
  let j = 0;
  for (; j + 2 <= width; j += 2) v128.store(at(k, j), f64x2.mul(factors, v128.load(at(work, j))));
  if (j < width) store<f64>(at(k, j), variance * load<f64>(at(work, j)));
}

/** Weights_j ← factor·f′(‖a − b_j‖²)·weights_j for `width` ≤ 32 points; `work` holds 64 numbers. */
export function weighBySlopes(
  profile: i32,
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  factor: f64,
  weights: usize,
  work: usize,
): void {
  const pairs = distances(width, q, a, aBytes, b, bBytes, work);
  profileSlopes(profile, pairs, work, at(work, BLOCK));
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const slopes = f64x2.mul(factors, v128.load(at(work, j)));
    v128.store(at(weights, j), f64x2.mul(slopes, v128.load(at(weights, j))));
  }
  if (j < width) store<f64>(at(weights, j), factor * load<f64>(at(work, j)) * load<f64>(at(weights, j)));
}

/** Squared distances, and a 1 that makes their number even; returns the number of pairs of entries. */
function distances(width: i32, q: i32, a: usize, aBytes: i32, b: usize, bBytes: i32, target: usize): i32 {
  distancesFromPoint(width, q, a, aBytes, b, bBytes, 1.0, target);
  if (width & 1) store<f64>(at(target, width), 1.0);
  return (width + 1) >> 1;
}
