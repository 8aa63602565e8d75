import { exp, log, pow } from '../../../core/elementary/index.ts';
import type { SamplerMemory } from './sampler.ts';

/** γ, t₀ and κ of dual averaging, as Stan has them. */
const SHRINKAGE = 0.05;
const DELAY = 10;
const DECAY = 0.75;

/**
 * The step size by dual averaging of the logarithm, so that the mean probability of acceptance comes to a target.
 *
 * @see Hoffman & Gelman, The No-U-Turn Sampler, JMLR 15 (2014), §3.2
 */
export interface StepAdaptation {
  /** The step after a transition of this mean probability of acceptance. */
  learn(acceptance: number): number;
  /** The averaged step, which sampling takes. */
  averaged(): number;
  /** Begins anew at a step. */
  restart(step: number): void;
  memory(): SamplerMemory;
}

export function stepAdaptation(target: number, memory?: SamplerMemory): StepAdaptation {
  let { count = 0, center = 0, error = 0, average = 0 } = (memory ?? {}) as Readonly<Record<string, number>>;
  return {
    learn(acceptance) {
      count++;
      const weight = 1 / (count + DELAY);
      error = (1 - weight) * error + weight * (target - Math.min(1, acceptance));
      const logStep = center - (error * Math.sqrt(count)) / SHRINKAGE;
      const forgetting = pow(count, -DECAY);
      average = forgetting * logStep + (1 - forgetting) * average;
      return exp(logStep);
    },
    averaged: () => exp(average),
    restart(step) {
      center = log(10 * step);
      [count, error, average] = [0, 0, 0];
    },
    memory: () => ({ count, center, error, average }),
  };
}

/** Transitions at which a metric is learned: Stan's first 75, windows of 25 that double, and last 50. */
export interface Windows {
  readonly first: number;
  readonly last: number;
  /** Transitions after which the metric is that of the window they end. */
  readonly ends: readonly number[];
}

/**
 * The windows of a warm-up: 75 transitions for the step alone, then windows of 25, 50, 100 … for the metric, of which the last takes what is left, and 50 for
 * the step again. A warm-up below 150 is divided as 15 %, 75 %, 10 %; one of fewer than 20 adapts the step alone.
 *
 * @see Stan Reference Manual, §15.2
 */
export function warmupWindows(warmup: number): Windows {
  if (warmup < 20) return { first: warmup, last: warmup, ends: [] };
  const fits = 75 + 25 + 50 <= warmup;
  const first = fits ? 75 : Math.floor(0.15 * warmup);
  const last = warmup - (fits ? 50 : Math.floor(0.1 * warmup));
  let size = fits ? 25 : last - first;
  let end = first + size;
  const ends = [end - 1];
  while (end < last) {
    size *= 2;
    end += size;
    // A window that would leave less than the next takes what is left with it.
    if (end + 2 * size > last) end = last;
    ends.push(end - 1);
  }
  return { first, last, ends };
}

/** The covariance of the positions of a window, of all pairs of variables or of each. */
export interface WindowCovariance {
  add(x: Float64Array): void;
  /** n/(n + 5) of the covariance and 10⁻³·5/(n + 5) of the identity, as Stan regularises it. */
  regularized(): Float64Array;
  restart(): void;
  memory(): SamplerMemory;
}

export function windowCovariance(size: number, isDense: boolean, memory?: SamplerMemory): WindowCovariance {
  let count = (memory?.covarianceCount as number | undefined) ?? 0;
  const mean = (memory?.covarianceMean as Float64Array | undefined)?.slice() ?? new Float64Array(size);
  const squares =
    (memory?.covarianceSquares as Float64Array | undefined)?.slice() ?? new Float64Array(isDense ? size * size : size);
  return {
    // Welford's algorithm.
    add(x) {
      count++;
      const before = x.map((entry, i) => entry - mean[i]!);
      for (let i = 0; i < size; i++) mean[i]! += before[i]! / count;
      if (!isDense) for (let i = 0; i < size; i++) squares[i]! += before[i]! * (x[i]! - mean[i]!);
      else {
        for (let i = 0; i < size; i++) {
          for (let j = 0; j < size; j++) squares[i * size + j]! += before[i]! * (x[j]! - mean[j]!);
        }
      }
    },
    regularized() {
      const weight = count / (count + 5);
      const ridge = 1e-3 * (5 / (count + 5));
      const result = squares.map((entry) => (weight * entry) / (count - 1));
      for (let i = 0; i < size; i++) result[isDense ? i * size + i : i]! += ridge;
      // Rounding differs on both sides of the diagonal.
      if (isDense) {
        for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) result[j * size + i] = result[i * size + j]!;
      }
      return result;
    },
    restart() {
      count = 0;
      mean.fill(0);
      squares.fill(0);
    },
    memory: () => ({
      covarianceCount: count,
      covarianceMean: mean.slice(),
      covarianceSquares: squares.slice(),
    }),
  };
}
