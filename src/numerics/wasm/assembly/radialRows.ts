import { distanceFactor, profileSlopes, profileValues } from './radialProfiles';
import { distancesFromPoint } from './squaredDistances';
import { at } from './vectors';

/** Columns of a block, whose distances never leave the first-level cache. */
export const BLOCK: i32 = 32;

/**
 * K_j ← variance·f(‖a − b_j‖²) + shift for `width` points, dimensions `aBytes` and `bBytes` apart. They are computed in `values`, which may
 * be k where one number may be written behind an odd width; `work` holds as many.
 */
export function valuesFromPoint(
  profile: i32,
  width: i32,
  q: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  variance: f64,
  shift: f64,
  k: usize,
  values: usize,
  work: usize,
): void {
  const pairs = distances(profile, width, q, a, aBytes, b, bBytes, values);
  profileValues(profile, pairs, values, work);
  const factors = f64x2.splat(variance);
  const shifts = f64x2.splat(shift);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    v128.store(at(k, j), f64x2.add(f64x2.mul(factors, v128.load(at(values, j))), shifts));
  }
  if (j < width) store<f64>(at(k, j), variance * load<f64>(at(values, j)) + shift);
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
  const pairs = distances(profile, width, q, a, aBytes, b, bBytes, work);
  profileSlopes(profile, pairs, work, at(work, BLOCK));
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const slopes = f64x2.mul(factors, v128.load(at(work, j)));
    v128.store(at(weights, j), f64x2.mul(slopes, v128.load(at(weights, j))));
  }
  if (j < width) store<f64>(at(weights, j), factor * load<f64>(at(work, j)) * load<f64>(at(weights, j)));
}

/** What the profile takes of squared distances, and a 1 that makes their number even; returns the number of pairs of entries. */
function distances(profile: i32, width: i32, q: i32, a: usize, aBytes: i32, b: usize, bBytes: i32, target: usize): i32 {
  distancesFromPoint(width, q, a, aBytes, b, bBytes, distanceFactor(profile), target);
  if (width & 1) store<f64>(at(target, width), 1.0);
  return (width + 1) >> 1;
}
