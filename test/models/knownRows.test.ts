import {
  assess,
  bayesianGplvm,
  byKind,
  compareModels,
  fit,
  gplvm,
  InvalidInputError,
  Matrix,
  meu,
  poisson,
  score,
  seededRandom,
  selectOptions,
} from 'latentfield';
import { heldOutDensity } from 'latentfield/inference';
import { covariates } from 'latentfield/models';
import { definePrior } from 'latentfield/priors';
import { describe, expect, it } from 'vitest';
import { refitModel } from '../../src/models/refit.ts';

const [N, D] = [24, 3];
const random = seededRandom(5);
const hidden = Array.from({ length: N }, () => random.normal());
const seasons = hidden.map((_, n) => [n % 2]);
const offset = hidden.map((_, n) => Math.log(2 + 10 * (n % 5)));
const offsets = offset.map((own) => [own]);
const counts = (extra: number) =>
  Matrix.from(
    hidden.map((x, n) =>
      Array.from({ length: D }, (_, d) =>
        Math.round(Math.exp(offset[n]! + 0.8 * Math.sin(x + d) + seasons[n]![0]! * Math.cos(3 * d)) + extra),
      ),
    ),
  );
const Y = counts(0);
const other = counts(1);
const OPTIONS = { latentDim: 1, inducing: 5, likelihood: poisson() };
const both = { given: seasons, offset: offsets };
const shown = other.map((y, n, d) => ((n + d) % 3 === 0 ? Number.NaN : y));

const fitted = fit(bayesianGplvm(Y, { ...OPTIONS, offset, given: covariates(seasons) }), { maxIterations: 12 });
const shifted = fit(bayesianGplvm(Y, { ...OPTIONS, offset }), { maxIterations: 12 });
const plain = fit(bayesianGplvm(Y, OPTIONS), { maxIterations: 12 });

describe('covariates and an offset', () => {
  it('are used by score as by impute', async () => {
    const own = await score(await fitted, other, { shown, given: both });
    const { mean, variance } = await (await fitted).impute(shown, { given: both });
    const deviation = Array.from({ length: D }, (_, d) => {
      const y = Array.from(Y.column(d));
      const middle = y.reduce((sum, entry) => sum + entry / N, 0);
      return Math.sqrt(y.reduce((sum, entry) => sum + (entry - middle) ** 2, 0) / N);
    });
    const densities = Array.from(shown.data.keys()).flatMap((k) => {
      if (!Number.isNaN(shown.data[k])) return [];
      const gap = other.data[k]! - mean.data[k]!;
      const s2 = variance.data[k]!;
      return [-0.5 * Math.log(2 * Math.PI * s2) - (gap * gap) / (2 * s2) + Math.log(deviation[k % D]!)];
    });
    const expected = densities.reduce((sum, entry) => sum + entry / densities.length, 0);
    expect(Math.abs(own.logDensity - expected)).toBeLessThan(1e-9);
    const wrong = await score(await fitted, other, {
      shown,
      given: { given: seasons, offset: offsets.map(([o]) => [o! + 3]) },
    });
    expect(wrong.logDensity).toBeLessThan(own.logDensity - 0.5);
    await expect(score(await fitted, other)).rejects.toThrow(
      /'given' \(n×1\) and 'offset' \(n×1\) of the held-out rows/,
    );
    await expect(score(await fitted, other, { given: seasons })).rejects.toThrow(InvalidInputError);
  });

  it('go to the fits that have them in a comparison', async () => {
    const fits = [await fitted, await shifted, await plain];
    const named = await compareModels(fits, { heldOut: other, given: both });
    const each = await Promise.all([
      compareModels([fits[0]!], { heldOut: other, given: both }),
      compareModels([fits[1]!], { heldOut: other, given: { offset: offsets } }),
      compareModels([fits[2]!], { heldOut: other }),
    ]);
    expect(named.table.map(({ entryDensity }) => entryDensity)).toEqual(
      each.map(({ table }) => table[0]!.entryDensity),
    );
    expect(named.table.map(({ heldOutDensity: own }) => own)).toEqual(
      each.map(({ table }) => table[0]!.heldOutDensity),
    );
    expect(named.table.every(({ entryDensity }) => Number.isFinite(entryDensity))).toBe(true);
  });

  it('are cut to the rows of refits and folds', async () => {
    const rows = Int32Array.from([0, 3, 5, 8, 9, 11]);
    const json = refitModel((await fitted).toJSON().model, { rows }).toJSON() as unknown as Record<string, unknown>;
    expect(json.offset).toEqual(Array.from(rows, (row) => offset[row]));
    expect(json.given).toEqual(Array.from(rows, (row) => seasons[row]));
    const { table } = await selectOptions<{ inducing: number }>(
      ({ inducing }, { take }) => bayesianGplvm(take(Y), { ...OPTIONS, inducing, offset: take(offset) }),
      { inducing: [3, 4] },
      { score: heldOutDensity(Y, { given: { offset: offsets } }), folds: 2, fit: { maxIterations: 4 } },
    );
    expect(table.map(({ failure, score: own }) => [failure, Number.isFinite(own)])).toEqual([
      [undefined, true],
      [undefined, true],
    ]);
  });

  it('are known in an assessment', { tags: 'long' }, async () => {
    const found = await assess(await shifted, {
      ...{ starts: 1, bootstraps: 1, dimensions: [], shuffled: 0 },
      fit: { maxIterations: 4 },
    });
    expect(found.notAssessed).toEqual({});
    expect(found.calibration!.entries).toBeGreaterThan(3);
  });
});

