import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../src/app/cli/modelHelp.ts';
import { describedModel, fit, Matrix, namedModels, seededRandom } from '../../src/index.ts';

const random = seededRandom(11);
const N = 24;
const D = 4;
/** Rows on a bent plane; the first column is a thousand times as wide as the others, so that units differ before one is changed. */
const rows = Array.from({ length: N }, () => {
  const [a, b] = [random.normal(), random.normal()];
  return [1000 * a, b, a * b, a - b * b].map((y, d) => y + (d === 0 ? 100 : 0.1) * random.normal());
});
const labels = rows.map((_, i) => i % 3);
const CHANGED = 2;
const UNIT = 1e6;
const inUnit = (table: number[][]) => table.map((row) => row.map((y, d) => (d === CHANGED ? UNIT * y : y)));
const changed = (table: Matrix, factor: number) => table.data.map((y, at) => (at % D === CHANGED ? factor * y : y));

/** Largest difference in a column of four, relative to the largest entry of the column. */
function difference(found: ArrayLike<number>, expected: Float64Array): number {
  const largest = [0, 1, 2, 3].map((d) => Math.max(...expected.filter((_, at) => at % D === d).map(Math.abs)));
  return Math.max(...expected.map((y, at) => Math.abs(found[at]! - y) / largest[at % D]!));
}

/** Few iterations: those of a search multiply differences in rounding. */
const fitted = (name: string, table: number[][]) =>
  fit(
    describedModel(
      name,
      Matrix.from(table),
      namedModels[name]!.takesLabels ? labels.map(String) : undefined,
      { latentDim: 2 },
      {},
    ),
    {
      maxIterations: 10,
      seed: 3,
    },
  );

/** Models that are given columns in units of their own; the others take distances or directions of the table as it is. */
const DIVIDING = ['bayesianGplvm', 'dgplvm', 'gplrf', 'gplvm', 'llGplvm', 'rankGplvm', 'tpslvm', 'tsneGplvm'];

describe('a column of a table of unequal units that comes in a unit a million times smaller', () => {
  it('is divided by every model that has the option scale', () => {
    const named = Object.keys(namedModels).filter((name) => Object.hasOwn(optionsOf(name), 'scale'));
    expect(named.sort()).toEqual(DIVIDING);
  });

  it.each(DIVIDING)('changes nothing that %s predicts but its own unit', async (name) => {
    const one = await fitted(name, rows);
    const other = await fitted(name, inUnit(rows));
    expect(one.message).toContain('Columns are in units that differ');
    expect(difference(other.latents.data, one.latents.data)).toBeLessThan(1e-8);

    const [a, b] = [one.predict!(one.latents), other.predict!(other.latents)];
    expect(difference(changed(b.mean, 1 / UNIT), a.mean.data)).toBeLessThan(1e-8);
    expect(difference(changed(b.variance, 1 / UNIT / UNIT), a.variance.data)).toBeLessThan(1e-8);
  });

  it.each(['bayesianGplvm', 'gplvm', 'tpslvm'])('changes nothing that %s fills in but its own unit', async (name) => {
    const holed = rows.slice(0, 5).map((row, i) => row.map((y, d) => (d === i % D ? Number.NaN : 1.02 * y)));
    const a = await (await fitted(name, rows)).impute!(holed);
    const b = await (await fitted(name, inUnit(rows))).impute!(inUnit(holed));
    expect(a.variance.data.filter((v: number) => v > 0)).toHaveLength(5);
    expect(difference(changed(b.mean, 1 / UNIT), a.mean.data)).toBeLessThan(1e-8);
    expect(difference(changed(b.variance, 1 / UNIT / UNIT), a.variance.data)).toBeLessThan(1e-8);
  });
});
