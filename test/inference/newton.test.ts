import {
  defineModel,
  fit,
  fixed,
  gaussianProcess,
  InvalidInputError,
  latent,
  lbfgs,
  Matrix,
  minimize,
  type ObjectiveFunction,
  observed,
  rbf,
  seededRandom,
  standardNormal,
} from 'latentfield';
import { newton } from 'latentfield/inference';
import { describe, expect, it } from 'vitest';
import { regionModel } from '../../src/inference/solvers/newton.ts';
import { followedBy } from '../../src/inference/solvers/smoothedNewton.ts';
import { denseCurvature } from '../../src/model/denseCurvature.ts';
import type { Iterate, Steps } from '../../src/model/solver.ts';
import { expectClose } from '../tolerance.ts';
import { rosenbrock } from './problems.ts';

/** Rosenbrock's function of n variables with its Hessian. */
const curvedRosenbrock: ObjectiveFunction = Object.assign(rosenbrock, {
  curvature: (x: Float64Array) => {
    const n = x.length;
    const H = new Float64Array(n * n);
    for (let i = 0; i + 1 < n; i++) {
      H[i * n + i]! += 1200 * x[i]! ** 2 - 400 * x[i + 1]! + 2;
      H[(i + 1) * n + i + 1]! += 200;
      H[i * n + i + 1]! -= 400 * x[i]!;
      H[(i + 1) * n + i]! -= 400 * x[i]!;
    }
    return denseCurvature(H, n);
  },
});

/** x⁴/4 − x²/2 + y²/2: a saddle at 0, where the gradient along x is 0, and minima at ±1. */
const saddle: ObjectiveFunction = Object.assign(
  ([x, y]: Float64Array) => ({ value: x! ** 4 / 4 - x! ** 2 / 2 + y! ** 2 / 2, gradient: [x! ** 3 - x!, y!] }),
  { curvature: ([x]: Float64Array) => denseCurvature(Float64Array.of(3 * x! ** 2 - 1, 0, 0, 1), 2) },
);
const exact = { tolerance: 1e-10, relativeDecrease: 0 };

