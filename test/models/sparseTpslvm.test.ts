import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { float64Backend } from '../../src/engine/tensors/float64/scope.ts';
import { evaluate, fit, loadFit, Matrix, rbf, thinPlateSpline, tpslvm } from '../../src/index.ts';
import { startedAt } from '../../src/kernels/algebra.ts';
import { featuresOf } from '../../src/kernels/structure.ts';
import { checkModel } from '../../src/testing/index.ts';
import { withoutStructure } from '../kernels/withoutStructure.ts';
import { expectClose } from '../tolerance.ts';

const Y = pipeFlow({ points: 30, seed: 5 }).observations;
const X = new Matrix(
  Float64Array.from({ length: 60 }, (_, i) => Math.sin(3 * i) + 0.3 * Math.cos(i)),
  30,
  2,
);
const centers = [
  [0, 0],
  [0.5, -1],
  [-0.7, 0.4],
  [1, 1],
];

const sparse = thinPlateSpline({ centers });
const dense = withoutStructure(sparse);

/** Some entries of Y missing, in two patterns. */
const withHoles = new Matrix(
  Y.data.map((entry, k) => (k % 12 < 3 && k < 5 * 12 ? Number.NaN : entry)),
  30,
  12,
);

describe('the sparse TPSLVM', () => {
  it('has the features that its covariance is made of', () => {
    expect(featuresOf(sparse, 2)!.rank).toBe(4 + 2 + 1);
    expect(featuresOf(thinPlateSpline(), 2)).toBeUndefined();
    expect(featuresOf(thinPlateSpline({ centers: 4 }), 2)).toBeUndefined();
    expect(featuresOf(startedAt(thinPlateSpline({ centers: 4 }), X), 2)!.rank).toBe(7);
    expect(featuresOf(rbf(), 2)).toBeUndefined();
  });

  it.each([1, 2, 3, 4])('has the value and gradients of the N×N form, q = %i', (q) => {
    const own = centers.map((row) => Array.from({ length: q }, (_, d) => row[d % 2]! + 0.1 * d));
    const kernel = thinPlateSpline({ centers: own });
    const at = {
      latents: new Matrix(
        Float64Array.from({ length: 30 * q }, (_, i) => Math.sin(3 * i)),
        30,
        q,
      ),
      'mapping.noise': 0.03,
    };
    const low = evaluate(tpslvm(Y, { latentDim: q, kernel }), at);
    const full = evaluate(tpslvm(Y, { latentDim: q, kernel: withoutStructure(kernel) }), at);
    expectClose(low.objective, full.objective, 1e-12, 'objective');
    expectClose(low.gradients.latents, full.gradients.latents, 1e-10, 'dX');
    expectClose(low.gradients['mapping.noise'], full.gradients['mapping.noise'], 1e-10, 'dσ²');
  });

  it('has them with missing observations too', () => {
    const at = { latents: X, 'mapping.noise': 0.03 };
    const low = evaluate(tpslvm(withHoles, { latentDim: 2, kernel: sparse, missing: 'ignore' }), at);
    const full = evaluate(tpslvm(withHoles, { latentDim: 2, kernel: dense, missing: 'ignore' }), at);
    expectClose(low.objective, full.objective, 1e-12, 'objective');
    expectClose(low.gradients.latents, full.gradients.latents, 1e-10, 'dX');
  });

  it('passes the conformance check with centers by k-means', () => {
    expect(checkModel(tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline({ centers: 6 }) })).passed).toBe(true);
  });

  it.each([
    ['complete', Y],
    ['with missing entries', withHoles],
  ])('predicts, samples and projects as the N×N form does, observations %s', async (_, observations) => {
    const options = { latentDim: 2, missing: 'ignore', init: X, noise: 0.03, priors: [] } as const;
    const low = await fit(tpslvm(observations, { ...options, kernel: sparse }), { maxIterations: 0 });
    const full = await fit(tpslvm(observations, { ...options, kernel: dense }), { maxIterations: 0 });
    const points = [
      [0.2, 0.1],
      [-0.4, 1.2],
      [2, -2],
    ];
    for (const noise of [false, true]) {
      const [a, b] = [low.predict(points, { noise }), full.predict(points, { noise })];
      expectClose(a.mean, b.mean, 1e-11, 'mean');
      expectClose(a.variance, b.variance, 1e-9, 'variance');
    }
    expectClose(low.sample(points, { seed: 2 }), full.sample(points, { seed: 2 }), 1e-9, 'sample');
    const Ynew = Y.toArrays().slice(0, 3);
    // Without a prior the log density is stationary where the searches end.
    const search = { tolerance: 1e-9 };
    const [a, b] = [await low.project(Ynew, search), await full.project(Ynew, search)];
    expectClose(a.latents, b.latents, 1e-7, 'projections');
    expectClose(a.logDensityAtPlace, b.logDensityAtPlace, 1e-9, 'log density');
  });

  it('forms no N×N matrix: a fit, a prediction and a projection of 2000 points stay below half of one', async () => {
    const N = 2000;
    const { memory64 } = float64Backend();
    const before = memory64.liveBytes;
    memory64.resetPeak();
    const { observations } = pipeFlow({ points: N, seed: 2 });
    const result = await fit(tpslvm(observations, { latentDim: 2, kernel: thinPlateSpline({ centers: 20 }) }), {
      maxIterations: 5,
    });
    result.predict(result.latents.toArrays().slice(0, 100));
    await result.project(observations.toArrays().slice(0, 2), { starts: 2, maxIterations: 5 });
    expect(result.objective).toBeGreaterThan(result.trace[0]!.objective);
    expect((memory64.peakBytes - before) / (8 * N * N)).toBeLessThan(0.5);
    expect(memory64.liveBytes).toBe(before);
  });

  it('comes back from JSON with the same bits', async () => {
    const result = await fit(tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline({ centers: 6 }) }), {
      maxIterations: 10,
    });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict(centers)).toEqual(result.predict(centers));
    const rows = Y.toArrays().slice(0, 3);
    expect(await again.project(rows)).toEqual(await result.project(rows));
  });
});
