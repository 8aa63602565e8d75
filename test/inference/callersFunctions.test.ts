import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { OptimizationError } from '../../src/core/errors.ts';
import { type FitOptions, fit, type SelectionScore, selectOptions } from '../../src/inference/index.ts';
import { defineDensity, defineModel, latent, observed } from '../../src/model/index.ts';
import { gplvm, pca } from '../../src/models/index.ts';

const { observations } = pipeFlow({ points: 30, seed: 4 });
const model = () => gplvm(observations, { latentDim: 2 });
const options = { maxIterations: 6, seed: 1 };
const endless = { tolerance: 0, relativeDecrease: 0, maxIterations: 1e6 };
const never = () => new Promise<void>(() => undefined);
const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const mine = new RangeError('mine');

describe('an onProgress that gives promises', () => {
  it('is awaited, one call after another, and the fit has the same bits', async () => {
    const iterations: number[] = [];
    let inside = 0;
    const onProgress = async ({ iteration }: { iteration: number }) => {
      expect(++inside).toBe(1);
      await later(2);
      inside--;
      iterations.push(iteration);
    };
    const result = await fit(model(), { ...options, onProgress });
    expect(iterations).toEqual(result.trace.map(({ iteration }) => iteration));
    expect(result.latents).toEqual((await fit(model(), options)).latents);
  });

  it('stops the fit by a promise of false', async () => {
    const result = await fit(model(), { ...endless, onProgress: async ({ iteration }) => iteration < 3 });
    expect([result.status, result.trace.at(-1)!.iteration]).toEqual(['stopped', 3]);
    expect(result.message).toMatch(/^Stopped by onProgress, which returned false/);
  });

  it('that hangs does not outlast an abort', async () => {
    const result = await fit(model(), { ...endless, onProgress: never, signal: AbortSignal.timeout(50) });
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(/^Stopped by the abort signal/);
  });
});

describe('a function of the caller that fails', () => {
  const failsLater = async () => {
    await later(1);
    throw mine;
  };
  const failsAtOnce = () => {
    throw mine;
  };
  const cases: [string, string, FitOptions][] = [
    ['onProgress, later', 'onProgress', { onProgress: failsLater }],
    ['onProgress, at once', 'onProgress', { onProgress: failsAtOnce }],
    [
      'onProgress, in the middle',
      'onProgress',
      { onProgress: ({ iteration }) => (iteration > 2 ? failsLater() : undefined) },
    ],
    ['checkpoint, later', 'checkpoint', { checkpoint: failsLater }],
    ['checkpoint, at once', 'checkpoint', { checkpoint: failsAtOnce }],
  ];

  it.each(cases)('fails the fit, with its error as the cause: %s', async (_, name, given) => {
    const before = tf.memory().numTensors;
    const error: unknown = await fit(model(), { ...options, ...given }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OptimizationError);
    expect(error).toMatchObject({
      message: `The function given as ${name} failed, which ended the fit: mine`,
      cause: mine,
    });
    expect(tf.memory().numTensors).toBe(before);
  });

  it('fails the fit of a model in closed form too', async () => {
    const refused = fit(pca(observations, { latentDim: 2 }), { onProgress: failsLater });
    await expect(refused).rejects.toThrow(OptimizationError);
  });

  it.each(['log density', 'variables'])('fails the fit of a model whose %s throws, with the cause', async (where) => {
    const own = (logDensity: () => never) =>
      defineModel({
        name: 'own',
        variables: ({ y }: { y: number[][] }) => {
          if (where === 'variables') throw mine;
          const x = latent({ dim: 1 });
          return { x, y: observed(y, { density: defineDensity({ name: 'mine', logDensity })(), given: x }) };
        },
      });
    const y = [[1], [2], [4]];
    const error: unknown = await (async () => fit(own(failsAtOnce)({ y })))().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OptimizationError);
    expect((error as Error).message).toMatch(
      /^The (variables of the model 'own'|density 'mine' of 'y' .*) failed: mine/,
    );
    expect((error as Error).cause).toBe(mine);
  });

  it('fails the fit of a model whose log density is null, and states what it must be', async () => {
    const density = defineDensity({ name: 'mine', logDensity: (() => null) as unknown as () => never })();
    const own = defineModel({
      name: 'own',
      variables: ({ y }: { y: number[][] }) => {
        const x = latent({ dim: 1 });
        return { x, y: observed(y, { density, given: x }) };
      },
    });
    await expect(fit(own({ y: [[1], [2], [4]] }))).rejects.toThrow(/must be a scalar.* but null was returned/);
  });

  it('fails a search among options', async () => {
    const score: SelectionScore = { name: 'nothing', best: 'smallest', points: 6, of: () => 0 };
    const refused = selectOptions(
      (_, { take }) => pca(take(observations.toArrays().slice(0, 6)), { latentDim: 1 }),
      {},
      { score, folds: 2, onProgress: failsLater },
    );
    await expect(refused).rejects.toThrow(OptimizationError);
  });
});

describe('a checkpoint function that hangs', () => {
  it('does not outlast maxSeconds, and the message reports that it did not save', async () => {
    let calls = 0;
    const checkpoint = () => {
      calls++;
      return never();
    };
    const began = performance.now();
    const result = await fit(model(), { ...endless, maxSeconds: 0.2, checkpoint });
    // Two seconds that it still has, and what a busy machine takes.
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(calls).toBe(1);
    expect(result.status).toBe('stopped');
    expect(result.message).toMatch(/^Stopped by the limit of maxSeconds = 0\.2/);
    expect(result.message).toMatch(/The last checkpoint was not saved: the checkpoint function did not finish/);
  });

  it('but ends within two seconds of the stop has saved', async () => {
    let saved = 0;
    const checkpoint = async () => {
      await later(20);
      saved++;
    };
    const result = await fit(model(), { ...endless, maxSeconds: 0.2, checkpoint });
    expect(result.status).toBe('stopped');
    expect(result.message).not.toMatch(/checkpoint/);
    expect(saved).toBeGreaterThanOrEqual(2);
  });
});
