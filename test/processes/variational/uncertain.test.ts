import {
  add,
  bayesianGplvm,
  bias,
  fit,
  gaussian,
  type Kernel,
  linear,
  Matrix,
  matern32,
  rbf,
  seededRandom,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { lazily } from '../../../src/core/progressiveWork.ts';
import { expectClose } from '../../tolerance.ts';

const [N, D] = [30, 4];

/** Two clusters of points on a curve, a column that switches between them. */
function clusters(seed = 1): Matrix {
  const random = seededRandom(seed);
  const rows = Array.from({ length: N }, (_, i) => {
    const [t, side] = [2 * random.uniform() - 1, i % 2];
    const noise = () => 0.02 * random.normal();
    return [t + noise(), Math.sin(2 * t) + noise(), 3 * side - 1.5 + noise(), t * t + noise()];
  });
  return Matrix.from(rows);
}
const Y = clusters();

const firstRows = ({ data, columns }: Matrix, rows: number) => new Matrix(data.slice(0, rows * columns), rows, columns);

const kernels: Record<string, () => Kernel> = {
  rbf: () => rbf({ variance: 1, lengthscale: [0.8, 1.2] }),
  'linear + bias': () => add(linear(), bias()),
  'rbf + bias': () => add(rbf(), bias()),
  'matern, by quadrature': () => matern32(),
};

describe('predict at latents that are Gaussians', () => {
  // Of each form of the expectations one; of sums, the one that has all of them.
  for (const name of Object.keys(kernels))
    it(`agrees with draws of the latents, ${name}`, {
      tags: ['rbf', 'linear + bias'].includes(name) ? 'long' : [],
    }, async () => {
      const result = await fit(bayesianGplvm(Y, { latentDim: 2, inducing: 8, kernel: kernels[name]!() }), {
        maxIterations: 15,
      });
      const [means, spread] = [firstRows(result.latents, 3), firstRows(result.latentVariances, 3)];
      const found = result.predict(means, { latentVariances: spread, noise: true });
      const random = seededRandom(3);
      const draws = 20_000;
      const drawn = new Matrix(
        Float64Array.from({ length: draws * 6 }, (_, k) => {
          const i = k % 6;
          return means.data[i]! + Math.sqrt(spread.data[i]!) * random.normal();
        }),
        draws * 3,
        2,
      );
      const at = result.predict(drawn, { noise: true });
      for (let entry = 0; entry < 3 * D; entry++) {
        const own = Array.from({ length: draws }, (_, k) => k * 3 * D + entry);
        const average = (of: (k: number) => number) => own.reduce((sum, k) => sum + of(k), 0) / draws;
        const mean = average((k) => at.mean.data[k]!);
        const gap = (k: number) => (at.mean.data[k]! - mean) ** 2;
        const variance = average((k) => at.variance.data[k]! + gap(k));
        const ofVariance = average((k) => (at.variance.data[k]! + gap(k) - variance) ** 2);
        expect(Math.abs(found.mean.data[entry]! - mean)).toBeLessThan(4 * Math.sqrt(average(gap) / draws) + 1e-9);
        expect(Math.abs(found.variance.data[entry]! - variance)).toBeLessThan(4 * Math.sqrt(ofVariance / draws) + 1e-9);
      }
    });

  it('is the prediction at points where the variances are 0, in the units of the observations', async () => {
    const options = {
      latentDim: 2,
      inducing: 8,
      scale: true,
      likelihood: gaussian({ variance: [0.1, 0.2, 0.1, 0.3] }),
    };
    const result = await fit(bayesianGplvm(Y, options), { maxIterations: 10 });
    const X = firstRows(result.latents, 5);
    const uncertain = result.predict(X, { latentVariances: Matrix.zeros(5, 2), noise: true });
    const certain = result.predict(X, { noise: true });
    expectClose(uncertain.mean, certain.mean.toArrays(), 1e-7, 'mean');
    expectClose(uncertain.variance, certain.variance.toArrays(), 1e-6, 'variance');
  });

  it('refuses variances that are negative or of another shape', async () => {
    const result = await fit(bayesianGplvm(Y, { latentDim: 1, inducing: 4 }), { maxIterations: 2 });
    const at = (latentVariances: number[][]) => () => result.predict([[0], [1]], { latentVariances });
    expect(at([[0.1], [-1]])).toThrow('latentVariances must be 0 or more, but entry [1][0] is -1.');
    expect(at([[0.1]])).toThrow('latentVariances must be 2×1, but a 1×1 matrix was given.');
  });
});

describe('missing entries of a Bayesian GPLVM', () => {
  const holes = new Set([2, 9, 14, 21]);
  const seen = new Matrix(
    Y.data.map((y, k) => (k % D === 2 && holes.has(Math.floor(k / D)) ? Number.NaN : y)),
    N,
    D,
  );
  const fitted = lazily(() =>
    fit(bayesianGplvm(seen, { latentDim: 2, inducing: 12, missing: 'ignore' }), { maxIterations: 100 }),
  );

  it('agree with the mixture over the positions of all points, by its formula', async () => {
    const result = await fitted();
    const noise = result.parameters['mapping.noise'] as number;
    const density = result.missingLogDensity!(seen, Y);
    const places = result.predict(result.latents, { latentVariances: result.latentVariances });
    for (const row of holes) {
      const scores = Array.from({ length: N }, (_, j) => {
        const divergence = [0, 1].map((d) => {
          const [m, s] = [result.latents.at(j, d), result.latentVariances.at(j, d)];
          return 0.5 * (m * m + s - Math.log(s) - 1);
        });
        const misfit = [0, 1, 3].map((d) => (Y.at(row, d) - places.mean.at(j, d)) ** 2 + places.variance.at(j, d));
        return -misfit.reduce((a, b) => a + b) / (2 * noise) - divergence[0]! - divergence[1]!;
      });
      const most = Math.max(...scores);
      const total = scores.reduce((sum, score) => sum + Math.exp(score - most), 0);
      const weights = scores.map((score) => Math.exp(score - most) / total);
      const over = (of: (j: number) => number) => weights.reduce((sum, w, j) => sum + w * of(j), 0);
      const likelihood = over((j) => {
        const v = places.variance.at(j, 2) + noise;
        return Math.exp(-((Y.at(row, 2) - places.mean.at(j, 2)) ** 2) / (2 * v)) / Math.sqrt(2 * Math.PI * v);
      });
      expect(density.at(row, 2)).toBeCloseTo(Math.log(likelihood), 6);
    }
  });

  it('are predicted over all places where their row may lie, as on a fine grid of these', async () => {
    const result = await fitted();
    const noise = result.parameters['mapping.noise'] as number;
    // Rows that are not the fitted ones, which a map of the others fills in.
    const imputed = await result.impute(seen.toArrays().map((entries) => entries.map((entry) => entry + 1e-8)));
    const line = Array.from({ length: 121 }, (_, i) => -4 + i / 15);
    const grid = line.flatMap((a) => line.map((b) => [a, b]));
    const { mean, variance } = result.predict(grid);
    for (const row of holes) {
      const logWeights = grid.map(([a, b], g) =>
        [0, 1, 3].reduce(
          (sum, d) => {
            const v = variance.at(g, d) + noise;
            return sum - 0.5 * (Math.log(v) + (Y.at(row, d) - mean.at(g, d)) ** 2 / v);
          },
          -0.5 * (a! * a! + b! * b!),
        ),
      );
      const most = logWeights.reduce((a, b) => Math.max(a, b));
      const weights = logWeights.map((w) => Math.exp(w - most));
      const total = weights.reduce((sum, w) => sum + w, 0);
      const over = (of: (g: number) => number) => weights.reduce((sum, w, g) => sum + (w / total) * of(g), 0);
      const center = over((g) => mean.at(g, 2));
      const spread = over((g) => variance.at(g, 2) + noise + (mean.at(g, 2) - center) ** 2);
      const [found, squared] = [imputed.mean.at(row, 2), imputed.variance.at(row, 2)];
      expect(Math.abs(found - center)).toBeLessThan(0.15 * Math.sqrt(spread));
      expect(Math.abs(squared / spread - 1)).toBeLessThan(0.2);
    }
  });

  it('leaves what is observed as it is, and knows no density of it', async () => {
    const result = await fitted();
    const imputed = await result.impute(firstRows(seen, 2));
    expect(imputed.mean.at(0, 2)).toBe(Y.at(0, 2));
    expect(imputed.variance.at(0, 2)).toBe(0);
    expect(result.missingLogDensity!(seen, Y).at(0, 2)).toBeNaN();
    expect(() => result.missingLogDensity!(seen, firstRows(Y, 2))).toThrow('must be 30×4, but a 2×4 matrix was given');
  });
});
