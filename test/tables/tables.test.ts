import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { loadFit, Matrix } from '../../src/index.ts';
import { latentfield } from '../app/cli/latentfield.ts';
import { temporaryFolder } from '../app/io/folder.ts';
import { expectClose } from '../tolerance.ts';
import { flowers, NAMES, table } from './tables.ts';

const { rows } = flowers();
const FILES = ['fit.json', 'latents.csv', 'plot.svg', 'trace.csv'];

/** Fits principal components to a file, and gives what was said, what was fitted and what was written. */
async function fitted(name: string, content: string | Uint8Array, ...flags: string[]) {
  const { path, write } = temporaryFolder();
  const file = write(name, content);
  const out = join(path, 'results');
  const ran = await latentfield([
    'fit',
    file,
    ...(flags.includes('--model') ? [] : ['--model', 'pca']),
    ...flags,
    '--out',
    out,
  ]);
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

/** A number within text: all digits that it is printed with count but those that rounding may change. */
const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)/g;
const numbersOf = (text: string) => Array.from(text.matchAll(NUMBER), ([number]) => Number(number));

/** Expects the same text, and numbers in it that differ by 1e-9 of the largest one at most. */
function expectSameButForRounding(actual: string, expected: string, what: string) {
  expect(actual.replaceAll(NUMBER, '#'), what).toBe(expected.replaceAll(NUMBER, '#'));
  const lines = [actual, expected].map((text) => text.split('\n'));
  lines[1]!.forEach((line, i) => {
    const numbers = numbersOf(line);
    if (numbers.length > 0) expectClose(numbersOf(lines[0]![i]!), numbers, 1e-9, `${what}, line ${i + 1}`);
  });
}

const { folder, tables } = (await import(new URL('../../scripts/tables.mjs', import.meta.url).href)) as {
  folder: string;
  tables: Record<string, { files: Record<string, () => string | Uint8Array>; commands: string[][]; generated?: true }>;
};
const { readableTable, sessionText } = (await import(new URL('../../scripts/sessions.mjs', import.meta.url).href)) as {
  readableTable: (file: string) => string;
  sessionText: (runs: readonly object[]) => string;
};

describe('commands on the tables of test/tables print and write what is kept there (npm run tables rebuilds it)', () => {
  it('every folder is a table that is tried', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(tables).sort());
  });

  // Those that are generated are large.
  for (const [name, { files, commands, generated }] of Object.entries(tables))
    it(name, { tags: generated ? 'long' : [] }, async () => {
      const { path, write } = temporaryFolder();
      for (const [file, content] of Object.entries(files)) {
        write(file, content());
        if (generated) continue;
        const [made, kept] = [path, join(folder, name)].map((at) => readFileSync(join(at, file)));
        // Versions of zlib compress differently.
        expect(file.endsWith('.gz') ? gunzipSync(made!) : made, file).toEqual(
          file.endsWith('.gz') ? gunzipSync(kept!) : kept,
        );
      }
      const isFile = (word: string) => word in files || /^(results|placed\w*\.csv)$/.test(word);
      const runs = [];
      for (const args of commands) {
        const run = await latentfield(
          args.map((word) => (isFile(word) ? join(path, word) : word)),
          { force: false },
        );
        const [stdout, stderr] = [run.stdout, run.stderr].map((text) => text.replaceAll(`${path}/`, ''));
        runs.push({ args, exitCode: run.exitCode, stdout, stderr });
      }
      expectSameButForRounding(
        sessionText(runs),
        readFileSync(join(folder, name, 'session.txt'), 'utf8'),
        'session.txt',
      );
      const written = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.csv') && !(file in files),
      );
      expect(written.length).toBeGreaterThan(0);
      for (const file of written) {
        expectSameButForRounding(readableTable(join(path, file)), readFileSync(join(folder, name, file), 'utf8'), file);
      }
      const { model, table } = JSON.parse(readFileSync(join(path, 'results', 'fit.json'), 'utf8'));
      if (generated || 'standardized' in table || name === 'equal-rows') return;
      // Whatever stands around them, the measurements of the flowers are what is fitted.
      expect(table.columns).toEqual(NAMES);
      const isHole = (i: number, j: number) => name === 'holes' && i < 8 && j === i % 4;
      expect(model.observations).toEqual(rows.map((row, i) => row.map((y, j) => (isHole(i, j) ? null : y))));
    });
});

