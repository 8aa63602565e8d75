import {
  add,
  bayesianGplvm,
  bias,
  evaluate,
  fit,
  gaussianLatents,
  InvalidInputError,
  latentVariableModel,
  loadFit,
  multiply,
  poisson,
  rbf,
  seededRandom,
  select,
  standardNormal,
} from 'latentfield';
import type { ViewOptions } from 'latentfield/models';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

const random = seededRandom(7);
const N = 30;
const angles = Array.from({ length: N }, (_, i) => (2 * Math.PI * i) / N);
const noisy = (y: number) => y + 0.02 * random.normal();
const pose = angles.map((t) => [Math.cos(t), Math.sin(t), Math.cos(2 * t)].map(noisy));
const shadow = angles.map((t) => [Math.sin(t) + Math.cos(t), Math.sin(2 * t)].map(noisy));
const kernel = () => rbf({ variance: 1, lengthscale: [1, 1.5] });
const view = (observations: number[][], more: object = {}) => ({
  observations,
  kernel: kernel(),
  noise: 0.05,
  inducing: 8,
  ...more,
});

describe('views of latents that are distributions', () => {
  it('a copy of one view in both has twice the likelihood term of one, and the divergence once', () => {
    const posterior = gaussianLatents();
    const two = evaluate(latentVariableModel({ latentDim: 2, posterior, views: { a: view(pose), b: view(pose) } }));
    const one = evaluate(
      bayesianGplvm(pose, { latentDim: 2, kernel: kernel(), noise: 0.05, inducing: 8, jitter: 1e-8 }),
    );
    expect(two.terms.a).toBe(two.terms.b);
    expect(Math.abs(two.terms.a! / one.terms.mapping! - 1)).toBeLessThan(1e-12);
    expect(Math.abs(two.terms.divergence! / one.terms.divergence! - 1)).toBeLessThan(1e-12);
    expect(Math.abs(two.objective - (2 * one.terms.mapping! + one.terms.divergence!))).toBeLessThan(1e-9);
  });

  const isRight = async (_: string, second: () => ViewOptions) => {
    const model = latentVariableModel({
      latentDim: 2,
      posterior: gaussianLatents(),
      views: { pose: view(pose), shadow: second() },
    });
    const report = checkModel(model, { entries: 3 });
    expect(report.passed, JSON.stringify(report)).toBe(true);
    const result = await fit(model, { maxIterations: 10 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents).toEqual(result.latents);
    expect(again.objective).toBe(result.objective);
    expect(result.latentVariances.rows).toBe(N);
    expect(result.evidence).toBeCloseTo(result.objective, 9);
  };
  const title = 'has right gradients, fits and is read again: %s';
  it.each<[string, () => ViewOptions]>([
    ['gaussian', () => view(shadow)],
    [
      'with rows missing',
      () =>
        view(
          shadow.map((row, i) => (i % 4 === 1 ? [Number.NaN, Number.NaN] : row)),
          { missing: 'ignore' },
        ),
    ],
  ])(title, isRight);
  const counts = () => ({
    observations: shadow.map((row) => row.map((y) => Math.round(3 + 2 * y))),
    kernel: add(rbf(), bias()),
    likelihood: poisson(),
    inducing: 6,
  });
  it.each<[string, () => ViewOptions]>([['poisson', counts]])(title, { tags: 'long' }, isRight);

  it('predicts one view from the other', { tags: 'long' }, async () => {
    const model = latentVariableModel({
      latentDim: 2,
      posterior: gaussianLatents(),
      views: { pose: view(pose), shadow: view(shadow) },
    });
    const result = await fit(model, { maxIterations: 200 });
    const asked = pose.slice(3, 6);
    const { mean } = await result.translate({ pose: asked }, 'shadow');
    const errors = mean.data.map((y, k) => y - shadow[3 + Math.floor(k / 2)]![k % 2]!);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.2);
    const placed = await result.project({ pose: asked });
    expect(placed.latents.rows).toBe(3);
    expect(result.predict(placed.latents, { view: 'shadow' }).mean.columns).toBe(2);
    // A view of which one entry is missing is not left out: the other entry moves the row.
    const partial = (y: number) => result.project({ pose: asked, shadow: asked.map(() => [Number.NaN, y]) });
    const [low, high] = [await partial(-1), await partial(1)];
    expect(Math.max(...low.latents.data.map((x, k) => Math.abs(x - high.latents.data[k]!)))).toBeGreaterThan(1e-3);
    const batches = await fit(model, { batchSize: 10, maxEpochs: 2 });
    expect(batches.diagnostics.iterations).toBe(6);
    expect(Object.keys(batches.terms)).toEqual(['pose', 'shadow', 'divergence']);
  });

  it('reports for each view how much it varies along each latent dimension', async () => {
    const lengthscale = [0.5, 2];
    const model = latentVariableModel({
      latentDim: 2,
      posterior: gaussianLatents(),
      views: {
        pose: view(pose, { kernel: rbf({ variance: 3, lengthscale }) }),
        shadow: view(shadow, { kernel: add(select(rbf({ variance: 2, lengthscale: 1 }), [1]), bias()) }),
        product: view(shadow, { kernel: multiply(rbf(), rbf()) }),
      },
    });
    const { relevance } = await fit(model, { maxIterations: 0 });
    // v/l² of each dimension, relative to the largest.
    expect(relevance.pose).toEqual(Float64Array.of(1, 0.0625));
    expect(relevance.shadow).toEqual(Float64Array.of(0, 1));
    expect(relevance.product).toBeUndefined();
  });

  it('refuses what it cannot do', () => {
    const posterior = gaussianLatents();
    const refused = (options: object, message: RegExp) => {
      const make = () => latentVariableModel({ latentDim: 2, posterior, ...options } as never);
      expect(make).toThrow(InvalidInputError);
      expect(make).toThrow(message);
    };
    refused({ observations: pose, kernel: rbf() }, /Use bayesianGplvm for one view/);
    refused({ views: { a: view(pose) }, priors: [standardNormal()] }, /standard normal prior, and take no other/);
    refused({ views: {} }, /at least one view/);
    refused({ views: { a: view(pose), b: view(shadow.slice(1)) } }, /'a' has 30 and 'b' has 29/);
    refused(
      { views: { a: view(pose, { inducing: 31 }) } },
      /a whole number from 1 to 30, the number of points, but 31/,
    );
    refused(
      { views: { a: view(pose, { noise: undefined, likelihood: poisson() }) } },
      /An observation of likelihood 'poisson'/,
    );
  });
});
