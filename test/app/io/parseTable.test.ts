import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseTable, readTable } from '../../../src/app/io/index.ts';
import { InvalidInputError } from '../../../src/index.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const CSV = 'id,length,width,kind\n1,1.5,2,a\n2,3,4,b\n3,5,7,a\n';

describe('parseTable', () => {
  it('reads bytes as readTable reads the file they come from', async () => {
    const file = join(tmpdir(), `parse-table-${process.pid}.csv`);
    await writeFile(file, CSV);
    const { observations, ...rest } = await parseTable(await readFile(file), file, { labels: 'kind' });
    const { observations: expected, ...others } = await readTable(file, { labels: 'kind' });
    expect(observations.toArrays()).toEqual([
      [1.5, 2],
      [3, 4],
      [5, 7],
    ]);
    expect(observations.toArrays()).toEqual(expected.toArrays());
    expect(rest).toEqual(others);
    expect(rest).toMatchObject({ labels: ['a', 'b', 'a'], idColumn: 'id' });
  });

  it('unpacks gzip, and takes an ArrayBuffer', async () => {
    const packed = new Uint8Array(gzipSync(CSV));
    const { columns } = await parseTable(packed.buffer, 'leaves.csv.gz', { labels: 'kind' });
    expect(columns).toEqual(['length', 'width']);
  });

  it('reports how many rows of a long text it has read', async () => {
    const told: number[] = [];
    const text = `a,b\n${'1,2\n3,5\n'.repeat(5000)}`;
    const { observations } = await parseTable(bytesOf(text), 'long.csv', { onRows: (rows) => told.push(rows) });
    expect(observations.rows).toBe(10_000);
    expect(told).toEqual([4096, 8192]);
    await parseTable(bytesOf(CSV), 'leaves.csv', { labels: 'kind', onRows: (rows) => told.push(rows) });
    expect(told).toHaveLength(2);
  });

  it.each([
    ['an unknown extension', bytesOf(CSV), 'leaves.xlsx', "ends in '.xlsx': expected .csv"],
    ['nothing', new Uint8Array(0), 'leaves.csv', "'leaves.csv' is empty."],
    ['damaged gzip', Uint8Array.of(0x1f, 0x8b, 1, 2, 3), 'leaves.csv.gz', 'is gzipped, but cannot be unpacked'],
    ['text among numbers', bytesOf('a,b\n1,2\n'), 'b.npy', 'cannot be read as .npy'],
  ])('refuses %s', async (_, bytes, name, words) => {
    const refused = parseTable(bytes, name);
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(words);
  });
});
