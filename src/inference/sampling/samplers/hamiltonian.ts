import * as v from 'valibot';
import { exp, log } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import type { Random } from '../../../core/random.ts';
import { stepAdaptation, warmupWindows, windowCovariance } from './adaptation.ts';
import { type Metric, metricOf } from './metric.ts';
import type { Position, SampledDensity, SamplerRun, SamplerStart, Transition } from './sampler.ts';

/** Options that Hamiltonian samplers share. */
export interface HamiltonianOptions {
  /**
   * Whether the metric of the warm-up is of each variable by itself ('diagonal', the default), of all pairs ('dense'), or that of the Laplace
   * approximation at the start ('laplace'), which the warm-up leaves as it is; not for latents that can turn.
   */
  readonly metric?: 'diagonal' | 'dense' | 'laplace' | undefined;
  /** The mean probability of acceptance that the step size is adapted to, in (0, 1); 0.8 unless given. Nearer to 1 there are fewer divergences. */
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
