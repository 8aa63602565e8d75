import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assess, loadFit, seededRandom } from 'latentfield';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield } from './latentfield.ts';

const { normal } = seededRandom(3);
const customers = Array.from({ length: 30 }, (_, i) => {
  const [a, b] = [normal(), normal()];
  return [`C${i}`, i === 4 ? '' : (40 + 12 * a).toFixed(1), (40_000 + 9000 * b).toFixed(0), (a + b).toFixed(3), 'EUR'];
});
const text = (rows: readonly (readonly unknown[])[]) => rows.map((row) => `${row.join(',')}\n`).join('');
const HEADER = ['customer_id', 'age', 'income', 'score', 'currency'];

it('a table with ids, a constant, holes and unequal units is fitted without a flag', async () => {
  const { path, write } = temporaryFolder();
  const data = write('customers.csv', text([HEADER, ...customers]));
  const out = join(path, 'results');
  const ran = await latentfield(['fit', data, '--out', out, '--max-iterations', '3']);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain("3 columns: age, income, score\nids: 'customer_id'");
  expect(ran.stderr).toContain("left out: 'currency' is text ('EUR', always)");
  expect(ran.stderr).toContain('note: 1 of 90 entries is missing.');
  expect(ran.stderr).toMatch(/from \d\.\d+ \('score'\) to \d+ \('income'\): each column is divided by its own/);
  expect(existsSync(join(out, 'completed.csv'))).toBe(true);
  const forbidden = await latentfield(['fit', data, '--out', out, '--force', '--missing', 'error']);
  expect(forbidden.exitCode).toBe(2);
  expect(forbidden.stderr).toContain("line 6, column 'age' is empty");
});

it('intervals of missing entries are checked after a quick fit by hiding a tenth of the observed entries, as assess checks them', async () => {
  const { path, write } = temporaryFolder();
  const rows = customers.map(([, age, income, score], i) => [
    i === 7 ? '' : Number(age) / 10,
    Number(income) / 1e4,
    score,
  ]);
  const data = write('holes.csv', text([['a', 'b', 'c'], ...rows]));
  const out = join(path, 'results');
  const ran = await latentfield(['fit', data, '--model', 'ppca', '--dim', '1', '--out', out]);
  const [, entries, held, se] = /hid (\d+) observed .* 90 % intervals contained ([\d.]+) ± ([\d.]+)/.exec(ran.stderr)!;
  const saved = loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')));
  const { holes } = await assess(saved, { starts: 0, bootstraps: 0, shuffled: 0, holes: 1 });
  const ninety = holes!.coverage.find(({ level }) => level === 0.9)!;
  expect([entries, held, se]).toEqual([`${holes!.entries}`, ninety.coverage.toFixed(2), ninety.se.toFixed(2)]);
});

it('a model that takes no missing entries names the columns, and its remedies work', async () => {
  const { path, write } = temporaryFolder();
  const data = write('customers.csv', text([HEADER, ...customers]));
  const args = ['fit', data, '--model', 'pca', '--out', join(path, 'results')];
  const refused = await latentfield(args);
  expect(refused.exitCode).toBe(2);
  const [, drop, model] = /\(--drop '([^']*)'\), or fit .*: --model (\w+)/.exec(refused.stderr)!;
  expect((await latentfield([...args, '--drop', drop!])).exitCode).toBe(0);
  args[3] = model!;
  expect((await latentfield([...args, '--force', '--max-iterations', '3'])).exitCode).toBe(0);
});

it('two classes have one discriminant direction, and latents come with their labels', async () => {
  const { path, write } = temporaryFolder();
  const rows = customers.map(([, , income, score], i) => [income, score, (Number(income) / 9 + i) % 2 > 1 ? 'x' : 'y']);
  const data = write('classes.csv', text([['income', 'score', 'kind'], ...rows]));
  for (const model of ['lda', 'kernel-lda']) {
    const out = join(path, model);
    const ran = await latentfield(['fit', data, '--model', model, '--labels', 'kind', '--out', out]);
    expect(ran.exitCode).toBe(0);
    const lines = readFileSync(join(out, 'latents.csv'), 'utf8').trim().split('\n');
    expect(lines[0]).toBe('x1,kind');
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(rows.map((row) => row[2]));
  }
});

