import { describe, expect, it } from 'vitest';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { bestMultipliers } from '../../src/fields/index.ts';
import {
  adam,
  bayesianGplvm,
  defineModel,
  evaluate,
  fit,
  fixed,
  gaussian,
  gplvm,
  knnGraph,
  latent,
  lbfgs,
  type Matrix,
  maxEntropy,
  observed,
  real,
  seededRandom,
  squaredDifferences,
  standardNormal,
} from '../../src/index.ts';
import { defineKernel } from '../../src/kernels/index.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(11);
const Y = Array.from({ length: 20 }, () => Array.from({ length: 5 }, () => 3 + 2 * random.normal()));

describe('fit', () => {
  it('returns the initial point for maxIterations 0', async () => {
    const model = gplvm(Y, { latentDim: 2 });
    const result = await fit(model, { maxIterations: 0 });
    const { objective, terms } = evaluate(model, { ...result.parameters, latents: result.latents });
    expect(result.objective).toBe(objective);
    expect(result.terms).toEqual(terms);
    // Positive parameters go through their logarithms.
    expectClose([objective], [evaluate(model).objective], 1e-13, 'objective at the start');
    expect(result.status).toBe('maxIterations');
    expect(result.diagnostics.evaluations).toBe(1);
  });

  it('searches with a field over the latents until its gradient is small, their rows together', async () => {
    const graph = knnGraph(Y, 2);
    const { search } = gplvm(Y, {
      latentDim: 1,
      priors: [
        maxEntropy({
          copies: 1,
          slack: 5,
          multipliers: bestMultipliers(),
          expect: { near: squaredDifferences(graph) },
        }),
      ],
    });
    expect(search).toMatchObject({ relativeDecrease: 0, solver: expect.any(Function) });
    expect(gplvm(Y, { latentDim: 1 }).search?.relativeDecrease).toBeUndefined();
  });

  it('searches for 5000 iterations by default where a Gaussian process has at most 300 points', {
    tags: 'long',
  }, async () => {
    const rows = (count: number) => Array.from({ length: count }, () => [random.normal(), random.normal()]);
    const [few, more] = [rows(300), rows(301)];
    expect(gplvm(few, { latentDim: 1 }).search?.maxIterations).toBe(5000);
    expect(bayesianGplvm(few, { latentDim: 1 }).search?.maxIterations).toBe(5000);
    expect(gplvm(more, { latentDim: 1 }).search?.maxIterations).toBeUndefined();
    const slow = { solver: adam({ learningRate: 1e-9 }), relativeDecrease: 0 };
    const model = gplvm(Y.slice(0, 4), { latentDim: 1 });
    expect((await fit(model, slow)).diagnostics.iterations).toBe(5000);
    expect((await fit(model, { ...slow, maxIterations: 20 })).diagnostics.iterations).toBe(20);
    const apart = defineModel({
      name: 'apart',
      variables: ({ y }: { readonly y: typeof Y }) => {
        const z = latent({ dim: 5, density: standardNormal() });
        return { z, y: observed(y, { density: gaussian({ variance: fixed(1) }), given: z }) };
      },
    });
    expect((await fit(apart({ y: Y.slice(0, 4) }), slow)).diagnostics.iterations).toBe(1000);
  });

  it('starts PCA latents at zero mean and unit variance', async () => {
    const { latents } = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 0 });
    for (const column of [latents.column(0), latents.column(1)]) {
      const mean = column.reduce((sum, entry) => sum + entry, 0) / 20;
      const variance = column.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / 20;
      expect(mean).toBeCloseTo(0, 14);
      expect(variance).toBeCloseTo(1, 13);
    }
  });

  it('keeps a trace that never falls, reports it, and ends at its last value', async () => {
    const reported: number[] = [];
    const result = await fit(gplvm(Y, { latentDim: 2 }), {
      maxIterations: 25,
      onProgress: ({ objective }) => {
        reported.push(objective);
      },
    });
    expect(reported).toEqual(result.trace.map((entry) => entry.objective));
    expect(result.trace.length).toBe(26);
    for (let i = 1; i < reported.length; i++) expect(reported[i]).toBeGreaterThanOrEqual(reported[i - 1]!);
    expect(result.objective).toBe(reported.at(-1));
    expect(result.message).toMatch(/25 iterations/);
  });

  it('stops at a false return and at an abort, with the best point so far', async () => {
    const stopped = await fit(gplvm(Y, { latentDim: 2 }), { onProgress: ({ iteration }) => iteration < 4 });
    expect(stopped.status).toBe('stopped');
    expect(stopped.objective).toBe(stopped.trace.at(-1)!.objective);
    const aborted = await fit(gplvm(Y, { latentDim: 2 }), { signal: AbortSignal.abort() });
    expect(aborted.status).toBe('stopped');
    expect(aborted.diagnostics.evaluations).toBe(1);
  });

  it('gives the same bits for the same seed', async () => {
    const run = async () => (await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 30, seed: 7 })).latents.data;
    expect(Array.from(await run())).toEqual(Array.from(await run()));
  });

  it('reports values and gradients of one objective: the gradient at a converged fit is small in natural values too', async () => {
    const model = gplvm(Y, { latentDim: 1, noise: fixed(0.5), priors: [standardNormal({ precision: 2 })] });
    const result = await fit(model, { maxIterations: 5000, tolerance: 1e-6, relativeDecrease: 0, solver: lbfgs() });
    expect(result.status).toBe('converged');
    const { gradients, objective } = evaluate(model, { latents: result.latents, ...result.parameters } as never);
    expect(objective).toBeCloseTo(result.objective, 10);
    for (const entry of (gradients.latents as Matrix).data) expect(Math.abs(entry)).toBeLessThan(1e-6);
  });

  it('names a parameter that receives no gradient', async () => {
    const lazy = defineKernel({
      name: 'lazy',
      parameters: { variance: 1, unused: real(0) },
      covariance: (p, A, B) => op.mul(p.variance, op.exp(op.neg(op.squaredDistances(A, B)))) as Tensor2D,
    });
    await expect(fit(gplvm(Y, { latentDim: 2, kernel: lazy() }))).rejects.toThrow(/'mapping\.kernel\.lazy\.unused'/);
  });

  it('undoes centering and scaling in predictions', async () => {
    const model = (scale: boolean) => gplvm(Y, { latentDim: 2, scale });
    for (const scale of [false, true]) {
      const result = await fit(model(scale), { maxIterations: 10 });
      // Far from the data the mean is the columns' mean, and the variance that of the prior.
      const far = result.predict([[1e3, 1e3]]);
      for (let j = 0; j < 5; j++) {
        const mean = Y.reduce((sum, row) => sum + row[j]!, 0) / 20;
        expect(Math.abs(far.mean.at(0, j) - mean)).toBeLessThan(1);
      }
    }
  });
});
