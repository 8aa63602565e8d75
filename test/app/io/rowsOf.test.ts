import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidInputError } from 'latentfield';
import { rowsOf } from 'latentfield/io';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, descr: string, shape: string, entries: ArrayBufferView, fortran = 'False'): string {
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`.padEnd(117);
  const head = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(`${text}\n`, 'latin1')]);
  const file = join(folder, name);
  writeFileSync(file, Buffer.concat([head, Buffer.from(entries.buffer)]));
  return file;
}

describe('rowsOf', () => {
  it('reads rows by position, in any order, of doubles and whole numbers', async () => {
    const doubles = await rowsOf(
      written(
        'f8.npy',
        '<f8',
        '(4, 3)',
        Float64Array.from({ length: 12 }, (_, k) => k / 7),
      ),
    );
    expect([doubles.rows, doubles.columns]).toEqual([4, 3]);
    const some = await doubles.read(Int32Array.of(3, 0, 3));
    expect(some.toArrays()).toEqual([3, 0, 3].map((i) => [0, 1, 2].map((j) => (3 * i + j) / 7)));
    const counts = await rowsOf(written('i2.npy', '<i2', '(3, 2)', Int16Array.of(1, 2, -3, 4, 5, 600)));
    expect((await counts.read(Int32Array.of(2, 1))).toArrays()).toEqual([
      [5, 600],
      [-3, 4],
    ]);
  });

  it('refuses files that are not a matrix of numbers in C order, are cut short, or lack the row', async () => {
    const four = Float64Array.of(1, 2, 3, 4);
    const cases = [
      [written('f.npy', '<f8', '(2, 2)', four, 'True'), /column by column/],
      [written('v.npy', '<f8', '(4,)', four), /must contain a matrix, one row per point, but its shape is \(4\)/],
      [written('s.npy', '<f8', '(3, 2)', four), /should take 176 bytes, but has 160/],
      [written('t.npy', '<U2', '(2, 2)', four), /contains text/],
      [join(folder, 'none.npy'), /cannot be read/],
    ] as const;
    for (const [file, message] of cases) {
      await expect(rowsOf(file)).rejects.toThrow(InvalidInputError);
      await expect(rowsOf(file)).rejects.toThrow(message);
    }
    const rows = await rowsOf(written('ok.npy', '<f8', '(2, 2)', four));
    await expect(rows.read(Int32Array.of(0, 2))).rejects.toThrow(/has rows 0 to 1, but row index 2 was requested/);
  });
});