it('a table of one column has one latent dimension', async () => {
  const { path, write } = temporaryFolder();
  const data = write('one.csv', text([['value'], ...customers.map((row) => [row[3]])]));
  const ran = await latentfield(['fit', data, '--max-iterations', '5', '--out', join(path, 'results')]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('latent dimension 1\n') });
});

it('sequences come from a column, within which gaps in time divide further', async () => {
  const { path, write } = temporaryFolder();
  const rows = ['A', 'B'].flatMap((sensor) =>
    [1, 2, 3, 4, 9, 10, 11, 12].map((day) => [
      sensor,
      `2024-03-${String(day).padStart(2, '0')}`,
      normal(),
      normal(),
      normal(),
    ]),
  );
  const header = ['sensor', 'day', 'a', 'b', 'c'];
  const args = ['--time', 'day', '--sequence', 'sensor', '--max-iterations', '3', '--out', join(path, 'results')];
  const ran = await latentfield(['fit', write('sensors.csv', text([header, ...rows])), ...args]);
  expect(ran.stderr).toContain("time: 'day', 4 sequences, from row indices 0, 4, 8, 12, steps of 1; gaps of 5, 5\n");
  expect(ran.exitCode).toBe(0);
  const mixed = rows.map((_, i) => rows[(i % 2) * 8 + Math.floor(i / 2)]!);
  const refused = await latentfield(['fit', write('mixed.csv', text([header, ...mixed])), ...args, '--force']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("Sort the table by 'sensor', then by time.");
});

it('new rows may lack a column and contain new categories, but not other units', async () => {
  const { path, write } = temporaryFolder();
  const rows = customers.map(([, , income, score], i) => [
    income,
    score,
    `${((20 + 7.3 * i) % 61).toFixed(1)} %`,
    ['a', 'b'][i % 2],
  ]);
  const header = ['income', 'score', 'rate', 'plan'];
  const out = join(path, 'results');
  const data = write('old.csv', text([header, ...rows]));
  await latentfield(['fit', data, '--one-hot', 'plan', '--max-iterations', '3', '--out', out]);
  const lacking = write('lacking.csv', text([header.slice(1), ...rows.slice(0, 3).map((row) => row.slice(1))]));
  const refused = await latentfield(['project', out, lacking]);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--missing ignore') });
  const placed = await latentfield(['project', out, lacking, '--missing', 'ignore']);
  expect(placed.exitCode).toBe(0);
  expect(placed.stderr).toContain("lacks 1 column of the fit, which is read as missing: 'income'.");
  const other = write('other.csv', text([header, ...rows.slice(0, 3).map((row) => [...row.slice(0, 3), 'c'])]));
  const unknown = await latentfield(['project', out, other]);
  expect(unknown.exitCode).toBe(0);
  expect(unknown.stderr).toContain("'plan' contains 3 cells with categories without a column, such as 'c'");
  const fractions = write(
    'fractions.csv',
    text([header, ...rows.slice(0, 3).map((row, i) => [row[0], row[1], 0.2 + i / 100, 'a'])]),
  );
  const wrong = await latentfield(['project', out, fractions]);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain("Column 'rate' was written in % in the fitted table, but it is without a unit");
  const mixed = write(
    'mixed.csv',
    text([header, ...rows.slice(0, 3).map((row, i) => [...row.slice(0, 2), i === 1 ? 0.45 : row[2], 'a'])]),
  );
  const bare = await latentfield(['project', out, mixed]);
  expect(bare.exitCode).toBe(2);
  expect(bare.stderr).toMatch(/line 3, column 'rate' is '0.45', without the % of its other cells/);
});

it('relevance is printed, and the end of the search in numbers on demand', async () => {
  const { path, write } = temporaryFolder();
  const data = write(
    't.csv',
    text([HEADER.slice(1, 4), ...customers.filter((_, i) => i !== 4).map((row) => row.slice(1, 4))]),
  );
  const ran = await latentfield([
    'fit',
    data,
    '--model',
    'ppca',
    '--drop',
    'age',
    '--dim',
    '1',
    '--verbose',
    '--out',
    join(path, 'p'),
  ]);
  expect(ran.exitCode).toBe(0);
  const found = await latentfield([
    'fit',
    data,
    '--model',
    'bayesian-gplvm',
    '--tolerance',
    '1e6',
    '--verbose',
    '--out',
    join(path, 'b'),
  ]);
  expect(found.stdout).toMatch(/\nConverged \(\d+ iterations, \d+ evaluations?\)\./);
  expect(found.stdout).toMatch(
    /\nended because the largest entry of the projected gradient, .* is within the tolerance 1000000\n/,
  );
  expect(found.stdout).toMatch(/\nrelevance of the dimensions: x1 [\d.e-]+, x2 [\d.e-]+\n/);
});

it('the beginning of an option suggests it', async () => {
  const { fit, pca } = await import('latentfield');
  await expect(
    fit(
      pca([
        [1, 2],
        [3, 5],
      ]),
      { maxIter: 5 } as never,
    ),
  ).rejects.toThrow("Did you mean 'maxIterations'?");
});

it('missing cells of a category are counted once, and the advice to drop its column works', async () => {
  const { path, write } = temporaryFolder();
  const rows = customers.map(([id, , income, score], i) => [id, income, score, i === 7 ? '' : 'abc'[i % 3]]);
  const data = write('customers.csv', text([['customer_id', 'income', 'score', 'plan'], ...rows]));
  const args = ['fit', data, '--model', 'isomap', '--one-hot', 'plan', '--out', join(path, 'results')];
  const refused = await latentfield(args);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("1 of 90 are missing, in column 'plan'. Leave it out (--drop 'plan')");
  expect((await latentfield([...args, '--drop', 'plan'])).exitCode).toBe(0);
});

it('a column of weights is not an observation but counts rows, and models without weights refuse it', async () => {
  const { path, write } = temporaryFolder();
  const rows = customers.map(([id, , income, score], i) => [id, [1, 2, 0.5][i % 3], income, score]);
  const names = ['customer_id', 'weight', 'income', 'score'];
  const data = write('customers.csv', text([names, ...rows]));
  const out = join(path, 'results');
  const args = ['--weights', 'weight', '--out', out, '--force', '--max-iterations', '3', '--dim', '1'];
  const ran = await latentfield(['fit', data, '--model', 'gplvm', '--inducing', '5', ...args]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr).toContain("2 columns: income, score\nids: 'customer_id'");
  expect(ran.stderr).toContain("left out: 'weight' contains the weights of the rows");
  const { model } = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
  expect(model.rowWeights).toEqual(rows.map((row) => row[1]));
  expect((await latentfield(['project', out, data])).exitCode).toBe(0);
  const negative = write('negative.csv', text([names, ...rows.map((row, i) => (i === 4 ? row.with(1, -2) : row))]));
  const refusals: [string[], RegExp][] = [
    [[data, '--model', 'pca'], /pca has no weights of rows\. Leave out --weights, or take one of gplvm/],
    [[data, '--model', 'laplacian-eigenmaps'], /laplacianEigenmaps has no weights of rows/],
    [[data, '--model', 'gplvm'], /not independent\. Omit them, or use inducing inputs \(inducing: 50, --inducing 50\)/],
    [[negative], /line 6, column 'weight' is '-2', but weights of rows are numbers from 0/],
    [[data, '--options', '{"rowWeights": [1]}'], /set both by --weights and by "rowWeights"/],
  ];
  for (const [more, message] of refusals) {
    const refused = await latentfield(['fit', ...more, ...args]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(message)]);
  }
});
