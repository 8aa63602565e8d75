import {
  bayesianGplvm,
  byKind,
  evaluate,
  fit,
  fitAt,
  gplvm,
  InvalidInputError,
  loadFit,
  Matrix,
  seededRandom,
  tpslvm,
} from 'latentfield';
import { covariates } from 'latentfield/models';
import { describe, expect, it } from 'vitest';

const N = 45;
const D = 5;
const random = seededRandom(3);
const hidden = Array.from({ length: N }, () => random.normal());
const seasons = Array.from({ length: N }, (_, n) => (n * 7) % 3);
const oneHot = seasons.map((season) => [0, 1, 2].map((level) => +(level === season)));
const effects = Array.from({ length: 3 }, () => Array.from({ length: D }, () => 3 * random.normal()));
// y = f(x) + g(season) + noise
const Y = Matrix.from(
  hidden.map((x, n) =>
    Array.from({ length: D }, (_, d) => 2 * Math.sin(x / 2 + d) + effects[seasons[n]!]![d]! + 0.05 * random.normal()),
  ),
);
const first = (rows: number) => Matrix.from(Y.toArrays().slice(0, rows));
const KERNEL = 'mapping.kernel.';

/** Share of the variance of the latents between the seasons, the largest of their columns. */
function betweenSeasons(X: Matrix): number {
  const shares = Array.from({ length: X.columns }, (_, d) => {
    const x = Array.from(X.column(d));
    const mean = (of: readonly number[]) => of.reduce((sum, entry) => sum + entry / of.length, 0);
    const all = mean(x);
    const means = [0, 1, 2].map((season) => mean(x.filter((_, n) => seasons[n] === season)));
    const between = seasons.reduce((sum, season) => sum + (means[season]! - all) ** 2, 0);
    return between / x.reduce((sum, entry) => sum + (entry - all) ** 2, 0);
  });
  return Math.max(...shares);
}

/** Solution of a symmetric system by Cholesky factorization on plain lists. */
function solved(K: readonly number[][], B: readonly number[][]): number[][] {
  const n = K.length;
  const L = K.map((row) => row.map(() => 0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = K[i]![j]!;
      for (let k = 0; k < j; k++) sum -= L[i]![k]! * L[j]![k]!;
      L[i]![j] = i === j ? Math.sqrt(sum) : sum / L[j]![j]!;
    }
  }
  const X = B.map((row) => row.slice());
  for (let c = 0; c < X[0]!.length; c++) {
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) X[i]![c]! -= L[i]![k]! * X[k]![c]!;
      X[i]![c]! /= L[i]![i]!;
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) X[i]![c]! -= L[k]![i]! * X[k]![c]!;
      X[i]![c]! /= L[i]![i]!;
    }
  }
  return X;
}

