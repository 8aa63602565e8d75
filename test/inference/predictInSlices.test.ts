import { fit, gplvm, InvalidInputError, Matrix, mpme } from 'latentfield';
import { pipeFlow, swissRoll } from 'latentfield/data';
import { predictInSlices } from 'latentfield/inference';
import { precisionGrid, precisionGridInSlices } from 'latentfield/plot';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const X = Matrix.from(Array.from({ length: 500 }, (_, i) => [Math.sin(i), Math.cos(i / 3)]));

/** Predictions that take some milliseconds a row by a clock of their own, and the longest time for which the thread was held. */
function slowly(millisecondsPerRow: number) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] });
  let calls = 0;
  const predict = (at: Matrix) => {
    calls++;
    vi.advanceTimersByTime(at.rows * millisecondsPerRow);
    return {
      columns: ['a'],
      variance: new Matrix(
        at.column(0).map((entry) => entry ** 2),
        at.rows,
        1,
      ),
    };
  };
  return {
    predict,
    calls: () => calls,
    /** Waits for something, one turn of the event loop after another; how long each held the thread. */
    async held<T>(work: Promise<T>) {
      const turns: number[] = [];
      let began = performance.now();
      let outcome: { readonly value?: T; readonly error?: unknown } | undefined;
      work.then(
        (value) => {
          outcome = { value };
        },
        (error: unknown) => {
          outcome = { error };
        },
      );
      while (outcome === undefined) {
        for (let i = 0; i < 10; i++) await Promise.resolve();
        turns.push(performance.now() - began);
        began = performance.now();
        vi.advanceTimersToNextTimer();
      }
      return { turns, ...outcome };
    },
  };
}

describe('predictInSlices', () => {
  it('yields before 50 ms have passed, for any cost per row', async () => {
    for (const cost of [0.01, 0.3, 2]) {
      const { predict, held } = slowly(cost);
      const { turns, value } = await held(predictInSlices(predict, X));
      expect(value).toEqual({ columns: ['a'], variance: predict(X).variance });
      expect(Math.max(...turns)).toBeLessThan(50);
      expect(turns.length).toBeGreaterThanOrEqual((500 * cost) / 50);
      vi.useRealTimers();
    }
  });

  it('ends when its signal is aborted, with the reason of the signal', async () => {
    const { predict, held, calls } = slowly(4);
    const controller = new AbortController();
    const reason = new Error('another page was opened');
    const work = predictInSlices(predict, X, { signal: controller.signal });
    const begun = calls();
    controller.abort(reason);
    expect((await held(work)).error).toBe(reason);
    expect(begun).toBeGreaterThan(0);
    expect(calls()).toBe(begun);
  });

  it('gives the bits of predict', async () => {
    const flow = await fit(gplvm(pipeFlow({ points: 60, seed: 1 }).observations, { latentDim: 2 }), {
      maxIterations: 5,
    });
    const places = Matrix.from(
      flow.latents.toArrays().flatMap(([a, b]) => [0, 0.1, 0.2].map((step) => [a! + step, b!])),
    );
    expect(await predictInSlices((at) => flow.predict(at), places)).toEqual(flow.predict(places));
    const predict = (at: Matrix) => flow.predict(at, { noise: true });
    const grid = precisionGrid(predict, flow.latents, { resolution: 12 });
    expect(await precisionGridInSlices(predict, flow.latents, { resolution: 12 })).toEqual(grid);
  });

  it('explains invalid input like predict and precisionGrid', async () => {
    const flow = await fit(gplvm(pipeFlow({ points: 20, seed: 1 }).observations, { latentDim: 2 }), {
      maxIterations: 1,
    });
    await expect(predictInSlices((at) => flow.predict(at), [[1, 2, 3]])).rejects.toThrow(InvalidInputError);
    await expect(predictInSlices('predict' as never, [[1, 2]])).rejects.toThrow(
      /predictInSlices takes a prediction, such as \(X\) => result\.predict\(X\), but the string 'predict' was given/,
    );
    const empty = Matrix.zeros(0, 2);
    expect(await predictInSlices((at) => flow.predict(at), empty)).toEqual(flow.predict(empty));
    await expect(precisionGridInSlices((at) => flow.predict(at), flow.latents, { resolution: 1 })).rejects.toThrow(
      /whole resolution from 2 to 1000, but 1 was given/,
    );
    const controller = new AbortController();
    controller.abort();
    const { signal } = controller;
    await expect(precisionGridInSlices((at) => flow.predict(at), flow.latents, { signal })).rejects.toBe(signal.reason);
  });
});

describe('what goes through structuredClone', () => {
  it('matrices, as plain matrices that everything takes', async () => {
    const { observations } = swissRoll({ points: 40, seed: 2 });
    const clone = structuredClone(observations);
    expect(clone).toEqual({ data: observations.data, rows: 40, columns: 3 });
    expect(Matrix.from(clone)).toEqual(observations);
    expect(Matrix.from(clone).data).not.toBe(clone.data);
    const options = { maxIterations: 3, seed: 1 };
    const make = (Y: typeof observations) => mpme(Y, { latentDim: 2, neighbors: 6 });
    expect((await fit(make(clone), options)).latents).toEqual((await fit(make(observations), options)).latents);
    expect(() => Matrix.from({ data: observations.data, rows: 40, columns: 4 })).toThrow(
      /A 40×4 matrix takes 160 numbers/,
    );
    expect(() => Matrix.from({ data: new Float64Array(1), rows: -1, columns: -1 })).toThrow(/must be an array of rows/);
  });

  it('fits as JSON, which loadFit restores with the same bits', async () => {
    const { loadFit } = await import('latentfield');
    const flow = await fit(gplvm(pipeFlow({ points: 30, seed: 1 }).observations, { latentDim: 2 }), {
      maxIterations: 5,
    });
    expect(() => structuredClone(flow)).toThrow(/could not be cloned/);
    const again = loadFit(structuredClone(flow.toJSON()));
    expect(again.predict(flow.latents)).toEqual(flow.predict(flow.latents));
    expect(again.latents).toEqual(flow.latents);
    const { data, rows, columns } = flow.latents;
    expect(structuredClone({ ...again.predict(again.latents) }).mean).toEqual(
      structuredClone(flow.predict({ data, rows, columns }).mean),
    );
  });

  it('steps, without result()', async () => {
    const { fitSteps } = await import('latentfield/inference');
    const steps = fitSteps(gplvm(pipeFlow({ points: 20, seed: 1 }).observations, { latentDim: 2 }), {
      maxIterations: 3,
    });
    for await (const step of steps) {
      const { iteration, evaluations, objective, gradientNorm, start, latents } = step;
      const numbers = { iteration, evaluations, objective, gradientNorm, start };
      expect(structuredClone(step)).toEqual({ ...numbers, latents: structuredClone(latents) });
      expect(step.result().latents).toEqual(latents);
    }
  });
});
