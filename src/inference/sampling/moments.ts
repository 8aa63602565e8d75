import { exp, log } from '../../core/elementary/index.ts';

/** Moments and quantiles of a list of numbers, as R has them. */

export function mean(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i]!;
  const first = sum / x.length;
  // A second pass, as R's, so that the rounding of a large sum does not stay.
  let rest = 0;
  for (let i = 0; i < x.length; i++) rest += x[i]! - first;
  return first + rest / x.length;
}

/** Σ(x − x̄)²/(n − 1) */
export function sampleVariance(x: Float64Array): number {
  const center = mean(x);
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i]! - center) * (x[i]! - center);
  return sum / (x.length - 1);
}

export const sorted = (x: Float64Array): Float64Array => x.slice().sort();

/** Linear between the order statistics (type 7 of Hyndman & Fan 1996). */
export function quantileOfSorted(x: Float64Array, probability: number): number {
  const place = (x.length - 1) * probability;
  // The tolerance of R's quantile: a place that rounding alone has moved off a whole number.
  const below = Math.floor(place + 4 * Number.EPSILON);
  const part = place - below;
  const lower = x[below]!;
  if (Math.abs(part) < 1e-12 || below + 1 >= x.length) return lower;
  return (1 - part) * lower + part * x[below + 1]!;
}

export const median = (x: Float64Array): number => quantileOfSorted(sorted(x), 0.5);

/** log Σ exp(x), which does not overflow; −Infinity of an empty list. */
export function logSumExp(x: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, x[i]!);
  if (!Number.isFinite(largest)) return largest;
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += exp(x[i]! - largest);
  return largest + log(sum);
}