describe('covariates', () => {
  it('that are constant add a constant to the covariance', () => {
    const constant = Array.from({ length: N }, () => [4.2]);
    const beside = evaluate(gplvm(Y, { latentDim: 2, given: covariates(constant) }), {
      latents: Matrix.from(hidden.map((x) => [x, x * x])),
      [`${KERNEL}bias.variance`]: 0.3,
    });
    const { parameters } = fitAt(gplvm(Y, { latentDim: 2, given: covariates(constant) }));
    const variance = (parameters as Record<string, unknown>)[`${KERNEL}rbf2.variance`] as number;
    const without = evaluate(gplvm(Y, { latentDim: 2 }), {
      latents: Matrix.from(hidden.map((x) => [x, x * x])),
      [`${KERNEL}bias.variance`]: 0.3 + variance,
    });
    expect(Math.abs(beside.objective - without.objective)).toBeLessThan(1e-9 * Math.abs(without.objective));
    const [own, other] = [beside, without].map(({ gradients }) => gradients.latents as Matrix);
    own!.data.forEach((slope, k) => {
      expect(Math.abs(slope - other!.data[k]!)).toBeLessThan(1e-8 * (1 + Math.abs(slope)));
    });
  });

  it.each([
    ['gplvm', gplvm],
    ['tpslvm', tpslvm],
    ['bayesianGplvm', bayesianGplvm],
  ] as const)('of %s have gradients that agree with differences', (_, make) => {
    const model = (make as typeof gplvm)(Y, {
      ...{ latentDim: 1, given: covariates(oneHot) },
      ...(make === bayesianGplvm && { inducing: 6, noise: 0.1 }),
    });
    const { parameters } = fitAt(model);
    const path = `${KERNEL}rbf2.lengthscale` in parameters ? `${KERNEL}rbf2.lengthscale` : `${KERNEL}rbf.lengthscale`;
    const at = (value: readonly number[]) => evaluate(model, { [path]: [...value] } as never);
    const start = [0.8, 1.1, 0.9];
    const gradient = at(start).gradients[path as never] as unknown as number[];
    const h = 1e-5;
    start.forEach((_, j) => {
      const moved = (by: number) => at(start.map((entry, k) => (k === j ? entry + by : entry))).objective;
      const slope = (moved(h) - moved(-h)) / (2 * h);
      expect(Math.abs(gradient[j]! - slope)).toBeLessThan(1e-5 * (1 + Math.abs(slope)));
    });
  });

  it.each([
    ['gplvm', gplvm],
    ['bayesianGplvm', bayesianGplvm],
  ] as const)('keep their effects out of the latents of %s', { tags: 'long' }, async (_, make) => {
    const own = make as typeof gplvm;
    const without = await fit(own(Y, { latentDim: 1 }), { maxIterations: 150 });
    const beside = await fit(own(Y, { latentDim: 1, given: covariates(oneHot) }), { maxIterations: 150 });
    expect(betweenSeasons(without.latents)).toBeGreaterThan(0.5);
    // The points themselves differ between the seasons by chance.
    const byChance = betweenSeasons(Matrix.from(hidden.map((x) => [x])));
    expect(betweenSeasons(beside.latents)).toBeLessThan(byChance + 0.05);
    const [x, z] = [Array.from(beside.latents.column(0)), hidden];
    const centered = (of: readonly number[]) => of.map((entry) => entry - of.reduce((a, b) => a + b, 0) / N);
    const [a, b] = [centered(x), centered(z)];
    const dot = (p: readonly number[], q: readonly number[]) => p.reduce((sum, entry, n) => sum + entry * q[n]!, 0);
    expect(Math.abs(dot(a, b)) / Math.sqrt(dot(a, a) * dot(b, b))).toBeGreaterThan(0.9);
    // The same point in another season moves by the difference of the effects.
    const elsewhere = oneHot.map(() => [1, 0, 0]);
    const { mean } = beside.predict(beside.latents, { given: elsewhere });
    const off = Math.sqrt(
      mean.data.reduce((sum, entry, k) => {
        const [n, d] = [Math.floor(k / D), k % D];
        return sum + (entry - 2 * Math.sin(hidden[n]! / 2 + d) - effects[0]![d]!) ** 2 / mean.data.length;
      }, 0),
    );
    expect(off).toBeLessThan(0.3);
  });

  it('are predicted as a Gaussian process of latents and covariates is, and places of new rows use them', async () => {
    const numbers = seasons.map((season, n) => [season + n / N]);
    const result = await fit(gplvm(Y, { latentDim: 1, given: covariates(numbers) }), { maxIterations: 30 });
    const p = result.parameters as unknown as Record<string, number & number[]>;
    const mean = numbers.reduce((sum, [c]) => sum + c! / N, 0);
    const deviation = Math.sqrt(numbers.reduce((sum, [c]) => sum + (c! - mean) ** 2 / N, 0));
    const k = (x: number, c: number, x2: number, c2: number) =>
      p[`${KERNEL}rbf.variance`]! * Math.exp(-0.5 * ((x - x2) / p[`${KERNEL}rbf.lengthscale`]!) ** 2) +
      p[`${KERNEL}bias.variance`]! +
      p[`${KERNEL}rbf2.variance`]! * Math.exp(-0.5 * ((c - c2) / deviation / p[`${KERNEL}rbf2.lengthscale`]![0]!) ** 2);
    const X = Array.from(result.latents.column(0));
    const K = X.map((x, i) =>
      X.map((z, j) => k(x, numbers[i]![0]!, z, numbers[j]![0]!) + (i === j ? p['mapping.noise']! : 0)),
    );
    const means = Array.from({ length: D }, (_, d) => Y.column(d).reduce((sum, y) => sum + y / N, 0));
    const weights = solved(
      K,
      Y.toArrays().map((row) => Array.from(row, (y, d) => y - means[d]!)),
    );
    const at = [
      [0.3, 5.1],
      [-1.2, 0.4],
    ] as const;
    const found = result.predict(
      at.map(([x]) => [x]),
      { given: at.map(([, c]) => [c]), calibrated: false },
    );
    at.forEach(([x, c], i) => {
      const cross = X.map((z, j) => k(x, c, z, numbers[j]![0]!));
      const back = solved(
        K,
        cross.map((entry) => [entry]),
      );
      const variance = k(x, c, x, c) - cross.reduce((sum, entry, j) => sum + entry * back[j]![0]!, 0);
      for (let d = 0; d < D; d++) {
        const expected = means[d]! + cross.reduce((sum, entry, j) => sum + entry * weights[j]![d]!, 0);
        expect(Math.abs(found.mean.at(i, d) - expected)).toBeLessThan(1e-9);
        expect(Math.abs(found.variance.at(i, d) - variance)).toBeLessThan(1e-9);
      }
    });
  });

  it('are saved, and missing or odd ones are typed errors', async () => {
    const models = [
      gplvm(Y, { latentDim: 1, given: covariates(oneHot) }),
      bayesianGplvm(Y, { latentDim: 1, given: covariates(oneHot) }),
      bayesianGplvm(Y as never, { latentDim: 1, inducing: 8, columns: byKind(), given: covariates(oneHot) }),
    ] as readonly ReturnType<typeof gplvm>[];
    for (const model of models) {
      const result = await fit(model, { maxIterations: 15 });
      const again = (await loadFit(JSON.parse(JSON.stringify(result)))) as unknown as typeof result;
      const given = oneHot.slice(0, 4);
      const rows = first(4);
      const [own, other] = [await result.project(rows, { given }), await again.project(rows, { given })];
      expect(other.latents.toArrays()).toEqual(own.latents.toArrays());
      const holed = rows.map((entry, i, j) => (i === j ? Number.NaN : entry));
      expect((await again.impute(holed, { given })).mean.toArrays()).toEqual(
        (await result.impute(holed, { given })).mean.toArrays(),
      );
      expect(again.sample(own.latents, { given }).toArrays()).toEqual(result.sample(own.latents, { given }).toArrays());
      await expect(result.project(rows)).rejects.toThrow(/needs rows of 'given' too, n×3.*project\(Y, \{ given \}\)/);
      await expect(result.impute(holed)).rejects.toThrow(InvalidInputError);
      expect(() => result.predict(own.latents)).toThrow(InvalidInputError);
      expect(() => result.sample(own.latents)).toThrow(InvalidInputError);
      await expect(result.project(rows, { given: oneHot.slice(0, 3) })).rejects.toThrow(/same rows of all variables/);
      await expect(result.project(rows, { given: [[1], [1], [0], [0]] })).rejects.toThrow(/'given' with 3 columns/);
      const missing = given.map((row, i) => (i === 2 ? [Number.NaN, 0, 0] : row));
      await expect(result.project(rows, { given: missing })).rejects.toThrow(/'given' must contain finite numbers/);
    }
    const plain = await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 3 });
    await expect(plain.project(first(3), { given: oneHot.slice(0, 3) })).rejects.toThrow(/no known variable/);
    expect(() => covariates([[Number.NaN], [1]])).toThrow(InvalidInputError);
    expect(() => gplvm(Y, { latentDim: 1, given: covariates([[1], [2]]) })).toThrow(/covariates of 2 rows.*have 45/);
    expect(() => gplvm(Y, { latentDim: 1, given: oneHot as never })).toThrow(/covariates\(C\)/);
  });
});
