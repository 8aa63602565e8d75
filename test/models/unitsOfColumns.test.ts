import { describe, expect, it } from 'vitest';
import { modelsWith } from '../../src/app/cli/modelHelp.ts';
import { alle, drill, fit, knnGraph, loadFit, Matrix, meu, mpme, pca, ppca, seededRandom } from '../../src/index.ts';
import { describedModel, namedModels } from '../../src/models/index.ts';
import { expectClose } from '../tolerance.ts';
import { logDeterminantOf, solved } from './field/dense.ts';

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

/** Largest difference in a column, relative to the largest entry of the column. */
function difference(found: ArrayLike<number>, expected: Float64Array, columns = D): number {
  const largest = Array.from({ length: columns }, (_, d) =>
    Math.max(...expected.filter((_, at) => at % columns === d).map(Math.abs)),
  );
  return Math.max(...expected.map((y, at) => Math.abs(found[at]! - y) / (largest[at % columns]! || 1)));
}

/** Mean and deviation of each column. */
function standardize(table: number[][]) {
  const columns = table[0]!.map((_, d) => table.map((row) => row[d]!));
  const mean = columns.map((column) => column.reduce((sum, y) => sum + y / N, 0));
  const deviation = columns.map((column, d) => Math.sqrt(column.reduce((sum, y) => sum + (y - mean[d]!) ** 2 / N, 0)));
  return { mean, deviation };
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

/** Models that divide columns in unequal units; the others take distances or directions of the table as it is. */
const FIELDS = ['alle', 'drill', 'meu'];
const MAPPINGS = ['bayesianGplvm', 'dgplvm', 'gplrf', 'gplvm', 'llGplvm', 'ppca', 'rankGplvm', 'tpslvm', 'tsneGplvm'];

describe('a column of a table of unequal units that comes in a unit a million times smaller', () => {
  it('is divided by every model that has the option scale', () => {
    const named = modelsWith('scale');
    expect(named.sort()).toEqual([...FIELDS, ...MAPPINGS].sort());
  });

  it.each(MAPPINGS)('changes only its unit in the predictions of %s', async (name) => {
    const one = await fitted(name, rows);
    const other = await fitted(name, inUnit(rows));
    expect(one.message).toContain('Columns are in units that differ');
    expect(difference(other.latents.data, one.latents.data)).toBeLessThan(1e-8);

    const [a, b] = [one.predict!(one.latents), other.predict!(other.latents)];
    expect(difference(changed(b.mean, 1 / UNIT), a.mean.data)).toBeLessThan(1e-8);
    expect(difference(changed(b.variance, 1 / UNIT / UNIT), a.variance.data)).toBeLessThan(1e-8);
  });

  it.each(['bayesianGplvm', 'gplvm', 'ppca', 'tpslvm'])(
    'changes only its unit in the entries that %s fills in',
    async (name) => {
      const holed = rows.slice(0, 5).map((row, i) => row.map((y, d) => (d === i % D ? Number.NaN : 1.02 * y)));
      const a = await (await fitted(name, rows)).impute!(holed);
      const b = await (await fitted(name, inUnit(rows))).impute!(inUnit(holed));
      expect(a.variance.data.filter((v: number) => v > 0)).toHaveLength(5);
      expect(difference(changed(b.mean, 1 / UNIT), a.mean.data)).toBeLessThan(1e-8);
      expect(difference(changed(b.variance, 1 / UNIT / UNIT), a.variance.data)).toBeLessThan(1e-8);
    },
  );

  it.each([false, true])('changes only its unit in the results of ppca (dual: %s)', async (dual) => {
    const [one, other] = await Promise.all([fit(ppca(rows, { dual })), fit(ppca(inUnit(rows), { dual }))]);
    expect(one.objective - other.objective).toBeCloseTo(N * Math.log(UNIT), 7);
    const [a, b] = await Promise.all([one.project(rows), other.project(inUnit(rows))]);
    expect(difference(b.latents.data, a.latents.data, 2)).toBeLessThan(1e-8);
    expect(b.latentVariances?.data.length).toBe(a.latentVariances?.data.length);
    a.latentVariances?.data.forEach((variance, at) => {
      expect(Math.abs(b.latentVariances!.data[at]! / variance - 1)).toBeLessThan(1e-8);
    });
    // The dual one integrates no latents: it has the density at a row's place.
    const [left, right] = [a, b].map((own) => (dual ? own.logDensityAtPlace! : own.logDensity));
    expect(left!.every(Number.isFinite)).toBe(true);
    expectClose(
      left!,
      right!.map((density) => density + Math.log(UNIT)),
      1e-9,
    );
    expect((await fit(ppca(rows, { dual, scale: true }))).objective).toBe(one.objective);
  });

  it('leaves ppca the log likelihood of the columns in their own units', async () => {
    const { objective, parameters } = await fit(ppca(rows));
    const { weights, mean, noise } = parameters as { weights: Matrix; mean: number[]; noise: number[] };
    const covariance = mean.map((_, a) =>
      mean.map((_, b) => weights.row(a).reduce((sum, w, c) => sum + w * weights.at(b, c), a === b ? noise[a]! : 0)),
    );
    const constant = D * Math.log(2 * Math.PI) + logDeterminantOf(covariance);
    const expected = rows.reduce((sum, row) => {
      const centered = row.map((y, d) => y - mean[d]!);
      const pulled = solved(covariance, centered);
      return sum - 0.5 * (constant + centered.reduce((own, y, d) => own + y * pulled[d]!, 0));
    }, 0);
    expectClose([objective], [expected], 1e-10);
  });

  it('is divided by ppca as if the table had been standardized', async () => {
    const { mean, deviation } = standardize(rows);
    const own = await fit(ppca(rows));
    const plain = await fit(ppca(rows.map((row) => row.map((y, d) => (y - mean[d]!) / deviation[d]!))));
    expect(difference(own.latents.data, plain.latents.data, 2)).toBeLessThan(1e-10);
    const noise = own.parameters.noise as readonly number[];
    noise.forEach((variance, d) => {
      expect(variance / deviation[d]! ** 2).toBeCloseTo(plain.parameters.noise as number, 10);
    });
    const again = await loadFit(JSON.parse(JSON.stringify(own)));
    expect(again.predict(own.latents)).toEqual(own.predict(own.latents));
  });

  it.each(FIELDS)('changes only its unit in the parameters, positions and filled entries of %s', async (name) => {
    const one = await fitted(name, rows);
    const other = await fitted(name, inUnit(rows));
    expect(one.message).toContain('Columns are in units that differ');
    expect(difference(other.latents.data, one.latents.data, 2)).toBeLessThan(1e-8);
    expectClose(other.graph!.weights, one.graph!.weights, 1e-8);
    const moved = rows.map((row) => row.map((y, d) => y * (1 + 0.01 * d)));
    const [a, b] = [await one.project!(moved), await other.project!(inUnit(moved))];
    expect(difference(b.latents.data, a.latents.data, 2)).toBeLessThan(1e-8);
    expectClose(
      a.logDensity,
      b.logDensity.map((density: number) => density + Math.log(UNIT)),
      1e-9,
    );
    const holed = rows.map((row, i) => row.map((y, d) => (i % D === d ? Number.NaN : y)));
    const [c, d] = [await one.impute!(holed), await other.impute!(inUnit(holed))];
    expect(c.variance.data.filter((v: number) => v > 0)).toHaveLength(N);
    expect(difference(changed(d.mean, 1 / UNIT), c.mean.data)).toBeLessThan(1e-8);
    expect(difference(changed(d.variance, 1 / UNIT / UNIT), c.variance.data)).toBeLessThan(1e-8);
  });

  it('does not change the rows with missing entries that meu reconstructs, from rows with missing entries', async () => {
    const holed = rows.map((row, i) => row.map((y, d) => (i % 7 === d ? Number.NaN : y)));
    const given = rows.slice(0, 6).map((row, i) => row.map((y, d) => (d === (i + 1) % D ? Number.NaN : 1.02 * y)));
    const options = { missing: 'ignore', neighbors: 5 } as const;
    const [one, other] = [await fit(meu(holed, options)), await fit(meu(inUnit(holed), options))];
    const [a, b] = [await one.reconstruct(given), await other.reconstruct(inUnit(given))];
    expect(difference(changed(b, 1 / UNIT), a.data)).toBeLessThan(1e-8);
    const [c, d] = [await one.impute(holed), await other.impute(inUnit(holed))];
    expect(difference(changed(d.mean, 1 / UNIT), c.mean.data)).toBeLessThan(1e-8);
  });

  it.each([meu, drill, alle])('is divided by a field as if the table had been standardized', async (model) => {
    const { mean, deviation } = standardize(rows);
    const plainRows = rows.map((row) => row.map((y, d) => (y - mean[d]!) / deviation[d]!));
    const own = await fit(model(rows, { neighbors: 5 }));
    const plain = await fit(model(plainRows, { neighbors: 5 }));
    expectClose(own.graph.weights, plain.graph.weights, 1e-8);
    const shape = /The learned graph has \d+ [^.]*/;
    expect(own.message.match(shape)![0]).toBe(plain.message.match(shape)![0]);
    const logUnits = deviation.reduce((sum, s) => sum + Math.log(s), 0);
    const [a, b] = [await own.project(rows.slice(0, 3)), await plain.project(plainRows.slice(0, 3))];
    expectClose(
      a.logDensity.filter(Number.isFinite).map((density) => density + logUnits),
      b.logDensity.filter(Number.isFinite),
      1e-8,
    );
  });

  it('leaves alle the log likelihood of the columns in their own units', async () => {
    const [one, other] = [await fit(alle(rows)), await fit(alle(inUnit(rows)))];
    expect(one.objective - other.objective).toBeCloseTo((N - 1) * Math.log(UNIT), 7);
  });

  it.each([meu, drill, alle])('is divided again by a field that is read from a file', async (model) => {
    const own = await fit(model(rows, { neighbors: 5 }));
    const again = await loadFit(JSON.parse(JSON.stringify(own)));
    expect(again.latents).toEqual(own.latents);
    expect(await again.project!(rows)).toEqual(await own.project(rows));
    expect(again.toJSON().model).toMatchObject({ options: { scale: 'auto' } });
  });

  it('is left as it is by the presets of a paper', () => {
    const saved = [drill(rows, { preset: 'lawrence2012', penalty: 0.1 }), alle(rows, { preset: 'lawrence2012' })];
    expect(saved.map((model) => (model.toJSON() as unknown as { options: object }).options)).toMatchObject([
      { scale: false },
      { scale: false },
    ]);
  });

  it('has no bearing on distances from elsewhere', async () => {
    const graph = knnGraph(rows, 5);
    const squaredDistances = Float64Array.from(graph.sources, (_, e) => 1 + (e % 3));
    const found = await fit(meu(rows, { graph, squaredDistances }));
    expect(found.message).not.toContain('Columns are in units');
    expect(() => meu(rows, { graph, squaredDistances, scale: true })).toThrow(/leave scale out/);
  });

  it.each([mpme, pca])('is reported by models that use the table as it is', async (model) => {
    expect((await fit(model(rows))).message).toContain('divide columns in different units');
    expect((await fit(model(rows.map((row) => row.slice(1))))).message).not.toContain('divide columns');
  });
});
