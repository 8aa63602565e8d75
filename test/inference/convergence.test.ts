import { describe, expect, test } from 'vitest';
import { adam, lbfgs, lbfgsb, type Solver, scg } from '../../src/inference/index.ts';
import { minimize } from '../../src/inference/minimize/minimize.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';
import { bounded, counted, type Problem, unconstrained } from './problems.ts';

interface Recorded {
  readonly minimum: number;
  readonly startValue: number;
  readonly startGradientNorm: number;
  readonly toMinimum: number;
  readonly defaults: { readonly evaluations: number; readonly value: number };
}

const { problems: scipy } = reference<{ problems: Record<string, Recorded> }>('solvers.json');
const quasiNewton = [
  ...[lbfgs, lbfgsb].map((factory) => ({ name: factory.name, solver: factory() })),
  { name: 'lbfgs with a diagonal', solver: lbfgs({ scaling: 'diagonal' }) },
];
const untilExact = { tolerance: 0, relativeDecrease: 0, maxIterations: 5000 };
const boundsOf = ({ lower, upper }: Problem) => ({
  ...(lower !== undefined && { lower }),
  ...(upper !== undefined && { upper }),
});
const entry = (value: number | readonly number[] | undefined, i: number, otherwise: number) =>
  typeof value === 'number' ? value : (value?.[i] ?? otherwise);
const lowerOf = ({ lower }: Problem, i: number) => entry(lower, i, Number.NEGATIVE_INFINITY);
const upperOf = ({ upper }: Problem, i: number) => entry(upper, i, Number.POSITIVE_INFINITY);

describe.each([...unconstrained, ...bounded])('problem $name', (problem) => {
  const start = Float64Array.from(problem.start, (x, i) =>
    Math.max(lowerOf(problem, i), Math.min(upperOf(problem, i), x)),
  );

  test('is the one that SciPy solved', () => {
    const { value, gradient } = problem.objective(start);
    const recorded = scipy[problem.name]!;
    expectClose(value, recorded.startValue, 1e-13, 'value at the start');
    expectClose(Math.hypot(...gradient), recorded.startGradientNorm, 1e-13, 'norm of the gradient at the start');
    expect(Math.abs(problem.minimum - recorded.minimum)).toBeLessThanOrEqual(
      1e-13 * Math.max(1, Math.abs(recorded.minimum)),
    );
  });

  test('has the gradient of its value', () => {
    // Brown's function is 10¹² at its start: differences of such values have no digits left.
    const badlyScaled = problem.name === 'brownBadlyScaled';
    const point = badlyScaled ? Float64Array.of(1e6 + 3, 2.3e-6) : start.map((x, i) => x + 0.1 * Math.sin(i + 1));
    const { gradient } = problem.objective(point);
    const differences = point.map((x, i) => {
      const h = 1e-5 * Math.max(1, Math.abs(x));
      const at = (shift: number) => problem.objective(point.with(i, x + shift)).value;
      return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    });
    expectClose(gradient, differences, 1e-8, 'gradient');
  });
});

describe.each(unconstrained)('without bounds: $name', (problem) => {
  const { toMinimum, defaults } = scipy[problem.name]!;

  test.each(quasiNewton)('$name reaches the minimum within 1.5 times the evaluations of SciPy', ({ solver }) => {
    const run = counted(problem);
    minimize(run.objective, problem.start, solver, untilExact);
    expect(run.toMinimum).toBeLessThanOrEqual(1.5 * toMinimum);
  });

  test.each(quasiNewton)(
    '$name with its own tolerances ends converged, as near as SciPy and within 1.5 times its evaluations',
    ({ solver }) => {
      const { status, value, evaluations } = minimize(problem.objective, problem.start, solver);
      expect(status).toBe('converged');
      expect(value - problem.minimum).toBeLessThanOrEqual(
        Math.max(defaults.value - problem.minimum, 1e-9 * Math.max(1, Math.abs(value))),
      );
      // SciPy's defaults leave Wood's function at a saddle point.
      const soon = defaults.value - problem.minimum < 1 ? defaults.evaluations : toMinimum;
      expect(evaluations).toBeLessThanOrEqual(1.5 * soon);
    },
  );

  test('scg reaches the minimum within 6 times the evaluations of L-BFGS-B of SciPy', () => {
    const run = counted(problem);
    minimize(run.objective, problem.start, scg(), untilExact);
    expect(run.toMinimum).toBeLessThanOrEqual(6 * toMinimum);
  });

  test('adam comes within 1e-3 of the minimum', () => {
    const { value, status } = minimize(problem.objective, problem.start, adam(), {
      maxIterations: 20000,
      ...(problem.scale && { scale: problem.scale }),
    });
    expect(status).toBe('converged');
    expect(value - problem.minimum).toBeLessThanOrEqual(1e-3);
  });
});

