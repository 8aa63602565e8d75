import { distanceFactor, profileSlopes, profileValues } from './radialProfiles';
import { distancesFromPoint } from './squaredDistances';
import { at } from './vectors';

/** Columns of a block, whose distances never leave the first-level cache. */
export const BLOCK: i32 = 32;

/** Arguments of covariances variance·f(‖x_i − y_j‖²) + shift, of n points with each other or with m others, given dimension by dimension (q×n, q×m). */
@unmanaged
export class Radial {
  variance: f64;
  shift: f64;
  /** K_ii */
  diagonal: f64;
  profile: i32;
  n: i32;
  m: i32;
  q: i32;
  x: usize;
  y: usize;
  k: usize;
  /** Whether blocks below the diagonal of K are copied above it; otherwise what is above means nothing. */
  mirrored: bool;
  /** Whether the weights of a gradient are read out of K, of an rbf: an exponential less for each pair. */
  readsEntries: bool;
  /** Whether g is symmetric, and its lower triangle alone is read. */
  symmetric: bool;
  /** ∂L/∂K */
  g: usize;
  dx: usize;
  dy: usize;
  work: usize;
  /** Set here. */
  parts: i32;
}

/**
 * K_j ← variance·f(‖a − b_j‖²) + shift for `width` points, dimensions `aBytes` and `bBytes` apart. They are computed in `values`, which may
 * be k where one number may be written behind an odd width; `work` holds as many.
 */
export function valuesFromPoint(
  r: Radial,
  width: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  k: usize,
  values: usize,
  work: usize,
): void {
  const pairs = distances(r, width, a, aBytes, b, bBytes, values);
  profileValues(r.profile, pairs, values, work);
  const variance = r.variance;
  const shift = r.shift;
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
  r: Radial,
  width: i32,
  a: usize,
  aBytes: i32,
  b: usize,
  bBytes: i32,
  factor: f64,
  weights: usize,
  work: usize,
): void {
  const pairs = distances(r, width, a, aBytes, b, bBytes, work);
  profileSlopes(r.profile, pairs, work, at(work, BLOCK));
  const factors = f64x2.splat(factor);
  let j = 0;
  for (; j + 2 <= width; j += 2) {
    const slopes = f64x2.mul(factors, v128.load(at(work, j)));
    v128.store(at(weights, j), f64x2.mul(slopes, v128.load(at(weights, j))));
  }
  if (j < width) store<f64>(at(weights, j), factor * load<f64>(at(work, j)) * load<f64>(at(weights, j)));
}

/** What the profile takes of squared distances, and a 1 that makes their number even; returns the number of pairs of entries. */
function distances(r: Radial, width: i32, a: usize, aBytes: i32, b: usize, bBytes: i32, target: usize): i32 {
  distancesFromPoint(width, r.q, a, aBytes, b, bBytes, distanceFactor(r.profile), target);
  if (width & 1) store<f64>(at(target, width), 1.0);
  return (width + 1) >> 1;
}
