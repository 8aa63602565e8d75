import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from 'latentfield';
import { readTable } from 'latentfield/io';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield } from './latentfield.ts';

const random = seededRandom(3);
const LEVELS = ['basic', 'pro', 'team'];
const customers = Array.from({ length: 24 }, (_, i) => {
  const z = random.normal();
  const plan = LEVELS[z > 0.5 ? 2 : z > -0.5 ? 1 : 0]!;
  const visits = Math.round(Math.exp(0.4 + 0.8 * z)) * (i % 6 === 1 ? 0 : 1);
  return [`C${i}`, (40 + 8 * z + random.normal()).toFixed(1), visits, z > 0 ? 'yes' : 'no', i === 5 ? '' : plan, 'EUR'];
});
const HEADER = ['customer_id', 'age', 'visits', 'active', 'plan', 'currency'];
const text = (rows: readonly (readonly unknown[])[]) => rows.map((row) => `${row.join(',')}\n`).join('');
const SMALL = ['--inducing', '5', '--dim', '1'];
const FAST = ['--max-iterations', '15', ...SMALL];

it('a table of several kinds of columns is fitted, filled in, placed and drawn without a flag', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const { path, write } = temporaryFolder();
  const data = write('customers.csv', text([HEADER, ...customers]));
  const out = join(path, 'results');
  const ran = await latentfield(['fit', data, '--out', out, ...FAST]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr).toContain("ids: 'customer_id'");
  expect(ran.stderr).toContain("left out: 'currency' is text ('EUR', always)");
  expect(ran.stderr).toContain('note: 1 of 96 entries is missing.');
  expect(ran.stderr).toContain(
    'note: columns have densities of their kinds, by bayesianGplvm; categories have the probability of each level',
  );
  expect(ran.stdout).toMatch(
    /'age' as numbers; 'visits' \(whole .* as counts; 'active' \(2 levels\), 'plan' \(3 levels\) as categories/,
  );
  const moments = await readTable(join(out, 'completedDeviations.csv'));
  const probabilities = LEVELS.map((level) =>
    moments.observations.at(5, moments.columns.indexOf(`plan=${level} mean`)),
  );
  expect(Math.abs(probabilities.reduce((sum, entry) => sum + entry, 0) - 1)).toBeLessThan(1e-6);
  expect(probabilities.every((entry) => entry > 0 && entry < 1)).toBe(true);
  const likeliest = LEVELS[probabilities.indexOf(Math.max(...probabilities))]!;
  const whole = customers.map((row, i) => (i === 5 ? row.with(4, likeliest) : row));
  expect(readFileSync(join(out, 'completed.csv'), 'utf8')).toBe(text([HEADER, ...whole]));

  const fresh = write('fresh.csv', text([HEADER, customers[0]!, customers[1]!]));
  const placed = await latentfield(['project', out, fresh]);
  expect(placed.exitCode, placed.stderr).toBe(0);
  const unknown = write('unknown.csv', text([HEADER, customers[0]!, [...customers[1]!.slice(0, 4), 'gold', 'EUR']]));
  const refused = await latentfield(['project', out, unknown]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /Row index 1 has a level of 'plan' that was not fitted, which had 'basic', 'pro', 'team'/,
  );
  expect(refused.stderr).toContain('make it missing (--missing ignore)');
  const followed = await latentfield(['project', out, unknown, '--missing', 'ignore']);
  expect(followed.exitCode, followed.stderr).toBe(0);
  expect(followed.stderr).toContain("such as 'gold' (line 3): it is read as missing.");
  const absent = write('absent.csv', text([HEADER, customers[0]!, [...customers[1]!.slice(0, 4), '', 'EUR']]));
  expect(followed.stdout).toBe((await latentfield(['project', out, absent])).stdout);
  const drawn = await latentfield(['sample', out]);
  const [names, first] = drawn.stdout.split('\n').map((line) => line.split(',')) as [string[], string[]];
  const levels = LEVELS.map((level) => Number(first[names.indexOf(`plan=${level}`)]));
  expect(levels.sort()).toEqual([0, 0, 1]);
});

