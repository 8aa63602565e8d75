import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../src/core/errors.ts';
import { stateFromJson, stateToJson } from '../../src/inference/checkpoint/checkpointFile.ts';
import { adam, lbfgs, lbfgsb, type Solver, scg } from '../../src/inference/index.ts';
import { minimize } from '../../src/inference/minimize/minimize.ts';
import type { Solution, SolverState } from '../../src/inference/minimize/solution.ts';
import type { SolveOptions } from '../../src/inference/minimize/solveOptions.ts';
import { bounded, type Problem, unconstrained } from './problems.ts';

const find = (name: string) => [...unconstrained, ...bounded].find((problem) => problem.name === name)!;
const rosenbrock = find('rosenbrock100');
const throughJson = (state: SolverState) => stateFromJson(JSON.parse(JSON.stringify(stateToJson(state))));
const bitsOf = ({ x, value, gradient, status, iterations, evaluations }: Solution) =>
  [[...x], value, [...gradient], status, iterations, evaluations].flat();

interface Run {
  readonly solver: () => Solver;
  readonly problem: Problem;
  readonly options: SolveOptions;
}

const runs: Record<string, Run> = {
  lbfgs: { solver: () => lbfgs({ history: 4 }), problem: rosenbrock, options: {} },
  'lbfgs with a diagonal': { solver: () => lbfgs({ scaling: 'diagonal' }), problem: rosenbrock, options: {} },
  lbfgsScaled: { solver: lbfgs, problem: rosenbrock, options: { scale: 3 } },
  lbfgsb: {
    solver: lbfgsb,
    problem: find('rosenbrock25'),
    options: { bounds: { lower: [...Array(12).fill([1, -100]).flat(), 1], upper: 100 } },
  },
  lbfgsbQuadratic: { solver: lbfgsb, problem: find('quadratic'), options: { bounds: { lower: 0 } } },
  scg: { solver: scg, problem: rosenbrock, options: {} },
  adam: { solver: () => adam({ learningRate: (k) => 0.5 / Math.sqrt(k) }), problem: rosenbrock, options: {} },
};

describe.each(Object.entries(runs))('%s resumed from its state', (_name, { solver, problem, options }) => {
  const limits = { tolerance: 1e-9, relativeDecrease: 0, maxIterations: 60 };
  const run = (more: SolveOptions) =>
    minimize(problem.objective, problem.start, solver(), { ...options, ...limits, ...more });
  const whole = run({});

  test.each([0, 1, 3, 17, 18, 59])('after %i iterations continues bit for bit', (iterations) => {
    const { state } = run({ maxIterations: iterations });
    expect(bitsOf(run({ state: throughJson(state) }))).toEqual(bitsOf(whole));
  });

  test('in slices of 7 iterations continues bit for bit', () => {
    let slice = run({ maxIterations: 7 });
    while (slice.status === 'maxIterations' && slice.iterations < limits.maxIterations) {
      slice = run({
        maxIterations: Math.min(limits.maxIterations, slice.iterations + 7),
        state: throughJson(slice.state),
      });
    }
    expect(bitsOf(slice)).toEqual(bitsOf(whole));
  });

  test.each([1, 2, 5, 23, 40])(
    'after %i evaluations, be it inside a line search, continues bit for bit',
    (evaluations) => {
      const { state } = run({ maxEvaluations: evaluations });
      expect(bitsOf(run({ state: throughJson(state) }))).toEqual(bitsOf(whole));
    },
  );

  test('a state taken in a callback is not changed by later steps', () => {
    let kept: SolverState | undefined;
    const seen = run({
      onProgress: (progress) => {
        if (progress.iterations === 9) kept = progress.state;
      },
    });
    expect(bitsOf(seen)).toEqual(bitsOf(whole));
    const before = JSON.stringify(stateToJson(kept!));
    expect(bitsOf(run({ state: kept! }))).toEqual(bitsOf(whole));
    expect(JSON.stringify(stateToJson(kept!))).toBe(before);
  });
});

test('lbfgs without a history continues with the pairs of the run that it resumes', () => {
  const run = (solver: Solver, more: SolveOptions) => minimize(rosenbrock.objective, rosenbrock.start, solver, more);
  const { state } = run(lbfgs({ history: 4 }), { maxIterations: 20 });
  expect(bitsOf(run(lbfgs(), { state: throughJson(state) }))).toEqual(bitsOf(run(lbfgs({ history: 4 }), {})));
});

