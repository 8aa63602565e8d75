import { describe, expect, it } from 'vitest';
import {
  dgplvm,
  evaluate,
  fit,
  gplrf,
  gplvm,
  InvalidInputError,
  llGplvm,
  loadFit,
  type Model,
  rankGplvm,
  seededRandom,
  standardNormal,
  thinPlateSpline,
  tpslvm,
  tsneGplvm,
} from '../../src/index.ts';
import type { AnyPaths, Mapped } from '../../src/model/index.ts';
import { checkModel } from '../../src/testing/index.ts';
import { expectClose } from '../tolerance.ts';

const random = seededRandom(8);
/** Three noisy arcs in 5 dimensions. */
const labels = Array.from({ length: 18 }, (_, i) => i % 3);
const Y = labels.map((label, i) => {
  const angle = i / 6 + label;
  return [Math.cos(angle), Math.sin(angle), label, Math.cos(2 * angle), 0.5 * label * angle].map(
    (entry) => entry + 0.05 * random.normal(),
  );
});
const withHoles = Y.map((row, i) => row.map((entry, j) => (i < 4 && j === i ? Number.NaN : entry)));
const firstTwo = (row: number[]) => row.slice(0, 2);

const models: Record<string, () => Model<AnyPaths, Mapped>> = {
  GPLVM: () => gplvm(Y, { latentDim: 2 }),
  'BC-GPLVM': () => gplvm(Y, { latentDim: 2, backConstraint: 'kernel' }),
  'GPLVM with an MLP back-constraint': () => gplvm(Y, { latentDim: 2, backConstraint: 'mlp' }),
  'GPLVM with a linear back-constraint': () => gplvm(Y, { latentDim: 2, backConstraint: 'linear' }),
  'GPLVM-DM': () => gplvm(Y, { latentDim: 2, dynamics: true }),
  'BC-GPLVM-DM': () => gplvm(Y, { latentDim: 2, backConstraint: 'kernel', dynamics: { order: 'difference' } }),
  TPSLVM: () => tpslvm(Y, { latentDim: 2 }),
  'BC-TPSLVM': () => tpslvm(Y, { latentDim: 2, backConstraint: 'mlp' }),
  'TPSLVM-DM': () => tpslvm(Y, { latentDim: 2, dynamics: { segments: [9] } }),
  'BC-TPSLVM-DM': () => tpslvm(Y, { latentDim: 2, backConstraint: 'kernel', dynamics: true }),
  GPLRF: () => gplrf(Y, labels, { latentDim: 2, strength: 0.1 }),
  'semi-supervised GPLRF': () =>
    gplrf(
      Y,
      labels.map((label, i) => (i % 4 === 0 ? undefined : label)),
      { latentDim: 2, neighbors: 3 },
    ),
  DGPLVM: () => dgplvm(Y, labels, { latentDim: 2, strength: 10 }),
  'LL-GPLVM': () => llGplvm(Y, { latentDim: 2, neighbors: 4, strength: 5 }),
  'rank GPLVM': () => rankGplvm(Y, { latentDim: 3, strength: 2 }),
  't-SNE GPLVM': () => tsneGplvm(Y, { latentDim: 2, strength: 3, perplexity: 4 }),
};

const withOptions: Record<string, () => Model<AnyPaths, Mapped>> = {
  'sparse TPSLVM': () => tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline({ centers: 5 }) }),
  'sparse TPSLVM with given centers and missing entries': () =>
    tpslvm(withHoles, {
      latentDim: 2,
      missing: 'ignore',
      kernel: thinPlateSpline({ centers: Y.slice(0, 4).map(firstTwo) }),
    }),
  'GPLVM with missing entries': () => gplvm(withHoles, { latentDim: 2, missing: 'ignore' }),
  'BC-TPSLVM-DM with missing entries': () =>
    tpslvm(withHoles, { latentDim: 2, missing: 'ignore', backConstraint: 'kernel', dynamics: true }),
  'GPLVM of scaled columns': () => gplvm(Y, { latentDim: 2, scale: true }),
  'GPLVM of columns neither centered nor scaled': () => gplvm(Y, { latentDim: 2, center: false }),
  'GPLRF of scaled columns with missing entries': () =>
    gplrf(withHoles, labels, { latentDim: 2, strength: 0.1, scale: true, missing: 'ignore' }),
};