describe.each(bounded)('within bounds: $name', (problem) => {
  test('lbfgsb reaches the minimum within 1.5 times the evaluations of SciPy, and never leaves the bounds', () => {
    const run = counted(problem);
    let outside = 0;
    const { x, value, gradient } = minimize(
      (at) => {
        outside += at.filter((entryOfX, i) => entryOfX < lowerOf(problem, i) || entryOfX > upperOf(problem, i)).length;
        return run.objective(at);
      },
      problem.start,
      lbfgsb(),
      { ...untilExact, bounds: boundsOf(problem) },
    );
    expect(outside).toBe(0);
    expect(run.toMinimum).toBeLessThanOrEqual(1.5 * scipy[problem.name]!.toMinimum);

    // Karush–Kuhn–Tucker: a gradient entry is zero inside, not negative at the lower and not positive at the upper bound.
    expectClose(value, problem.objective(x).value, 0, 'value at the solution');
    const scale = Math.max(1, Math.hypot(...problem.objective(Float64Array.from(problem.start)).gradient));
    gradient.forEach((g, i) => {
      if (x[i] !== lowerOf(problem, i))
        expect(g / scale, `∂f/∂x${i} of a variable that could fall`).toBeLessThanOrEqual(1e-7);
      if (x[i] !== upperOf(problem, i))
        expect(g / scale, `∂f/∂x${i} of a variable that could rise`).toBeGreaterThanOrEqual(-1e-7);
    });
  });
});

test('non-negative quadratic programs end with exactly the right variables at zero', () => {
  const problem = bounded.find(({ name }) => name === 'quadratic')!;
  const { x } = minimize(problem.objective, problem.start, lbfgsb(), {
    bounds: { lower: 0 },
    tolerance: 1e-10,
    relativeDecrease: 0,
  });
  const solution = Array.from(x, (_, i) => Math.max(0, Math.sin(i + 1)));
  expect(Array.from(x, (xi) => xi === 0)).toEqual(solution.map((xi) => xi === 0));
  // Values that differ by ε·|f| cannot be told apart: √(2ε·|f| / smallest eigenvalue) is 3e-7 here.
  expectClose(x, solution, 3e-7, 'solution');
});

describe('on a quadratic whose variables differ by four orders of magnitude', () => {
  const curvature = (i: number) => 10 ** (i - 4);
  const objective = (x: Float64Array) => ({
    value: x.reduce((sum, xi, i) => sum + (curvature(i) * (xi - 1) ** 2) / 2, 0),
    gradient: x.map((xi, i) => curvature(i) * (xi - 1)),
  });
  const scale = Array.from({ length: 9 }, (_, i) => 1 / Math.sqrt(curvature(i)));
  const run = (solver: Solver, options: object) =>
    minimize(objective, new Float64Array(9), solver, { relativeDecrease: 0, tolerance: 1e-9, ...options });

  test.each(quasiNewton)('a scale saves $name evaluations', ({ solver }) => {
    const scaled = run(solver, { scale });
    expectClose(scaled.x, new Float64Array(9).fill(1), 1e-6, 'minimizer');
    expect(scaled.evaluations).toBeLessThanOrEqual(5);
    expect(run(solver, {}).evaluations).toBeGreaterThanOrEqual(10 * scaled.evaluations);
  });

  test('lbfgs learns most of the scale alone with a diagonal', () => {
    const learned = run(lbfgs({ scaling: 'diagonal' }), {});
    expectClose(learned.x, new Float64Array(9).fill(1), 1e-5, 'minimizer');
    expect(learned.evaluations).toBeLessThanOrEqual(70);
    expect(run(lbfgs({ history: 10 }), {}).evaluations).toBeGreaterThanOrEqual(400);
  });
});