describe('a state that does not belong', () => {
  const { state } = minimize(rosenbrock.objective, rosenbrock.start, lbfgs(), { maxIterations: 5 });
  const resume = (given: unknown, solver = lbfgs(), start: ArrayLike<number> = rosenbrock.start, more = {}) =>
    minimize(rosenbrock.objective, start, solver, { ...more, state: given as SolverState });

  test.each([
    ['another solver', () => resume(state, scg()), /left by lbfgs, but scg/],
    ['another history', () => resume(state, lbfgs({ history: 3 })), /does not contain 3 correction pairs of 100/],
    ['another size', () => resume(state, lbfgs(), [1, 2]), /not one of 2 variables/],
    ['another scale', () => resume(state, lbfgs(), rosenbrock.start, { scale: 2 }), /another scale/],
    ['a string', () => resume('state'), /must be the state of an earlier Solution, but the string 'state'/],
    ['an empty object', () => resume({}), /must be the state of an earlier Solution/],
    ['no memory', () => resume({ ...state, memory: undefined }), /damaged: its 'memory' is not/],
    ['an empty memory', () => resume({ ...state, memory: {} }), /does not contain 100 correction pairs of 100/],
    ['a fractional count', () => resume({ ...state, iterations: 2.5 }), /damaged: its 'iterations' is not/],
    ['no evaluations', () => resume({ ...state, evaluations: 0 }), /damaged: its 'evaluations' is not/],
    ['no decreases', () => resume({ ...state, decreases: new Float64Array(0) }), /damaged: its 'decreases' is not/],
    ['a decrease of NaN', () => resume({ ...state, decreases: [Number.NaN, 1] }), /damaged: its 'decreases' is not/],
    [
      'a point of NaN',
      () => resume({ ...state, iterate: { ...state.iterate, x: state.iterate.x.map(() => Number.NaN) } }),
      /not one of 100 variables/,
    ],
    [
      'an infinite gradient',
      () => resume({ ...state, best: { ...state.best, gradient: state.best.gradient.map(() => Infinity) } }),
      /not one of 100 variables/,
    ],
  ])('%s', (_name, call, message) => {
    expect(call).toThrow(InvalidInputError);
    expect(call).toThrow(message);
  });

  test('truncated or foreign JSON is refused by name of the field', () => {
    const json = JSON.parse(JSON.stringify(stateToJson(state)));
    const { best, ...withoutBest } = json;
    expect(() => stateFromJson(withoutBest)).toThrow(/'best' is missing or damaged/);
    expect(() => stateFromJson({ ...json, best: { ...best, x: { base64: 'AAA' } } })).toThrow(/'best.x/);
    expect(() => stateFromJson({ ...json, best: { ...best, x: [1, 2] } })).toThrow(InvalidInputError);
    expect(() => stateFromJson(null)).toThrow(/not a solver state/);
    const shorter = best.x.base64.slice(0, -8);
    expect(() => resume(stateFromJson({ ...json, best: { ...best, x: { base64: shorter } } }))).toThrow(
      /not one of 100/,
    );
  });
});

const damages: readonly [name: string, solver: Solver, damage: Record<string, unknown>, message: RegExp][] = [
  ['newest', lbfgs(), { newest: 99 }, /correction pairs/],
  ['newest', lbfgsb(), { newest: undefined }, /correction pairs/],
  ['inverseScale', lbfgs(), { inverseScale: Number.NaN }, /correction pairs/],
  ['inverseScale', lbfgsb(), { inverseScale: 0 }, /correction pairs/],
  ['count', lbfgs(), { count: -1 }, /correction pairs/],
  ['curvatures', lbfgs(), { curvatures: new Float64Array(40) }, /correction pairs/],
  ['steps', lbfgs(), { steps: new Float64Array(4000).fill(Number.NaN) }, /correction pairs/],
  ['diagonal', lbfgs({ scaling: 'diagonal' }), { diagonal: new Float64Array(100).fill(-1) }, /scale of 100 variables/],
  ['damping', scg(), { damping: Number.NaN }, /direction of 100 variables/],
  ['curvature', scg(), { curvature: undefined }, /direction of 100 variables/],
  ['measured', scg(), { measured: 2 }, /direction of 100 variables/],
  ['sinceRestart', scg(), { sinceRestart: -1 }, /direction of 100 variables/],
  ['direction', scg(), { direction: new Float64Array(100).fill(Infinity) }, /direction of 100 variables/],
  ['square', adam(), { square: new Float64Array(100).fill(-1) }, /moments of 100 variables/],
  ['iteration', adam(), { iteration: 0.5 }, /moments of 100 variables/],
];

test.each(damages)('a damaged %s is refused', (_name, solver, damage, message) => {
  const { state } = minimize(rosenbrock.objective, rosenbrock.start, solver, { maxIterations: 5 });
  const memory = Object.fromEntries(
    Object.entries({ ...state.memory, ...damage }).filter(([, entry]) => entry !== undefined),
  ) as SolverState['memory'];
  const resume = () => minimize(rosenbrock.objective, rosenbrock.start, solver, { state: { ...state, memory } });
  expect(resume).toThrow(InvalidInputError);
  expect(resume).toThrow(message);
});

test('a solver that remembers nothing can be resumed', () => {
  const still: Solver = {
    name: 'still',
    bounded: true,
    stochastic: false,
    begin: (iterate, _box, memory = {}) => ({
      iterate,
      memory,
      steps: (function* () {
        yield* [];
        return { status: 'converged' as const, reason: 'it stays' };
      })(),
    }),
  };
  const { state, x } = minimize(rosenbrock.objective, rosenbrock.start, still);
  expect(state.memory).toEqual({});
  const resumed = minimize(rosenbrock.objective, rosenbrock.start, still, { state: throughJson(state) });
  expect([resumed.status, resumed.evaluations, resumed.x]).toEqual(['converged', 1, x]);
});

test('a state is not resumed under bounds that its point violates', () => {
  const { state } = minimize(rosenbrock.objective, rosenbrock.start, lbfgsb(), { maxIterations: 5 });
  const resume = () =>
    minimize(rosenbrock.objective, rosenbrock.start, lbfgsb(), { state, bounds: { lower: 50 }, maxIterations: 9 });
  expect(resume).toThrow(/other bounds: its variable 0 is outside/);
});

test('JSON keeps every bit of a state', () => {
  const { state } = minimize(rosenbrock.objective, rosenbrock.start, lbfgs(), { maxIterations: 12 });
  const odd = { ...state, scale: Float64Array.of(-0, Number.MIN_VALUE, 0.1, Number.NaN, Number.NEGATIVE_INFINITY) };
  expect(throughJson(odd)).toEqual(odd);
  expect(Object.is(throughJson(odd).scale[0], -0)).toBe(true);
});
