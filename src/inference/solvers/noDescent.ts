import { square } from '../../core/elementary/index.ts';
import { dot, norm } from '../../engine/vectors.ts';
import type { Box, Ending, Evaluation, Iterate, Step } from '../../model/solver.ts';
import { shortNumber } from '../shortNumber.ts';

/** Likely causes of a slope along which nothing improves. */
const CAUSES =
  'It is lost in rounding: raise the noise, or scale the data. Or the gradient of a part or function of your own is wrong: check the gradient.';

/** Roundings of a value that a decrease must exceed to be seen. */
const ROUNDINGS = 100;
/** The part of a value by which it may change in tiny steps and still count as a smooth function with rounding. */
const MOST_ROUNDING = 1e-8;
/** Tiny steps, relative to the size of the variables: over them a smooth function changes by its rounding only. */
const TINY_STEPS = [1e-10, 2e-10, 3e-10];
/** The step, relative to the size of the variables, over which gradients show curvature: far more than their rounding changes them. */
const CURVATURE_STEP = 1e-6;

/**
 * The ending of a run when no line search finds a lower value: at a minimum to rounding if the decrease that was to be expected could not have
 * been seen, and in failure otherwise. Rounding is that of doubles, or what the value shows of it in tiny steps against the gradient.
 *
 * Where a direction's slope promised more than that, it is asked again: a model of the curvature that was learned from changes within rounding
 * promises too much. Gradients keep more digits than differences of values, and along a direction of slope s and curvature c no step gains more
 * than s²/2c.
 *
 * @param expected - decrease that the slope along the search direction promised
 * @param tried - directions along which no lower value was found
 * @param box - tiny steps stay within it
 */
export function* cannotDescend(
  iterate: Iterate,
  expected: number,
  tried: readonly Float64Array[] = [],
  box?: Box,
): Generator<Step, Ending, Evaluation> {
  const size = Math.max(1, Math.abs(iterate.value));
  const rounding = Number.EPSILON * size;
  if (expected <= ROUNDINGS * rounding) return atMinimum(expected, rounding);
  const measured = yield* measuredRounding(iterate, box);
  if (measured <= MOST_ROUNDING * size) {
    let within = expected;
    if (within > ROUNDINGS * measured && tried.length > 0) {
      within = 0;
      for (const direction of tried) within = Math.max(within, yield* mostAlong(iterate, direction));
    }
    if (within <= ROUNDINGS * measured) return atMinimum(within, measured);
  }
  return {
    status: 'failed',
    reason: `no step along the gradient improves the value, although its slope is ${shortNumber(expected)}`,
    advice: CAUSES,
  };
}

/** s²/2c along a direction of slope s, its curvature c from gradients; infinite where c isn't positive. */
function* mostAlong({ x, gradient }: Iterate, direction: Float64Array): Generator<Step, number, Evaluation> {
  const reach = Math.min(1, (CURVATURE_STEP * largestOf(x)) / norm(direction));
  const { gradient: there } = yield { kind: 'evaluate', point: x.map((entry, i) => entry + reach * direction[i]!) };
  const slope = dot(direction, gradient);
  const curvature = (dot(direction, there) - slope) / reach;
  return curvature > 0 ? square(slope) / (2 * curvature) : Infinity;
}

const largestOf = (x: Float64Array): number => x.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 1);

const atMinimum = (expected: number, rounding: number): Ending => ({
  status: 'converged',
  test: 'rounding',
  reason: `the improvement still to be expected, ${shortNumber(expected)}, is lost in the rounding error of the value, ${shortNumber(rounding)}`,
});

/** The largest change of the value in tiny steps. */
function* measuredRounding({ x, value, gradient }: Iterate, box?: Box): Generator<Step, number, Evaluation> {
  const unit = largestOf(x) / norm(gradient);
  const point = new Float64Array(x.length);
  let largest = 0;
  for (const step of TINY_STEPS) {
    for (let i = 0; i < x.length; i++) {
      const moved = x[i]! - step * unit * gradient[i]!;
      point[i] = Math.min(Math.max(moved, box?.lower[i] ?? -Infinity), box?.upper[i] ?? Infinity);
    }
    const { value: there } = yield { kind: 'evaluate', point };
    largest = Math.max(largest, Number.isNaN(there) ? Infinity : Math.abs(there - value));
  }
  return largest;
}