describe('newton', () => {
  it('finds the minimum of a curved valley to all digits', () => {
    const found = minimize(curvedRosenbrock, [-1.2, 1, 0.5], newton(), exact);
    expect(found.status).toBe('converged');
    expectClose(found.x, [1, 1, 1], 1e-12);
    expect(found.iterations).toBeLessThan(40);
  });

  it('counts a Hessian as an evaluation', () => {
    const found = minimize(curvedRosenbrock, [0.9, 0.8], newton(), exact);
    let calls = 0;
    const counted =
      <A extends unknown[], R>(call: (...given: A) => R) =>
      (...given: A) => {
        calls++;
        return call(...given);
      };
    const objective = Object.assign(counted(rosenbrock), { curvature: counted(curvedRosenbrock.curvature!) });
    minimize(objective, [0.9, 0.8], newton(), exact);
    expect(found.evaluations).toBe(calls);
  });

  it('takes differences of gradients where the objective does not know its Hessian', () => {
    const found = minimize((x) => rosenbrock(x), [-1.2, 1, 0.5], newton({ hessian: 'differences' }), exact);
    expect(found.status).toBe('converged');
    expectClose(found.x, [1, 1, 1], 1e-12);
    const known = minimize(curvedRosenbrock, [-1.2, 1, 0.5], newton(), exact);
    expect(found.iterations).toBe(known.iterations);
    // Six gradients in the place of a Hessian, at each of the points.
    expect(found.evaluations).toBeGreaterThan(6 * found.iterations);
    const cliff = ([x]: Float64Array) => ({ value: -Math.log(x!), gradient: [x! > 1 ? Number.NaN : -1 / x!] });
    expect(() => minimize(cliff, [1], newton({ hessian: 'differences' }))).toThrow(/variable 0 of the solver/);
    expect(() => newton({ hessian: 'inexact' as never })).toThrow(/'exact' or 'differences', but/);
  });

  it('by differences fits a model of one’s own to the optimum of lbfgs, in fewer iterations', async () => {
    const grouped = defineModel({
      name: 'grouped',
      variables: (y: Matrix) => {
        const z = latent({ dim: 1, density: standardNormal() });
        return {
          z,
          y: observed(y, {
            density: gaussianProcess({ kernel: rbf({ lengthscale: fixed(1) }), noise: fixed(0.1) }),
            given: z,
          }),
        };
      },
    });
    const y = Matrix.from([0, 1, 2, 3, 4, 5].map((t) => [Math.cos(t), Math.sin(t) + t / 9, Math.cos(t / 2)]));
    const limits = { tolerance: 1e-8, relativeDecrease: 0, maxIterations: 400 };
    const own = await fit(grouped(y), { ...limits, solver: newton({ hessian: 'differences' }) });
    const theirs = await fit(grouped(y), { ...limits, solver: lbfgs() });
    expect([own.status, theirs.status]).toEqual(['converged', 'converged']);
    expect(own.objective).toBeCloseTo(theirs.objective, 9);
    expect(own.diagnostics.iterations).toBeLessThan(theirs.diagnostics.iterations!);
  });

  it('leaves a saddle along its negative curvature, although the gradient vanishes along it', () => {
    const { x, value } = minimize(saddle, [0, 1], newton(), exact);
    expect(Math.abs(x[0]!)).toBeCloseTo(1, 9);
    expect(value).toBeCloseTo(-0.25, 12);
  });

  it.each([0.1, 3])('sees the scale of variables (%d)', (scale) => {
    const { x } = minimize(curvedRosenbrock, [-1.2, 1], newton(), { ...exact, scale });
    expectClose(x, [1, 1], 1e-10);
  });

  it('steps back from where the objective is not finite', () => {
    // −log x + x², which is not defined at the end of a first step
    const barrier = Object.assign(
      ([x]: Float64Array) => ({ value: x! > 0 ? x! ** 2 - Math.log(x!) : Number.NaN, gradient: [2 * x! - 1 / x!] }),
      { curvature: ([x]: Float64Array) => denseCurvature(Float64Array.of(2 + 1 / x! ** 2), 1) },
    );
    const { x, status } = minimize(barrier, [30], newton(), exact);
    expect(status).toBe('converged');
    expect(x[0]).toBeCloseTo(Math.SQRT1_2, 9);
  });

  it('continues from a state to the same bits', () => {
    const start = [-1.2, 1, 3];
    const whole = minimize(curvedRosenbrock, start, newton(), { ...exact, maxIterations: 12 });
    const { state } = minimize(curvedRosenbrock, start, newton(), { ...exact, maxIterations: 5 });
    const resumed = minimize(curvedRosenbrock, start, newton(), { ...exact, maxIterations: 12, state });
    expect(resumed.x).toEqual(whole.x);
    expect(resumed.evaluations).toBe(whole.evaluations);
  });

  it('refuses a state without a region, and an objective without a curvature', () => {
    const { state } = minimize(curvedRosenbrock, [0, 0], newton(), { ...exact, maxIterations: 2 });
    for (const radius of [0, Number.NaN, Infinity]) {
      const run = () => minimize(curvedRosenbrock, [0, 0], newton(), { state: { ...state, memory: { radius } } });
      expect(run).toThrow(InvalidInputError);
      expect(run).toThrow(/does not contain the radius of its region/);
    }
    const plain = (x: Float64Array) => ({ value: x[0]! ** 2, gradient: [2 * x[0]!] });
    expect(() => minimize(plain, [1], newton())).toThrow(/asks for the curvature/);
  });

  it('fails on a gradient that is wrong, and reports it', () => {
    const wrong = Object.assign(([x]: Float64Array) => ({ value: x! ** 2 + 3, gradient: [-2 * x!] }), {
      curvature: () => denseCurvature(Float64Array.of(2), 1),
    });
    const { status, message } = minimize(wrong, [1], newton(), exact);
    expect(status).toBe('failed');
    expect(message).toMatch(/the gradient of a part or function of your own is wrong/);
  });
});

