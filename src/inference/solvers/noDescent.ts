import { norm } from '../../numerics/vectors.ts';
import { shortNumber } from '../shortNumber.ts';
import type { Box, Ending, Evaluation, Iterate, Step } from './solver.ts';

/** Roundings of a value that a decrease must exceed to be seen. */
const ROUNDINGS = 100;
/** The part of a value by which it may change in tiny steps and still count as a smooth function with rounding. */
const MOST_ROUNDING = 1e-8;
/** Tiny steps, relative to the size of the variables: over them a smooth function changes by its rounding only. */
const TINY_STEPS = [1e-10, 2e-10, 3e-10];

/**
 * How a run ends when no line search finds a lower value: at a minimum to rounding if the decrease that was to be expected could not have
 * been seen, and in failure otherwise. Rounding is that of doubles, or what the value shows of it in tiny steps against the gradient.
 *
 * @param expected - decrease that the slope along the search direction promised
 * @param box - tiny steps stay within it
 */
export function* cannotDescend(iterate: Iterate, expected: number, box?: Box): Generator<Step, Ending, Evaluation> {
  const size = Math.max(1, Math.abs(iterate.value));
  const rounding = Number.EPSILON * size;
  if (expected <= ROUNDINGS * rounding) return atMinimum(expected, rounding);
  const measured = yield* measuredRounding(iterate, box);
  return measured <= MOST_ROUNDING * size && expected <= ROUNDINGS * measured
    ? atMinimum(expected, measured)
    : {
        status: 'failed',
        reason:
          `no step along the gradient improves the value, although its slope is ${shortNumber(expected)}. ` +
          'The gradient may be wrong, or lost in rounding: check the gradient of own parts, or raise the noise',
      };
}

const atMinimum = (expected: number, rounding: number): Ending => ({
  status: 'converged',
  reason: `the improvement still to be expected, ${shortNumber(expected)}, is lost in the rounding error of the value, ${shortNumber(rounding)}`,
});

/** The largest change of the value in tiny steps. */
function* measuredRounding({ x, value, gradient }: Iterate, box?: Box): Generator<Step, number, Evaluation> {
  const unit = x.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 1) / norm(gradient);
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
