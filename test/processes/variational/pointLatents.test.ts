import {
  bayesianGplvm,
  bernoulli,
  evaluate,
  fit,
  gplvm,
  type Likelihood,
  latentVariableModel,
  loadFit,
  Matrix,
  nearestNeighborError,
  ordinal,
  poisson,
  rbf,
  seededRandom,
  standardNormal,
  studentT,
} from 'latentfield';
import { checkModel } from 'latentfield/testing';
import { describe, expect, it } from 'vitest';

const N = 16;
const random = seededRandom(2);
const times = Array.from({ length: N }, () => 2 * random.uniform() - 1);
const curves = times.map((t) => [0, 1, 2, 3].map((j) => Math.sin(1.5 * t + j)));
/** A draw of a Poisson distribution. */
function drawnCount(rate: number, uniform: () => number): number {
  let [count, left] = [0, uniform()];
  while (left > Math.exp(-rate)) {
    count++;
    left *= uniform();
  }
  return count;
}
const each = (of: (f: number) => number) => curves.map((row) => row.map(of));
const counts = each((f) => Math.floor(Math.exp(1.2 + f) + random.uniform()));
type Case = { likelihood: Likelihood; data: number[][] };
/** Their expectations take many nodes. */
const cases: Record<string, Case> = {
  poisson: { likelihood: poisson(), data: counts },
  bernoulli: { likelihood: bernoulli(), data: each((f) => (f > 0 ? 1 : 0)) },
  ordinal: { likelihood: ordinal({ levels: 3 }), data: each((f) => Math.round(f + 1)) },
  studentT: { likelihood: studentT({ scale: 0.2 }), data: curves },
};

describe('gplvm with point latents under other likelihoods', () => {
  const title = '%s has right gradients, rises, and is the same when read again';
  it.each(Object.entries(cases))(title, { tags: 'long' }, async (_, given) => {
    const model = gplvm(given.data, { latentDim: 1, inducing: 4, likelihood: given.likelihood });
    checkModel(model, { entries: 3 });
    const before = evaluate(model).objective;
    const result = await fit(model, { maxIterations: 20 });
    expect(result.objective).toBeGreaterThan(before);
    const again = await loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict!(result.latents, { noise: true })).toEqual(result.predict(result.latents, { noise: true }));
  });

  it('has the bound of bayesianGplvm where the variances of the latents vanish', () => {
    const kernel = rbf({ variance: 1.5, lengthscale: 0.9 });
    const Z = [[-1], [0], [0.8]];
    const init = times.map((t) => [t]);
    const points = gplvm(counts, { latentDim: 1, inducing: Z, kernel, likelihood: poisson(), init, priors: [] });
    const s = 1e-12;
    const spread = bayesianGplvm(counts, {
      ...{ latentDim: 1, inducing: Z, kernel, likelihood: poisson(), init },
      latentVariance: s,
    });
    const q = {
      'mapping.variational.mean': Matrix.from([1, 2, 3].map((i) => [0.3 * i, -0.1, 0.5, 0.2 * i])),
      'mapping.variational.root': new Matrix(
        Float64Array.from({ length: 36 }, (_, k) => 0.4 + 0.03 * k),
        12,
        3,
      ),
    };
    const { terms } = evaluate(spread, q);
    const divergence = times.reduce((sum, t) => sum + 0.5 * (t * t + s - Math.log(s) - 1), 0);
    const { objective } = evaluate(points, q);
    expect(objective / (terms.mapping! + terms.divergence! + divergence)).toBeCloseTo(1, 6);
  });

  it('finds the rates of counts, missing ones too, and where new rows lie', { tags: 'long' }, async () => {
    const holes = counts.map((row, i) => row.map((y, j) => (i % 5 === 0 && j === 1 ? Number.NaN : y)));
    const model = gplvm(holes, { latentDim: 1, inducing: 6, likelihood: poisson(), missing: 'ignore' });
    const result = await fit(model, { maxIterations: 150 });
    const rates = result.predict(result.latents, { noise: true }).mean;
    const truth = each((f) => Math.exp(1.2 + f));
    const off = (of: (i: number, j: number) => number) =>
      truth.flatMap((row, i) => row.map((rate, j) => (rate - of(i, j)) ** 2)).reduce((a, b) => a + b, 0);
    const means = [0, 1, 2, 3].map((j) => counts.reduce((sum, row) => sum + row[j]!, 0) / N);
    expect(off((i, j) => rates.at(i, j))).toBeLessThan(0.2 * off((_, j) => means[j]!));
    const { latents } = await result.project(counts.slice(1, 4));
    latents.data.forEach((x, i) => {
      expect(Math.abs(x - result.latents.at(1 + i, 0))).toBeLessThan(0.25);
    });
  });

  it('is a view next to a Gaussian one: the terms add, and one view is translated to the other', async () => {
    const views = {
      curve: { observations: curves, kernel: rbf(), noise: 0.01 },
      count: { observations: counts, kernel: rbf(), likelihood: poisson(), inducing: 6 },
    };
    const model = latentVariableModel({ latentDim: 1, views, priors: [standardNormal()] });
    const { terms, objective } = evaluate(model);
    expect(terms.curve! + terms.count! + terms.standardNormal!).toBeCloseTo(objective, 8);
    const shared = await fit(model, { maxIterations: 30 });
    const { latents } = await shared.translate({ curve: curves.slice(0, 3) }, 'count');
    latents.data.forEach((x, i) => {
      expect(Math.abs(x - shared.latents.at(i, 0))).toBeLessThan(0.2);
    });
  });

  it('converges for 120 points and 20 columns of counts within the default limits', { tags: 'long' }, async () => {
    const own = seededRandom(5);
    const types = [0, 1, 2].map(() => Array.from({ length: 20 }, () => own.normal()));
    const rows = Array.from({ length: 120 }, (_, i) =>
      types[i % 3]!.map((f) => drawnCount(2 * Math.exp(f), own.uniform)),
    );
    const model = gplvm(rows, { latentDim: 2, inducing: 12, likelihood: poisson() });
    const result = await fit(model);
    expect(result.status).toBe('converged');
    expect(result.diagnostics.iterations).toBeLessThan(600);
    expect(
      nearestNeighborError(
        result.latents,
        rows.map((_, i) => i % 3),
      ),
    ).toBeLessThan(0.05);
    const further = await fit(model, { start: result, relativeDecrease: 1e-9, maxIterations: 2000 });
    expect(further.objective - result.objective).toBeLessThan(1e-3 * Math.abs(result.objective));
  });

  it('refuses what cannot be', () => {
    const options = { latentDim: 1, inducing: 4, likelihood: poisson() };
    expect(() => gplvm([[1], [-1]], { ...options, inducing: 1 })).toThrow(
      /is a count, a whole number from 0, but entry \[1\]/,
    );
    expect(() => gplvm(counts, { ...options, center: true })).toThrow(/cannot be centered or scaled/);
    expect(() => gplvm(counts, { latentDim: 1, likelihood: poisson() })).toThrow(/such as inducing: 50/);
    const ofMany = ordinal({ levels: 3 });
    expect(() => gplvm([[0], [5]], { latentDim: 1, inducing: 1, likelihood: ofMany })).toThrow(/entry \[1\]\[0\] is 5/);
  });
});
