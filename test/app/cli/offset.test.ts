import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { latentfield } from './latentfield.ts';

const folder = mkdtempSync(join(tmpdir(), 'offset-'));
const at = (name: string) => join(folder, name);

async function called(...argv: string[]) {
  const { exitCode: code, stdout: out, stderr: err } = await latentfield(argv);
  return { code, out, err };
}

const rows = Array.from({ length: 30 }, (_, n) => {
  const population = 10 * (1 + (n % 4));
  const cells = [0, 1, 2].map((d) => Math.round(population * Math.exp(Math.sin(n / 5 + d))));
  return [population, ...cells].join(',');
});
const table = (lines: readonly string[]) => `population,a,b,c\n${lines.join('\n')}\n`;

it('--exposure models counts per unit of a column, and commands on new rows need it', async () => {
  writeFileSync(at('counts.csv'), table(rows));
  const fitted = await called(
    ...['fit', at('counts.csv'), '--likelihood', 'poisson', '--exposure', 'population', '--dim', '1'],
    ...['--inducing', '6', '--max-iterations', '40', '-o', at('fit')],
  );
  expect([fitted.code, fitted.err]).toEqual([0, expect.stringContaining("offset: the logarithm of 'population'")]);
  const saved = JSON.parse(readFileSync(at('fit/fit.json'), 'utf8'));
  expect(saved.table.columns).toEqual(['a', 'b', 'c']);
  expect(saved.table.offset).toEqual({ column: 'population', isExposure: true });
  expect(saved.model.offset).toEqual(rows.map((row) => Math.log(Number(row.split(',')[0]))));

  writeFileSync(at('some.csv'), table(rows.slice(0, 2)));
  const swapped = rows.slice(0, 2).map((row) => row.split(',').reverse().join(','));
  writeFileSync(at('swapped.csv'), `c,b,a,population\n${swapped.join('\n')}\n`);
  const placed = await called('project', at('fit'), at('some.csv'));
  expect(placed.code).toBe(0);
  expect((await called('project', at('fit'), at('swapped.csv'))).out).toBe(placed.out);

  writeFileSync(at('places.csv'), 'x1,population\n0.1,1\n0.1,1000\n');
  const predicted = await called('predict', at('fit'), at('places.csv'));
  expect(predicted.code).toBe(0);
  const [one, thousand] = predicted.out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number));
  for (const j of [0, 1, 2]) expect(thousand![j]! / one![j]! / 1000).toBeCloseTo(1, 6);
  expect((await called('predict', at('fit'))).out.trim().split('\n')).toHaveLength(31);
  expect((await called('sample', at('fit'))).code).toBe(0);
  writeFileSync(at('holes.csv'), table([rows[0]!.replace(/[^,]*$/, '')]));
  expect((await called('impute', at('fit'), at('holes.csv'))).out).toMatch(/^population,a,b,c\n10,.*,\d/);

  // The same as a column of logarithms, and by kinds of columns without a likelihood.
  const logs = rows.map((row) => row.replace(/^\d+/, (own) => String(Math.log(Number(own)))));
  writeFileSync(at('logs.csv'), table(logs));
  const again = await called(
    ...['fit', at('logs.csv'), '--likelihood', 'poisson', '--offset', 'population', '--dim', '1'],
    ...['--inducing', '6', '--max-iterations', '40', '-o', at('logs')],
  );
  expect(again.code).toBe(0);
  expect(JSON.parse(readFileSync(at('logs/fit.json'), 'utf8')).model.offset).toEqual(saved.model.offset);
  const byKind = await called(
    ...['fit', at('counts.csv'), '--exposure', 'population', '--dim', '1', '--inducing', '6'],
    ...['--as', 'a:count,b:count,c:count', '-m', 'bayesian-gplvm', '--max-iterations', '5', '-o', at('kinds')],
  );
  expect([byKind.code, byKind.err]).toEqual([expect.any(Number), expect.stringContaining('densities of their kinds')]);
  expect((await called('project', at('kinds'), at('some.csv'))).code).toBe(0);
  expect((await called('info', at('fit'))).out).toContain("\noffset: the logarithm of 'population'\n");
  const selected = await called(
    ...['select', at('counts.csv'), '-m', 'gplvm', '--exposure', 'population', '--dim', '1'],
    ...['--grid', '{"inducing":[4]}', '--options', '{"likelihood":"poisson"}', '--folds', '2', '--max-iterations', '4'],
  );
  expect([selected.code, selected.out]).toEqual([0, expect.stringMatching(/^-?[\d.]+ \{"inducing":4\}\nbest/)]);
});

it('refuses tables without the exposure, and exposures that are not above 0', async () => {
  const refused = async (message: RegExp, ...argv: string[]) => {
    const { code, err } = await called(...argv);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  };
  writeFileSync(at('none.csv'), 'a,b,c\n1,1,1\n');
  await refused(/lacks the exposure of the fit, 'population'/, 'project', at('fit'), at('none.csv'));
  for (const [cell, name] of [
    ['0', 'zero'],
    ['-3', 'negative'],
    ['', 'empty'],
    ['many', 'text'],
  ]) {
    writeFileSync(at(`${name}.csv`), table([`${cell},1,2,3`]));
    await refused(
      /line 2, column 'population' is .*exposures are numbers above 0/,
      'project',
      at('fit'),
      at(`${name}.csv`),
    );
  }
  const fit = ['fit', at('counts.csv'), '-o', at('other'), '--exposure'];
  await refused(/no column 'populatoin' for the exposure/, ...fit, 'populatoin');
  await refused(/pca has no offset. Leave out --exposure/, ...fit, 'population', '-m', 'pca');
  await refused(/both were given/, ...fit, 'population', '--offset', 'a', '--likelihood', 'poisson');
  writeFileSync(at('halves.csv'), table(rows.map((row) => `${row}.5`)).replaceAll(/,(\d+)(?=,)/g, ',$1.5'));
  await refused(
    /An offset is for counts, whole numbers from 0, but no column is one.*--as visits:count/,
    ...['fit', at('halves.csv'), '-o', at('other'), '--exposure', 'population'],
  );
  await refused(/for counts and labels/, ...fit, 'population', '-m', 'gplvm');
});

it('fits counts with holes, a row without any, covariates and an exposure at the first try, and fills them in', async () => {
  const cells = rows.map((row, n) => {
    const own = row.split(',').map((cell, j) => (j > 0 && (n === 7 || (n + 4 * j) % 9 === 0) ? '' : cell));
    return [['dry', 'wet'][n % 2], ...own].join(',');
  });
  writeFileSync(at('holed.csv'), `season,population,a,b,c\n${cells.join('\n')}\n`);
  const { code, err } = await called(
    ...['fit', at('holed.csv'), '--given', 'season', '--exposure', 'population', '--dim', '1', '--inducing', '5'],
    ...['--max-iterations', '6', '-o', at('holed')],
  );
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('densities of their kinds')]);
  const completed = readFileSync(at('holed/completed.csv'), 'utf8').trim().split('\n');
  expect(completed).toHaveLength(31);
  expect(completed[8]).toMatch(/^wet,40,\d+,\d+,\d+$/);
});
