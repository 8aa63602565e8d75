import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import {
  adam,
  bayesianGplvm,
  fit,
  fixed,
  gplvm,
  lbfgs,
  loadFit,
  Matrix,
  meu,
  minimize,
  pca,
  real,
  scg,
} from '../../src/index.ts';
import { stopping } from '../../src/inference/minimize/solution.ts';
import { densityModel } from './densityModel.ts';
import { rosenbrock } from './problems.ts';

const Y = Array.from({ length: 15 }, (_, i) => [Math.sin(i), Math.cos(i), Math.sin(2 * i) + i / 20]);

/** The gradient in a message, and its part of the value. */
const GRADIENT = /projected gradient is ([\d.e+-]+), ([\d.e+-]+) of the value's size/;

describe('reasons why a search ended are distinct', () => {
  it.each([
    ['gradient', 'converged', { tolerance: 1e-6, relativeDecrease: 0 }],
    ['relativeDecrease', 'converged', { tolerance: 0, relativeDecrease: 1e-4 }],
    ['maxIterations', 'maxIterations', { maxIterations: 2 }],
    ['maxEvaluations', 'maxIterations', { maxEvaluations: 2 }],
    ['maxSeconds', 'stopped', { maxSeconds: 0 }],
    ['stopped', 'stopped', { signal: AbortSignal.abort('a test') }],
    ['stopped', 'stopped', { onProgress: () => false }],
  ])('minimize ends by %s', (ending, status, options) => {
    expect(minimize(rosenbrock, [-1.2, 1], lbfgs(), options)).toMatchObject({ ending, status });
  });

  it('minimize ends by rounding where the decrease that is left cannot be seen', () => {
    const raised = (x: Float64Array) => ({ ...rosenbrock(x), value: rosenbrock(x).value + 1e8 });
    const options = { tolerance: 0, relativeDecrease: 0 };
    const { ending, status, criterion, gradient } = minimize(raised, [-1.2, 1], scg(), options);
    expect([ending, status]).toEqual(['rounding', 'converged']);
    const [, entry, part] = GRADIENT.exec(criterion!)!;
    const largest = Math.max(...gradient.map(Math.abs));
    expect(Number(entry) / largest).toBeCloseTo(1, 2);
    expect(Number(part) / (largest / 1e8)).toBeCloseTo(1, 2);
  });

  it('a fit reports it in its diagnostics, which are saved', async () => {
    const field = await fit(meu(Y, { latentDim: 2, neighbors: 4 }));
    expect(field.diagnostics.ending).toBe('optimality');
    const short = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 2 });
    expect(short.diagnostics.ending).toBe('maxIterations');
    expect(loadFit(JSON.parse(JSON.stringify(short.toJSON()))).diagnostics).toEqual(short.diagnostics);
    const stopped = await fit(gplvm(Y, { latentDim: 2 }), { maxSeconds: 0 });
    expect([stopped.status, stopped.diagnostics.ending]).toEqual(['stopped', 'maxSeconds']);
    const aborted = await fit(gplvm(Y, { latentDim: 2 }), { signal: AbortSignal.abort('a test') });
    expect([aborted.status, aborted.diagnostics.ending]).toEqual(['stopped', 'stopped']);
    expect((await fit(pca(Y, { latentDim: 2 }))).diagnostics.ending).toBeUndefined();
    const batches = await fit(bayesianGplvm(Y, { latentDim: 1, inducing: 4 }), {
      ...{ batchSize: 5, maxEpochs: 1000 },
      solver: adam({ learningRate: (k) => 0.1 / (1 + k / 40) }),
    });
    expect([batches.status, batches.diagnostics.ending]).toEqual(['converged', 'epochs']);
  });

  it('reports how large the gradient is where the value fell too little, relative to the size of the value', () => {
    const options = { tolerance: 0, relativeDecrease: 1e-4 };
    const raised = (x: Float64Array) => ({ ...rosenbrock(x), value: rosenbrock(x).value + 1000 });
    const { criterion, gradient } = minimize(raised, [-1.2, 1], lbfgs(), options);
    const [, entry, part] = GRADIENT.exec(criterion!)!;
    expect(Number(entry)).toBeGreaterThan(0);
    expect(gradient.some((slope) => Math.abs(slope) > 1e-5)).toBe(true);
    expect(Number(part) / (Number(entry) / 1000)).toBeCloseTo(1, 1);
  });

  it('a fit ends at the same iteration if a constant is added to its log density', async () => {
    const raisedBy = (constant: number) =>
      densityModel({ x: real([3, 4]), latents: fixed(Matrix.zeros(1, 1)) }, (v) => {
        const apart = op.sub(op.square(op.slice(v.x!, [0], [1])), op.slice(v.x!, [1], [1]));
        const height = op.add(op.mul(8, op.square(apart)), op.square(op.sub(op.slice(v.x!, [0], [1]), 1)));
        return op.sub<Scalar>(constant, op.reshape(height, []));
      });
    const options = { tolerance: 0, relativeDecrease: 2 ** -20 };
    const plain = await fit(raisedBy(0), options);
    expect(plain.diagnostics.ending).toBe('relativeDecrease');
    const raised = await fit(raisedBy(2 ** 20), options);
    expect(raised.diagnostics.iterations).toBe(plain.diagnostics.iterations);
  });

  it('names the remedy at a limit', async () => {
    const model = gplvm(Y, { latentDim: 2 });
    const first = await fit(model, { maxIterations: 1 });
    expect(first.message).toContain('Raise the limit, or continue with `start`.');
    const second = await fit(model, { start: first, maxIterations: 1 });
    expect(second.trace[0]!.objective).toBe(first.objective);
    expect(second.objective).toBeGreaterThan(first.objective);
  });

  it.each([scg(), lbfgs()])(
    '$name fails where its steps change the value by nothing and the gradient is large',
    (solver) => {
      const stuck = minimize(() => ({ value: 207, gradient: [3, -40] }), [1, 2], solver);
      expect(stuck).toMatchObject({ status: 'failed', ending: 'failed' });
      expect(stuck.message).toMatch(/no step along the gradient improves the value/);
    },
  );
});

