import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseTable, readTable } from '../../../src/app/io/index.ts';
import { columnarFiles } from './columnarFiles.ts';
import { temporaryFolder } from './folder.ts';

const bytes = (name: keyof typeof columnarFiles) => Buffer.from(columnarFiles[name], 'base64');
const read = (name: string, content: string | Uint8Array, options = {}) =>
  readTable(temporaryFolder().write(name, content), options);

describe('encodings and packing', () => {
  const text = 'größe,länge\n1,2.5\n3,4\n';
  const expected = [
    [1, 2.5],
    [3, 4],
  ];
  const swapped = (content: Buffer) => Buffer.from(content).swap16();
  it.each([
    ['UTF-8', Buffer.from(text), []],
    ['UTF-16LE with a mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), ['The text is read as UTF-16LE.']],
    ['UTF-16BE with a mark', swapped(Buffer.from(`\uFEFF${text}`, 'utf16le')), ['The text is read as UTF-16BE.']],
    ['UTF-16LE without a mark', Buffer.from(text, 'utf16le'), ['The text is read as UTF-16LE.']],
    ['Latin-1', Buffer.from(text, 'latin1'), ['The text is not valid UTF-8; it is read as Latin-1 (Windows-1252).']],
  ])('%s', async (_, content, notes) => {
    for (const [name, packed] of [
      ['t.csv', content],
      ['t.csv.gz', gzipSync(content)],
    ] as const) {
      const table = await read(name, packed);
      expect(table.columns).toEqual(['größe', 'länge']);
      expect(table.observations.toArrays()).toEqual(expected);
      expect(table.notes).toEqual(notes);
    }
  });

  it('reads the characters of Windows-1252 that Latin-1 does not have', async () => {
    const { columns } = await read('t.csv', Buffer.from('\x84Preis\x93 in \x80,gr\xf6\xdfe\n1,2\n3,5\n', 'latin1'));
    expect(columns).toEqual(['„Preis“ in €', 'größe']);
  });

  it('reports that a packed file is damaged', async () => {
    await expect(read('t.csv.gz', gzipSync(Buffer.from(text)).subarray(0, -9))).rejects.toThrow('cannot be unpacked');
  });
});

describe('Parquet and Arrow', () => {
  it.each(['snappyParquet', 'zstdParquet', 'noneParquet', 'gzipParquet', 'uncompressedArrow'] as const)(
    'reads %s',
    async (name) => {
      const file = name.endsWith('Arrow') ? 't.feather' : 't.parquet';
      const table = await read(file, bytes(name), { allowMissing: true, labels: 'kind', drop: 'wide' });
      expect(table.columns).toEqual(['a', 'b', 'flag']);
      expect(table.observations.toArrays()).toEqual([
        [1.5, 1, 1],
        [NaN, 2, 0],
        [-2.25, 4, 1],
      ]);
      expect(table.ids).toEqual(['101', '57', '33']);
      expect(table.labels).toEqual(['oil', 'gas', 'oil']);
      // Booleans are numbers by their type, not text that is taken for one.
      expect(table.notes).toEqual(['1 of 9 entries is missing.']);
      await expect(read(file, bytes(name), { drop: 'wide' })).rejects.toThrow("row index 1, column 'a' is 'NaN'");
      // 2⁵³ + 1 is no double.
      const refused = read(file, bytes(name), { allowMissing: true });
      await expect(refused).rejects.toThrow("row index 0, column 'wide' contains '9007199254740993'");
    },
  );

  it('explains invalid input', async () => {
    await expect(read('t.arrow', bytes('lz4Arrow'))).rejects.toThrow('Write it without compression.');
    await expect(read('t.parquet', 'PAR1 and nothing else')).rejects.toThrow('cannot be read as Parquet');
    await expect(read('t.arrow', 'a,b\n1,2\n')).rejects.toThrow('cannot be read as Arrow');
  });
});

describe('.npz', () => {
  it('reads the table, and labels from the same archive', async () => {
    const table = await read('t.npz', bytes('npz'), { labels: 'kind', color: 'time' });
    expect(table.observations.toArrays()).toEqual([
      [1.5, -2],
      [3, 4],
      [5, 6],
    ]);
    expect(table.labels).toEqual(['oil', 'gas', 'oil']);
    expect(table.color).toEqual(Float64Array.from([3, 1, 2]));
    expect(table.notes).toEqual(["The array 'X' is read, of 'X', 'kind', 'time'."]);
    expect((await read('t.npz', bytes('oneArray'))).notes).toEqual([]);
  });

  it('asks which of two tables', async () => {
    await expect(read('t.npz', bytes('twoTables'))).rejects.toThrow("2 arrays: 'train', 'test'. Name the one to read");
    expect((await read('t.npz', bytes('twoTables'), { array: 'test' })).observations.rows).toBe(3);
    await expect(read('t.npz', bytes('twoTables'), { array: 'X' })).rejects.toThrow("has no array 'X'");
    await expect(read('t.npz', 'PK and nothing else')).rejects.toThrow('cannot be read as .npz');
  });
});

it('reads a million cells', { tags: 'long' }, async () => {
  const names = Array.from({ length: 100 }, (_, j) => `c${j}`).join(',');
  const rows = Array.from({ length: 10_000 }, (_, i) =>
    Array.from({ length: 100 }, (_, j) => (((i * 100 + j) * 48271) % 2147483647) / 2147483647).join(','),
  );
  const { observations } = await read('t.csv', `${names}\n${rows.join('\n')}\n`);
  expect([observations.rows, observations.columns]).toEqual([10_000, 100]);
  expect(observations.at(9_999, 99)).toBe(((999_999 * 48271) % 2147483647) / 2147483647);
});

describe('cells between tabs', () => {
  it('are empty at the end of a line, in files with any name', async () => {
    const text = 'time\ttemp\tpressure\n2026-11-01 00:00\t20.5 °C\t1013\n2026-11-01 01:00\t21.5 °C\t\n\t22 °C\t1010\n';
    const { observations, columns } = await parseTable(new TextEncoder().encode(text), 'log.csv', {
      allowMissing: true,
    });
    expect(columns).toEqual(['temp', 'pressure']);
    expect(observations.toArrays()).toEqual([
      [20.5, 1013],
      [21.5, Number.NaN],
      [22, 1010],
    ]);
  });
});
