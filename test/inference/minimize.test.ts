import { describe, expect, test } from 'vitest';
import { InvalidInputError, NumericalError, OptimizationError } from '../../src/core/errors.ts';
import { adam, lbfgs, lbfgsb, type Solver, scg } from '../../src/inference/index.ts';
import { minimize, solve } from '../../src/inference/minimize/minimize.ts';
import type { Progress } from '../../src/inference/minimize/solution.ts';
import type { SolveOptions } from '../../src/inference/minimize/solveOptions.ts';
import { expectClose } from '../tolerance.ts';
import { rosenbrock } from './problems.ts';

const START = [-1.2, 1];
const solvers = [lbfgs, lbfgsb, scg, adam].map((factory) => ({ name: factory.name, solver: factory() }));

describe.each(solvers)('$name', ({ solver }) => {
  const run = (options: SolveOptions, objective = rosenbrock) => minimize(objective, START, solver, options);

  test('stops at maxIterations and reports it', () => {
    const solution = run({ maxIterations: 3 });
    expect(solution.status).toBe('maxIterations');
    expect(solution.iterations).toBe(3);
    expect(solution.message).toMatch(
      /^Reached the limit of maxIterations = 3 before converging \(3 iterations, \d+ evaluations\)\. Raise the limit, or continue/,
    );
  });

  test('maxIterations: 0 returns the start, evaluated once', () => {
    const { x, value, gradient, evaluations, status } = run({ maxIterations: 0 });
    const at = rosenbrock(Float64Array.from(START));
    expect([[...x], value, [...gradient], evaluations, status]).toEqual([
      START,
      at.value,
      [...at.gradient],
      1,
      'maxIterations',
    ]);
  });

  test('never evaluates more than maxEvaluations times', () => {
    for (const maxEvaluations of [1, 2, 7]) {
      let calls = 0;
      const counting = (x: Float64Array) => {
        calls++;
        return rosenbrock(x);
      };
      const { status, evaluations, message } = run({ maxEvaluations }, counting);
      expect([status, evaluations, calls]).toEqual(['maxIterations', maxEvaluations, maxEvaluations]);
      expect(message).toContain(`maxEvaluations = ${maxEvaluations} before converging`);
    }
  });

  test('converges by the gradient, evaluated at the returned point', () => {
    const { status, gradient, message, criterion, x } = run({
      tolerance: 1e-4,
      relativeDecrease: 0,
      maxIterations: 20000,
    });
    expect(status).toBe('converged');
    expect(Math.max(...gradient.map(Math.abs))).toBeLessThanOrEqual(1e-4);
    expect([...gradient]).toEqual([...rosenbrock(x).gradient]);
    expect(message).toMatch(/^Converged \(\d+ iterations, \d+ evaluations\)\.$/);
    expect(criterion).toMatch(
      /^the largest entry of the projected gradient, [\d.e-]+, is within the tolerance 0.0001$/,
    );
  });

  test('returns the best point when the callback or the signal stops it', () => {
    const values: number[] = [];
    const watched = (x: Float64Array) => {
      const result = rosenbrock(x);
      values.push(result.value);
      return result;
    };
    const byCallback = run({ onProgress: ({ iterations }) => iterations < 5 }, watched);
    expect([byCallback.status, byCallback.iterations]).toEqual(['stopped', 5]);
    expect(byCallback.message).toMatch(/^Stopped by onProgress, which returned false/);
    expect(byCallback.value).toBe(Math.min(...values));

    values.length = 0;
    const controller = new AbortController();
    const bySignal = run({ signal: controller.signal }, (x) => {
      if (values.length === 10) controller.abort();
      return watched(x);
    });
    expect([bySignal.status, bySignal.evaluations, values.length]).toEqual(['stopped', 11, 11]);
    expect(bySignal.message).toMatch(/^Stopped by the abort signal/);
    expect(bySignal.value).toBe(Math.min(...values));
    expectClose(bySignal.value, rosenbrock(bySignal.x).value, 0, 'value at x');
  });

  test('stops after maxSeconds', () => {
    const { status, evaluations, message } = run({ maxSeconds: 0 });
    expect([status, evaluations]).toEqual(['stopped', 1]);
    expect(message).toContain('limit of maxSeconds = 0');
  });

  test('reports the start and every iteration', () => {
    const trace: Progress[] = [];
    const { iterations, evaluations, value } = run({
      maxIterations: 12,
      onProgress: ({ iterations: done, evaluations: calls, value: least, gradientNorm, x, state }) => {
        trace.push({ iterations: done, evaluations: calls, value: least, gradientNorm, x, state });
      },
    });
    expect(trace.map((at) => at.iterations)).toEqual(Array.from({ length: 13 }, (_, i) => i));
    expect(trace[0]!.value).toBe(rosenbrock(Float64Array.from(START)).value);
    expect([trace.at(-1)!.iterations, trace.at(-1)!.evaluations, trace.at(-1)!.value]).toEqual([
      iterations,
      evaluations,
      value,
    ]);
    trace.forEach(({ x, value: least, gradientNorm }, i) => {
      expect(rosenbrock(x).value).toBe(least);
      expect(gradientNorm).toBe(Math.max(...rosenbrock(x).gradient.map(Math.abs)));
      expect(least).toBeLessThanOrEqual(trace[Math.max(0, i - 1)]!.value);
    });
  });

  test('gives the same bits twice', () => {
    expect(run({ maxIterations: 40 })).toEqual(run({ maxIterations: 40 }));
  });

  test('backs away from where the objective is not finite, and ends at the minimum', () => {
    // x − log(1 − x²)-like barrier; the minimum of −2x − log(1 − x) − log(1 + x) is at (√5 − 1)/2.
    const barrier = (outside: () => { value: number; gradient: number[] }) => (x: Float64Array) => {
      const at = x[0]!;
      if (Math.abs(at) >= 1) return outside();
      return { value: -2 * at - Math.log(1 - at * at), gradient: [-2 + (2 * at) / (1 - at * at)] };
    };
    const answers: (() => { value: number; gradient: number[] })[] = [
      () => ({ value: Number.NaN, gradient: [0] }),
      () => ({ value: Number.POSITIVE_INFINITY, gradient: [0] }),
      () => ({ value: -1e9, gradient: [Number.NaN] }),
      () => ({ value: Number.NEGATIVE_INFINITY, gradient: [1] }),
      () => {
        throw new NumericalError('The covariance is not positive definite.');
      },
    ];
    for (const outside of answers) {
      const { status, x, value } = minimize(barrier(outside), [-0.9], solver, { maxIterations: 5000, tolerance: 1e-6 });
      const minimizer = (Math.sqrt(5) - 1) / 2;
      expect(status).toBe('converged');
      expectClose(x[0], minimizer, 1e-6, 'minimizer');
      expectClose(value, -2 * minimizer - Math.log(1 - minimizer * minimizer), 1e-10, 'minimum');
    }
  });

  test('ends in failure when nothing around the start is finite', () => {
    let calls = 0;
    const alone = () => ({ value: calls++ === 0 ? 1 : Number.NaN, gradient: [1, 1] });
    const { status, message, value, x } = run({}, alone as unknown as typeof rosenbrock);
    expect([status, value, [...x]]).toEqual(['failed', 1, START]);
    expect(message).toMatch(/^Failed: /);
  });

  test('passes other errors of the objective on', () => {
    const broken = (x: Float64Array) => {
      if (x[0] !== START[0]) throw new RangeError('mine');
      return rosenbrock(x);
    };
    expect(() => run({}, broken)).toThrow(RangeError);
  });

  test('is not disturbed by an objective that writes to x or reuses its gradient', () => {
    const shared = new Float64Array(2);
    const rude = (x: Float64Array) => {
      const result = rosenbrock(x);
      shared.set(result.gradient);
      x.fill(Number.NaN);
      return { value: result.value, gradient: shared };
    };
    const { x, value } = run({ maxIterations: 40 });
    const again = run({ maxIterations: 40 }, rude);
    expect([[...again.x], again.value]).toEqual([[...x], value]);
  });

  test('follows a scale: x and gradient are the caller’s, the tolerance is on the scaled gradient', () => {
    const { x, gradient, status } = run({
      scale: [2, 0.5],
      tolerance: 1e-5,
      relativeDecrease: 0,
      maxIterations: 20000,
    });
    expect(status).toBe('converged');
    expectClose(x, [1, 1], 1e-4, 'minimizer');
    expectClose(gradient, rosenbrock(x).gradient, 1e-12, 'gradient');
    expect(Math.max(Math.abs(gradient[0]! * 2), Math.abs(gradient[1]! * 0.5))).toBeLessThanOrEqual(1e-5);
  });
});

