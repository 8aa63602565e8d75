import {
  bayesianGplvm,
  bernoulli,
  encoded,
  type Fit,
  fit,
  gaussianLatents,
  latentVariableModel,
  Matrix,
  type Model,
  mlpMap,
  poisson,
  rbf,
  seededRandom,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import type { AnyPosterior, LatentMoments } from '../../../src/model/posterior.ts';
import { expectClose } from '../../tolerance.ts';

/** Points on an arc in `columns` columns. */
function arc(rows: number, columns: number, seed: number): Matrix {
  const random = seededRandom(seed);
  const Y = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) {
    const t = 3 * random.uniform() - 1.5;
    for (let j = 0; j < columns; j++) Y.data[i * columns + j] = Math.sin(t + (2 * j) / columns) + 0.1 * random.normal();
  }
  return Y;
}
const Y = arc(15, 5, 1);
const boundOf = (model: Model, { parameters }: Pick<Fit, 'parameters'>) => {
  const { bound } = (model.posterior(parameters) as AnyPosterior).variables!;
  return (mapping: Matrix, x: LatentMoments) => bound!({ mapping }, x);
};

const exact = { maxIterations: 2000, tolerance: 1e-6, relativeDecrease: 0, restarts: 0 };

describe('project of a Bayesian GPLVM', () => {
  it('finds the Gaussians of the fit at the rows that were fitted, where the bound is stationary in both', {
    tags: 'long',
  }, async () => {
    const result = await fit(bayesianGplvm(Y, { latentDim: 1, inducing: 6 }), exact);
    const { latents, latentVariances } = await result.project(Y);
    expectClose(latents.data, result.latents.data, 1e-4);
    expectClose(latentVariances!.data, result.latentVariances.data, 1e-3);
  });

  it('has a bound below its density, and above the bound of all other Gaussians', async () => {
    const model = bayesianGplvm(Y, { latentDim: 1, inducing: 6 });
    const result = await fit(model, { maxIterations: 30 });
    const placedBound = boundOf(model, result);
    const others = arc(3, 5, 2);
    const { latents, latentVariances } = await result.project(others);
    const noise = result.parameters['mapping.noise'] as number;
    const grid = Array.from({ length: 1001 }, (_, k) => -6 + (12 * k) / 1000);
    const { mean, variance } = result.predict(grid.map((x) => [x]));
    for (let i = 0; i < others.rows; i++) {
      const row = (M: Matrix) => new Matrix(M.row(i).slice(), 1, M.columns);
      const bound = placedBound(row(others), { mean: row(latents), variance: row(latentVariances!) });
      expect(Math.abs(bound.mean.data[0]!)).toBeLessThan(1e-4);
      expect(Math.abs(bound.variance.data[0]! * latentVariances!.at(i, 0))).toBeLessThan(1e-4);
      const densities = grid.map((x, k) => {
        const logs = Array.from({ length: 5 }, (_, j) => {
          const v = variance.at(k, j) + noise;
          return -0.5 * (Math.log(2 * Math.PI * v) + (others.at(i, j) - mean.at(k, j)) ** 2 / v);
        });
        return Math.exp(logs.reduce((sum, own) => sum + own, -0.5 * (x * x + Math.log(2 * Math.PI))));
      });
      const density = Math.log(densities.reduce((sum, own) => sum + own * (12 / 1000), 0));
      expect(bound.values[0]).toBeLessThan(density);
      // At all Gaussians of a grid, the row as often.
      const gaussians = Array.from({ length: 31 }, (_, k) => -3 + 0.2 * k).flatMap((m) =>
        [1e-3, 0.01, 0.05, 0.2, 0.8].map((s) => [m, s] as const),
      );
      const { values } = placedBound(Matrix.from(gaussians.map(() => others.row(i))), {
        mean: Matrix.from(gaussians.map(([m]) => [m])),
        variance: Matrix.from(gaussians.map(([, s]) => [s])),
      });
      expect(values).toHaveLength(155);
      expect(Math.max(...values)).toBeLessThan(bound.values[0]! + 1e-9);
    }
  });

  it('has the gradients of its bound, with missing entries too', async () => {
    const model = bayesianGplvm(Y, { latentDim: 2, inducing: 6 });
    const result = await fit(model, { maxIterations: 20 });
    const placedBound = boundOf(model, result);
    const holed = arc(3, 5, 2);
    holed.data[1] = Number.NaN;
    for (const i of [0, 1, 2]) holed.data[5 * i + 3] = Number.NaN;
    const random = seededRandom(2);
    const x = {
      mean: new Matrix(
        Float64Array.from({ length: 6 }, () => random.normal()),
        3,
        2,
      ),
      variance: new Matrix(
        Float64Array.from({ length: 6 }, () => 0.1 + random.uniform()),
        3,
        2,
      ),
    };
    const bound = placedBound(holed, x);
    for (const of of ['mean', 'variance'] as const) {
      for (let k = 0; k < 6; k++) {
        const moved = (step: number) => {
          const data = x[of].data.slice();
          data[k]! += step;
          const { values } = placedBound(holed, { ...x, [of]: new Matrix(data, 3, 2) });
          return values.reduce((sum, value) => sum + value, 0);
        };
        const slope = (8 * (moved(1e-4) - moved(-1e-4)) - (moved(2e-4) - moved(-2e-4))) / 12e-4;
        expect(Math.abs(slope - bound[of].data[k]!)).toBeLessThan(1e-7 * Math.max(1, Math.abs(slope)));
      }
    }
  });

  it('reconstructs by predictions that take the variances into account', async () => {
    const result = await fit(bayesianGplvm(Y, { latentDim: 1, inducing: 6 }), { maxIterations: 15 });
    const others = arc(4, 5, 3);
    const { latents, latentVariances } = await result.project(others);
    const { mean } = result.predict(latents, { latentVariances: latentVariances! });
    expect((await result.reconstruct(others)).data).toEqual(mean.data);
    expect(mean.data).not.toEqual(result.predict(latents).mean.data);
  });

  it('infers variances under other likelihoods, smaller ones for rows with more observed entries', {
    tags: 'long',
  }, async () => {
    const random = seededRandom(4);
    const counts = Matrix.from(
      Y.toArrays().map((row) => row.map((y) => Math.floor(Math.exp(1.5 * y) + random.uniform()))),
    );
    const black = Matrix.from(Y.toArrays().map((row) => row.map((y) => (y > 0 ? 1 : 0))));
    for (const [observations, likelihood] of [
      [counts, poisson()],
      [black, bernoulli()],
    ] as const) {
      const model = bayesianGplvm(observations, { latentDim: 1, inducing: 6, likelihood });
      const result = await fit(model, { maxIterations: 100 });
      const whole = new Matrix(observations.data.slice(0, 5), 1, 5);
      const part = new Matrix(
        Float64Array.from(whole.data, (y, j) => (j < 1 ? y : Number.NaN)),
        1,
        5,
      );
      const of = async (row: Matrix) => (await result.project(row)).latentVariances!.at(0, 0);
      const [known, unknown] = [await of(whole), await of(part)];
      expect(known).toBeGreaterThan(0);
      expect(unknown).toBeGreaterThan(known);
      expect(unknown).toBeLessThan(1.2);
    }
  });

  it('is the encoder where there is one, with its variances', async () => {
    const model = bayesianGplvm(Y, { latentDim: 1, inducing: 6, posterior: encoded(mlpMap({ hidden: 3 })) });
    const result = await fit(model, { maxIterations: 30 });
    const { latents, latentVariances } = await result.project(Y);
    expect(latents.data).toEqual(result.latents.data);
    expect(latentVariances!.data).toEqual(result.latentVariances.data);
    const holed = Matrix.from(Y);
    holed.data[2] = Number.NaN;
    const some = await result.project(holed);
    expect(some.latentVariances!.row(1)).toEqual(result.latentVariances.row(1));
    expect(some.latentVariances!.at(0, 0)).toBeGreaterThan(0);
    expect(some.latentVariances!.at(0, 0)).not.toBe(result.latentVariances.at(0, 0));
  });
});

