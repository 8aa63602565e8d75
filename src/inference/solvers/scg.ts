import * as v from 'valibot';
import { square } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { checkOptions, numberAboveZero, type OptionsIn } from '../../core/options.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import { dot } from '../../engine/vectors.ts';
import type { Iterate, Solver, SolverMemory, Step, Steps } from '../../model/solver.ts';
import { cannotDescend } from './lineSearch.ts';

/** Options of {@link scg}. */
export interface ScgOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** Length of the finite difference, relative to the direction, that measures curvature; default 1e-6. */
  difference: v.optional(numberAboveZero, 1e-6),
});

/**
 * Scaled conjugate gradients: conjugate directions without a line search, the step from the curvature along the direction
 * and a damping λ that adapts as in a trust region. For smooth objectives without bounds.
 *
 * α = −pᵀg / (pᵀHp + λ‖p‖²), Hp from a difference of gradients. A step costs one evaluation of value and gradient, and another for the curvature of a
 * new direction; after a rejected step the curvature is kept.
 *
 * @param options - see {@link ScgOptions}
 * @returns a frozen description of the solver, for `minimize` or `fit`
 * @throws InvalidInputError for an unknown option or a difference that is not positive
 * @see Møller (1993), A scaled conjugate gradient algorithm for fast supervised learning, Neural Networks 6(4)
 * @example
 * ```ts
 * const { x } = minimize(objective, [1, 1], scg());
 * ```
 */
export function scg(options: ScgOptions = {}): Solver {
  const { difference } = checkOptions(schema, options, 'scg');
  return Object.freeze({
    name: 'scg',
    bounded: false,
    stochastic: false,
    options: { difference },
    begin(iterate: Iterate, _box: unknown, given?: SolverMemory) {
      if (given !== undefined) checkConjugate(given, iterate.x.length);
      const memory = given ?? { ...steepest(iterate) };
      return { iterate, memory, steps: descend(iterate, memory as unknown as Conjugate, difference) };
    },
  });
}

/** Memory of conjugate gradients, which determines the next step. */
interface Conjugate {
  /** p. */
  readonly direction: Float64Array;
  /** λ. */
  damping: number;
  /** pᵀHp, once it has been measured. */
  curvature: number;
  /** 1 if the curvature along the direction is known, otherwise 0. */
  measured: number;
  /** Accepted steps since the direction was the steepest descent. */
  sinceRestart: number;
}

const FIRST_DAMPING = 1e-6;
const LEAST_DAMPING = 1e-15;

function* descend(iterate: Iterate, memory: Conjugate, difference: number): Steps {
  const { direction } = memory;
  const size = direction.length;
  const point = new Float64Array(size);
  const request: Step = { kind: 'evaluate', point };

  for (;;) {
    const slope = dot(direction, iterate.gradient);
    const length = dot(direction, direction);
    let { curvature, damping } = memory;
    if (memory.measured === 0) {
      const reach = difference / Math.sqrt(length);
      for (let i = 0; i < size; i++) point[i] = iterate.x[i]! + reach * direction[i]!;
      const { value, gradient } = yield request;
      curvature = Number.isNaN(value) ? 0 : (dot(direction, gradient) - slope) / reach;
    }
    let damped = curvature + damping * length;
    if (damped <= 0) {
      // Møller's step 4: a λ that makes the damped curvature positive.
      damping = 2 * (damping - damped / length) || FIRST_DAMPING;
      damped = curvature + damping * length;
    }
    const step = -slope / damped;
    for (let i = 0; i < size; i++) point[i] = iterate.x[i]! + step * direction[i]!;
    const { value, gradient } = yield request;
    const predicted = (-step * slope) / 2;
    const comparison = Number.isNaN(value) ? -1 : (iterate.value - value) / predicted;
    // The λ with which the step would have been to the minimum of the parabola through both values and the slope.
    if (comparison < 0.25) damping += (damped * (1 - comparison)) / length;
    if (comparison > 0.75) damping = Math.max(damping / 4, LEAST_DAMPING);

    // A step that leaves the value unchanged is not a step: with so large a damping it carries no information about the slope.
    if (comparison > 0) {
      turn(memory, iterate.gradient, gradient, slope);
      Object.assign(memory, { damping, curvature: 0, measured: 0 });
      iterate.x.set(point);
      iterate.gradient.set(gradient);
      iterate.value = value;
      yield { kind: 'iteration', comparable: true };
      continue;
    }
    if (predicted > Number.EPSILON * Math.max(1, Math.abs(iterate.value)) && Number.isFinite(damping)) {
      Object.assign(memory, { damping, curvature, measured: 1 });
    } else if (memory.sinceRestart > 0) {
      restart(memory, iterate.gradient);
      Object.assign(memory, { damping: FIRST_DAMPING, measured: 0 });
    } else {
      return yield* cannotDescend(iterate, curvature > 0 ? square(slope) / (2 * curvature) : -slope);
    }
    yield { kind: 'iteration', comparable: false };
  }
}

/** Next conjugate direction, p ← −g₊ + β·p with β = g₊ᵀ(g₊ − g) / −pᵀg, restarted after as many steps as variables. */
function turn(memory: Conjugate, gradient: Float64Array, next: Float64Array, slope: number): void {
  const { direction } = memory;
  const size = direction.length;
  memory.sinceRestart++;
  const beta = (dot(next, next) - dot(next, gradient)) / -slope;
  for (let i = 0; i < size; i++) direction[i] = beta * direction[i]! - next[i]!;
  if (memory.sinceRestart >= size || !(dot(direction, next) < 0)) restart(memory, next);
}

function restart(memory: Conjugate, gradient: Float64Array): void {
  for (let i = 0; i < gradient.length; i++) memory.direction[i] = -gradient[i]!;
  memory.sinceRestart = 0;
}

function steepest({ gradient }: Iterate): Conjugate {
  const direction = gradient.map((entry) => -entry);
  return { direction, damping: FIRST_DAMPING, curvature: 0, measured: 0, sinceRestart: 0 };
}

function checkConjugate({ direction, damping, curvature, measured, sinceRestart }: SolverMemory, size: number): void {
  const fits =
    isFiniteArray(direction, size) &&
    typeof damping === 'number' &&
    damping >= 0 &&
    Number.isFinite(damping) &&
    Number.isFinite(curvature) &&
    isCount(measured, 0, 1) &&
    isCount(sinceRestart);
  if (fits) return;
  throw new InvalidInputError(
    `The state given to scg does not contain a direction of ${size} variables, its damping and its curvature. Resume with the problem ` +
      'that it was saved from.',
  );
}
