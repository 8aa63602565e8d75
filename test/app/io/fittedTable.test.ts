import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readMatchingTable, readTable, standardize } from '../../../src/app/io/index.ts';
import {
  compareModels,
  fit,
  gplvm,
  InvalidInputError,
  isomap,
  latentVariableModel,
  loadFit,
  Matrix,
  meu,
  pca,
  rbf,
  seededRandom,
} from '../../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'latentfield-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const written = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const random = seededRandom(3);
/** Height, width and weight of 12 animals, with names and kinds. */
const rows = Array.from({ length: 12 }, (_, i) => {
  const size = 1 + i / 4;
  return [size, 3 * size + 0.1 * random.normal(), -2 * size + 0.1 * random.normal()];
});
const text = (order: readonly number[], chosen = rows) =>
  [
    ['name', 'kind', ...order.map((j) => ['height', 'width', 'weight'][j])],
    ...chosen.map((row, i) => [`animal ${i}`, i % 2 ? 'cat' : 'dog', ...order.map((j) => row[j])]),
  ]
    .map((cells) => cells.join(','))
    .join('\n');
const read = (name: string, content: string) => readTable(written(name, content), { id: 'name', labels: 'kind' });

describe('a fit with its table', async () => {
  const table = await read('animals.csv', text([0, 1, 2]));
  const model = gplvm(table.observations, { latentDim: 1, kernel: rbf() });
  const fitted = await fit(model, { table, maxIterations: 20 });
  const plain = await fit(model, { maxIterations: 20 });

  it('remembers the columns, the ids and the labels, and has the same result as one without', () => {
    expect(fitted.table).toEqual({
      columns: ['height', 'width', 'weight'],
      isNamed: true,
      others: ['name', 'kind'],
      ids: rows.map((_, i) => `animal ${i}`),
      idColumn: 'name',
      labelColumn: 'kind',
      labels: rows.map((_, i) => (i % 2 ? 'cat' : 'dog')),
    });
    expect(plain.table).toBeUndefined();
    expect(fitted.latents).toEqual(plain.latents);
  });

  it('puts swapped columns in order by their names', async () => {
    const swapped = await read('swapped.csv', text([2, 0, 1]));
    expect(swapped.observations.row(0)).not.toEqual(table.observations.row(0));
    const expected = await plain.project(table.observations);
    expect((await fitted.project(swapped)).latents).toEqual(expected.latents);
    expect(await fitted.reconstruct(swapped)).toEqual(await plain.reconstruct(table.observations));
    expect((await fitted.impute(swapped)).mean).toEqual(table.observations);
    const { table: compared } = await compareModels([fitted], { heldOut: swapped, laplace: false });
    const mean = expected.logDensity.reduce((sum, entry) => sum + entry, 0) / rows.length;
    expect(compared[0]!.heldOutDensity).toBe(mean);
  });

  it('names the columns of its predictions', async () => {
    expect(fitted.predict([[0]]).columns).toEqual(table.columns);
    expect(fitted.interpolate(0, 1, 3).columns).toEqual(table.columns);
    expect((await fitted.impute(table)).columns).toEqual(table.columns);
    expect(plain.predict([[0]])).not.toHaveProperty('columns');
    expect(fitted.predict([[0]]).mean).toEqual(plain.predict([[0]]).mean);
  });

  it('refuses a table that lacks a column, or has one that it does not know', async () => {
    const short = await read('short.csv', text([0, 2]));
    await expect(fitted.project(short)).rejects.toThrow(/lacks 1 column of the fit: 'width'/);
    const long = { ...table, columns: ['height', 'width', 'age'] };
    await expect(fitted.project(long)).rejects.toThrow(InvalidInputError);
    const content = text([0, 1, 2])
      .split('\n')
      .map((line, i) => `${line},${i === 0 ? 'age' : i * i}`);
    const other = await read('other.csv', content.join('\n'));
    await expect(fitted.impute(other)).rejects.toThrow(/has 1 column that the fit does not know: 'age'.*drop/);
  });

  it('accepts a table of readMatchingTable, even with columns that look constant', async () => {
    const one = written('one.csv', text([1, 0, 2], [rows[4]!]));
    const matched = await readMatchingTable(one, fitted.table!);
    expect((await fitted.project(matched)).latents).toEqual((await plain.project([rows[4]!])).latents);
  });

  it('knows them again after it was saved', async () => {
    const again = loadFit(JSON.parse(JSON.stringify(fitted)));
    expect(again.table).toEqual(fitted.table);
    const swapped = await read('swapped.csv', text([2, 0, 1]));
    expect((await again.project(swapped)).latents).toEqual((await plain.project(table.observations)).latents);
    const saved = JSON.parse(JSON.stringify(fitted));
    saved.table.columns = 'height';
    expect(() => loadFit(saved)).toThrow(/cannot be read at table: it is not what was saved/);
    delete saved.checksums.table;
    expect(() => loadFit(saved)).toThrow(/at table\.columns/);
  });

  it('standardizes tables as the command line did what it fitted', async () => {
    const units = standardize(table.observations);
    const standard = await fit(pca(units.apply(table.observations), { latentDim: 1 }));
    const standardized = { mean: [...units.mean], deviation: [...units.deviation] };
    const loaded = loadFit({ ...standard.toJSON(), table: { ...fitted.table, standardized } });
    const swapped = await read('swapped.csv', text([2, 0, 1]));
    expect((await loaded.project(swapped)).latents).toEqual(
      (await standard.project(units.apply(table.observations))).latents,
    );
    const { mean } = loaded.predict(standard.latents);
    expect(standardize(loaded.table!.standardized!).undo(mean)).toEqual(units.undo(mean));
  });

  it.each([
    ['isomap', () => isomap(table.observations, { latentDim: 1, neighbors: 4 })],
    ['meu', () => meu(table.observations, { latentDim: 1, neighbors: 4 })],
    ['pca', () => pca(table.observations, { latentDim: 1 })],
  ])('may be of any model: %s', async (_, make) => {
    const swapped = await read('swapped.csv', text([1, 2, 0]));
    const result = await fit(make(), { table });
    expect((await result.project(swapped)).latents).toEqual((await result.project(table.observations)).latents);
  });
});

describe('a table that is not the one of the model', async () => {
  const table = await read('animals.csv', text([0, 1, 2]));
  const model = pca(table.observations, { latentDim: 1 });

  it('is refused before anything is fitted', async () => {
    const other = { ...table, observations: Matrix.zeros(5, 3), ids: undefined as never };
    await expect(fit(model, { table: { ...other, ids: ['a'] } })).rejects.toThrow(/1 id, but its observations have 5/);
    await expect(fit(model, { table: { ...table, labels: ['cat'] } })).rejects.toThrow(
      /1 label, but its observations have 12/,
    );
    const { ids: _, labels: __, ...few } = other;
    await expect(fit(model, { table: few })).rejects.toThrow(
      /The table is 5×3, but the observations of 'pca' are 12×3/,
    );
    await expect(fit(model, { table: { ...table, columns: ['height'] } })).rejects.toThrow(/1 name of columns/);
    await expect(fit(model, { table: [[1, 2]] as never })).rejects.toThrow(/A table has observations/);
    const views = latentVariableModel({ latentDim: 1, views: { a: { observations: rows, kernel: rbf() } } });
    await expect(fit(views, { table })).rejects.toThrow(/several views/);
  });

  it('cannot be matched with a fit that remembers none', async () => {
    const fitted = await fit(model);
    await expect(fitted.project(table)).rejects.toThrow(/remembers no columns.*Give table.observations/);
  });
});