/** Whose parts others have, in other company, or whose priors test/priors checks. */
const mixed = [
  'GPLVM with an MLP back-constraint',
  'semi-supervised GPLRF',
  'LL-GPLVM',
  'rank GPLVM',
  't-SNE GPLVM',
  'sparse TPSLVM with given centers and missing entries',
  'GPLVM with a linear back-constraint',
  'BC-GPLVM-DM',
  'BC-TPSLVM',
  'TPSLVM-DM',
  'BC-TPSLVM-DM',
  'sparse TPSLVM',
  'BC-TPSLVM-DM with missing entries',
  'GPLVM of scaled columns',
  'GPLVM of columns neither centered nor scaled',
  'GPLRF of scaled columns with missing entries',
];

for (const [name, model] of Object.entries({ ...models, ...withOptions }))
  describe(name, { tags: mixed.includes(name) ? ['long'] : [] }, () => {
    it('passes the conformance check: values, gradients against differences, no leaked tensors', () => {
      expect(checkModel(model(), { entries: 3 }).passed).toBe(true);
    });

    it('trains, predicts, projects, and comes back from JSON with the same bits', async () => {
      const result = await fit(model(), { maxIterations: 10 });
      expect(result.objective).toBeGreaterThan(result.trace[0]!.objective);
      const total = Object.values(result.terms).reduce((sum, part) => sum + part, 0);
      expectClose(result.objective, total, 1e-12, 'terms add up');
      const again = loadFit(JSON.parse(JSON.stringify(result)));
      expect(Array.from(again.latents.data)).toEqual(Array.from(result.latents.data));
      const X = result.latents.toArrays().slice(0, 3);
      expect(again.predict(X)).toEqual(result.predict(X));
      const Ynew = Y.slice(0, 3).map((row) => row.map((entry) => entry + 0.01));
      const projected = await result.project(Ynew);
      expect(await again.project(Ynew)).toEqual(projected);
      expect(again.sample(X, { seed: 3 })).toEqual(result.sample(X, { seed: 3 }));
      if (!(name in models)) return;
      // What is projected is explained: the reconstruction is nearer than the mean of the data.
      const reconstructed = await result.reconstruct(Ynew);
      const error = Ynew.reduce(
        (sum, row, i) => sum + row.reduce((s, y, j) => s + (y - reconstructed.at(i, j)) ** 2, 0),
        0,
      );
      const means = Y[0]!.map((_entry, j) => Y.reduce((sum, row) => sum + row[j]!, 0) / Y.length);
      const spread = Ynew.reduce((sum, row) => sum + row.reduce((s, y, j) => s + (y - means[j]!) ** 2, 0), 0);
      expect(error).toBeLessThan(0.5 * spread);
    });
  });

