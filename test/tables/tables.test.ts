import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadFit, Matrix } from '../../src/index.ts';
import { readTable } from '../../src/io/index.ts';
import { latentfield } from '../cli/latentfield.ts';
import { temporaryFolder } from '../io/folder.ts';
import { flowers, NAMES, table } from './tables.ts';

const { rows } = flowers();
const FILES = ['fit.json', 'latents.csv', 'plot.svg', 'trace.csv'];

/** Fits principal components to a file, and gives what was said, what was fitted and what was written. */
async function fitted(name: string, content: string | Uint8Array, ...flags: string[]) {
  const { path, write } = temporaryFolder();
  const file = write(name, content);
  const out = join(path, 'results');
  const ran = await latentfield(['fit', file, '--model', 'pca', ...flags, '--out', out]);
  expect(ran).toMatchObject({ exitCode: 0 });
  const json = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
  const observed = Matrix.from((json.model.observations as (number | null)[][]).map((row) => row.map((y) => y ?? NaN)));
  return {
    ...ran,
    path,
    write,
    file,
    out,
    json,
    observed,
    said: ran.stderr.replaceAll(file, 'FILE').trimEnd().split('\n'),
  };
}

const uses = (columns: readonly string[] = NAMES) =>
  `FILE: 24 points, ${columns.length} columns: ${columns.join(', ')}`;