describe('a limit of seconds', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('leaves out only work that would end too late', () => {
    const stop = stopping(undefined, 20);
    vi.advanceTimersByTime(15_000);
    stop.reserve(4900);
    expect([stop.signal.aborted, stop.isExpired]).toEqual([false, false]);
    stop.reserve(5100);
    expect([stop.signal.aborted, stop.isExpired]).toEqual([true, true]);
    expect(stop.signal.reason).toBe('the limit of maxSeconds = 20');
    stop.release();
  });

  it('appears as it was set where some of it was spent earlier', () => {
    const stop = stopping(undefined, 20, 7);
    vi.advanceTimersByTime(7001);
    expect([stop.signal.reason, stop.isExpired]).toEqual(['the limit of maxSeconds = 20', true]);
    stop.release();
  });

  it('did not end what was stopped before', () => {
    const stop = stopping(undefined, 20);
    stop.by('somebody');
    stop.reserve(1e6);
    expect([stop.signal.reason, stop.isExpired]).toEqual(['somebody', false]);
    stop.release();
  });

  it('ends a fit before an evaluation that would end too late, by the time of earlier ones', async () => {
    const slow = densityModel(
      { x: real([3, 4]), latents: fixed(Matrix.zeros(1, 1)) },
      (v) => op.neg(op.sum(op.square(op.square(v.x!)))) as Scalar,
      () => vi.advanceTimersByTime(8000),
    );
    const later = fit(slow, { maxSeconds: 30, tolerance: 0, relativeDecrease: 0 });
    let isOver = false;
    later.finally(() => {
      isOver = true;
    });
    while (!isOver) await vi.advanceTimersByTimeAsync(1);
    const { diagnostics, message } = await later;
    expect(diagnostics.ending).toBe('maxSeconds');
    expect(message).toContain('the limit of maxSeconds = 30 (');
    // The last evaluation, without gradients, takes as long as the others here.
    expect(diagnostics.evaluations).toBe(3);
  });
});
