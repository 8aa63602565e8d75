import { at, lanes } from './vectors';

const MOST_STEPS: i32 = 100;
/** Half the distance from 1 to the next number. */
const EPSILON: f64 = 1.1102230246251565e-16;

/** Results of `sumPoles`: a sum of poles and its slope. */
let sum: f64 = 0;
let slope: f64 = 0;

/**
 * The root λ between d_i and d_(i+1), or above d_i for the last, of the secular equation 1/rho + Σ_j z_j²/(d_j − λ) = 0 for ascending d
 * and rho > 0; row ← d − λ, of full relative accuracy, as the distances are those from the nearer pole.
 *
 * Each step fits a constant and a pole at d_i to the terms up to i, and another pole at d_(i+1) to the others (Bunch, Nielsen &
 * Sorensen 1978), and halves the bracket where that leaves it.
 */
export function secularRoot(k: i32, i: i32, rho: f64, d: usize, z: usize, row: usize): f64 {
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

/** Σ z_j²/(d_j − origin − x) and its slope in x, of the poles `from` to before `to`. */
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
