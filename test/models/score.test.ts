import { describe, expect, it } from 'vitest';
import {
  bayesianGplvm,
  compareModels,
  fit,
  InvalidInputError,
  meu,
  pca,
  ppca,
  score,
  seededRandom,
} from '../../src/index.ts';
import { expectClose } from '../tolerance.ts';

const { normal } = seededRandom(5);
const all = Array.from({ length: 60 }, () => {
  const [a, b] = [normal(), normal()];
  return [a, 100 * b + normal(), a - b + 0.2 * normal(), a + b + 0.2 * normal(), 0.1 * a + 0.02 * normal()];
});
const [Y, held] = [all.slice(0, 40), all.slice(40)];
/** Two entries of each row. */
const shown = held.map((row, i) => row.map((y, d) => (d === i % 5 || d === (i + 2) % 5 ? Number.NaN : y)));
const deviations = Array.from({ length: 5 }, (_, d) => {
  const column = Y.map((row) => row[d]!);
  const mean = column.reduce((sum, y) => sum + y, 0) / 40;
  return Math.sqrt(column.reduce((sum, y) => sum + (y - mean) ** 2, 0) / 40);
});

describe('score', () => {
  it('is the mean log density of hidden entries in deviations of their columns, with a standard error over rows', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    const found = await score(result, held, { shown });
    const { mean, variance } = await result.impute!(shown);
    const perRow = held.map((row, i) =>
      row.flatMap((y, d) => {
        if (!Number.isNaN(shown[i]![d]!)) return [];
        const s2 = variance.at(i, d) / deviations[d]! ** 2;
        return [-0.5 * (Math.log(2 * Math.PI * s2) + (y - mean.at(i, d)) ** 2 / variance.at(i, d))];
      }),
    );
    const densities = perRow.flat();
    const average = densities.reduce((sum, own) => sum + own, 0) / densities.length;
    expect(found.entries).toBe(40);
    expectClose([found.logDensity], [average], 1e-10);
    const squares = perRow.reduce((sum, row) => sum + row.reduce((own, entry) => own + entry - average, 0) ** 2, 0);
    expectClose([found.logDensitySe], [Math.sqrt((20 / 19) * squares) / 40], 1e-10);
    expectClose(Array.from(found.pointwise.data.filter((entry) => !Number.isNaN(entry))), densities, 1e-10);
    expect(found.coverage.find(({ level }) => level === 0.9)!.coverage).toBeGreaterThan(0.75);
  });

  it('hides the same entries of the same rows for all fits, so that their differences have a standard error', async () => {
    const [two, one] = [await fit(ppca(Y, { latentDim: 2 })), await fit(ppca(Y, { latentDim: 1 }))];
    const [a, b] = [await score(two, held, { seed: 3 }), await score(one, held, { seed: 3 })];
    const { mean, se } = b.behind(a);
    expectClose([mean], [a.logDensity - b.logDensity], 1e-10);
    expect(se).toBeGreaterThan(0);
    expect(a.behind(a)).toEqual({ mean: 0, se: 0 });
    const other = await score(one, held, { seed: 4 });
    expect(() => other.behind(a)).toThrow(InvalidInputError);
  });

  it('refuses fits that fill in nothing of new rows, rows of another width, and what is shown of other rows', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    await expect(score(await fit(pca(Y, { latentDim: 2 })), held)).rejects.toThrow(/pca fills in no missing entries/);
    await expect(score(await fit(meu(Y, { latentDim: 2 })), held)).rejects.toThrow(/meu fills in no missing entries/);
    await expect(score(result, [[1, 2]])).rejects.toThrow(/with 5 columns, .* 1×2/);
    await expect(score(result, held, { shown: held.slice(1) })).rejects.toThrow(/'shown' must be 20×5/);
    const wrong = shown.map((row, i) => row.map((y, d) => (i === 3 && d === 1 ? 7 : y)));
    await expect(score(result, held, { shown: wrong })).rejects.toThrow(/entry \[3\]\[1\] is 7/);
    await expect(score(result, held, { shown: held })).rejects.toThrow(/no entry to score/);
  });
});

describe('compareModels by held-out entries', () => {
  it('compares models of different kinds, and has none of those that fill in nothing', { tags: 'long' }, async () => {
    const fits = [
      await fit(ppca(Y, { latentDim: 2 })),
      await fit(bayesianGplvm(Y, { latentDim: 2 }), { maxIterations: 20 }),
      await fit(pca(Y, { latentDim: 2 })),
    ];
    const comparison = await compareModels(fits, { heldOut: held, seed: 2, laplace: false });
    const [first, second, last] = comparison.table;
    const scores = [await score(fits[0]!, held, { seed: 2 }), await score(fits[1]!, held, { seed: 2 })];
    expect([first!.entryDensity, second!.entryDensity]).toEqual(scores.map(({ logDensity }) => logDensity));
    expect([first!.entryDensitySe, second!.entryDensitySe]).toEqual(scores.map(({ logDensitySe }) => logDensitySe));
    const best = scores[0]!.logDensity >= scores[1]!.logDensity ? 0 : 1;
    const { mean, se } = scores[1 - best]!.behind(scores[best]!);
    const [ahead, after] = best === 0 ? [first, second] : [second, first];
    expect(ahead).toMatchObject({ entryBehind: 0, entryBehindSe: 0 });
    expect(after).toMatchObject({ entryBehind: mean, entryBehindSe: se });
    expect(last!.entryDensity).toBeNaN();
    expect(comparison.toString()).toContain('its se');
  });
});
