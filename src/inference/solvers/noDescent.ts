import { shortNumber } from '../shortNumber.ts';
import type { Ending } from './solver.ts';

/**
 * How a run ends when no line search finds a lower value: at a minimum to rounding if the decrease that was to be expected
 * could not have been seen in double precision, and in failure otherwise.
 *
 * @param value - of the iterate
 * @param expected - decrease that the slope along the search direction promised
 */
export function cannotDescend(value: number, expected: number): Ending {
  const visible = 100 * Number.EPSILON * Math.max(1, Math.abs(value));
  if (expected <= visible) {
    return {
      status: 'converged',
      reason: `the improvement still to be expected, ${shortNumber(expected)}, is below the rounding error of the value`,
    };
  }
  return {
    status: 'failed',
    reason:
      `no step along the gradient improves the value, although its slope is ${shortNumber(expected)}. ` +
      'The gradient may be wrong, or lost in rounding: check the gradient of own parts, or raise the noise',
  };
}
