import { describe, expect, it } from 'vitest';
import { type ReadTableOptions, readLabels, readTable } from '../../../src/app/io/index.ts';
import { temporaryFolder } from './folder.ts';
import { numpyFiles } from './numpyFiles.ts';

const bytesOf = (name: keyof typeof numpyFiles) => Buffer.from(numpyFiles[name], 'base64');
const read = (name: keyof typeof numpyFiles, options?: ReadTableOptions) =>
  readTable(temporaryFolder().write('t.npy', bytesOf(name)), options);

const A = [
  [1.5, -2, 1 / 3],
  [4, 5e-300, 6],
];
const whole = [
  [1, -2, 3],
  [4, 5, 6],
];
/** 0 … 11 in rows of six: what a 2×3×2 array flattens to. */
const flattened = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10, 11],
];

describe('readTable on .npy', () => {
  it.each([
    ['float64', A],
    ['float32', A.map((row) => row.map(Math.fround))],
    ['int32', whole],
    ['int64', whole],
    ['uint8', [[1, 2, 255], whole[1]]],
    ['fortran', A],
    ['rank1', [[1.5], [2.5], [3.5]]],
    ['boolean', [[1], [0], [1]]],
    ['bigEndian', A],
  ] as const)('reads %s', async (name, expected) => {
    const { observations, columns } = await read(name);
    expect(observations.toArrays()).toEqual(expected);
    expect(columns).toHaveLength(expected[0]!.length);
  });

  it('reads numbers that the header does not align', async () => {
    const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n";
    const bytes = Buffer.alloc(10 + header.length + 16);
    bytes.write('\x93NUMPY\x01\x00', 'latin1');
    bytes.writeUInt16LE(header.length, 8);
    bytes.write(header, 10, 'latin1');
    bytes.writeDoubleLE(0.1, 10 + header.length);
    bytes.writeDoubleLE(-7, 18 + header.length);
    expect((10 + header.length) % 8).not.toBe(0);
    const { observations } = await readTable(temporaryFolder().write('t.npy', bytes));
    expect(observations.toArrays()).toEqual([[0.1], [-7]]);
  });

  it('leaves out constant columns, which it names, unless they are requested', async () => {
    const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }\n";
    const bytes = Buffer.alloc(10 + header.length + 72);
    bytes.write('\x93NUMPY\x01\x00', 'latin1');
    bytes.writeUInt16LE(header.length, 8);
    bytes.write(header, 10, 'latin1');
    [1, 0.1, 4, 2, 0.1, 5, 3, 0.1, 5].forEach((value, at) => {
      bytes.writeDoubleLE(value, 10 + header.length + 8 * at);
    });
    const file = temporaryFolder().write('t.npy', bytes);
    const { observations, columns, leftOut } = await readTable(file);
    // Numbers that count the rows are observations: those of an array were meant.
    expect(observations.toArrays()).toEqual([
      [1, 4],
      [2, 5],
      [3, 5],
    ]);
    expect(columns).toEqual(['column0', 'column2']);
    expect(leftOut).toEqual([
      { column: 'column1', reason: 'is 0.1 in every row', byDefault: true, constant: { value: 0.1, position: 1 } },
    ]);
    expect((await readTable(file, { columns: '*' })).observations.columns).toBe(3);
  });

  it('refuses a header longer than NumPy takes', async () => {
    const withHeader = (length: number) => {
      const bytes = Buffer.alloc(12 + length + 8, ' ');
      bytes.write('\x93NUMPY\x02\x00', 'latin1');
      bytes.writeUInt32LE(length, 8);
      bytes.write("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", 12, 'latin1');
      bytes.writeDoubleLE(3, 12 + length);
      return readTable(temporaryFolder().write('t.npy', bytes));
    };
    expect((await withHeader(10_000)).observations.toArrays()).toEqual([[3]]);
    await expect(withHeader(10_001)).rejects.toThrow(/its header takes 10001 bytes, more than 10000/);
  });

  it('takes a column of labels out', async () => {
    const { observations, labels, columns } = await read('int32', { labels: 1 });
    expect(observations.toArrays()).toEqual([
      [1, 3],
      [4, 6],
    ]);
    expect(labels).toEqual(['-2', '5']);
    expect(columns).toEqual(['column0', 'column2']);
  });

  it.each(['rank3', 'fortranRank3'] as const)('lays each point of %s out as a row on demand', async (name) => {
    await expect(read(name)).rejects.toThrow('has 3 dimensions, shape (2, 3, 2). Reshape it to N×D');
    const { observations, notes } = await read(name, { flatten: true });
    expect(observations.toArrays()).toEqual(flattened);
    expect(notes).toEqual(['Shape (2, 3, 2) is read as 2 points of 6 columns.']);
  });

  it('reads NaN only when missing numbers are allowed', async () => {
    await expect(read('missing')).rejects.toThrow("row index 0, column 'column1' is 'NaN'. Fill it in");
    expect((await read('missing', { allowMissing: true })).observations.toArrays()).toEqual([
      [1, Number.NaN],
      [2, 3],
    ]);
  });

  it('explains invalid input', async () => {
    await expect(read('infinite', { allowMissing: true })).rejects.toThrow(
      "row index 1, column 'column0' contains 'Infinity'",
    );
    await expect(read('complex')).rejects.toThrow('complex numbers');
    await expect(read('text')).rejects.toThrow('has no column of numbers: there are no data.');
    const { write } = temporaryFolder();
    await expect(readTable(write('a.npy', '1,2\n3,4\n1,2\n'))).rejects.toThrow('it does not begin as such files do');
    await expect(readTable(write('b.npy', bytesOf('float64').subarray(0, -8)))).rejects.toThrow('is cut short');
    await expect(readTable(write('c.npy', 'x'))).rejects.toThrow('cannot be read as .npy');
  });
});

describe('readLabels', () => {
  const labels = (name: string, content: string | Uint8Array, count?: number) =>
    readLabels(temporaryFolder().write(name, content), count === undefined ? {} : { count });

  it('reads one column of text or numbers, with or without a name', async () => {
    expect(await labels('l.csv', 'oil\ngas\noil\n', 3)).toEqual(['oil', 'gas', 'oil']);
    expect(await labels('l.csv', 'kind\noil\ngas\noil\n', 3)).toEqual(['oil', 'gas', 'oil']);
    expect(await labels('l.tsv', 'kind\n0\n1\n')).toEqual(['0', '1']);
    expect(await labels('l.csv', 'oil\ngas\n')).toEqual(['oil', 'gas']);
    expect(await labels('l.npy', bytesOf('text'), 3)).toEqual(['oil', 'water', 'gas']);
    expect(await labels('l.npy', bytesOf('rank1'))).toEqual(['1.5', '2.5', '3.5']);
  });

  it('explains invalid input', async () => {
    await expect(labels('l.csv', 'oil\ngas\n', 3)).rejects.toThrow('contains 2 labels, but there are 3 points.');
    await expect(labels('l.csv', 'oil\ngas\noil\n', 2)).rejects.toThrow('contains 3 labels, but there are 2 points.');
    await expect(labels('l.csv', '0\n1\n0\n', 2)).rejects.toThrow('contains 3 labels, but there are 2 points.');
    await expect(labels('l.csv', 'a,b\n0,1\n')).rejects.toThrow('has 2 columns, but labels are a single one.');
    await expect(labels('l.npy', bytesOf('int32'))).rejects.toThrow('has 3 columns');
  });
});
