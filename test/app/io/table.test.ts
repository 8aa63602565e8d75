import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ReadTableOptions, readTable, writeTable } from '../../../src/app/io/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { temporaryFolder } from './folder.ts';

const read = (name: string, content: string, options?: ReadTableOptions) =>
  readTable(temporaryFolder().write(name, content), options);

async function failure(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(InvalidInputError);
  return (error as Error).message;
}

describe('readTable on text', () => {
  it('reads numbers below a header', async () => {
    const { observations, columns, labels } = await read('t.csv', 'a,b\n1,2.5\n-3e-2,.4\n');
    expect(observations.toArrays()).toEqual([
      [1, 2.5],
      [-0.03, 0.4],
    ]);
    expect(columns).toEqual(['a', 'b']);
    expect(labels).toBeUndefined();
  });

  it('takes a first row of numbers as data', async () => {
    const { observations, columns } = await read('t.csv', '1,2\n3,4');
    expect(observations.toArrays()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(columns).toEqual(['column0', 'column1']);
  });

  it('uses numeric names as a header on request', async () => {
    const { observations, columns } = await read('t.csv', '2001,2002\n3,4', { header: true });
    expect(observations.toArrays()).toEqual([[3, 4]]);
    expect(columns).toEqual(['2001', '2002']);
  });

  it('reads tabs, semicolons, quotes, a byte order mark, CRLF and blank lines', async () => {
    const expected = [
      [1, 2],
      [3, 4],
    ];
    expect((await read('t.tsv', 'a\tb\n1\t2\n3\t4\n')).observations.toArrays()).toEqual(expected);
    expect((await read('t.csv', 'a;b\n1;2\n3;4\n')).observations.toArrays()).toEqual(expected);
    expect((await read('t.csv', 'a,,c\n1,2,3\n')).columns).toEqual(['a', 'column1', 'c']);
    // A semicolon beside a comma is part of a cell.
    const both = await read('t.csv', 'speed; m/s,width\n1,2\n3,4\n');
    expect([both.columns, both.observations.toArrays()]).toEqual([['speed; m/s', 'width'], expected]);
    expect((await read('t.csv', '1|2\n3|4', { delimiter: '|' })).observations.toArrays()).toEqual(expected);
    const quoted = await read('t.CSV', '\uFEFF"width, cm","say ""b"""\r\n\r\n"1", 2\r\n3,"4"\r\n');
    expect(quoted.observations.toArrays()).toEqual(expected);
    expect(quoted.columns).toEqual(['width, cm', 'say "b"']);
    for (const mixed of ['a,b\r\n1,2\n3,4\r\n', 'a,b\n1,2\r\n3,4', 'a,b\r1,2\n3,4\r\n']) {
      const table = await read('t.csv', mixed);
      expect([table.columns, table.observations.toArrays()]).toEqual([['a', 'b'], expected]);
    }
  });

  it('takes a column of labels out, by name or by index', async () => {
    const text = 'x,kind,y\n1,oil,2\n3,gas,4\n';
    for (const labels of ['kind', 1]) {
      const table = await read('t.csv', text, { labels });
      expect(table.observations.toArrays()).toEqual([
        [1, 2],
        [3, 4],
      ]);
      expect(table.columns).toEqual(['x', 'y']);
      expect(table.labels).toEqual(['oil', 'gas']);
    }
  });

  it('keeps the first row of a file without header whose only text is the label column', async () => {
    const table = await read('t.csv', '5.1,3.5,setosa\n7.0,3.2,versicolor\n', { labels: 2 });
    expect(table.observations.toArrays()).toEqual([
      [5.1, 3.5],
      [7, 3.2],
    ]);
    expect(table.labels).toEqual(['setosa', 'versicolor']);
  });

  it('reads missing cells as NaN when they are allowed, and not as a header', async () => {
    const { observations } = await read('t.csv', '1,,3\nNaN,5,NA\n', { allowMissing: true });
    expect(observations.toArrays()).toEqual([
      [1, Number.NaN, 3],
      [Number.NaN, 5, Number.NaN],
    ]);
  });

  it.each([
    ['ragged', 'a,b\n1,2\n3\n', {}, 'is ragged: line 1 has 2 cells, but line 3 has 1.'],
    ['text', 'a,b\n1,2\n3,high\n', {}, "line 3, column 'b' contains 'high', which is not a finite number."],
    ['infinite', 'a,b\n1,2\n1e999,3\n', {}, "line 3, column 'a' contains '1e999'"],
    ['hexadecimal', 'a,b\n1,0x10\n2,3\n', {}, "line 2, column 'b' contains '0x10'"],
    ['empty cell', 'a,b\n1,2\n,4\n', {}, "line 3, column 'a' is empty. Fill it in"],
    ['NaN cell', 'a,b\n1,NaN\n', {}, "line 2, column 'b' is 'NaN'."],
    ['empty file', '', {}, 'is empty.'],
    ['blank file', '\n \n', {}, 'is empty: it contains no line with data.'],
    ['ragged by one', 'a\n1,2\n', {}, 'line 1 has 1 cell, but line 2 has 2.'],
    ['header only', 'a,b\n', {}, 'but no data below it.'],
    ['labels only', 'k\noil\n', { labels: 'k' }, "has no column of numbers but the labels 'k'"],
    [
      'unknown label column',
      'a,b\n1,2\n',
      { labels: 'kind' },
      "has no column 'kind' for the labels. Its 2 columns, numbered from 0, are 'a', 'b'.",
    ],
    ['label index too large', 'a,b\n1,2\n', { labels: 2 }, 'has no column number 2 for the labels.'],
    ['open quote', 'a,b\n1,"2\n', {}, 'is not valid CSV: a quote that opens below line 1 is not closed.'],
  ])('explains invalid input: %s', async (_, text, options, expected) => {
    expect(await failure(read('t.csv', text, options))).toContain(expected);
  });

  it('refuses options that it does not know, and values that it cannot use', async () => {
    const given = (options: object) => failure(read('t.csv', 'a,b\n1,2\n', options));
    expect(await given({ label: 'a' })).toContain(
      "readTable has no option 'label'. Did you mean 'labels'? Known are columns, drop, ",
    );
    expect(await given({ allowMissing: 'yes' })).toContain("Option 'allowMissing' of readTable must be true or false");
    expect(await given({ labels: ['a'] })).toContain('must be the name of a column or its number from 0');
    expect(await given({ delimiter: '' })).toContain("Option 'delimiter' of readTable must be a character");
  });

  it('reports which file cannot be read', async () => {
    const { path, write } = temporaryFolder();
    const absent = join(path, 'absent.csv');
    expect(await failure(readTable(absent))).toBe(`'${absent}' cannot be read: there is no such file or folder.`);
    expect(await failure(readTable(write('t.xlsx', '1')))).toContain(
      "ends in '.xlsx': expected .csv, .tsv, .txt, .npy, .npz, .parquet, .arrow, .feather or .mtx",
    );
    expect(await failure(readTable(write('data', '1')))).toContain('has no extension');
  });
});

describe('writeTable', () => {
  it('numbers names that come again, among ids and labels too', async () => {
    const file = join(temporaryFolder().path, 't.csv');
    const column = (name: string) => ({ name, values: ['p'] });
    await writeTable(file, [[1, 2, 3]], ['a', 'b', 'a'], column('b'), { ids: column('a') });
    expect(readFileSync(file, 'utf8')).toBe('a,a.1,b,a.2,b.1\np,1,2,3,p\n');
  });

  it('writes doubles that read back bit for bit, and labels that need quotes', async () => {
    const { path } = temporaryFolder();
    const matrix = Matrix.from([
      [0.1 + 0.2, -0],
      [5e-324, Number.MAX_VALUE],
      [1 / 3, -1e21],
    ]);
    const kind = ['light, oil', 'say "gas"', ' water'];
    for (const name of ['t.csv', 't.tsv']) {
      const file = join(path, name);
      await writeTable(file, matrix, ['first, cm', 'b'], { name: 'kind', values: kind });
      const table = await readTable(file, { labels: 'kind' });
      expect(table.observations.data).toEqual(matrix.data);
      expect(Object.is(table.observations.at(0, 1), -0)).toBe(true);
      expect(table.columns).toEqual(['first, cm', 'b']);
      expect(table.labels?.slice(0, 2)).toEqual(kind.slice(0, 2));
    }
    expect(readdirSync(path).sort()).toEqual(['t.csv', 't.tsv']);
  });

  it('keeps missing numbers, also in a single column', async () => {
    const file = join(temporaryFolder().path, 't.csv');
    await writeTable(file, [[1], [Number.NaN], [3]], ['a']);
    expect((await readTable(file, { allowMissing: true })).observations.toArrays()).toEqual([[1], [Number.NaN], [3]]);
  });

  it('leaves an older file as it was when it cannot write', async () => {
    const { path, write } = temporaryFolder();
    const file = write('t.csv', 'old');
    expect(await failure(writeTable(file, [[1, 2]], ['a']))).toBe('The table has 2 columns, but 1 name was given.');
    expect(await failure(writeTable(file, [[1]], ['a'], { name: 'k', values: ['x', 'y'] }))).toContain('2 labels');
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(await failure(writeTable(join(path, 'absent', 't.csv'), [[1]], ['a']))).toContain(
      'cannot be written: there is no folder',
    );
  });
});
