import { describe, expect, it } from 'vitest';
import { minimize } from '../../src/inference/minimize/minimize.ts';
import { lbfgs, lbfgsb, scg } from '../../src/inference/solvers/index.ts';

/** 5000 + Σ k·x_k², whose value is rounded to multiples of a unit. */
const rounded = (unit: number) => (x: Float64Array) => ({
  value: 5000 + Math.round(x.reduce((sum, entry, k) => sum + (k + 1) * entry * entry, 0) / unit) * unit,
  gradient: x.map((entry, k) => 2 * (k + 1) * entry),
});
/** The same with the gradient of another function. */
const misled = (x: Float64Array) => ({ ...rounded(1e-13)(x), gradient: x.map((entry) => -entry) });
const untilExact = { tolerance: 0, relativeDecrease: 0, maxIterations: 500 };
/** Values that jump by a part of themselves, however small the step. */
const chaotic = (x: Float64Array) => ({
  value: 5000 + 50 * Math.sin(1e15 * x[0]!),
  gradient: Float64Array.of(1, 1, 1),
});

describe.each([lbfgs(), lbfgsb(), scg()])('$name, where no step lowers the value', (solver) => {
  it('has converged when what is to be expected is lost in the rounding that the value shows', () => {
    // Values take steps of 1e-6: far more than the rounding of doubles near 5000, 1e-12.
    const jittered = (x: Float64Array) => {
      const { value, gradient } = rounded(1e-13)(x);
      return { value: value + 1e-6 * Math.abs(Math.sin(1e13 * x[0]!)), gradient };
    };
    const { status, message, value, x } = minimize(jittered, [1, 2, 3], solver, untilExact);
    expect(status).toBe('converged');
    expect(message).toMatch(/lost in the rounding error of the value/);
    expect(value - 5000).toBeLessThan(2e-6);
    expect(Math.max(...x.map(Math.abs))).toBeLessThan(2e-3);
  });

  it('has failed where the gradient is wrong', () => {
    expect(minimize(misled, [1, 2, 3], solver, untilExact)).toMatchObject({ status: 'failed' });
  });
});

it.each([lbfgs(), lbfgsb()])('$name has failed where values have no digits that count', (solver) => {
  expect(minimize(chaotic, [1, 2, 3], solver, untilExact).status).toBe('failed');
});
