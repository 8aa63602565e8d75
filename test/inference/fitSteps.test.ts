import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { FLOAT64 } from '../../src/engine/tensors/float64/backend.ts';
import { float64Backend } from '../../src/engine/tensors/float64/scope.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import { engine, type Scalar, type Tensor } from '../../src/engine/tensors/tensorflow.ts';
import { type Checkpoint, type FitStep, fit, fitSteps } from '../../src/inference/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import { evaluate, type GivenValues } from '../../src/model/open.ts';
import { real } from '../../src/model/parameter.ts';
import { gplvm } from '../../src/models/index.ts';
import { densityModel } from './densityModel.ts';

const { observations } = pipeFlow({ points: 30, seed: 4 });
const model = () => gplvm(observations, { latentDim: 2 });
const options = { maxIterations: 12, seed: 1 };
const endless = { tolerance: 0, relativeDecrease: 0, maxIterations: 1e6 };
const activeBackend = () => engine().backendName;
const tensors = () => tf.memory().numTensors;

/** Rosenbrock valleys, five of them and steep: far from their maximum for many iterations. */
function valley(onEvaluation: () => void, onDispose = () => {}) {
  return densityModel(
    { latents: real(Matrix.from(Array.from({ length: 5 }, () => [-1.2, 1]))) },
    ({ latents }) => {
      const x = op.slice(latents!, [0, 0], [5, 1]);
      const y = op.slice(latents!, [0, 1], [5, 1]);
      const bend = op.sum(op.square(op.sub(y, op.square(x))));
      return op.neg(op.add(op.mul(1e4, bend), op.sum(op.square(op.sub(1, x))))) as Scalar;
    },
    onEvaluation,
    onDispose,
  );
}

describe('fitSteps', () => {
  it('passes through the trace of the fit and returns the fit', async () => {
    const whole = await fit(model(), options);
    const steps: FitStep[] = [];
    const run = fitSteps(model(), options);
    let result: Fit | undefined;
    while (result === undefined) {
      const next = await run.next();
      if (next.done) result = next.value;
      else steps.push(next.value);
    }
    expect(steps.map(({ iteration, objective }) => [iteration, objective])).toEqual(
      whole.trace.map(({ iteration, objective }) => [iteration, objective]),
    );
    expect(result.latents).toEqual(whole.latents);
    expect(result.trace).toEqual(whole.trace);
    expect(steps.every(({ start }) => start === 0)).toBe(true);
  });

  it('returns the latents and the fit of a step on request at any time', async () => {
    const steps: FitStep[] = [];
    for await (const step of fitSteps(model(), options)) steps.push(step);
    const before = tensors();
    for (const step of [steps[0]!, steps[4]!, steps.at(-1)!]) {
      const result = step.result();
      expect(result.latents).toEqual(step.latents);
      expect(result.objective).toBe(step.objective);
      expect(result.trace).toHaveLength(step.iteration + 1);
      const values = { latents: step.latents, ...result.parameters } as GivenValues;
      expect(evaluate(model(), values).objective).toBeCloseTo(step.objective, 9);
      expect(result.predict!([[0, 0]]).mean.columns).toBe(12);
    }
    expect(steps[4]!.latents).not.toEqual(steps[5]!.latents);
    expect(tensors()).toBe(before);
  });

  it('gives back what it took when the loop is left, by break or by an error', async () => {
    let disposed = 0;
    const leave = async (how: () => boolean) => {
      for await (const _step of fitSteps(
        valley(
          () => {},
          () => disposed++,
        ),
        { restarts: 2 },
      ))
        if (how()) break;
    };
    await leave(() => true);
    expect(disposed).toBe(1);
    const thrown = leave(() => {
      throw new RangeError('mine');
    });
    await expect(thrown).rejects.toThrow(RangeError);
    expect(disposed).toBe(2);

    const before = tensors();
    const bytes = float64Backend().memory().numBytesFloat64;
    for await (const step of fitSteps(model(), options)) if (step.iteration === 3) break;
    expect(tensors()).toBe(before);
    expect(float64Backend().memory().numBytesFloat64).toBe(bytes);
  });

  it("runs nothing of the caller's on its own backend", async () => {
    const seen: (string | undefined)[] = [];
    const note = () => seen.push(activeBackend());
    for await (const _step of fitSteps(model(), { maxIterations: 3, onProgress: note, checkpoint: note })) note();
    expect(seen.length).toBeGreaterThan(8);
    expect(seen).not.toContain(FLOAT64);
  });

  it('refuses bad options at once', () => {
    expect(() => fitSteps(model(), { restart: 2 } as object)).toThrow(
      "fit has no option 'restart'. Did you mean 'restarts'?",
    );
    expect(() => fitSteps(model(), { restarts: 1.5 })).toThrow(/'restarts' of fit must be a whole number/);
    expect(() => fitSteps(model(), { checkpoint: 7 as never })).toThrow(/must be the path of a file or a function/);
    expect(() => fitSteps({} as never)).toThrow(/fit takes a model/);
  });
});