describe('a table as people have them is fitted as they mean it', () => {
  it.each<[string, string, string | Uint8Array, readonly string[], readonly string[]]>([
    [
      'the index of pandas',
      't.csv',
      table(['', ...NAMES], (row, i) => [i, ...row]),
      [],
      [uses(), "ids: 'id'", "left out: 'column0' counts the rows: it names the points"],
    ],
    [
      'the index of pandas beside names of plants, which say more',
      't.csv',
      table(['Unnamed: 0', 'plant', ...NAMES], (row, i) => [i, `p${i}`, ...row]),
      [],
      [
        uses(),
        "ids: 'plant'",
        "left out: 'Unnamed: 0' is named like an identifier (--columns takes it)",
        "left out: 'plant' is text that names each row: it names the points",
      ],
    ],
    [
      'an id',
      't.csv',
      table(['plant_id', ...NAMES], (row, i) => [907 - ((i * 7) % 24) * 13, ...row]),
      [],
      [uses(), "ids: 'plant_id'", "left out: 'plant_id' is named like an identifier: it names the points"],
    ],
    [
      'text and a constant column',
      't.csv',
      table([...NAMES, 'year', 'kind'], (row, _, kind) => [...row, 2024, kind]),
      [],
      [
        uses(),
        "left out: 'year' is 2024 in every row (--columns takes it)",
        "left out: 'kind' is text ('setosa', 2 kinds)",
      ],
    ],
    [
      'labels',
      't.csv',
      table([...NAMES, 'kind'], (row, _, kind) => [...row, kind]),
      ['--labels', 'kind'],
      [uses(), "labels: 'kind', 2 kinds"],
    ],
    [
      'decimal commas',
      't.csv',
      table(NAMES, (row) => row.map((y) => String(y).replace('.', ',')), ';'),
      [],
      [uses(), `note: Numbers are read with a decimal comma, as in '0,469'.`],
    ],
    [
      'UTF-16 with tabs, as a spreadsheet exports it',
      't.tsv',
      Buffer.from(`\uFEFF${table(NAMES, (row) => row, '\t')}`, 'utf16le'),
      [],
      [uses(), 'note: The text is read as UTF-16LE.'],
    ],
    ['gzip', 't.csv.gz', gzipSync(table(NAMES, (row) => row)), [], [uses()]],
    [
      'comments, null and a column that is dropped',
      't.csv',
      `# plants of the garden\n${table([...NAMES, 'note'], (row, i) => [...row, i % 2 === 0 ? 'null' : 7.5 * i])}`,
      ['--drop', 'note'],
      [uses(), "left out: 'note' is dropped"],
    ],
    [
      'columns that are chosen',
      't.csv',
      table(['n', ...NAMES], (row, i) => [i, ...row]),
      ['--columns', 'length:stem', '--id', 'n'],
      [uses(), "ids: 'n'", "left out: 'n' names the points"],
    ],
  ])('%s', async (_, name, content, flags, expected) => {
    const { said, observed, out, json } = await fitted(name, content, ...flags);
    expect(said).toEqual(expected);
    expect(observed.toArrays()).toEqual(rows);
    expect(json.table.columns).toEqual(NAMES);
    expect(readdirSync(out).sort()).toEqual(FILES);
  });

  it('ids go before the latents', async () => {
    const { out, json } = await fitted(
      't.csv',
      table(['plant', ...NAMES], (row, i) => [`p${i}`, ...row]),
    );
    const lines = readFileSync(join(out, 'latents.csv'), 'utf8').split('\n');
    expect(lines[0]).toBe('plant,x1,x2');
    expect(lines[3]).toMatch(/^p2,-?\d/);
    expect(json.table.ids.slice(0, 2)).toEqual(['p0', 'p1']);
  });

  it('equal rows are counted', async () => {
    const { said } = await fitted(
      't.csv',
      table(NAMES, (_, i) => rows[i < 3 ? 0 : i]!),
    );
    expect(said.at(-1)).toBe('note: 2 rows are equal to an earlier one.');
  });

  it('columns of very different deviations are warned of, and brought to one on demand', async () => {
    const text = table(NAMES, ([length, ...rest]) => [length! * 1e6, ...rest]);
    const warned = await fitted('t.csv', text);
    expect(warned.said.at(-1)).toMatch(
      /^warning: the columns' standard deviations differ by a factor of \d.*\('width' 0.2\d? to 'length' \d.*e\+5\)\. .*--standardise/,
    );
    const { said, observed, json, out } = await fitted('t.csv', text, '--standardise');
    expect(said).toEqual([uses()]);
    for (let j = 0; j < 4; j++) {
      const column = Array.from(observed.column(j));
      expect(column.reduce((sum, y) => sum + y, 0) / 24).toBeCloseTo(0, 12);
      expect(column.reduce((sum, y) => sum + y * y, 0) / 24).toBeCloseTo(1, 12);
    }
    expect(json.table.standardised.mean[0]).toBeCloseTo(rows.reduce((sum, row) => sum + row[0]! * 1e6, 0) / 24, 6);
    // Predictions come back in the units of the table: PCA of all four components leaves nothing over.
    const all = await fitted('t.csv', text, '--standardise', '--dim', '4');
    const predicted = await latentfield(['predict', all.out, '--json']);
    const { mean } = JSON.parse(predicted.stdout) as { mean: number[][] };
    mean.forEach((row, i) => {
      expect(row[0]! / 1e6).toBeCloseTo(rows[i]![0]!, 9);
      expect(row[3]).toBeCloseTo(rows[i]![3]!, 9);
    });
    expect(existsSync(join(out, 'plot.svg'))).toBe(true);
  });

  it('a million cells are read in seconds', async () => {
    const names = Array.from({ length: 50 }, (_, j) => `c${j}`);
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      names.map((_, j) => ((Math.imul(i * 50 + j + 1, 2654435761) >>> 0) / 2 ** 32).toFixed(6)).join(','),
    );
    const { write } = temporaryFolder();
    const file = write('big.csv', `${names.join(',')}\n${lines.join('\n')}\n`);
    const start = process.cpuUsage();
    const { observations } = await readTable(file);
    expect(observations.data).toHaveLength(1e6);
    // Two seconds of CPU time on an idle machine; a busy one has slower caches.
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(12);
  });
});