describe('the minimum of a quadratic model within a region', () => {
  const { normal } = seededRandom(1);
  const n = 6;
  const B = Array.from({ length: n }, () => Array.from({ length: n }, normal));
  const H = Matrix.from(B.map((row, i) => row.map((entry, j) => entry + B[j]![i]!)));
  const g = Float64Array.from({ length: n }, normal);
  const timesH = (d: Float64Array) => d.map((_, i) => d.reduce((sum, entry, j) => sum + H.at(i, j) * entry, 0));

  it.each([1e-3, 1, 50])('meets the conditions of Moré and Sorensen (radius %d)', (radius) => {
    const { step, decrease } = regionModel(H, g).within(radius);
    const slope = timesH(step).map((entry, i) => entry + g[i]!);
    // (H + μI)·d = −g with ‖d‖ = radius, as H is indefinite, and μ above minus its smallest eigenvalue
    const length = Math.hypot(...step);
    expect(Math.abs(length - radius)).toBeLessThan(2e-3 * radius);
    const shift = -slope.reduce((sum, entry, i) => sum + entry * step[i]!, 0) / length ** 2;
    expectClose(
      slope,
      step.map((entry) => -shift * entry),
      1e-9,
    );
    const lifted = Matrix.from(H.toArrays().map((row, i) => row.with(i, row[i]! + shift)));
    expect(regionModel(lifted, g).within(1e9).decrease).toBeGreaterThan(0);
    const value = step.reduce((sum, entry, i) => sum + entry * (g[i]! + 0.5 * timesH(step)[i]!), 0);
    expectClose(decrease, -value, 1e-10);
  });

  it("is Newton's step where that is short enough", () => {
    const { step } = regionModel(
      Matrix.from([
        [2, 1],
        [1, 2],
      ]),
      Float64Array.of(3, 0),
    ).within(10);
    expectClose(step, [-2, 1], 1e-12);
  });

  it('goes along the smallest eigenvector to the edge where the gradient has no part in it', () => {
    const { step, decrease } = regionModel(
      Matrix.from([
        [-2, 0],
        [0, 4],
      ]),
      Float64Array.of(0, 1),
    ).within(3);
    expectClose(Math.hypot(...step), 3, 1e-9);
    expectClose(step[1]!, -1 / 6, 1e-9);
    expect(decrease).toBeGreaterThan(8);
  });
});

describe('a solver followed by another', () => {
  const start = [-1.2, 1, 3];
  const both = () => followedBy(lbfgs(), 8, newton());

  it('runs the first iterations of the first, and reaches the same minimum', () => {
    const points: Record<string, string[]> = { one: [], both: [] };
    const seen = (name: string) =>
      Object.assign(
        (x: Float64Array) => {
          points[name]!.push(x.join());
          return rosenbrock(x);
        },
        { curvature: curvedRosenbrock.curvature! },
      );
    minimize(seen('one'), start, lbfgs(), { ...exact, maxIterations: 8 });
    const found = minimize(seen('both'), start, both(), exact);
    expect(points.both!.slice(0, points.one!.length)).toEqual(points.one);
    expect(found.status).toBe('converged');
    expectClose(found.x, [1, 1, 1], 1e-12);
  });

  it.each([3, 8, 11])('continues from a state after %d iterations to the same bits', (maxIterations) => {
    const whole = minimize(curvedRosenbrock, start, both(), { ...exact, maxIterations: 14 });
    const { state } = minimize(curvedRosenbrock, start, both(), { ...exact, maxIterations });
    const resumed = minimize(curvedRosenbrock, start, both(), { ...exact, maxIterations: 14, state });
    expect(resumed.x).toEqual(whole.x);
    expect(resumed.evaluations).toBe(whole.evaluations);
  });

  it('continues where the first can go no further', () => {
    const ending = { ...lbfgs(), begin: (iterate: Iterate) => ({ iterate, memory: {}, steps: ended() }) };
    const { x } = minimize(saddle, [0.3, 1], followedBy(ending, 8, newton()), exact);
    expect(x[0]).toBeCloseTo(1, 9);
  });

  it('refuses a state without the number of remaining iterations', () => {
    const { state } = minimize(curvedRosenbrock, start, both(), { ...exact, maxIterations: 2 });
    const memory = { ...state.memory, iterationsBefore: 9 };
    const run = () => minimize(curvedRosenbrock, start, both(), { ...exact, state: { ...state, memory } });
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(/the number of remaining iterations, of 8/);
  });
});

// biome-ignore lint/correctness/useYield: it ends without a step.
function* ended(): Steps {
  return { status: 'failed', reason: 'there is no way on' };
}
