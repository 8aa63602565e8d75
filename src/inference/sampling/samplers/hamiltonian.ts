import * as v from 'valibot';
import { exp, log, pow } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import type { Random } from '../../../core/random.ts';
import { cholesky } from '../../../engine/typescript/matrices.ts';
import type { Position, SampledDensity, SamplerMemory, SamplerRun, SamplerStart, Transition } from './sampler.ts';

/** γ, t₀ and κ of dual averaging, as Stan has them. */
const SHRINKAGE = 0.05;
const DELAY = 10;
const DECAY = 0.75;

/**
 * The step size by dual averaging of the logarithm, so that the mean probability of acceptance comes to a target.
 *
 * @see Hoffman & Gelman, The No-U-Turn Sampler, JMLR 15 (2014), §3.2
 */
interface StepAdaptation {
  /** The step after a transition of this mean probability of acceptance. */
  learn(acceptance: number): number;
  /** The averaged step, which sampling takes. */
  averaged(): number;
  /** Begins anew at a step. */
  restart(step: number): void;
  memory(): SamplerMemory;
}

function stepAdaptation(target: number, memory?: SamplerMemory): StepAdaptation {
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
interface Windows {
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
interface WindowCovariance {
  add(x: Float64Array): void;
  /** n/(n + 5) of the covariance and 10⁻³·5/(n + 5) of the identity, as Stan regularizes it. */
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

/** A Euclidean metric: the inverse of the mass matrix, which is about the covariance of the variables. */
interface Metric {
  /** n variances, or an n×n covariance row by row. */
  readonly inverse: Float64Array;
  /** M⁻¹p */
  velocity(p: Float64Array): Float64Array;
  /** p ~ N(0, M) */
  momentum(random: Random): Float64Array;
}

/** A metric of independent variables. */
function diagonalMetric(inverse: Float64Array): Metric {
  const deviations = inverse.map(Math.sqrt);
  const n = inverse.length;
  return {
    inverse,
    velocity(p) {
      const v = new Float64Array(n);
      for (let i = 0; i < n; i++) v[i] = inverse[i]! * p[i]!;
      return v;
    },
    momentum(random) {
      const p = new Float64Array(n);
      for (let i = 0; i < n; i++) p[i] = random.normal() / deviations[i]!;
      return p;
    },
  };
}

/**
 * A metric of dependent variables.
 *
 * @param inverse - n×n covariance, row by row
 * @throws NumericalError when it is not positive definite
 */
function denseMetric(inverse: Float64Array, n: number): Metric {
  const factor = inverse.slice();
  const pivot = cholesky(n, { data: factor, start: 0, rowStride: n, columnStride: 1 });
  if (pivot >= 0) {
    throw new NumericalError(
      `The covariance of a dense metric (${n}×${n}) is not positive definite: its pivot ${pivot} is ${factor[pivot * n + pivot]}. Take metric: 'diagonal'.`,
    );
  }
  return {
    inverse,
    velocity(p) {
      const v = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += inverse[i * n + j]! * p[j]!;
        v[i] = sum;
      }
      return v;
    },
    // p = L⁻ᵀz has covariance (LLᵀ)⁻¹.
    momentum(random) {
      const p = Float64Array.from({ length: n }, () => random.normal());
      for (let i = n - 1; i >= 0; i--) {
        for (let j = i + 1; j < n; j++) p[i]! -= factor[j * n + i]! * p[j]!;
        p[i]! /= factor[i * n + i]!;
      }
      return p;
    },
  };
}

/** The metric of variances (n entries) or of a covariance (n×n). */
const metricOf = (inverse: Float64Array, n: number): Metric =>
  inverse.length === n ? diagonalMetric(inverse) : denseMetric(inverse, n);

/** Options that Hamiltonian samplers share. */
export interface HamiltonianOptions {
  /**
   * Whether the metric of the warm-up is of each variable by itself ('diagonal', the default), of all pairs ('dense'), or that of the Laplace
   * approximation at the start ('laplace'), which the warm-up leaves as it is; not for latents that can turn.
   */
  readonly metric?: 'diagonal' | 'dense' | 'laplace' | undefined;
  /** The mean probability of acceptance that the step size is adapted to, in (0, 1); default 0.8. Nearer to 1 there are fewer divergences. */
  readonly targetAcceptance?: number | undefined;
}

export const hamiltonianOptions = {
  metric: v.optional(v.picklist(['diagonal', 'dense', 'laplace'], "'diagonal', 'dense' or 'laplace'"), 'diagonal'),
  targetAcceptance: v.optional(
    v.pipe(
      v.number('a number between 0 and 1'),
      v.check((value) => value > 0 && value < 1, 'a number between 0 and 1'),
    ),
    0.8,
  ),
};

/** A point of phase space. */
export interface PhasePoint extends Position {
  readonly p: Float64Array;
  /** M⁻¹p */
  readonly velocity: Float64Array;
}

/** A Hamiltonian system with its metric and step size. */
export interface Dynamics {
  readonly metric: Metric;
  readonly step: number;
  /** One leapfrog step, forwards or backwards. */
  leap(from: PhasePoint, direction: 1 | -1): PhasePoint;
}

/** H = −log p(x) + ½·pᵀM⁻¹p; Infinity where there is no density. */
export function energyOf({ value, p, velocity }: PhasePoint): number {
  let kinetic = 0;
  for (let i = 0; i < p.length; i++) kinetic += p[i]! * velocity[i]!;
  const energy = kinetic / 2 - value;
  return Number.isNaN(energy) ? Infinity : energy;
}

export const thrown = (position: Position, metric: Metric, random: Random): PhasePoint => {
  const p = metric.momentum(random);
  return { ...position, p, velocity: metric.velocity(p) };
};

function dynamics(density: SampledDensity, metric: Metric, step: number): Dynamics {
  return {
    metric,
    step,
    leap({ x, p, gradient }, direction) {
      const n = x.length;
      const length = direction * step;
      const half = new Float64Array(n);
      for (let i = 0; i < n; i++) half[i] = p[i]! + 0.5 * length * gradient[i]!;
      const velocity = metric.velocity(half);
      const next = new Float64Array(n);
      for (let i = 0; i < n; i++) next[i] = x[i]! + length * velocity[i]!;
      const there = density(next);
      for (let i = 0; i < n; i++) half[i]! += 0.5 * length * there.gradient[i]!;
      return { x: next, value: there.value, gradient: there.gradient, p: half, velocity: metric.velocity(half) };
    },
  };
}

/**
 * A chain of trajectories whose step size and metric are learned in the warm-up, in Stan's windows.
 *
 * @param move - the transition by trajectories from a point
 */
export function hamiltonianRun(
  { density, position, warmup, random, covariance, memory }: SamplerStart,
  { metric: kind = 'diagonal', targetAcceptance = 0.8 }: HamiltonianOptions,
  move: (from: Position, of: Dynamics, random: Random) => Transition,
): SamplerRun {
  const n = position.x.length;
  const isDense = kind !== 'diagonal';
  const windows = warmupWindows(warmup);
  const adaptation = stepAdaptation(targetAcceptance, memory);
  const window = windowCovariance(n, isDense && kind !== 'laplace', memory);
  const inverse = (memory?.metric as Float64Array | undefined) ?? covariance ?? new Float64Array(n).fill(1);
  let metric = metricOf(inverse, n);
  let step = (memory?.step as number | undefined) ?? 1;
  const restart = (at: Position, numbers: Random) => {
    step = reasonableStep(density, metric, at, step, numbers);
    adaptation.restart(step);
  };
  if (memory === undefined && warmup > 0 && n > 0) restart(position, random);
  return {
    transition(from, numbers, iteration) {
      const moved = move(from, dynamics(density, metric, step), numbers);
      if (iteration >= warmup) return moved;
      step = adaptation.learn(moved.statistics.acceptance);
      if (kind !== 'laplace' && iteration >= windows.first && iteration < windows.last) {
        window.add(moved.position.x);
        if (windows.ends.includes(iteration)) {
          metric = metricOf(window.regularized(), n);
          window.restart();
          restart(moved.position, numbers);
        }
      }
      if (iteration === warmup - 1) step = adaptation.averaged();
      return moved;
    },
    memory: () => ({ metric: metric.inverse.slice(), step, ...adaptation.memory(), ...window.memory() }),
  };
}

/** The most and the least of a step size. */
const LONGEST = 1e7;
const SHORTEST = 1e-30;

/**
 * A step that a single leapfrog accepts with a probability of about 0.8, by doubling or halving.
 *
 * @throws NumericalError when no step is small or large enough
 */
function reasonableStep(density: SampledDensity, metric: Metric, at: Position, first: number, random: Random): number {
  const wanted = log(0.8);
  const gain = (step: number) => {
    const from = thrown(at, metric, random);
    const change = energyOf(from) - energyOf(dynamics(density, metric, step).leap(from, 1));
    return Number.isNaN(change) ? Number.NEGATIVE_INFINITY : change;
  };
  const direction = gain(first) > wanted ? 1 : -1;
  for (let step = first; ; ) {
    if (direction === 1 ? !(gain(step) > wanted) : !(gain(step) < wanted)) return step;
    step *= direction === 1 ? 2 : 0.5;
    if (step > LONGEST) {
      throw new NumericalError(
        `No step of a trajectory is too long for this density, up to ${LONGEST}: it is flat, so it is no posterior. Give every parameter a prior.`,
      );
    }
    if (step < SHORTEST) {
      throw new NumericalError(
        'No step of a trajectory is short enough for this density at the start. Start elsewhere, or check its gradient with checkModel.',
      );
    }
  }
}

/** log(eᵃ + eᵇ) */
export function logAddExp(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === Number.NEGATIVE_INFINITY ? most : most + log(exp(a - most) + exp(b - most));
}
