import {
  bayesianGplvm,
  bernoulli,
  defineLikelihood,
  evaluate,
  fit,
  gaussian,
  gaussianLatents,
  type Likelihood,
  latentVariableModel,
  loadFit,
  negativeBinomial,
  ordinal,
  poisson,
  rbf,
  seededRandom,
  studentT,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';

const { Y, mean, variance, Z } = reference<Record<'Y' | 'mean' | 'variance' | 'Z', number[][]>>('gpy-bayesian.json');
const base = { latentDim: 3, inducing: Z, init: mean, latentVariance: variance, center: false } as const;
const kernel = rbf({ variance: 1.3, lengthscale: [0.8, 1.7, 2.5] });

describe('the uncollapsed bound', () => {
  it('at the optimal q(u) is the collapsed one', () => {
    const given = { ...base, kernel, noise: 0.03 };
    const collapsed = evaluate(bayesianGplvm(Y, given));
    const uncollapsed = evaluate(bayesianGplvm(Y, { ...given, bound: 'uncollapsed' }));
    expect(Math.abs(uncollapsed.objective / collapsed.objective - 1)).toBeLessThan(1e-9);
    // There, its gradient in everything else is that of the collapsed bound too.
    for (const path of ['latents.mean', 'latents.variance', 'mapping.noise']) {
      const [a, b] = [collapsed, uncollapsed].map(({ gradients }) => flat(gradients[path]));
      const scale = Math.max(...a!.map(Math.abs));
      a!.forEach((entry, i) => {
        expect(Math.abs(entry - b![i]!) / scale).toBeLessThan(1e-7);
      });
    }
  });

  it('agrees, collapsed with missing entries and one noise variance per column, with one for all where they are equal', () => {
    const missing = Y.map((row, i) => (i === 3 ? row.map(() => Number.NaN) : row));
    // A point that one of two views lacks.
    const bound = (likelihood: Likelihood) => {
      const view = { kernel, likelihood, inducing: Z, center: false };
      const views = {
        holed: { ...view, observations: missing, missing: 'ignore' },
        whole: { ...view, observations: Y },
      } as const;
      return evaluate(
        latentVariableModel({ latentDim: 3, posterior: gaussianLatents({ init: mean, variance }), views }),
      );
    };
    const collapsed = bound(gaussian({ variance: 0.03 }));
    const each = bound(gaussian({ variance: Y[0]!.map(() => 0.03) }));
    expect(Object.keys(each.gradients)).not.toContain('views.whole.variational.mean');
    expect(Math.abs(each.objective / collapsed.objective - 1)).toBeLessThan(1e-12);
  });

  it('with one noise variance per column agrees with one for all where they are equal', () => {
    const one = evaluate(bayesianGplvm(Y, { ...base, kernel, noise: 0.03, bound: 'uncollapsed' }));
    const columns = gaussian({ variance: [0.03, 0.03, 0.03, 0.03, 0.03] });
    const each = evaluate(bayesianGplvm(Y, { ...base, kernel, likelihood: columns, bound: 'uncollapsed' }));
    expect(Math.abs(each.objective / one.objective - 1)).toBeLessThan(1e-12);
  });

  it('is saved where the collapsed one could be taken', async () => {
    const model = bayesianGplvm(Y, { ...base, kernel, noise: 0.03, bound: 'uncollapsed' });
    const result = await fit(model, { maxIterations: 1 });
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict!(mean)).toEqual(result.predict!(mean));
  });
});

const flat = (value: unknown): number[] =>
  typeof value === 'number' ? [value] : Array.from((value as { data?: Float64Array }).data ?? (value as number[]));

