import { fit, InvalidInputError, Matrix, pca } from 'latentfield';
import { normalizeCounts, readMatchingTable, readTable } from 'latentfield/io';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';

const cells = 'cell,a,b,c\nc1,4,0,0\nc2,1,3,4\nc3,0,9,1\n';

describe('normalizeCounts', () => {
  it('scales rows to a sum, or to the median of sums, and then takes log(1 + y)', () => {
    const Y = [
      [4, 0],
      [1, 3],
      [0, 9],
      [6, 0],
    ];
    expect(normalizeCounts(Y, { rowSums: 100 }).observations.toArrays()).toEqual([
      [100, 0],
      [25, 75],
      [0, 100],
      [100, 0],
    ]);
    expect(normalizeCounts([[1, 3]], { rowSums: 1 }).observations.toArrays()).toEqual([[0.25, 0.75]]);
    const { observations, counts } = normalizeCounts(Y, { rowSums: 'median', log1p: true });
    expect(counts).toEqual({ rowSums: 5, log1p: true });
    const expected = [Math.log1p(5), 0, Math.log1p(1.25), Math.log1p(3.75), 0, Math.log1p(5), Math.log1p(5), 0];
    observations.data.forEach((entry, k) => {
      expect(entry).toBeCloseTo(expected[k]!, 14);
    });
    expect(normalizeCounts([[10, 10]], counts).observations.at(0, 1)).toBeCloseTo(Math.log1p(2.5), 14);
    expect(normalizeCounts(Y).observations.toArrays()).toEqual(Y);
  });

  it.each([
    [[[1, -2]], { log1p: true }, /Entry \[0\]\[1\] is -2/],
    [
      [
        [1, 2],
        [Number.NaN, 1],
      ],
      { rowSums: 10 },
      /Entry \[1\]\[0\] is missing/,
    ],
    [
      [
        [1, 2],
        [0, 0],
      ],
      { rowSums: 'median' as const },
      /Entry \[1\].*no sum/,
    ],
    [[[1, 2]], { rowSums: 0 }, /rowSums.*above 0, or 'median'/],
    [[[1, 2]], { rowSum: 1 } as object, /rowSum'.*Did you mean 'rowSums'/],
  ])('refuses %j with %j', (Y, options, message) => {
    expect(() => normalizeCounts(Y, options)).toThrow(InvalidInputError);
    expect(() => normalizeCounts(Y, options)).toThrow(message);
  });
});

describe('a table of counts', () => {
  it('is normalized as it is read, by the sums of its observations, and reports it', async () => {
    const { write } = temporaryFolder();
    const table = await readTable(write('cells.csv', cells), { rowSums: 'median', log1p: true });
    expect(table.counts).toEqual({ rowSums: 8, log1p: true });
    expect(table.observations.at(1, 2)).toBeCloseTo(Math.log1p(4), 14);
    expect(table.notes.at(-1)).toMatch(/sum to 8.*log\(1 \+ y\)/);
    const some = await readTable(write('cells.csv', cells), { rowSums: 2, drop: 'b' });
    expect(some.observations.toArrays()[1]).toEqual([0.4, 1.6]);
  });

  it('of a fit has its normalization done to other tables, and others refused', async () => {
    const { write } = temporaryFolder();
    const table = await readTable(write('cells.csv', cells), { rowSums: 'median', log1p: true });
    const fitted = await fit(pca(table.observations, { latentDim: 1 }), { table });
    expect(fitted.table?.counts).toEqual({ rowSums: 8, log1p: true });
    const file = write('later.csv', 'cell,a,b,c\nd1,40,0,0\n');
    const later = await readMatchingTable(file, fitted.table!);
    expect(later.observations.at(0, 0)).toBeCloseTo(Math.log1p(8), 14);
    expect((await fitted.project(later)).latents.at(0, 0)).toBeCloseTo(fitted.latents.at(0, 0), 12);
    await expect((async () => fitted.project(await readTable(file)))()).rejects.toThrow(/sums of 8 and logarithms/);
    expect((await fitted.project(new Matrix(later.observations.data, 1, 3))).latents.rows).toBe(1);
  });

  it('names file, line and column of an entry that is not a count', async () => {
    const { write } = temporaryFolder();
    const file = write('wrong.csv', 'cell,a,b\nc1,4,-1\nc2,2,3\n');
    await expect(readTable(file, { rowSums: 10 })).rejects.toThrow(/wrong\.csv', line 2, column 'b' is -1/);
  });
});
