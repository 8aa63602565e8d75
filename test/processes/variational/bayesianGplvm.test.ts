import { add, bayesianGplvm, bias, evaluate, fit, type Kernel, linear, loadFit, rbf, white } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';

interface Case {
  kernel: string;
  noise: number;
  bound: number;
  kl: number;
  gradients: {
    mean: number[][];
    variance: number[][];
    inducing: number[][];
    noise: number[];
    kernel: Record<string, number[]>;
  };
  parameters: Record<string, number[]>;
  prediction: { X: number[][]; mean: number[][]; variance_observation: number[][]; variance_latent: number[][] };
}
const { Y, mean, variance, Z, cases } = reference<{
  Y: number[][];
  mean: number[][];
  variance: number[][];
  Z: number[][];
  cases: Case[];
}>('gpy-bayesian.json');

const kernels: Record<string, (p: Record<string, number[]>) => Kernel> = {
  rbf_ard: (p) => ard(p),
  rbf: (p) => rbf({ variance: p['rbf.variance']![0]!, lengthscale: p['rbf.lengthscale']![0]! }),
  linear_ard: (p) => linear({ variance: p['linear.variances']! }),
  'rbf_ard+bias': (p) => add(ard(p), bias({ variance: p['bias.variance']![0]! })),
  'linear+bias': (p) =>
    add(linear({ variance: p['linear.variances']![0]! }), bias({ variance: p['bias.variance']![0]! })),
  'rbf_ard+white': (p) => add(ard(p), white({ variance: p['white.variance']![0]! })),
};
const ard = (p: Record<string, number[]>) =>
  rbf({ variance: p['rbf.variance']![0]!, lengthscale: p['rbf.lengthscale']! });

function modelOf({ kernel, parameters, noise }: Case, observations = Y) {
  return bayesianGplvm(observations, {
    latentDim: 3,
    inducing: Z,
    // What GPy adds, whatever the variance.
    jitter: 1e-8,
    kernel: kernels[kernel]!(parameters),
    noise,
    init: mean,
    latentVariance: variance,
    center: false,
  });
}

describe.each(cases)('bayesianGplvm with $kernel', (given) => {
  it('of more columns than rows has the sum of the bounds of their parts', () => {
    const factors = Array.from({ length: Math.ceil(Y.length / Y[0]!.length) + 1 }, (_, k) => 1 - 0.1 * k);
    const scaled = (factor: number) => Y.map((row) => row.map((y) => factor * y));
    const wide = Y.map((row) => factors.flatMap((factor) => row.map((y) => factor * y)));
    expect(wide[0]!.length).toBeGreaterThan(Y.length);
    const whole = evaluate(modelOf(given, wide));
    const parts = factors.map((factor) => evaluate(modelOf(given, scaled(factor))));
    const sum = (of: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + of(part), 0);
    expectClose(
      whole.terms.mapping!,
      sum(({ terms }) => terms.mapping!),
      1e-10,
    );
    expectClose(
      whole.gradients['mapping.noise'],
      sum(({ gradients }) => gradients['mapping.noise'] as number),
      1e-8,
    );
  });

  it('has the bound of GPy, and its gradients under their paths', () => {
    const { objective, terms, gradients } = evaluate(modelOf(given));
    expect(Math.abs(objective / given.bound - 1)).toBeLessThan(1e-9);
    expect(Math.abs(terms.divergence! / -given.kl - 1)).toBeLessThan(1e-12);
    const wanted: Record<string, unknown> = {
      'latents.mean': given.gradients.mean,
      'latents.variance': given.gradients.variance,
      'mapping.inducing': given.gradients.inducing,
      'mapping.noise': given.gradients.noise,
      ...Object.fromEntries(
        Object.entries(given.gradients.kernel).map(([name, value]) => [
          `mapping.kernel.${name.replace('variances', 'variance')}`,
          value,
        ]),
      ),
    };
    expect(Object.keys(gradients).sort()).toEqual(Object.keys(wanted).sort());
    const isLinear = given.kernel.startsWith('linear');
    for (const [path, value] of Object.entries(wanted)) {
      if (isLinear && path === 'mapping.inducing') continue;
      expectClose(gradients[path], value, isLinear ? 1e-6 : 1e-8, path);
    }
  });

  it('predicts as GPy does', async () => {
    const result = await fit(modelOf(given), { maxIterations: 0 });
    const { X, mean: means, variance_observation, variance_latent } = given.prediction;
    const everyColumn = (column: number[][]) => column.map(([entry]) => Y[0]!.map(() => entry!));
    expectClose(result.predict(X).mean, means, 1e-8, 'mean');
    expectClose(result.predict(X).variance, everyColumn(variance_latent), 1e-8, 'variance of the function');
    expectClose(result.predict(X, { noise: true }).variance, everyColumn(variance_observation), 1e-8, 'variance');
  });
});

describe('a fit of bayesianGplvm', () => {
  it('shows latents as distributions, relevances and predictions, and is the same when read again', async () => {
    const result = await fit(bayesianGplvm(Y, { latentDim: 3, inducing: 6 }), { maxIterations: 20 });
    expect(result.latentVariances!.rows).toBe(14);
    expect(Math.max(...result.relevance!)).toBe(1);
    const again = await loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict(result.latents)).toEqual(result.predict(result.latents));
    expect(again.latentVariances).toEqual(result.latentVariances);
    expect(again.relevance).toEqual(result.relevance);
    const projected = await result.project(Y.slice(0, 3));
    // In units of the shortest lengthscale: a dimension that has switched itself off says nothing of where a point is.
    const error = projected.latents.data.map(
      (x, i) => (x - result.latents.data[i]!) * Math.sqrt(result.relevance[i % 3]!),
    );
    expect(Math.max(...error.map(Math.abs))).toBeLessThan(0.5);
  });

  it('starts with longer lengthscales for dimensions that explain little of the observations', async () => {
    const lengthscalesOf = async (rows: number[][], options: object = {}) => {
      const start = await fit(bayesianGplvm(rows, { latentDim: 2, inducing: 3, scale: false, ...options }), {
        maxIterations: 0,
      });
      return start.parameters['mapping.kernel.rbf.lengthscale'] as number[];
    };
    // Two uncorrelated columns, of variances 16 and 1.
    const rows = [
      [4, 1],
      [4, -1],
      [-4, 1],
      [-4, -1],
    ];
    expectClose(await lengthscalesOf(rows), [1, 2], 1e-12, 'principal components');
    const init = rows.map(([a, b]) => [b!, a! / 4]);
    expectClose(await lengthscalesOf(rows, { init }), [2, 1], 1e-12, 'a start of their own');
    expectClose(await lengthscalesOf(rows.map(([a, b]) => [a!, 1e-3 * b!])), [1, 10], 1e-12, 'nearly nothing');
  });
});