describe('the units of a table', () => {
  it('columns of very different deviations are named, and brought to one unless that is forbidden', async () => {
    const text = table(NAMES, ([length, ...rest]) => [length! * 1e6, ...rest]);
    const scaled = await fitted('t.csv', text);
    expect(scaled.said).toEqual([
      uses(),
      expect.stringMatching(/from 0\.2\d* \('width'\) to \d+ \('length'\).*\(--no-scale/),
    ]);
    expect(scaled.json.table.standardized.deviation[0]).toBeGreaterThan(1e5);
    const plain = await fitted('t.csv', text, '--no-scale');
    expect(plain.said).toEqual([uses(), expect.stringContaining('decide nearly alone')]);
    expect(plain.json.table.standardized).toBeUndefined();
    expect(plain.stdout).toMatch(
      / Deviations of the columns run from 0\.2\d? \(column index 1\) to \d.*e\+5 \(column index 0\), .*with --standardize\.[ \n]/,
    );
    const { said, observed, json, out } = await fitted('t.csv', text, '--standardize');
    expect(said).toEqual([uses()]);
    for (let j = 0; j < 4; j++) {
      const column = Array.from(observed.column(j));
      expect(column.reduce((sum, y) => sum + y, 0) / 24).toBeCloseTo(0, 12);
      expect(column.reduce((sum, y) => sum + y * y, 0) / 24).toBeCloseTo(1, 12);
    }
    expect(json.table.standardized.mean[0]).toBeCloseTo(rows.reduce((sum, row) => sum + row[0]! * 1e6, 0) / 24, 6);
    // Predictions come back in the units of the table: PCA of all four components leaves nothing over.
    const all = await fitted('t.csv', text, '--standardize', '--dim', '4');
    const predicted = await latentfield(['predict', all.out, '--json']);
    const { mean } = JSON.parse(predicted.stdout) as { mean: number[][] };
    mean.forEach((row, i) => {
      expect(row[0]! / 1e6).toBeCloseTo(rows[i]![0]!, 9);
      expect(row[3]).toBeCloseTo(rows[i]![3]!, 9);
    });
    expect(existsSync(join(out, 'plot.svg'))).toBe(true);
  });

  it('a million cells are read in seconds', { tags: 'long' }, async () => {
    const { write } = temporaryFolder();
    const file = write('big.csv', tables['million-cells']!.files['table.csv']!());
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

  const areFilledIn = async (model: string) => {
    const { path, write } = temporaryFolder();
    const out = join(path, 'out');
    const file = write('t.csv', holes);
    const flags = ['--missing', 'ignore', '--max-iterations', '60', '--standardize'];
    const ran = await latentfield(['fit', file, '--model', model, ...flags, '--out', out]);
    // Another fit checks the intervals where these are quick, which a busy machine may not be.
    const check =
      /^note: 8 of 96 entries are missing\.\nnote: (a check .* hid 10 .* contained [01]\.\d\d ± 0\.\d\d of them;|latentfield assess) .*\n$/;
    expect(ran).toMatchObject({ exitCode: 0, messages: expect.stringMatching(check) });
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
  };
  it('are filled in by meu: means and deviations', () => areFilledIn('meu'));
  it('are filled in by gplvm: means and deviations', { tags: 'long' }, () => areFilledIn('gplvm'));
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
    expect(JSON.parse(scores[0]!.stdout)).toMatchObject({ nearestNeighborError: 0, labeled: 24 });
    expect(JSON.parse(scores[1]!.stdout)).toEqual(JSON.parse(scores[0]!.stdout));
  });
});