describe('limits of a fit', () => {
  it('on evaluations apply from each start, evaluations before a checkpoint included', async () => {
    const states: Checkpoint[] = [];
    const checkpoint = (state: Checkpoint) => {
      states.push(state);
    };
    let evaluations = 0;
    const counted = () => valley(() => evaluations++);
    const first = await fit(counted(), { ...endless, restarts: 1, maxEvaluations: 9, checkpoint });
    expect(first.status).toBe('maxIterations');
    expect(first.message).toMatch(/^Reached the limit of maxEvaluations = 9 before converging/);
    expect(first.diagnostics.evaluations).toBe(18);
    evaluations = 0;
    const resumed = await fit(counted(), { ...endless, maxEvaluations: 15, resume: states.at(-1)! });
    const whole = await fit(counted(), { ...endless, restarts: 1, maxEvaluations: 15 });
    expect(resumed.diagnostics.evaluations).toBe(30);
    expect(resumed.objective).toBe(whole.objective);
    expect(resumed.trace).toEqual(whole.trace);
  });

  it('on seconds end it at its best point, and report it', async () => {
    const endlessly = (maxSeconds: number) =>
      fit(
        valley(() => {}),
        { ...endless, restarts: 3, maxSeconds },
      );
    const atOnce = await endlessly(0);
    expect([atOnce.status, atOnce.diagnostics.evaluations]).toEqual(['stopped', 1]);
    expect(atOnce.message).toMatch(
      /^Stopped by the limit of maxSeconds = 0 after 0 of 4 starts\. The best so far is start 0: Stopped by the limit of maxSeconds = 0 \(/,
    );
    // The clock goes on by 3 s at each evaluation, and the thread is left as often.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    try {
      const model = valley(() => vi.advanceTimersByTime(3000));
      const later = fit(model, { ...endless, restarts: 3, maxSeconds: 40 });
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      later.then(over, over);
      while (!isOver) await vi.advanceTimersByTimeAsync(1);
      const { status, message, diagnostics, objective, trace } = await later;
      expect(status).toBe('stopped');
      expect(message).toContain('Stopped by the limit of maxSeconds = 40 ');
      // A further evaluation and the density at the end would take 4.5 s.
      expect(diagnostics.evaluations).toBe(12);
      expect(diagnostics.seconds).toBeGreaterThan(35.5);
      expect(diagnostics.seconds).toBeLessThanOrEqual(40);
      expect(objective).toBeGreaterThanOrEqual(trace.at(-1)!.objective);
    } finally {
      vi.useRealTimers();
    }
    const limited = await fit(model(), { ...options, maxSeconds: 1e9 });
    expect(limited.latents).toEqual((await fit(model(), options)).latents);
  });

  it('on seconds do not count the pauses of who takes the steps', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    try {
      const taken = async (pause: number) => {
        const steps = fitSteps(
          valley(() => vi.advanceTimersByTime(3000)),
          { ...endless, maxSeconds: 20 },
        );
        for (;;) {
          let next: Awaited<ReturnType<typeof steps.next>> | undefined;
          const settled = steps.next().then((found) => {
            next = found;
          });
          while (next === undefined) await vi.advanceTimersByTimeAsync(1);
          await settled;
          if (next.done) return next.value;
          vi.advanceTimersByTime(pause);
        }
      };
      const [paused, unpaused] = [await taken(1e6), await taken(0)];
      expect(paused.message).toMatch(/^Stopped by the limit of maxSeconds = 20 /);
      expect(paused.diagnostics.evaluations).toBe(unpaused.diagnostics.evaluations);
      expect(paused.trace).toEqual(unpaused.trace);
      expect(paused.diagnostics.seconds).toBeLessThan(24);
      // A further evaluation and the density at the end would take 4.5 s, and end behind the limit.
      expect(paused.diagnostics.seconds).toBe(18);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are numbers', () => {
    expect(() => fitSteps(model(), { maxEvaluations: 0 })).toThrow(
      /'maxEvaluations' of fit must be a whole number from 1/,
    );
    expect(() => fitSteps(model(), { maxSeconds: -1 })).toThrow(/'maxSeconds' of fit must be a number from 0/);
  });
});

