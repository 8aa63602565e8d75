import { join } from 'node:path';
import { seededRandom } from 'latentfield';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield } from './latentfield.ts';

const { normal } = seededRandom(3);
const rows = Array.from({ length: 30 }, (_, i) => [`C${i}`, ...Array.from({ length: 4 }, () => normal().toFixed(3))]);
const text = (lines: readonly (readonly unknown[])[]) => lines.map((line) => `${line.join(',')}\n`).join('');
const HEADER = ['id', 'a', 'b', 'c', 'd'];

it('compare-maps matches the points of two fits by their ids', async () => {
  const { path, write } = temporaryFolder();
  const fits = [rows, rows.slice(4).reverse()].map((lines, m) => ({
    data: write(`${m}.csv`, text([HEADER, ...lines])),
    out: join(path, `fit${m}`),
  }));
  for (const { data, out } of fits) expect((await latentfield(['fit', data, '-m', 'pca', '-o', out])).exitCode).toBe(0);
  const [first, second] = fits.map(({ out }) => out) as [string, string];
  const same = await latentfield(['compare-maps', first, first, '--neighbors', '3']);
  expect(same.stdout).toContain(
    '30 points on both maps\n3 nearest neighbors: 1.000 are the same (0.103 by chance)\nProcrustes: 0.000',
  );
  const { stdout, exitCode } = await latentfield(['compare-maps', first, second, '--json']);
  expect(exitCode).toBe(0);
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({ points: 26, neighbors: 6 });
  expect(found.pointwise.map(({ point }: { point: string }) => point)).toEqual(rows.slice(4).map(([id]) => id));
  // Four of thirty rows less turn the axes a little.
  expect(found.overlap).toBeGreaterThan(0.5);
  expect(found.procrustes).toBeLessThan(0.2);
  const refused = await latentfield(['compare-maps', first, join(path, 'none')]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('contains no fit.json');
});

it('predict-labels writes the likeliest label of new rows and the probabilities of all', async () => {
  const { path, write } = temporaryFolder();
  const labeled = rows.map((row, i) => [
    ...row.slice(0, 1),
    Number(row[1]) + (i % 2) * 8,
    ...row.slice(2),
    i % 2 === 0 ? 'x' : 'y',
  ]);
  const data = write('table.csv', text([[...HEADER, 'kind'], ...labeled]));
  const out = join(path, 'fit');
  expect((await latentfield(['fit', data, '-m', 'pca', '--labels', 'kind', '-o', out])).exitCode).toBe(0);
  const fresh = write('fresh.csv', text([HEADER, ['N1', -0.5, 0, 0, 0], ['N2', 8.2, 0, 0, 0]]));
  const { stdout, stderr, exitCode } = await latentfield(['predict-labels', out, fresh]);
  expect(exitCode, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  expect(lines[0]).toEqual(['id', 'kind=x', 'kind=y', 'kind']);
  expect(lines.slice(1).map(([id, , , label]) => [id, label])).toEqual([
    ['N1', 'x'],
    ['N2', 'y'],
  ]);
  expect(Number(lines[1]![1]) + Number(lines[1]![2])).toBeCloseTo(1, 12);
  expect(stderr).toMatch(/30 labeled points predicted by the others: 100\.0 % right, mean log probability -0\.\d+/);
});