describe('holes', () => {
  const holes = table(NAMES, (row, i) => row.map((y, j) => (j === i % 4 && i < 8 ? '' : y)));

  it('are refused with the flag that allows them', async () => {
    const { path, write } = temporaryFolder();
    const ran = await latentfield(['fit', write('t.csv', holes), '--model', 'gplvm', '--out', join(path, 'out')]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain("line 2, column 'length' is empty.");
    expect(ran.stderr).toContain('--missing ignore');
  });

  it.each(['gplvm', 'meu'])('are filled in by %s: means and deviations', async (model) => {
    const { path, write } = temporaryFolder();
    const out = join(path, 'out');
    const file = write('t.csv', holes);
    const flags = ['--missing', 'ignore', '--max-iterations', '60', '--standardise'];
    const ran = await latentfield(['fit', file, '--model', model, ...flags, '--out', out]);
    expect(ran).toMatchObject({ exitCode: 0, messages: '' });
    expect(readdirSync(out).sort()).toEqual(['completed.csv', 'completedDeviations.csv', ...FILES]);
    const mean = (await readTable(join(out, 'completed.csv'))).observations;
    const deviation = (await readTable(join(out, 'completedDeviations.csv'))).observations;
    let squares = 0;
    let spread = 0;
    rows.forEach((row, i) => {
      row.forEach((y, j) => {
        const isHole = j === i % 4 && i < 8;
        if (!isHole) {
          expect(mean.at(i, j)).toBeCloseTo(y, 12);
          expect(deviation.at(i, j)).toBe(0);
          return;
        }
        expect(deviation.at(i, j)).toBeGreaterThan(0);
        squares += (mean.at(i, j) - y) ** 2;
        spread += (rows.reduce((sum, other) => sum + other[j]!, 0) / 24 - y) ** 2;
      });
    });
    // Better than the mean of the column by far.
    expect(squares).toBeLessThan(0.5 * spread);
    const imputed = await latentfield(['impute', out, file, '--json']);
    expect(imputed.exitCode).toBe(0);
    const found = JSON.parse(imputed.stdout) as { mean: number[][]; columns: string[] };
    expect(found.columns).toEqual(NAMES);
    expect(found.mean[12]!.map((y) => y.toFixed(6))).toEqual(rows[12]!.map((y) => y.toFixed(6)));
  });
});

describe('the columns of new tables', () => {
  const training = table(['id', ...NAMES, 'kind'], (row, i, kind) => [100 + 3 * i, ...row, kind]);

  it('are put in order by name by project and score', async () => {
    const { out, write, file } = await fitted('t.csv', training, '--labels', 'kind');
    const swapped = write(
      'new.csv',
      table(['stem', 'kind', 'petal', 'length', 'width', 'id'], ([a, b, c, d], i, kind) => [
        d!,
        kind,
        c!,
        a!,
        b!,
        100 + 3 * i,
      ]),
    );
    const [straight, mixed] = await Promise.all(
      [file, swapped].map((table) => latentfield(['project', out, table, '--json'])),
    );
    expect(straight).toMatchObject({ exitCode: 0, stderr: '' });
    expect(mixed!.stderr).toBe('note: The columns are put in the order of the fit, by their names.\n');
    expect(JSON.parse(mixed!.stdout)).toEqual(JSON.parse(straight!.stdout));
    expect(JSON.parse(mixed!.stdout).ids[1]).toBe('103');
    const saved = loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')));
    // The training points come back to their latents.
    const placed = JSON.parse(straight!.stdout).latents as number[][];
    placed.forEach((row, i) => {
      expect(row[0]).toBeCloseTo(saved.latents.at(i, 0), 12);
      expect(row[1]).toBeCloseTo(saved.latents.at(i, 1), 12);
    });
    const scores = await Promise.all(
      [file, swapped].map((table) => latentfield(['score', out, '--data', table, '--labels', 'kind', '--json'])),
    );
    expect(JSON.parse(scores[0]!.stdout)).toMatchObject({ nearestNeighbourError: 0, labelled: 24 });
    expect(JSON.parse(scores[1]!.stdout)).toEqual(JSON.parse(scores[0]!.stdout));
  });

  it('are missed, and new ones refused', async () => {
    const { out, write } = await fitted('t.csv', training);
    const short = write(
      'short.csv',
      table(['length', 'width', 'petal'], (row) => row.slice(0, 3)),
    );
    const wide = write(
      'wide.csv',
      table([...NAMES, 'age'], (row, i) => [...row, (i % 5) + 0.5]),
    );
    const refused = await latentfield(['project', out, short]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain("lacks 1 column of the fit: 'stem'.");
    expect((await latentfield(['project', out, wide])).stderr).toContain(
      "that the fit does not know: 'age'. Leave them out with --drop.",
    );
    expect((await latentfield(['project', out, wide, '--drop', 'age'])).exitCode).toBe(0);
  });
});