describe('an abort', () => {
  it('from the loop comes before any further evaluation by the solver', async () => {
    let evaluations = 0;
    const controller = new AbortController();
    const run = fitSteps(
      valley(() => evaluations++),
      { ...endless, signal: controller.signal },
    );
    let atAbort: { evaluations: number; counted: number } | undefined;
    for (;;) {
      const next = await run.next();
      if (next.done) {
        expect(next.value.status).toBe('stopped');
        expect(next.value.message).toMatch(/^Stopped by the abort signal \(7 iterations, \d+ evaluations\)\.$/);
        expect(next.value.diagnostics.evaluations).toBe(atAbort!.evaluations);
        // One more gives the terms of the result.
        expect(evaluations).toBe(atAbort!.counted + 1);
        break;
      }
      expect(atAbort).toBeUndefined();
      if (next.value.iteration === 7) {
        atAbort = { evaluations: next.value.evaluations, counted: evaluations };
        controller.abort();
      }
    }
  });

  it('from a timer gets its turn, and comes before any further evaluation', async () => {
    let evaluations = 0;
    let atAbort = 0;
    const controller = new AbortController();
    setTimeout(() => {
      atAbort = evaluations;
      controller.abort();
    });
    const result = await fit(
      valley(() => {
        evaluations++;
        // However fast the machine, the search takes longer than a turn of its own.
        const end = performance.now() + 1;
        while (performance.now() < end);
      }),
      { ...endless, signal: controller.signal },
    );
    expect(result.status).toBe('stopped');
    expect(atAbort).toBeGreaterThan(0);
    expect(evaluations).toBe(atAbort + 1);
    expect(result.diagnostics.evaluations).toBe(atAbort);
  });

  it('is followed by the terms of the result alone, without gradients', async () => {
    let forward = 0;
    let backward = 0;
    const negativeSquare = (x: Tensor, save: (tensors: Tensor[]) => void) => {
      forward++;
      save([x]);
      const gradFunc = (dy: Tensor, [at]: Tensor[]) => {
        backward++;
        return op.mul(dy, op.mul(-2, at!));
      };
      return { value: op.neg(op.sum(op.square(x))) as Tensor, gradFunc };
    };
    const counting = tf.customGrad(negativeSquare as Parameters<typeof tf.customGrad>[0]);
    const parabola = densityModel(
      { latents: real(Matrix.from([[3, 4]])), weights: real([1, 2]) },
      ({ latents, weights }) => op.add(counting(latents!), counting(weights!)) as Scalar,
    );
    const result = await fit(parabola, { ...endless, onProgress: ({ iteration }) => iteration < 1 });
    expect(result.status).toBe('stopped');
    expect(backward).toBe(2 * result.diagnostics.evaluations);
    expect(forward).toBe(backward + 2);
    const values = { latents: result.latents, ...result.parameters } as GivenValues;
    expect(result.terms).toEqual(evaluate(parabola, values).terms);
  });

  it('by onProgress is reported', async () => {
    const result = await fit(
      valley(() => {}),
      { ...endless, onProgress: ({ iteration }) => iteration < 4 },
    );
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(/^Stopped by onProgress, which returned false \(4 iterations, /);
    expect(result.objective).toBe(result.trace.at(-1)!.objective);
  });
});