test('solve pauses after every evaluation and honors the signal before the next one', () => {
  const controller = new AbortController();
  let calls = 0;
  const run = solve(
    (x) => {
      calls++;
      return rosenbrock(x);
    },
    START,
    lbfgs(),
    { signal: controller.signal },
  );
  expect(calls).toBe(0);
  for (let evaluations = 1; evaluations <= 8; evaluations++) {
    const step = run.next();
    expect(step.done).toBe(false);
    expect([calls, (step.value as Progress).evaluations]).toEqual([evaluations, evaluations]);
  }
  controller.abort();
  const end = run.next();
  expect([end.done, calls]).toEqual([true, 8]);
  expect(end.value).toMatchObject({ status: 'stopped', evaluations: 8 });
});

test('two small decreases in a row end a run, one does not', () => {
  const values = [5, 5 - 1e-9, 3, 3 - 1e-9, 3 - 2e-9, 1];
  // Goes through these values of f(x) = x, whatever comes.
  const scripted: Solver = {
    name: 'scripted',
    bounded: false,
    stochastic: false,
    begin: (iterate, _box, memory = {}) => ({
      iterate,
      memory,
      steps: (function* () {
        for (const x of values) {
          const evaluation = yield { kind: 'evaluate', point: Float64Array.of(x) };
          iterate.x.set([x]);
          iterate.value = evaluation.value;
          iterate.gradient.set(evaluation.gradient);
          yield { kind: 'iteration', comparable: true };
        }
        return { status: 'failed', reason: 'the script is over' };
      })(),
    }),
  };
  const identity = (x: Float64Array) => ({ value: x[0]!, gradient: [1] });
  const run = (relativeDecrease: number) => minimize(identity, [10], scripted, { tolerance: 0, relativeDecrease });
  const ended = run(1e-8);
  expect([ended.status, ended.iterations, ended.value]).toEqual(['converged', 5, 3 - 2e-9]);
  expect(run(1e-10)).toMatchObject({ status: 'failed', iterations: 6, value: 1 });
});

