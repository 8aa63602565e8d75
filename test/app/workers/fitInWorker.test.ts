import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { type FitInWorkerOptions, fitInWorker, type WorkerStep } from '../../../src/app/workers/index.ts';
import { InvalidInputError, LatentFieldError } from '../../../src/core/errors.ts';
import { adam, fit, gplvm, pca } from '../../../src/index.ts';
import { bundled } from '../../bundled.ts';

const { observations } = pipeFlow({ points: 40, seed: 3 });
const model = () => gplvm(observations, { latentDim: 2 });
const file = await bundled('src/app/workers/fitWorker.ts');
const worker = () => new Worker(file);
const inWorker = (options: FitInWorkerOptions = {}) => fitInWorker(model(), { worker, ...options });

describe('fitInWorker', () => {
  it('gives the fit of this thread, and steps on the way that get better', async () => {
    const options = { maxIterations: 12, restarts: 1, seed: 2, solver: adam({ learningRate: 0.02 }) };
    const steps: WorkerStep[] = [];
    const result = await inWorker({ ...options, onStep: (step) => steps.push(step) }).result;
    const here = await fit(model(), options);
    expect(result.objective).toBe(here.objective);
    expect(result.latents).toEqual(here.latents);
    expect(result.trace).toEqual(here.trace);
    expect(result.predict([[0, 1]])).toEqual(here.predict([[0, 1]]));
    expect(steps.length).toBeGreaterThan(1);
    expect(steps[0]).toMatchObject({ start: 0, iteration: 0 });
    expect([steps[0]!.latents.rows, steps[0]!.latents.columns]).toEqual([40, 2]);
    const closed = fitInWorker(pca(observations, { latentDim: 2 }), { worker });
    expect((await closed.result).latents).toEqual((await fit(pca(observations, { latentDim: 2 }))).latents);
  });

  it('is paused and resumed, and ends by stop or a signal with its best point', async () => {
    const forever = { maxIterations: 1e6, tolerance: 0, relativeDecrease: 0 };
    let seen = 0;
    const run = inWorker({
      ...forever,
      onStep: () => {
        if (++seen === 3) run.pause();
      },
    });
    const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    while (seen < 3) await passed(10);
    await passed(300);
    const held = seen;
    await passed(300);
    expect(seen).toBe(held);
    run.resume();
    while (seen === held) await passed(10);
    run.pause();
    run.stop();
    const { status, objective, trace } = await run.result;
    expect(status).toBe('stopped');
    expect(objective).toBe(Math.max(...trace.map((entry) => entry.objective)));
    const aborted = inWorker({ ...forever, signal: AbortSignal.abort() });
    expect((await aborted.result).status).toBe('stopped');
  });

  it('rejects with the error of the worker, and when it is lost', async () => {
    await expect(inWorker({ maxIterations: -1 }).result).rejects.toThrow(InvalidInputError);
    const lost = () => new Worker('process.exit(3)', { eval: true });
    await expect(inWorker({ worker: lost }).result).rejects.toThrow(
      'The worker of the fit was lost: it ended with exit code 3.',
    );
    await expect(inWorker({ worker: lost }).result).rejects.toThrow(LatentFieldError);
    const own = { ...adam(), name: 'mine' };
    await expect(inWorker({ solver: own }).result).rejects.toThrow("The solver 'mine' does not come with the library");
    const throwing = inWorker({
      onStep: () => {
        throw new RangeError('not drawn');
      },
    });
    await expect(throwing.result).rejects.toThrow('not drawn');
  });
});