describe('project of views with one distribution of the latents', () => {
  const views = {
    a: { observations: Y, kernel: rbf(), inducing: 6 },
    b: { observations: arc(15, 3, 1), kernel: rbf(), inducing: 6 },
  };
  const model = () => latentVariableModel({ latentDim: 1, posterior: gaussianLatents(), views });

  it('finds the Gaussians of the fit from both views, and wider ones from one', { tags: 'long' }, async () => {
    const result = await fit(model(), exact);
    const both = await result.project({ a: views.a.observations, b: views.b.observations });
    expectClose(both.latents.data, result.latents.data, 1e-4);
    expectClose(both.latentVariances!.data, result.latentVariances.data, 1e-3);
    const one = await result.project({ b: views.b.observations });
    const total = (M: Matrix) => M.data.reduce((sum, own) => sum + own, 0);
    expect(total(one.latentVariances!)).toBeGreaterThan(total(both.latentVariances!));
  });

  it('translates by predictions that take the variances into account', async () => {
    const result = await fit(model(), { maxIterations: 15 });
    const { latents, latentVariances, mean, variance } = await result.translate({ a: arc(4, 5, 1) }, 'b');
    const at = result.predict(latents, { view: 'b', latentVariances: latentVariances! });
    expect([mean.data, variance.data]).toEqual([at.mean.data, at.variance.data]);
    const points = result.predict(latents, { view: 'b' });
    expect(points.variance.data).not.toEqual(variance.data);
    expect(() => result.predict(latents, { view: 'b', latentVariances: [[1]] })).toThrow(/latentVariances must be 4×1/);
  });
});