test('the end by small decreases is reported with their limit', () => {
  const { status, criterion } = minimize(rosenbrock, START, lbfgs(), { tolerance: 0, relativeDecrease: 1e-4 });
  expect(status).toBe('converged');
  expect(criterion).toMatch(/^each of the last two iterations improved the value by at most relativeDecrease = 0.0001/);
});

test('a wrong gradient ends in failure with advice, not in convergence', () => {
  const uphill = (x: Float64Array) => ({ value: x[0]! ** 2, gradient: [-2 * x[0]!] });
  for (const solver of [lbfgs(), lbfgsb(), scg()]) {
    const { status, message } = minimize(uphill, [3], solver);
    expect(status).toBe('failed');
    expect(message).toMatch(/no step along the gradient improves the value.* check the gradient/);
  }
});

test('bounds: a start outside is moved inside, equal bounds fix a variable, a number serves all', () => {
  const seen: number[][] = [];
  const { x, status } = minimize(
    (at) => {
      seen.push([...at]);
      return rosenbrock(at);
    },
    [5, -7, 0.3],
    lbfgsb(),
    { bounds: { lower: [-2, 0, 0.3], upper: [2, 2, 0.3] }, tolerance: 1e-8, relativeDecrease: 0 },
  );
  expect(seen[0]).toEqual([2, 0, 0.3]);
  expect(seen.every((at) => at[2] === 0.3)).toBe(true);
  expect(status).toBe('converged');
  expect(x[2]).toBe(0.3);
  const clipped = minimize(rosenbrock, [0, 0], lbfgsb(), { bounds: { upper: 0.5 } });
  expectClose(clipped.x, [0.5, 0.25], 1e-6, 'solution under one upper bound');
  const scaled = minimize(rosenbrock, [0, 0], lbfgsb(), { bounds: { upper: 0.1 }, scale: [0.3, 7] });
  expect(scaled.x[0]! <= 0.1 && scaled.x[1]! <= 0.1).toBe(true);
  expect(() => minimize(rosenbrock, [0, 0], lbfgs(), { bounds: { lower: Number.NEGATIVE_INFINITY } })).not.toThrow();
});