const random = seededRandom(4);
const counts = Y.map((row) => row.map((y) => Math.max(0, Math.round(2 * Math.exp(y) + random.uniform()))));
const signs = Y.map((row) => row.map((y) => (y > 0 ? 1 : 0)));
const likelihoods = {
  'bernoulli, logit': { likelihood: bernoulli(), data: signs },
  'noise a column': { likelihood: gaussian({ variance: [0.1, 0.2, 0.1, 0.3, 0.1] }), data: Y },
};
/** More of the same, whose expectations take many nodes. */
const others = {
  poisson: { likelihood: poisson(), data: counts },
  studentT: { likelihood: studentT({ scale: 0.2 }), data: Y },
  negativeBinomial: { likelihood: negativeBinomial({ size: 3 }), data: counts },
  'bernoulli, probit': { likelihood: bernoulli({ link: 'probit' }), data: signs },
  ordinal: {
    likelihood: ordinal({ levels: 4 }),
    data: Y.map((row) => row.map((y) => Math.min(3, Math.max(0, Math.round(y + 1.5))))),
  },
  'noise a row': { likelihood: gaussian({ variance: Y.map((_, i) => 0.05 + 0.01 * i), per: 'row' }), data: Y },
};

describe('bayesianGplvm with other likelihoods', () => {
  const isRight = async (_: string, { likelihood, data }: { likelihood: Likelihood; data: number[][] }) => {
    const model = bayesianGplvm(data, { latentDim: 1, inducing: 4, likelihood });
    checkModel(model, { entries: 3 });
    const before = evaluate(model).objective;
    const result = await fit(model, { maxIterations: 5 });
    expect(result.objective).toBeGreaterThan(before);
    const again = await loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict!(result.latents, { noise: true })).toEqual(result.predict!(result.latents, { noise: true }));
  };
  it.each(Object.entries(likelihoods))('%s has right gradients, fits, predicts and is saved', isRight);
  it.each(Object.entries(others))('%s has right gradients, fits, predicts and is saved', { tags: 'long' }, isRight);

  it('accepts a custom one, by quadrature', () => {
    // exp(−(y − f)²/2)/√2π, which the library would not know for a Gaussian.
    const own = defineLikelihood({
      name: 'own',
      parameters: {},
      logDensity: (_p, f, y) => op.mul(-0.5, op.add(Math.log(2 * Math.PI), op.square(op.sub(y, f)))),
    });
    const options = { latentDim: 2, inducing: 5, center: false, kernel: rbf(), bound: 'uncollapsed' } as const;
    const expected = bayesianGplvm(Y, { ...options, likelihood: gaussian({ variance: Y.map(() => 1), per: 'row' }) });
    const values = evaluate(expected);
    const quadrature = evaluate(bayesianGplvm(Y, { ...options, likelihood: own() }));
    expect(Math.abs(quadrature.terms.mapping! / values.terms.mapping! - 1)).toBeLessThan(1e-10);
  });

  it.each([
    [
      'poisson',
      poisson(),
      [
        [0.5, 1],
        [2, 3],
      ],
      /a count, a whole number from 0, but entry \[0\]\[0\] is 0.5/,
    ],
    [
      'negative',
      poisson(),
      [
        [1, 1],
        [-2, 3],
      ],
      /entry \[1\]\[0\] is -2/,
    ],
    [
      'labels',
      bernoulli(),
      [
        [1, 0],
        [1, 2],
      ],
      /0 or 1, but entry \[1\]\[1\] is 2/,
    ],
    [
      'grades',
      ordinal({ levels: 3 }),
      [
        [1, 0],
        [3, 2],
      ],
      /from 0 to 2.*but entry \[1\]\[0\] is 3/,
    ],
  ])('refuses observations that cannot be: %s', (_, likelihood, data, message) => {
    expect(() => bayesianGplvm(data, { latentDim: 1, inducing: 2, likelihood })).toThrow(message);
  });

  it('refuses inducing inputs outside 1 … N', () => {
    for (const inducing of [0, 15, 2.5]) {
      expect(() => bayesianGplvm(Y, { latentDim: 2, inducing })).toThrow(/a whole number from 1 to 14/);
    }
    expect(() => evaluate(bayesianGplvm(Y, { latentDim: 2, inducing: Z }))).toThrow(/must have 2 columns/);
  });
});
