import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Float64Memory, sharedMemory } from '../../src/engine/memory.ts';
import {
  add,
  bias,
  classicalMds,
  completeGraph,
  drill,
  fit,
  gplvm,
  InvalidInputError,
  isomap,
  kernelPca,
  latentVariableModel,
  linear,
  Matrix,
  meu,
  mpme,
  rbf,
  tsneGplvm,
} from '../../src/index.ts';

/** No two of them alike. */
const many = new Matrix(
  Float64Array.from({ length: 60_000 }, (_, i) => Math.sin(i) + i / 1000),
  30_000,
  2,
);
const some = { maxIterations: 0 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of JavaScript's buffers still in use. The memory of the float64 backend is measured by its peak: it grows by a quarter of what earlier tests made it. */
const bufferBytes = async () => {
  collectGarbage();
  // What was freed in the background or by finalizers is counted until they have had their turn.
  await new Promise(setImmediate);
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
};

describe('30 000 points, too many for models that compare all pairs,', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['mpme', () => fit(mpme(many), some), /neighbors: 20/],
    ['drill of all pairs', () => fit(drill(many, { neighbors: 'all' }), some), /meu takes more points/],
    ['classicalMds', () => fit(classicalMds(many)), /isomap with landmarks/],
    ['isomap', () => fit(isomap(many, { neighbors: 5 })), /Give landmarks, such as 300/],
    ['kernelPca', () => fit(kernelPca(many, { kernel: rbf() })), /pca, or fewer points/],
    ['gplvm', () => fit(gplvm(many, { latentDim: 1, inducing: 'none' }), some), /inducing: 100/],
    ['tsneGplvm', () => tsneGplvm(many, { latentDim: 1 }), /Gaussian process.*inducing inputs/],
    [
      'meu of a complete graph',
      () => fit(meu(many, { graph: completeGraph(30_000) } as never), some),
      /nearest neighbors/,
    ],
  ])('are refused by %s at once, with models that work instead', async (_, make, instead) => {
    const before = await bufferBytes();
    const memory = sharedMemory();
    memory.resetPeak();
    const live = memory.liveBytes;
    const error: unknown = await (async () => make())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(instead);
    expect((error as Error).message).toMatch(/30000/);
    expect((await bufferBytes()) - before).toBeLessThan(2 ** 27);
    expect(memory.peakBytes - live).toBeLessThan(2 ** 27);
  });

  it('are fitted where the covariance has few features', async () => {
    const kernel = add(linear(), bias());
    expect((await fit(latentVariableModel({ observations: many, latentDim: 1, kernel }), some)).latents.rows).toBe(
      30_000,
    );
  });
});

it('blocks larger than all of the memory are refused, not taken for small ones', () => {
  const memory = new Float64Memory({ maximumPages: 32 });
  for (const size of [33 * 65_536, 2 ** 32 + 64, 8 * 30_000 ** 2]) {
    expect(() => memory.allocate(size)).toThrow(/out of memory/);
  }
  expect([memory.liveBytes, memory.liveBlocks]).toEqual([0, 0]);
});