test('a stochastic solver returns the last point, not the luckiest', () => {
  let calls = 0;
  // The offset of a minibatch: the first call looks best.
  const noisy = (x: Float64Array) => ({ value: x[0]! ** 2 + 100 * Math.min(calls++, 1), gradient: [2 * x[0]!] });
  const { x, iterations } = minimize(noisy, [1], adam({ stochastic: true, learningRate: 0.01 }), { maxIterations: 50 });
  expect(iterations).toBe(50);
  expect(x[0]).toBeLessThan(0.6);
});

test('what converged by its gradient meets the tolerance, though a lower point was stepped over', () => {
  // A cleft at 0.7, narrower than the steps of Adam, below the parabola whose minimum is at 0.
  const cleft = (x: Float64Array) => {
    const [at] = x as unknown as [number];
    const depth = 2 * Math.exp(-(((at - 0.7) / 0.01) ** 2));
    return { value: at ** 2 - depth, gradient: [2 * at + (2 * (at - 0.7) * depth) / 0.01 ** 2] };
  };
  let lowest = Number.POSITIVE_INFINITY;
  const watched = (x: Float64Array) => {
    const result = cleft(x);
    lowest = Math.min(lowest, result.value);
    return result;
  };
  const options = { tolerance: 1e-3, maxIterations: 20000 };
  const { status, criterion, x, gradient, state } = minimize(watched, [1], adam({ learningRate: 0.1 }), options);
  expect(lowest).toBeLessThan(-1);
  expect(status).toBe('converged');
  expect(criterion).toContain('is within the tolerance 0.001');
  expect(Math.abs(gradient[0]!)).toBeLessThanOrEqual(1e-3);
  expect(Math.abs(x[0]!)).toBeLessThanOrEqual(5e-4);
  const resumed = minimize(watched, [1], adam({ learningRate: 0.1 }), { ...options, state });
  expect([resumed.status, resumed.x[0]]).toEqual(['converged', x[0]]);
});

test('adam takes the first steps of the paper', () => {
  // With one variable and gradient g: m̂ = g and √v̂ = |g| at first, so the step is η·sign(g) up to ε.
  const path: number[] = [];
  const parabola = (x: Float64Array) => {
    path.push(x[0]!);
    return { value: x[0]! ** 2, gradient: [2 * x[0]!] };
  };
  minimize(parabola, [1], adam({ learningRate: 0.1 }), { maxIterations: 2 });
  const first = 1 - (0.1 * 2) / (2 + 1e-8);
  const mean = (0.9 * 0.1 * 2 + 0.1 * 2 * first) / (1 - 0.81);
  const square = (0.999 * 0.001 * 4 + 0.001 * 4 * first * first) / (1 - 0.999 ** 2);
  expectClose(path, [1, first, first - (0.1 * mean) / (Math.sqrt(square) + 1e-8)], 1e-14, 'iterates');
});