describe('the family', () => {
  it('GPLRF of strength 0 is the BC-GPLVM without a prior', () => {
    const rf = evaluate(gplrf(Y, labels, { latentDim: 2, strength: 0 }));
    const bc = evaluate(gplvm(Y, { latentDim: 2, backConstraint: 'kernel', priors: [] }), {
      'mapping.kernel.rbf.variance': meanVariance(),
    });
    expectClose(rf.objective, bc.objective, 1e-12, 'objective');
    expectClose(rf.gradients['latents.weights'], bc.gradients['latents.weights'], 1e-10, 'gradient');
  });

  it('replaces the default prior by dynamics, and adds them to explicit priors', () => {
    expect(Object.keys(evaluate(gplvm(Y, { latentDim: 2, dynamics: true })).terms)).toEqual(['mapping', 'dynamics']);
    const both = gplvm(Y, { latentDim: 2, dynamics: true, priors: [standardNormal()] });
    expect(Object.keys(evaluate(both).terms)).toEqual(['mapping', 'standardNormal', 'dynamics']);
  });

  it('forecasts by the dynamics, one step after the other, and not when there are none', async () => {
    const result = await fit(gplvm(Y, { latentDim: 2, dynamics: { order: 'difference' } }), { maxIterations: 20 });
    const { latents, latentVariances, mean, variance, meanError } = result.forecast(3);
    expect([latents.rows, latents.columns, mean.rows, mean.columns, variance.rows]).toEqual([3, 2, 3, 5, 3]);
    expect(Array.from(result.forecast(2).latents.data)).toEqual(Array.from(latents.data.subarray(0, 4)));
    // The first step is normal: the mean of predictions over it, by quadrature.
    const nodes = Array.from({ length: 61 }, (_, i) => (i - 30) / 6);
    const grid = nodes.flatMap((a) => nodes.map((b) => [a, b] as const));
    const weights = grid.map(([a, b]) => Math.exp(-0.5 * (a * a + b * b)));
    const total = weights.reduce((sum, w) => sum + w, 0);
    const at = grid.map((z) => z.map((entry, d) => latents.at(0, d) + Math.sqrt(latentVariances.at(0, d)) * entry));
    const predicted = result.predict(at).mean;
    for (let j = 0; j < 5; j++) {
      const integral = weights.reduce((sum, w, i) => sum + (w / total) * predicted.at(i, j), 0);
      expect(Math.abs(mean.at(0, j) - integral)).toBeLessThan(4 * meanError.at(0, j));
    }
    const still = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 2 });
    expect(still).not.toHaveProperty('forecast');
  });

  it('interpolates on the straight line between two latents', async () => {
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 5 });
    const { latents, mean } = result.interpolate(0, 5, 5);
    expectClose(latents.row(0), result.latents.row(0), 1e-15, 'from');
    expectClose(latents.row(4), result.latents.row(5), 1e-15, 'to');
    const middle = Array.from(result.latents.row(0), (entry, c) => (entry + result.latents.at(5, c)) / 2);
    expectClose(latents.row(2), middle, 1e-15, 'middle');
    expectClose(mean.row(2), result.predict([middle]).mean, 1e-12, 'prediction');
    expect(() => result.interpolate(0, 99, 5)).toThrow(InvalidInputError);
  });

  it('samples with the predictive mean and covariance', { tags: 'long' }, async () => {
    const result = await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 20 });
    const X = [[0.3, -0.2]];
    const { mean, variance } = result.predict(X, { noise: true });
    const draws = Array.from({ length: 2000 }, (_, seed) => result.sample(X, { seed }).at(0, 1));
    const average = draws.reduce((sum, entry) => sum + entry, 0) / draws.length;
    const spread = draws.reduce((sum, entry) => sum + (entry - average) ** 2, 0) / draws.length;
    // Four standard errors.
    expect(Math.abs(average - mean.at(0, 1))).toBeLessThan(4 * Math.sqrt(variance.at(0, 1) / 2000));
    expect(Math.abs(spread / variance.at(0, 1) - 1)).toBeLessThan(4 * Math.sqrt(2 / 2000));
  });

  it('refuses latents together with their short forms', () => {
    expect(() => tpslvm(Y, { latentDim: 2, backConstraint: 'spline' as 'mlp' })).toThrow(/kernel, mlp, linear/);
  });
});

function meanVariance(): number {
  const means = Y[0]!.map((_, j) => Y.reduce((sum, row) => sum + row[j]!, 0) / Y.length);
  return Y.reduce((sum, row) => sum + row.reduce((s, y, j) => s + (y - means[j]!) ** 2, 0), 0) / (Y.length * 5);
}
