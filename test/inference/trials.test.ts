import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { InvalidInputError } from '../../src/core/errors.ts';
import type { Checkpoint } from '../../src/inference/checkpoint/checkpoint.ts';
import { type FitOptions, type FitStep, fit } from '../../src/inference/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import { bayesianGplvm, gplvm } from '../../src/models/index.ts';
import { bundled } from '../bundled.ts';

const { observations } = pipeFlow({ points: 30, seed: 4 });
const model = () => gplvm(observations, { latentDim: 2 });
const restarts = { count: 3, width: 1, trialIterations: 10 };
const options: FitOptions = { restarts, maxIterations: 40, seed: 5, engine: 'wasm' };
const bitsOf = ({ latents, parameters, objective, terms, trace, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, parameters, objective, terms, trace, status, message, rest]);
};

describe('starts that are compared on the way', () => {
  it('continue only from the best one, to the bits of a fit from there alone', async () => {
    const steps: FitStep[] = [];
    const onProgress = (step: FitStep) => {
      steps.push(step);
    };
    const result = await fit(model(), { ...options, onProgress });
    const whole = await fit(model(), { ...options, restarts: { count: 3, width: 1 } });
    const objectiveAt = (start: number, iteration: number) =>
      steps.find((step) => step.start === start && step.iteration === iteration)?.objective;
    const trials = [0, 1, 2, 3].map((start) => objectiveAt(start, 10)!);
    const best = trials.indexOf(Math.max(...trials));
    expect([0, 1, 2, 3].map((start) => objectiveAt(start, 11) !== undefined)).toEqual(
      [0, 1, 2, 3].map((k) => k === best),
    );
    expect(result.objective).toBe(whole.diagnostics.restarts![best]);
    expect(result.diagnostics.restarts).toEqual(trials.map((own, k) => (k === best ? result.objective : own)));
    expect(result.diagnostics.evaluations).toBeLessThan(whole.diagnostics.evaluations);
    expect(result.message).toContain(
      `The starts were compared after 10 iterations. It came from start ${best}, the best of 4.`,
    );
    expect(result.trace.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 41 }, (_, i) => i));
  });

  it('have the same bits in workers, and after an interruption at any point', async () => {
    const here = bitsOf(await fit(model(), options));
    const fitWorker = await bundled('src/app/workers/fitWorker.ts');
    const workers = { count: 2, start: () => new Worker(fitWorker) };
    expect(bitsOf(await fit(model(), { ...options, workers }))).toBe(here);
    const saved: Checkpoint[] = [];
    const checkpoint = (state: Checkpoint) => {
      saved.push(state);
    };
    await fit(model(), { ...options, checkpoint, checkpointInterval: 0 });
    expect(saved.length).toBeGreaterThan(60);
    for (const k of [0, 14, 43, 44, saved.length - 1]) {
      const { restarts: _, seed: __, ...rest } = options;
      const resume = JSON.parse(JSON.stringify(saved[k])) as Checkpoint;
      expect(resume.trialIterations).toBe(10);
      expect(bitsOf(await fit(model(), { ...rest, resume }))).toBe(here);
    }
  });

  it('are the start alone where it is stopped in its trial', async () => {
    const result = await fit(model(), { ...options, onProgress: ({ iteration }) => iteration < 4 });
    expect(result.status).toBe('stopped');
    expect(result.diagnostics.restarts).toHaveLength(1);
    expect(result.diagnostics.iterations).toBe(4);
  });

  it('are not for batches', async () => {
    const batched = fit(bayesianGplvm(observations, { latentDim: 2 }), { restarts, batchSize: 10 });
    await expect(batched).rejects.toThrow(InvalidInputError);
    await expect(batched).rejects.toThrow(/Leave trialIterations out of restarts, or batchSize/);
    await expect(fit(model(), { restarts: { count: 1, trialIterations: 0 } })).rejects.toThrow(/trialIterations/);
  });
});