describe('unusable input', () => {
  const call =
    (start: unknown, solver: unknown, options: unknown = {}, objective: unknown = rosenbrock) =>
    () =>
      minimize(objective as typeof rosenbrock, start as number[], solver as Solver, options as SolveOptions);
  test.each([
    ['a start that is no array', call(3, lbfgs()), /start must be an array of numbers, but 3/],
    ['an empty start', call([], lbfgs()), /start is empty/],
    ['a string in the start', call([1, '2'], lbfgs()), /entry 1 is the string '2'/],
    ['NaN in the start', call([1, Number.NaN], lbfgs()), /entry 1 of 2 is NaN/],
    ['not a solver', call(START, undefined), /solver must be one of lbfgs\(\)/],
    ['a solver that was not called', call(START, lbfgs), /was it called/],
    ['an unknown option', call(START, lbfgs(), { maxIteration: 3 }), /Did you mean 'maxIterations'/],
    ['a negative limit', call(START, lbfgs(), { maxIterations: -1 }), /maxIterations.* at least 0.*-1/],
    ['a fractional limit', call(START, lbfgs(), { maxEvaluations: 2.5 }), /maxEvaluations.* whole number.*2.5/],
    ['a negative tolerance', call(START, lbfgs(), { tolerance: -1 }), /tolerance/],
    ['a NaN relativeDecrease', call(START, lbfgs(), { relativeDecrease: Number.NaN }), /relativeDecrease/],
    ['a signal that is none', call(START, lbfgs(), { signal: {} }), /AbortSignal/],
    ['a callback that is none', call(START, lbfgs(), { onProgress: 3 }), /onProgress/],
    ['a callback of promises', call(START, lbfgs(), { onProgress: async () => false }), /must return at once/],
    ['a callback that rejects', call(START, lbfgs(), { onProgress: () => Promise.reject(3) }), /must return at once/],
    ['bounds for lbfgs', call(START, lbfgs(), { bounds: { lower: 0 } }), /lbfgs cannot keep to bounds.*Use lbfgsb\(\)/],
    ['bounds for scg', call(START, scg(), { bounds: { upper: [1, 2] } }), /scg cannot keep to bounds.*Use lbfgsb\(\)/],
    [
      'bounds for adam',
      call(START, adam(), { bounds: { lower: [0, -1] } }),
      /adam cannot keep to bounds.*Use lbfgsb\(\)/,
    ],
    [
      'bounds of the wrong length',
      call(START, lbfgsb(), { bounds: { lower: [0] } }),
      /lower bounds must be one number or 2.*1 number was given/,
    ],
    ['a bound by a wrong name', call(START, lbfgsb(), { bounds: { min: [0] } }), /has no option 'min'/],
    [
      'bounds the wrong way round',
      call(START, lbfgsb(), { bounds: { lower: 2, upper: [3, 1] } }),
      /variable 1 they are 2 and 1/,
    ],
    ['a NaN bound', call(START, lbfgsb(), { bounds: { lower: Number.NaN } }), /variable 0 they are NaN/],
    ['a scale of zero', call(START, lbfgs(), { scale: [1, 0] }), /positive and finite, but entry 1 is 0/],
    ['a scale of the wrong length', call(START, lbfgs(), { scale: [1] }), /scale must be one number or 2/],
    [
      'an objective without a gradient',
      call(START, lbfgs(), {}, () => ({ value: 1 })),
      /must return \{ value, gradient \}/,
    ],
    [
      'an objective that returns nothing',
      call(START, lbfgs(), {}, () => undefined),
      /must return \{ value, gradient \}/,
    ],
    [
      'a gradient of the wrong length',
      call(START, lbfgs(), {}, () => ({ value: 1, gradient: [1] })),
      /2 variables, but it has 1/,
    ],
    ['an unknown option of lbfgs', () => lbfgs({ hystory: 3 } as object), /Did you mean 'history'/],
    ['a history of 0', () => lbfgs({ history: 0 }), /history.* at least 1.*0/],
    ['a fractional history', () => lbfgsb({ history: 2.5 }), /history.*2.5/],
    ['a difference of 0', () => scg({ difference: 0 }), /difference.*above 0/],
    ['a beta of 1', () => adam({ beta1: 1 }), /beta1.*\[0, 1\)/],
    ['a learning rate below 0', () => adam({ learningRate: -1 }), /learningRate.*above 0/],
    ['a schedule that ends at 0', call(START, adam({ learningRate: (k) => 2 - k })), /at 2 it is 0/],
  ])('%s', (_name, attempt, message) => {
    expect(attempt).toThrow(InvalidInputError);
    expect(attempt).toThrow(message);
  });

  test.each([
    ['NaN', () => ({ value: Number.NaN, gradient: [1, 1] }), /its value is NaN/],
    [
      'an infinite gradient',
      () => ({ value: 1, gradient: [1, Number.POSITIVE_INFINITY] }),
      /entry 1 of its gradient is Infinity/,
    ],
    [
      'a NumericalError',
      () => {
        throw new NumericalError('K is not positive definite.');
      },
      /threw a NumericalError: K is not positive definite/,
    ],
  ])('%s at the start is an OptimizationError', (_name, objective, message) => {
    expect(call(START, lbfgs(), {}, objective)).toThrow(OptimizationError);
    expect(call(START, lbfgs(), {}, objective)).toThrow(message);
  });

  test('input errors of solve are thrown by the call itself', () => {
    expect(() => solve(rosenbrock, [], lbfgs())).toThrow(InvalidInputError);
  });
});

test('solvers are frozen descriptions', () => {
  for (const { solver } of solvers) expect(Object.isFrozen(solver)).toBe(true);
});
