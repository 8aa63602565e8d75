import { describe, expect, it } from 'vitest';
import { alle, fit, gplvm, Matrix, meu, samplePosterior, seededRandom } from '../../src/index.ts';

// Law: predictive variances are those of the model at the values that it is asked at. A factor that residuals give is an option, `calibrated`, which point fits alone have by default.

const random = seededRandom(5);
const N = 24;
const Y = Matrix.from(
  Array.from({ length: N }, (_, i) => {
    const t = (3 * i) / N - 1.5;
    return [Math.sin(2 * t), Math.cos(2 * t), t, t * t - 0.7].map((entry) => entry + 0.1 * random.normal());
  }),
);
const at = [[0.3], [-1.2], [2.5]];

/** Variances of the functions by Gaussian conditioning, k** − k*ᵀ(K + σ²I)⁻¹k*, with an rbf, a bias and noise. */
function conditional(parameters: Readonly<Record<string, unknown>>, X: Matrix) {
  const number = (name: string) => parameters[`mapping.${name}`] as number;
  const variance = number('kernel.rbf.variance');
  const lengthscale = number('kernel.rbf.lengthscale');
  const noise = number('noise');
  const k = (a: number, b: number) =>
    variance * Math.exp((-0.5 * (a - b) ** 2) / lengthscale ** 2) + number('kernel.bias.variance');
  const x = Array.from(X.data);
  const K = x.map((a, i) => x.map((b, j) => k(a, b) + (i === j ? noise : 0)));
  const variances = at.map(([a]) => {
    const cross = x.map((b) => k(a!, b));
    return k(a!, a!) - solved(K, cross).reduce((sum, entry, i) => sum + entry * cross[i]!, 0);
  });
  return { variances, noise };
}

/** A⁻¹b by Gaussian elimination; A is positive definite. */
function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]!]);
  rows.forEach((pivot, i) => {
    for (const row of rows.slice(i + 1)) {
      const factor = row[i]! / pivot[i]!;
      for (let j = i; j < pivot.length; j++) row[j]! -= factor * pivot[j]!;
    }
  });
  const x = new Array<number>(b.length).fill(0);
  for (let i = b.length - 1; i >= 0; i--) {
    const rest = rows[i]!.slice(i + 1, -1).reduce((sum, entry, j) => sum + entry * x[i + 1 + j]!, 0);
    x[i] = (rows[i]!.at(-1)! - rest) / rows[i]![i]!;
  }
  return x;
}

const model = gplvm(Y, { latentDim: 1 });

describe('predictive variances', () => {
  it('at a draw are the variances of the model at that draw', async () => {
    const draws = await samplePosterior(model, { chains: 1, warmup: 20, draws: 4, seed: 3, priors: 'weak' });
    for (const k of [0, 3]) {
      const values = draws.at(0, k);
      const { variances, noise } = conditional(values, values.latents as Matrix);
      const predicted = draws.fitAt(0, k).predict!(at, { noise: true }).variance;
      expect(predicted.row(1).length).toBe(4);
      variances.forEach((variance, i) => {
        for (const entry of predicted.row(i)) expect(Math.abs(entry / (variance + noise) - 1)).toBeLessThan(1e-6);
      });
    }
  });

  it('of a point fit carry a factor a column by default, and none with calibrated: false', async () => {
    const result = await fit(model, { seed: 1 });
    const { variances, noise } = conditional(result.parameters, result.latents);
    const own = result.predict(at, { noise: true, calibrated: false });
    variances.forEach((variance, i) => {
      for (const entry of own.variance.row(i)) expect(Math.abs(entry / (variance + noise) - 1)).toBeLessThan(1e-6);
    });
    const calibrated = result.predict(at, { noise: true });
    expect(calibrated.mean).toEqual(own.mean);
    expect(result.predict(at, { noise: true, calibrated: true })).toEqual(calibrated);
    // One factor for all rows of a column.
    for (let d = 0; d < 4; d++) {
      const factors = at.map((_, i) => calibrated.variance.at(i, d) / own.variance.at(i, d));
      for (const factor of factors) expect(Math.abs(factor / factors[0]! - 1)).toBeLessThan(1e-9);
      expect(Math.abs(factors[0]! - 1)).toBeGreaterThan(1e-3);
    }
    const other = await result.impute([[0.2, Number.NaN, 0.1, Number.NaN]], { calibrated: false });
    const holes = await result.impute([[0.2, Number.NaN, 0.1, Number.NaN]]);
    expect(holes.variance.at(0, 1)).not.toBe(other.variance.at(0, 1));
  });

  it('through inducing inputs carry a factor by default only', async () => {
    const result = await fit(gplvm(Y, { latentDim: 1, inducing: 8 }), { seed: 1, maxIterations: 20 });
    const own = result.predict(at, { noise: true, calibrated: false }).variance;
    const { variance } = result.predict(at, { noise: true });
    for (let d = 0; d < 4; d++) expect(Math.abs(variance.at(0, d) / own.at(0, d) - 1)).toBeGreaterThan(1e-3);
    // The noise of every column is the model's.
    const { variance: functions } = result.predict(at, { calibrated: false });
    for (let d = 0; d < 4; d++) {
      expect(own.at(1, d) - functions.at(1, d)).toBeCloseTo(result.parameters['mapping.noise'] as number, 10);
    }
  });

  it.each([
    ['meu', () => meu(Y, { latentDim: 1 })],
    ['alle', () => alle(Y, { latentDim: 1 })],
  ])('of %s are the conditional ones of its field with calibrated: false', async (_, make) => {
    const result = await fit(make() as ReturnType<typeof meu>);
    const column = Matrix.from(Array.from({ length: N }, (_, i) => [i === 5 ? Number.NaN : 3 * Math.sin(i)]));
    // Var[y_5 | the others] = 1/Q'_55 with the precision Q' about a mean that is not known.
    const Q = result.precision();
    const sums = Array.from({ length: N }, (_, i) => Q.row(i).reduce((sum, entry) => sum + entry, 0));
    const total = sums.reduce((sum, entry) => sum + entry, 0);
    const expected = 1 / (Q.at(5, 5) - sums[5]! ** 2 / total);
    const { variance } = await result.impute(column, { calibrated: false });
    expect(Math.abs(variance.at(5, 0) / expected - 1)).toBeLessThan(1e-6);
    expect(Math.abs((await result.impute(column)).variance.at(5, 0) / expected - 1)).toBeGreaterThan(0.01);
  });
});
