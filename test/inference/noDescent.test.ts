import { describe, expect, it } from 'vitest';
import { lbfgs, lbfgsb, scg } from '../../src/inference/index.ts';
import { minimize } from '../../src/inference/minimize/minimize.ts';
import { cannotDescend } from '../../src/inference/solvers/lineSearch.ts';

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
    const { status, criterion, value, x } = minimize(jittered, [1, 2, 3], solver, untilExact);
    expect(status).toBe('converged');
    expect(criterion).toMatch(/lost in the rounding error of the value/);
    expect(value - 5000).toBeLessThan(2e-6);
    expect(Math.max(...x.map(Math.abs))).toBeLessThan(2e-3);
  });

  it('has failed where the gradient is wrong', () => {
    expect(minimize(misled, [1, 2, 3], solver, untilExact)).toMatchObject({ status: 'failed' });
  });
});

describe('where a direction promised more than its curvature allows', () => {
  /** 65000 + Σ 2000(k + 1)x_k², whose value jitters by 1e-4 as that of a covariance of condition 1e10 does. */
  const steep = (x: Float64Array, sign = 1) => ({
    value:
      65000 +
      x.reduce((sum, entry, k) => sum + 2000 * (k + 1) * entry * entry, 0) +
      1e-4 * Math.abs(Math.sin(1e13 * x[0]!)),
    gradient: x.map((entry, k) => sign * 4000 * (k + 1) * entry),
  });
  /** How a run ends at x whose pairs promised a gain of .124 along the gradient. */
  const endingAt = (x: Float64Array, sign?: number) => {
    const iterate = { x, ...steep(x, sign) };
    const steps = cannotDescend(iterate, 0.124, [iterate.gradient.map((entry) => -entry)]);
    let step = steps.next();
    while (!step.done) step = steps.next(steep((step.value as { point: Float64Array }).point, sign));
    return step.value;
  };

  it('has converged where no step along it gains more than rounding takes: s²/2c = 7.2e-6 of a jitter of 1e-4', () => {
    const { status, reason } = endingAt(Float64Array.of(6e-5, 0));
    expect(status).toBe('converged');
    expect(reason).toMatch(
      /^the improvement still to be expected, 0\.0000072, is lost in the rounding error of the value/,
    );
  });

  it('has failed where a step along it would gain what can be seen, and where gradients show no minimum', () => {
    expect(endingAt(Float64Array.of(0.01, 0)).status).toBe('failed');
    expect(endingAt(Float64Array.of(6e-5, 0), -1).status).toBe('failed');
  });
});

describe('curvature along a direction', () => {
  /** The points at which gradients are asked for once the tiny steps have shown the rounding. */
  const asked = (x: Float64Array, direction: Float64Array) => {
    const f = (point: Float64Array) => ({
      value: 65000 + point.reduce((sum, entry) => sum + entry * entry, 0) + 1e-4 * Math.abs(Math.sin(1e13 * point[0]!)),
      gradient: point.map((entry) => 2 * entry),
    });
    const steps = cannotDescend({ x, ...f(x) }, 0.124, [direction]);
    const points: Float64Array[] = [];
    for (let step = steps.next(); !step.done; ) {
      points.push((step.value as { point: Float64Array }).point);
      step = steps.next(f(points.at(-1)!));
    }
    return points.at(-1)!.map((entry, i) => entry - x[i]!);
  };

  it('is measured over a millionth of the largest variable, of 1 if all are smaller, and never beyond the direction', () => {
    const along = (x: Float64Array, direction: Float64Array) => Math.hypot(...asked(x, direction));
    expect(along(Float64Array.of(40, -200), Float64Array.of(3, 4)) / 2e-4).toBeCloseTo(1, 5);
    expect(along(Float64Array.of(0.1, 0.2), Float64Array.of(3, 4)) / 1e-6).toBeCloseTo(1, 5);
    expect(along(Float64Array.of(40, -200), Float64Array.of(3e-6, 4e-6)) / 5e-6).toBeCloseTo(1, 5);
  });
});

it.each([lbfgs(), lbfgsb()])('$name has failed where values have no digits that count', (solver) => {
  expect(minimize(chaotic, [1, 2, 3], solver, untilExact).status).toBe('failed');
});
