import {
  assess,
  compareModels,
  fit,
  gplrf,
  gplvm,
  InvalidInputError,
  Matrix,
  samplePosterior,
  score,
  seededRandom,
  selectOptions,
  standardNormal,
} from 'latentfield';
import { checkPredictive, heldOutDensity } from 'latentfield/inference';
import { comparedRows, covariates } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { refitModel } from '../../src/models/refit.ts';

const N = 24;
const random = seededRandom(5);
const seasons = Array.from({ length: N }, (_, n) => [n % 2]);
const Y = Matrix.from(
  seasons.map(([season], n) =>
    [0, 1, 2, 3].map((d) => Math.sin(n / 6 + d) + 2 * season! * Math.cos(3 * d) + 0.1 * random.normal()),
  ),
);
const other = Y.map((entry) => entry + 0.05 * random.normal());
const constant = seasons.map(() => [4.2]);
const KERNEL = 'mapping.kernel.';
const options = { latentDim: 1, priors: [standardNormal()] };

/** A fit with constant covariates, and one without whose bias has their variance too: the same covariance. */
async function equalFits() {
  const beside = await fit(gplvm(Y, { ...options, given: covariates(constant) }), { maxIterations: 20 });
  const p = beside.parameters as unknown as Record<string, number>;
  const without = await fit(gplvm(Y, options), {
    maxIterations: 0,
    start: {
      latents: beside.latents,
      'mapping.noise': p['mapping.noise']!,
      [`${KERNEL}rbf.lengthscale`]: p[`${KERNEL}rbf.lengthscale`]!,
      [`${KERNEL}bias.variance`]: p[`${KERNEL}bias.variance`]! + p[`${KERNEL}rbf2.variance`]!,
    } as never,
  });
  return { beside, without };
}

describe('a fit with covariates', () => {
  it('is scored as one with the same covariance without them', async () => {
    const { beside, without } = await equalFits();
    const [own, plain] = [await score(beside, other, { given: constant }), await score(without, other)];
    expect(Math.abs(own.logDensity - plain.logDensity)).toBeLessThan(1e-4);
    await expect(score(beside, other)).rejects.toThrow(/needs 'given' \(n×1\) of the held-out rows.*\{ given \}/);
    await expect(score(without, other, { given: constant })).rejects.toThrow(InvalidInputError);
    const { table } = await compareModels([beside, without], { heldOut: other, given: constant });
    const [first, second] = table;
    expect(Math.abs(first!.heldOutDensity - second!.heldOutDensity)).toBeLessThan(1e-3);
    expect(Math.abs(first!.entryDensity - second!.entryDensity)).toBeLessThan(1e-4);
    expect(Math.abs(first!.evidence - second!.evidence)).toBeLessThan(1e-5 * Math.abs(second!.evidence));
  });

  it('predicts hidden entries with the covariates of their rows', async () => {
    const { logDensity } = await score(
      await fit(gplvm(Y, { ...options, given: covariates(seasons) }), { maxIterations: 40 }),
      other,
      { given: seasons },
    );
    const fitted = await fit(gplvm(Y, { ...options, given: covariates(seasons) }), { maxIterations: 40 });
    const wrong = await score(fitted, other, { given: seasons.map(([season]) => [1 - season!]) });
    expect(logDensity).toBeGreaterThan(wrong.logDensity + 1);
  });

  it('is assessed over rows, dimensions and holes', { tags: 'long' }, async () => {
    const holed = Y.map((entry, i, j) => ((i + 3 * j) % 11 === 0 ? Number.NaN : entry));
    const model = gplvm(holed, { ...options, missing: 'ignore', given: covariates(seasons) });
    const few = { maxIterations: 25 };
    const fitted = await fit(model, few);
    const found = await assess(fitted, { starts: 1, bootstraps: 2, dimensions: [2], shuffled: 2, fit: few });
    expect(found.notAssessed).toEqual({});
    expect(found.holes!.entries).toBeGreaterThan(3);
    expect(found.dimensions.map(({ latentDim }) => latentDim)).toEqual([1, 2]);
    expect((await comparedRows(fitted)).data.every(Number.isFinite)).toBe(true);
    const { beside, without } = await equalFits();
    const parts = { starts: 0, bootstraps: 0, shuffled: 2, dimensions: [], fit: few };
    const [own, plain] = [await assess(beside, parts), await assess(without, parts)];
    expect(own.scores).toEqual(plain.scores);
  });

  it('is refitted to some rows and in other dimensions with its covariates', async () => {
    const fitted = await fit(gplvm(Y, { latentDim: 2, given: covariates(seasons) }), { maxIterations: 2 });
    const rows = Int32Array.from([0, 3, 5, 8, 9, 11]);
    const json = refitModel(fitted.toJSON().model, { rows, latentDim: 3 }).toJSON() as unknown as {
      readonly given: readonly number[][];
      readonly kernel: { readonly add: readonly { readonly columns?: readonly number[] }[] };
    };
    expect(json.given).toEqual(Array.from(rows, (row) => seasons[row]));
    expect(json.kernel.add.flatMap(({ columns }) => (columns ? [columns] : []))).toEqual([[0, 1, 2], [3]]);
  });

  it('is selected among with the covariates of held-out rows', async () => {
    const selection = await selectOptions<{ latentDim: number }>(
      ({ latentDim }, { take }) => gplvm(take(Y), { latentDim, given: covariates(take(seasons)) }),
      { latentDim: [1, 2] },
      { score: heldOutDensity(Y, { given: seasons }), folds: 2, fit: { maxIterations: 10 } },
    );
    expect(selection.table.map(({ failure, score: own }) => [failure, Number.isFinite(own)])).toEqual([
      [undefined, true],
      [undefined, true],
    ]);
  });

  it('has draws with predictions and leave-one-out at its covariates', { tags: 'long' }, async () => {
    const model = gplvm(Y, { ...options, given: covariates(seasons) });
    const draws = await samplePosterior(model, { warmup: 20, draws: 20, chains: 2, priors: 'weak' });
    const check = checkPredictive(draws, (rows) => rows.at(0, 0), { draws: 10 });
    expect(Number.isFinite(check.pValue)).toBe(true);
    expect(Number.isFinite(draws.loo().elpd)).toBe(true);
  });

  it('chooses its strength by held-out labels with their covariates', async () => {
    const labels = Array.from({ length: N }, (_, n) => (n < N / 2 ? 'a' : 'b'));
    const model = gplrf(Y, labels, { latentDim: 1, strength: 'validate', given: covariates(seasons) });
    const fitted = await fit(model, { maxIterations: 5 });
    expect(fitted.message).toMatch(/Strength .* was chosen among/);
    expect((fitted as unknown as { values: { given: Matrix } }).values.given.rows).toBe(N);
  });
});