describe('options that are undefined', () => {
  it('count as left out, where an option of the name does not exist, too', async () => {
    const field = await fit(
      meu(
        Y.map((y) => Math.log(y + 1)),
        { neighbors: 4 },
      ),
      { maxIterations: 3 },
    );
    const holed = Y.map((y, n, d) => (n === d ? Number.NaN : Math.log(y + 1)));
    const [own, same] = [await field.impute(holed), await field.impute(holed, { given: undefined } as never)];
    expect(same.mean.toArrays()).toEqual(own.mean.toArrays());
    await expect(field.impute(holed, { given: seasons } as never)).rejects.toThrow(/no option 'given'/);
  });
});

describe('tables by kind', () => {
  const holed = Matrix.from(
    Array.from({ length: 30 }, (_, n) =>
      [0, 1, 2, 3].map((d) => (n === 7 || (n + 5 * d) % 9 === 0 ? Number.NaN : Math.round(Math.exp((n % 6) - d)))),
    ),
  );
  const OF_COUNTS = { latentDim: 1, inducing: 6, missing: 'ignore', columns: byKind() } as const;
  const exposed = Array.from({ length: 30 }, (_, n) => Math.log(1 + (n % 4)));

  it('start at functions whose missing entries are filled in as functions', async () => {
    const model = bayesianGplvm(holed as never, { ...OF_COUNTS, offset: exposed } as never);
    expect(Number.isFinite((await fit(model, { maxIterations: 2 })).objective)).toBe(true);
  });

  it('take whole numbers for counts, however large, if rows have an offset', async () => {
    const large = holed.map((y, n) => (n === 7 ? 4000 + n : 1000 * (y || 1)));
    const table = { columns: ['a', 'b', 'c', 'd'], observations: large };
    const kinds = (options: object) =>
      (bayesianGplvm(table, { ...OF_COUNTS, ...options } as never).toJSON() as unknown as { kinds: object }).kinds;
    expect(new Set(Object.values(kinds({ offset: exposed })))).toEqual(new Set(['count']));
    expect(Object.values(kinds({}))).not.toContain('count');
    expect(() => bayesianGplvm(holed.map((y) => y + 0.5) as never, { ...OF_COUNTS, offset: exposed } as never)).toThrow(
      /for counts, whole numbers from 0, but no column is one.*--as visits:count/,
    );
  });

  it('impute a row without entries by its predictive moments under the prior of its latents', async () => {
    const result = await fit(bayesianGplvm(holed as never, OF_COUNTS as never), { maxIterations: 30 });
    const own = seededRandom(3);
    const X = Matrix.from(Array.from({ length: 4000 }, () => [own.normal()]));
    const { mean, variance } = result.predict(X, { noise: true });
    const found = await result.impute(holed);
    for (const d of [0, 1, 2, 3]) {
      const means = Array.from(mean.column(d));
      const expected = means.reduce((sum, entry) => sum + entry / X.rows, 0);
      const spread =
        means.reduce((sum, entry) => sum + (entry - expected) ** 2 / X.rows, 0) +
        variance.column(d).reduce((sum, entry) => sum + entry / X.rows, 0);
      expect(Math.abs(found.mean.at(7, d) - expected)).toBeLessThan(0.15 * Math.sqrt(spread));
      expect(Math.abs(found.variance.at(7, d) / spread - 1)).toBeLessThan(0.25);
    }
    await expect(result.project(holed)).rejects.toThrow(/Row index 7 of Y has no observed entries/);
  });
});

it('more points than a covariance has memory for are refused before a prior is prepared', async () => {
  let prepared = 0;
  const prior = definePrior({
    name: 'counted',
    parameters: {},
    prepare: () => {
      prepared++;
    },
    logDensity: () => 0 as never,
  });
  const many = new Matrix(
    Float64Array.from({ length: 28_000 }, (_, k) => Math.sin(k)),
    14_000,
    2,
  );
  const model = gplvm(many, { latentDim: 1, inducing: 'none', priors: [prior()] } as never);
  await expect(fit(model, { maxIterations: 0 })).rejects.toThrow(/takes up to \d+ of them: 14000 points/);
  expect(prepared).toBe(0);
});
