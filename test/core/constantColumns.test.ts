import { describe, expect, it } from 'vitest';
import { columnMeans, standardizationOf, standardized } from '../../src/core/observations.ts';
import { bayesianGplvm, fit, Matrix, ppca, seededRandom } from '../../src/index.ts';
import { readMoments } from '../../src/model/language/sourcedRows.ts';

/** Prices .01 … 20.00: summed and divided, most of them do not come back. */
const prices = Array.from({ length: 400 }, (_, k) => (5 * k + 1) / 100);

describe('a constant column', () => {
  it.each([
    ['without holes', 0],
    ['with holes', 3],
  ])('has its value as mean, and deviation 1, for any value: %s', (_, every) => {
    const Y = Matrix.from(
      Array.from({ length: 1000 }, (_, i) =>
        prices.map((price, j) => (every > 0 && (i + j) % every === 0 ? Number.NaN : price)),
      ),
    );
    const { mean, deviation } = standardizationOf(Y, true, true);
    expect(Array.from(mean)).toEqual(prices);
    expect(Array.from(columnMeans(Y))).toEqual(prices);
    expect(new Set(deviation)).toEqual(new Set([1]));
    expect(standardized(Y, { mean, deviation }).data.every((entry) => entry === 0 || Number.isNaN(entry))).toBe(true);
  });

  it('has its value as mean where rows are read in batches', async () => {
    const Y = Matrix.from(Array.from({ length: 5000 }, (_, i) => [14.62, i]));
    const read = async (rows: ArrayLike<number>) => Matrix.from(Array.from(rows, (i) => Y.row(i)));
    const { mean, deviation } = await readMoments(
      { rows: Y.rows, columns: 2, read },
      { center: true, scale: true, check: () => {} },
    );
    expect([mean[0], deviation[0]]).toEqual([14.62, 1]);
  });

  it('varies where it does in the last digits only', () => {
    const Y = Matrix.from(Array.from({ length: 100 }, (_, i) => [1e8 + (i % 2) * 2 ** -26]));
    expect(standardizationOf(Y, true, true).deviation[0]).toBeLessThan(1e-7);
  });

  it.each([14.62, 100])('of %d has no influence on the positions of rows', async (constant) => {
    const { normal } = seededRandom(1);
    const rows = Array.from({ length: 1000 }, () => {
      const t = normal();
      return [t, 30 * t + normal(), normal(), constant];
    });
    for (const model of [ppca(rows), bayesianGplvm(rows.slice(0, 200), { latentDim: 2, inducing: 10 })]) {
      const map = await fit<ReturnType<typeof ppca>>(model as ReturnType<typeof ppca>, { maxIterations: 5, seed: 1 });
      const spread = [0, 1].map((d) => new Set(map.latents.column(d)).size);
      expect(spread.every((distinct) => distinct > 1)).toBe(true);
      const { latents, logDensity } = await map.project([
        [0, 0, 0, constant],
        [0, 0, 0, constant + 0.01],
      ]);
      expect(Math.abs(latents.at(0, 0) - latents.at(1, 0))).toBeLessThan(0.01);
      expect(Math.abs(logDensity[0]! - logDensity[1]!)).toBeLessThan(1);
    }
  });
});
