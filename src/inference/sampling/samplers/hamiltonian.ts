import * as v from 'valibot';
import { exp, log, pow } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import type { OptionsIn } from '../../../core/options.ts';
import type { Random } from '../../../core/random.ts';
import { cholesky } from '../../../engine/typescript/matrices.ts';
import type { Position, SampledDensity, SamplerMemory, SamplerRun, SamplerStart, Transition } from './sampler.ts';

/** Parameters γ, t₀ and κ of dual averaging, as in Stan. */
const SHRINKAGE = 0.05;
const DELAY = 10;
const DECAY = 0.75;

/**
 * Step size adaptation by dual averaging of the logarithm, toward a target mean acceptance probability.
 *
 * @see Hoffman & Gelman, The No-U-Turn Sampler, JMLR 15 (2014), §3.2
 */
interface StepAdaptation {
  /** Step after a transition with this mean acceptance probability. */
  learn(acceptance: number): number;
  /** Averaged step, used after the warm-up. */
  averaged(): number;
  /** Restarts the adaptation at a step. */
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

/** Warm-up windows for learning a metric: Stan's first 75 transitions, windows of 25 that double, and last 50. */
interface Windows {
  readonly first: number;
  readonly last: number;
  /** Transitions at whose end the metric is updated from the window. */
  readonly ends: readonly number[];
}

/**
 * Windows of a warm-up: 75 transitions for the step alone, then windows of 25, 50, 100 … for the metric, the last extended by the remainder, and 50
 * for the step again. A warm-up below 150 is divided into 15 %, 75 % and 10 %; one of fewer than 20 adapts the step only.
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
    // A window that would leave less than the next one needs includes the rest.
    if (end + 2 * size > last) end = last;
    ends.push(end - 1);
  }
  return { first, last, ends };
}

/** Covariance of the positions in a window, full or diagonal. */
interface WindowCovariance {
  add(x: Float64Array): void;
  /** Weighted sum of n/(n + 5) times the covariance and 10⁻³·5/(n + 5) times the identity, the regularization of Stan. */
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

/** Euclidean metric: the inverse of the mass matrix, which approximates the covariance of the variables. */
interface Metric {
  /** Inverse mass matrix: n variances, or an n×n covariance row by row. */
  readonly inverse: Float64Array;
  /** M⁻¹p */
  velocity(p: Float64Array): Float64Array;
  /** p ~ N(0, M) */
  momentum(random: Random): Float64Array;
}

/** Metric of independent variables. */
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
 * Metric of dependent variables.
 *
 * @param inverse - n×n covariance, row by row
 * @throws NumericalError if it is not positive definite
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

/** Metric from variances (n entries) or a covariance (n×n). */
const metricOf = (inverse: Float64Array, n: number): Metric =>
  inverse.length === n ? diagonalMetric(inverse) : denseMetric(inverse, n);

/** Options shared by Hamiltonian samplers. */
export interface HamiltonianOptions extends OptionsIn<typeof hamiltonianOptions> {}

export const hamiltonianOptions = {
  /**
   * Metric that the warm-up adapts: 'diagonal' (default) or 'dense'; or 'laplace', the metric of the Laplace approximation at the start, which the
   * warm-up leaves unchanged; not for latents that can rotate.
   */
  metric: v.optional(v.picklist(['diagonal', 'dense', 'laplace'], "'diagonal', 'dense' or 'laplace'"), 'diagonal'),
  /** Target mean acceptance probability of the step size, in (0, 1); default 0.8. Values closer to 1 reduce divergences. */
  targetAcceptance: v.optional(
    v.pipe(
      v.number('a number between 0 and 1'),
      v.check((value) => value > 0 && value < 1, 'a number between 0 and 1'),
    ),
    0.8,
  ),
};

/** Point of phase space. */
export interface PhasePoint extends Position {
  readonly p: Float64Array;
  /** M⁻¹p */
  readonly velocity: Float64Array;
}

/** Hamiltonian system with its metric and step size. */
export interface Dynamics {
  readonly metric: Metric;
  readonly step: number;
  /** One leapfrog step, forward or backward in time. */
  leap(from: PhasePoint, direction: 1 | -1): PhasePoint;
}

/** H = −log p(x) + ½·pᵀM⁻¹p; Infinity where the density is undefined. */
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
 * Chain of trajectories whose step size and metric are adapted in the warm-up, in Stan's windows.
 *
 * @param move - transition from a point by trajectories
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

/** Largest and smallest step size. */
const LONGEST = 1e7;
const SHORTEST = 1e-30;

/**
 * Step size at which a single leapfrog step is accepted with a probability of about 0.8, by doubling or halving.
 *
 * @throws NumericalError if no step is small or large enough
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
        `No step of a trajectory is too long for this density, up to ${LONGEST}: it is flat, so it is not a posterior. Give every parameter a prior.`,
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