it('--no-kinds leaves text out, and --as sets other kinds', { timeout: 120_000 }, async () => {
  const { path, write } = temporaryFolder();
  const data = write('customers.csv', text([HEADER, ...customers]));
  const args = ['fit', data, '--out', join(path, 'results'), '--force', '--max-iterations', '3', ...SMALL];
  const plain = await latentfield([...args, '--no-kinds']);
  expect(plain.exitCode, plain.stderr).toBe(0);
  expect(plain.stderr).toContain("left out: 'plan' is text ('pro', 3 kinds)");
  expect(plain.stdout).toContain('gplvm: 24 points');
  const asked = await latentfield([...args, '--as', 'visits:category,age:number']);
  expect(asked.exitCode, asked.stderr).toBe(0);
  expect(asked.stdout).toMatch(/'visits' \(as asked for\).* as categories/);
  const refusals: [string[], RegExp][] = [
    [['--as', 'ages:number'], /'ages'/],
    [['--as', 'age:numbers'], /one of number, amount, fraction, count, grade, binary, category/],
    [['--as', 'age'], /must be a list such as 'visits:count,plan:category'/],
    [['--as', 'age:number', '--model', 'pca'], /which pca does not have\. Leave it out, or fit --model gplvm/],
    [['--as', 'age:number', '--likelihood', 'poisson'], /but .*likelihood was given/],
  ];
  for (const [more, message] of refusals) {
    const refused = await latentfield([...args, ...more]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(message);
  }
  expect(existsSync(join(path, 'results', 'fit.json'))).toBe(true);
  expect(readFileSync(join(path, 'results', 'fit.json'), 'utf8')).toContain('"visits":"category"');
});

it('impute fills in the holes of a new table in its own form, with deviations and probabilities in another file', {
  timeout: 120_000,
}, async () => {
  const { path, write } = temporaryFolder();
  const data = write('customers.csv', text([HEADER, ...customers]));
  const out = join(path, 'results');
  const fitted = await latentfield([
    'fit',
    data,
    '--out',
    out,
    '--max-iterations',
    '3',
    '--inducing',
    '5',
    '--dim',
    '1',
  ]);
  expect(fitted.exitCode, fitted.stderr).toBe(0);
  const fresh = write(
    'fresh.csv',
    'joined;plan;age;visits;currency;active;customer_id\n2024-02-03;;41,5;;EUR;yes;D1\n2024-02-04;pro;;2;;;D2\n',
  );
  const moments = join(path, 'moments.csv');
  const imputed = await latentfield(['impute', out, fresh, '--deviations', moments]);
  expect(imputed.exitCode, imputed.stderr).toBe(0);
  expect(imputed.stderr).toContain(`wrote ${moments}`);
  const known = await readTable(moments, { id: 'customer_id', columns: '*' });
  const means = (row: number, name: string) => known.observations.at(row, known.columns.indexOf(`${name} mean`));
  const most = (row: number, name: string, levels: readonly string[]) =>
    levels.reduce((a, b) => (means(row, `${name}=${b}`) > means(row, `${name}=${a}`) ? b : a));
  const visits = Math.round(means(0, 'visits'));
  expect(imputed.stdout).toBe(
    [
      'joined;plan;age;visits;currency;active;customer_id',
      `2024-02-03;${most(0, 'plan', LEVELS)};41,5;${visits};EUR;yes;D1`,
      `2024-02-04;pro;${String(means(1, 'age')).replace('.', ',')};2;;${most(1, 'active', ['no', 'yes'])};D2\n`,
    ].join('\n'),
  );
  const again = await latentfield(['impute', out, fresh, '--deviations', moments]);
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('another --deviations')]);
  const [wrong, spread] = [join(path, 'q.txt'), join(path, 'spread.csv')];
  const refused = await latentfield(['impute', out, fresh, '--out', wrong, '--deviations', spread]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('written as .csv or .tsv')]);
  expect(existsSync(spread)).toBe(false);
});
