import { InvalidInputError, lbfgs, minimize, type SolveOptions, scg } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { smoothed } from '../../src/inference/solvers/smoothedNewton.ts';
import { expectClose } from '../tolerance.ts';

/** A path of 40 points with two columns, and one more variable before and one after them. */
const N = 40;
const columns = 2;
const graph = {
  size: N,
  sources: Int32Array.from({ length: N - 1 }, (_, i) => i),
  targets: Int32Array.from({ length: N - 1 }, (_, i) => i + 1),
};
const rows = { start: 1, columns, graph };
const size = 2 + N * columns;

/** ½·Σ s·(differences along the path)² + ½·‖x − target‖², convex, and far more curved where neighbors part. */
const target = Float64Array.from({ length: size }, (_, i) => Math.sin(i));
function rough(x: Float64Array) {
  let value = 0;
  const gradient = new Float64Array(size);
  x.forEach((entry, i) => {
    value += 0.5 * (entry - target[i]!) ** 2;
    gradient[i] = entry - target[i]!;
  });
  for (let i = 0; i + 1 < N; i++) {
    for (let c = 0; c < columns; c++) {
      const [a, b] = [1 + i * columns + c, 1 + (i + 1) * columns + c];
      const difference = x[a]! - x[b]!;
      value += 5000 * difference ** 2;
      gradient[a]! += 10_000 * difference;
      gradient[b]! -= 10_000 * difference;
    }
  }
  return { value, gradient };
}
const start = Float64Array.from({ length: size }, (_, i) => Math.cos(3 * i));
const options: SolveOptions = { tolerance: 1e-4, relativeDecrease: 0, maxIterations: 2000 };

describe('a solver that is preconditioned by a graph', () => {
  it('reaches the same minimum in fewer evaluations, where neighbors are correlated', () => {
    const plain = minimize(rough, start, lbfgs(), options);
    const own = minimize(rough, start, smoothed(lbfgs(), rows), options);
    expect(plain.status).toBe('converged');
    expect(own.status).toBe('converged');
    expectClose(own.x, plain.x, 1e-4);
    // The gradient is that of x, not of what the inner solver sees.
    expectClose(own.gradient, rough(own.x).gradient, 1e-9);
    expect(Math.max(...own.gradient.map(Math.abs))).toBeLessThanOrEqual(1e-4);
    expect(own.evaluations).toBeLessThan(0.6 * plain.evaluations);
  });

  it.each([lbfgs({ scaling: 'diagonal' }), scg()])('$name continues from a state to the same bits', (inner) => {
    const whole = minimize(rough, start, smoothed(inner, rows), { ...options, maxIterations: 12 });
    const first = minimize(rough, start, smoothed(inner, rows), { ...options, maxIterations: 5 });
    const resumed = minimize(rough, start, smoothed(inner, rows), {
      ...options,
      maxIterations: 12,
      state: first.state,
    });
    expect(resumed.x).toEqual(whole.x);
    expect(resumed.value).toBe(whole.value);
  });

  it('refuses the state of a search without a graph', () => {
    const { state } = minimize(rough, start, lbfgs(), { ...options, maxIterations: 3 });
    const run = () => minimize(rough, start, smoothed(lbfgs(), rows), { ...options, state });
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(/does not contain 82 smoothed variables/);
  });
});
