import { gzipSync } from 'node:zlib';
import { columnFromArray, nullType, tableFromColumns, tableToIPC } from '@uwdata/flechette';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseTable, readLabels, readTable } from '../../../src/app/io/index.ts';
import { parseKernel } from '../../../src/kernels/index.ts';
import { columnarFiles } from './columnarFiles.ts';
import { temporaryFolder } from './folder.ts';
import { numpyFiles } from './numpyFiles.ts';

const text = (content: string) => new TextEncoder().encode(content);
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

describe('damaged archives', () => {
  it.each(['npz', 'oneArray', 'twoTables'] as const)(
    'of NumPy are refused, whichever byte of an array it is: %s',
    async (name) => {
      const whole = bytesOf(columnarFiles[name]);
      const [array] = name === 'twoTables' ? ['train'] : [undefined];
      const options = array === undefined ? {} : { array };
      const before = await parseTable(whole, 'a.npz', options);
      let refused = 0;
      for (let at = 0; at < whole.length; at++) {
        const damaged = whole.slice();
        damaged[at]! ^= 0x10;
        try {
          expect((await parseTable(damaged, 'a.npz', options)).observations, `byte ${at}`).toEqual(before.observations);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidInputError' });
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(whole.length / 2);
    },
  );

  it('are refused by name and code', async () => {
    const packed = zipSync({ 'X.npy': bytesOf(numpyFiles.float64) }, { level: 0 });
    const at = packed.length - 120;
    packed[at]! ^= 1;
    await expect(parseTable(packed, 'a.npz')).rejects.toMatchObject({
      code: 'damaged',
      message: "'a.npz' is damaged: 'X.npy' is not what was packed, by its CRC-32.",
    });
  });

  it('of gzip are refused', async () => {
    const packed = gzipSync(text('a,b\n1,2\n3,4\n5,7\n'), { level: 0 });
    packed[packed.indexOf('3')]! ^= 1;
    const { write } = temporaryFolder();
    const refused = {
      code: 'damaged',
      message: expect.stringMatching(/is gzipped, but cannot be unpacked: incorrect data check/),
    };
    await expect(parseTable(packed, 'a.csv.gz')).rejects.toMatchObject(refused);
    await expect(readTable(write('a.csv.gz', packed))).rejects.toMatchObject(refused);
  });
});

describe('files that are too large', () => {
  const large = `a,b\n${'1,2\n'.repeat(50_000)}`;

  it.each([
    ['as they are', 'a.csv', text(large)],
    ['packed', 'a.csv.gz', gzipSync(large)],
    ['as an archive of NumPy', 'a.npz', zipSync({ 'X.npy': new Uint8Array(200_000) })],
  ])('are refused by their content: %s', async (_, name, bytes) => {
    const { write } = temporaryFolder();
    const refused = { code: 'tooLarge', message: expect.stringContaining('contains more than 100000 bytes') };
    await expect(readTable(write(name, bytes), { maxBytes: 1e5 })).rejects.toMatchObject(refused);
    await expect(parseTable(bytes, name, { maxBytes: 1e5 })).rejects.toMatchObject(refused);
  });

  it('are not unpacked further than that, nor read without a limit', { tags: 'long' }, async () => {
    // 300 MB of text in 1.3 MB.
    const bomb = gzipSync(Buffer.alloc(3e8, '1,2\n'), { level: 1 });
    const before = process.memoryUsage().arrayBuffers;
    await expect(parseTable(bomb, 'bomb.csv.gz', { maxBytes: 1e6 })).rejects.toMatchObject({ code: 'tooLarge' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5e7);
    await expect(parseTable(bomb, 'bomb.csv.gz')).rejects.toMatchObject({ code: 'tooLarge' });
  });

  it('are refused by the texts and columns of NumPy that they claim, where these take few bytes', async () => {
    const npy = (descr: string, shape: string, content: number) => {
      const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }\n`;
      return Buffer.concat([
        Buffer.from(`\x93NUMPY\x01\x00${String.fromCharCode(header.length)}\x00${header}`, 'latin1'),
        Buffer.alloc(content),
      ]);
    };
    const refused = { code: 'tooLarge', message: expect.stringContaining('`maxBytes`') };
    await expect(parseTable(npy('<U0', '1000000000,', 0), 'a.npy')).rejects.toMatchObject(refused);
    await expect(parseTable(npy('|u1', '1, 10000000', 1e7), 'a.npy')).rejects.toMatchObject(refused);
  });

  it('are refused by the rows that they claim, where these take no bytes', async () => {
    const column = columnFromArray(new Array(20_000).fill(null), nullType());
    const bytes = tableToIPC(tableFromColumns({ a: column }), { format: 'file' })!;
    expect(bytes.length).toBeLessThan(2000);
    await expect(parseTable(bytes, 'a.arrow', { maxBytes: 50_000 })).rejects.toMatchObject({ code: 'tooLarge' });
  });
});

it('a file that is not text is refused as such, with the position of its first null', async () => {
  const given = parseTable(text('a,b\n1,\0\x172\n'), 'binary.csv');
  await expect(given).rejects.toThrow(
    /'binary\.csv' is not a text file: character 7 is a null byte\. Save the table as \.csv/,
  );
});

describe('Parquet files', () => {
  it('with a column that is not in the schema are damaged, and leave no rejection behind', async () => {
    const bytes = Buffer.from(columnarFiles.gzipParquet, 'base64');
    bytes.write('wIde', bytes.lastIndexOf('wide'));
    const rejected: unknown[] = [];
    const listen = (reason: unknown) => rejected.push(reason);
    process.on('unhandledRejection', listen);
    await expect(parseTable(new Uint8Array(bytes), 'a.parquet')).rejects.toMatchObject({ code: 'damaged' });
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('unhandledRejection', listen);
    expect(rejected).toEqual([]);
  });
});

describe('Arrow files', () => {
  it('whose metadata or columns claim more than the file contains are damaged', async () => {
    for (const [at, value] of [
      [1230, 183],
      [699, 64],
    ] as const) {
      const bytes = bytesOf(columnarFiles.uncompressedArrow);
      bytes[at] = value;
      await expect(parseTable(bytes, 'a.arrow')).rejects.toMatchObject({ name: 'InvalidInputError', code: 'damaged' });
    }
  });
});

describe('Parquet files with a damaged Arrow schema', () => {
  it('are refused as damaged, or read as before, whichever number of the schema is 16 million', async () => {
    const options = { allowMissing: true, drop: ['wide'] };
    const file = bytesOf(columnarFiles.noneParquet);
    const letters = Buffer.from(file).toString('latin1');
    const at = letters.indexOf('/////', letters.indexOf('ARROW:schema'));
    const [encoded] = letters.slice(at).match(/^[A-Za-z0-9+/]+=*/)!;
    const whole = await parseTable(file, 'a.parquet', options);
    let refused = 0;
    for (let place = 0; place + 4 <= Buffer.from(encoded!, 'base64').length; place += 4) {
      const schema = Buffer.from(encoded!, 'base64');
      schema.writeInt32LE(2 ** 24, place);
      const damaged = file.slice();
      damaged.set(text(schema.toString('base64')), at);
      try {
        const { columns } = await parseTable(damaged, 'a.parquet', options);
        expect(columns).toEqual(whole.columns);
      } catch (error) {
        expect(error).toMatchObject({ name: 'InvalidInputError', code: 'damaged' });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
  });
});

describe('long text', () => {
  it('is refused if it exceeds the longest string', async () => {
    const error = await parseTable(new Uint8Array(2 ** 29), 'a.csv', { maxBytes: 1e9 }).catch((caught) => caught);
    expect(error).toMatchObject({ name: 'InvalidInputError', code: 'tooLarge' });
    expect(error.message).toMatch(/536870912\. Split it/);
  });

  const within = async (seconds: number, read: () => unknown) => {
    const began = process.cpuUsage().user;
    const end = await Promise.resolve()
      .then(read)
      .catch((error: Error) => error);
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(seconds);
    return end;
  };

  it.each([
    ['digits and an e', `${'1'.repeat(80_000)}e`],
    ['digits and a point', `${'1'.repeat(80_000)}.x`],
    ['thousands', `${'1'.repeat(3)}${',111'.repeat(20_000)}x`],
    ['blanks', `a${' '.repeat(80_000)}x`],
  ])('of a cell is read in the time that its length takes: %s', async (_, cell) => {
    const csv = `a;b\n1;2\n3;${cell}\n4;5\n`;
    expect(await within(3, () => parseTable(text(csv), 'a.csv'))).toMatchObject({ name: 'InvalidInputError' });
    const spaced = `a b\n1 2\n3 ${cell.replaceAll(';', ' ')}\n`;
    await within(3, () => parseTable(text(spaced), 'a.txt', { delimiter: ' ' }));
  });

  it('of a header is read in the time that its length takes, names that come again included', {
    tags: 'long',
  }, async () => {
    const columns = 100_000;
    const row = Array.from({ length: columns }, (_, j) => String(j % 7)).join(',');
    const other = row.replaceAll('1', '8');
    for (const names of [
      Array.from({ length: columns }, (_, j) => `x${j}`),
      Array.from({ length: columns }, () => 'x'),
    ]) {
      const csv = text([names.join(','), row, other].join('\n'));
      expect(await within(30, () => parseTable(csv, 'a.csv', { columns: '*' }))).toHaveProperty(
        'columns.length',
        columns,
      );
      await within(30, () => parseTable(csv, 'a.csv', { columns: [...new Set(names)].reverse() }));
    }
  });

  it('of many columns is read in the time that their number takes, though every other one is constant', {
    tags: 'long',
  }, async () => {
    const columns = 100_000;
    const row = (i: number) => Array.from({ length: columns }, (_, j) => (j % 2 === 0 ? 7 : (i * j) % 11 || 3)).join();
    const table = await within(15, () => parseTable(text([row(1), row(2), row(3)].join('\n')), 'a.csv'));
    const { leftOut } = table as Awaited<ReturnType<typeof parseTable>>;
    expect(leftOut.filter(({ constant }) => constant !== undefined).length).toBeGreaterThanOrEqual(columns / 2);
    // Of the ten odd columns before it, column 11 is constant too.
    expect(leftOut.find(({ column }) => column === 'column20')).toMatchObject({ constant: { value: 7, position: 9 } });
  });

  it('of a kernel is read in the time that its length takes, or refused', { tags: 'long' }, async () => {
    for (const [term, sign] of [
      ['rbf', '+'],
      ['rbf', '*'],
      ['bias(bounded(0,1,0.5))', '+'],
    ] as const) {
      const long = Array.from({ length: 20_000 }, () => term).join(sign);
      expect(await within(10, () => parseKernel(long))).toMatchObject({ kind: 'kernel' });
    }
    expect(() => parseKernel(Array.from({ length: 60_000 }, () => 'rbf').join('+'))).toThrow(
      'no more than 50000 kernels',
    );
    expect(await within(3, () => parseKernel(`rbf(${'1'.repeat(200_000)}e)`))).toMatchObject({
      name: 'InvalidInputError',
    });
  });

  it('of a pattern with many stars is matched in the time that its length takes', async () => {
    const csv = text(`${'a'.repeat(5000)},b\n1,2\n3,5\n`);
    await within(2, () => parseTable(csv, 'a.csv', { columns: `${'*a'.repeat(30)}*c` }));
    expect((await parseTable(csv, 'a.csv', { columns: '*a*a*' })).columns).toEqual(['a'.repeat(5000)]);
  });
});

describe('labels', () => {
  const csv = `a,b,kind\n1,2,x\n3,5,NA\n4,1,\n5,0,y\n6,7,null\n`;

  it('are missing where a number would be', async () => {
    const { write } = temporaryFolder();
    const options = { labels: 'kind', color: 'kind' };
    const { labels, color } = await readTable(write('t.csv', csv), options);
    expect([labels, color]).toEqual([
      ['x', '', '', 'y', ''],
      ['x', '', '', 'y', ''],
    ]);
    expect(await readLabels(write('labels.csv', 'x\nNA\n?\ny\n-\n'), { count: 5 })).toEqual(['x', '', '', 'y', '']);
  });

  it('may be texts that stand for a missing value elsewhere', async () => {
    const { labels } = await parseTable(text(csv), 't.csv', { labels: 'kind', missingValues: ['null'] });
    expect(labels).toEqual(['x', 'NA', '', 'y', '']);
    const file = temporaryFolder().write('labels.csv', 'x\nNA\n?\ny\n-\n');
    expect(await readLabels(file, { count: 5, missingValues: [] })).toEqual(['x', 'NA', '?', 'y', '-']);
  });
});
