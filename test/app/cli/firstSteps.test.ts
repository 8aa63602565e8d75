import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield, prepared } from './latentfield.ts';

/** A table of 24 rows, with a first column of ages that are whole numbers, none of them twice. */
function withAges() {
  const folder = temporaryFolder();
  const rows = Array.from(
    { length: 24 },
    (_, i) => `${20 + ((7 * i) % 60)},${Math.sin(i)},${Math.cos(2 * i)},${i % 5}`,
  );
  return {
    ...folder,
    data: folder.write('people.csv', `age,a,b,c\n${rows.join('\n')}\n`),
    out: join(folder.path, 'out'),
  };
}

const short = ['--max-iterations', '2'];

describe('a column of numbers that is taken for the ids', () => {
  it('is reported with the flag that keeps it as data', async () => {
    const { data, out, write } = withAges();
    const fitted = await latentfield(['fit', data, '--model', 'gplvm', ...short, '--out', out]);
    expect(fitted.stderr).toContain(
      "left out: 'age' contains whole numbers, none of them twice: it names the points (--columns takes it)\n",
    );
    const taken = await latentfield(['fit', data, '--model', 'gplvm', '--columns', 'age,a,b', ...short, '--out', out]);
    expect(taken.stderr).toContain('3 columns: age, a, b');
    const asked = await latentfield(['fit', data, '--model', 'gplvm', '--id', 'age', ...short, '--out', out]);
    expect(asked.stderr).toContain("left out: 'age' names the points\n");
    const later = write('later.csv', 'a,b,c,year\n0.1,0.2,1,2024\n0.3,0.1,2,2024\n');
    const placed = await latentfield(['project', out, later]);
    expect(placed.exitCode).toBe(0);
    expect(placed.stderr).toContain(
      "left out: 'year' is 2024 in every row (the fit knows nothing of it; one with --columns can take it)\n",
    );
    expect((await latentfield(['project', '--help'])).stdout).not.toContain('--columns <');
  });
});

describe('--options', () => {
  it('takes JSON itself', async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', ...short, '--out', out];
    const fitted = await latentfield([...args, '--options', ' {"dynamics": true}']);
    expect(fitted.exitCode).toBe(0);
    expect((await latentfield(['forecast', out, '--steps', '2'])).exitCode).toBe(0);
    const unreadable = await latentfield([...args, '--options', '{dynamics: true}']);
    expect(unreadable).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^error: --options is not JSON: /) });
    const list = await latentfield([...args, '--options', '[]']);
    expect(list.stderr).toContain('error: --options must contain an object, such as { "scale": true }.');
    const twice = await latentfield([...args, '--dim', '2', '--options', '{"latentDim":3}']);
    expect(twice.stderr).toContain('--dim is 2, but latentDim in --options is 3. Give it in one place.');
    const grid = ['--grid', '{"latentDim":[1]}', '--options', '{"dynamics":true}'];
    const selected = await latentfield(['select', data, '--model', 'gplvm', '--drop', 'flow', ...grid, ...short]);
    expect(selected).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('best {"latentDim":1}') });
  });
});

it.each([
  ['gplvm', [], 'log density'],
  ['gplvm', ['--inducing', '5'], 'lower bound on the log density'],
  ['bayesian-gplvm', ['--inducing', '5'], 'lower bound on the log density'],
])('the objective of %s %s is called %s', async (model, flags, words) => {
  const { data, out } = await prepared();
  const args = ['fit', data, '--model', model, '--labels', 'flow', ...flags, ...short, '--out', out];
  expect((await latentfield(args)).stdout).toMatch(new RegExp(`^objective -?[\\d.]+ \\(${words}\\)$`, 'm'));
});

it.each<[string, string, string[], string]>([
  [
    'thousands and decimals of another country',
    'x;y\n0,5;1,5\n2.204,66;3,1\n0,7;9,2\n',
    [],
    "line 3, column 'x' contains '2.204,66', which is not a finite number. --decimal , and --thousands . read them. Or leave the column out with --drop.",
  ],
  [
    'units that differ in a column that is chosen',
    'x,price\n1,"$1,000.50"\n2,"€20.00"\n3,"$5.00"\n',
    ['--columns', 'price'],
    "line 2, column 'price' contains '$1,000.50', which is not a finite number. Write them without their unit, or all with the same one. Or leave the column out with --drop.",
  ],
  [
    'a cell of a row of several lines',
    'name,x,y\n"a\nb",1,2\n"c\nd",oops,3\n"e\nf",5,7\n"g",2,3\n',
    [],
    "line 4, column 'x' contains 'oops'",
  ],
  [
    'columns that are chosen and dropped',
    't,c1,c2\na,1,2\nb,3,5\na,4,6\n',
    ['--columns', 'c*', '--drop', 'c*'],
    "those that are chosen, 'c*' (--columns): all of them are dropped, or the labels or the ids. Choose others, or drop fewer (--drop).",
  ],
  [
    'labels that are no file and no column',
    'x,y\n1,2\n3,5\n4,6\n',
    ['--labels', 'nofile.txt'],
    "error: There is no file 'nofile.txt' with labels, and ",
  ],
])('names the remedy for %s', async (_, text, flags, message) => {
  const { path, write } = temporaryFolder();
  const args = ['fit', write('table.csv', text), '--model', 'pca', ...flags, '--out', join(path, 'out')];
  const ran = await latentfield(args);
  expect(ran.stderr).toContain(message);
  expect(ran.exitCode).toBe(2);
});

it('reads a number as the advice has it', async () => {
  const { path, write } = temporaryFolder();
  const table = write('table.csv', 'x;y\n0,5;1,5\n2.204,66;3,1\n0,7;9,2\n');
  const args = ['fit', table, '--model', 'pca', '--dim', '1', '--decimal', ',', '--thousands', '.'];
  const ran = await latentfield([...args, '--out', join(path, 'out')]);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toContain('3 points, 2 columns: x, y');
});
