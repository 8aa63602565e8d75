import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/index.ts';
import { readMoments } from '../../src/model/language/sourcedRows.ts';

const sourceOf = (rows: number[][]) => ({
  rows: rows.length,
  columns: rows[0]!.length,
  read: (indices: Int32Array) => Matrix.from(Array.from(indices, (i) => rows[i]!)),
});
const asked = { center: true, scale: true, check: () => undefined };

describe('moments of the columns of a source', () => {
  it('are means and deviations over all its blocks of rows', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => [i < 2500 ? 1 : 3, -2 * (i % 2)]);
    const { mean, deviation } = await readMoments(sourceOf(rows), asked);
    expect([mean[0], mean[1]]).toEqual([expect.closeTo(2, 12), expect.closeTo(-1, 12)]);
    expect([deviation[0], deviation[1]]).toEqual([expect.closeTo(1, 12), expect.closeTo(1, 12)]);
  });

  it('of a constant column are its value, exactly, and 1', async () => {
    const constant = Array.from({ length: 7 }, () => [0.3, -1e6 / 3]);
    const { mean, deviation } = await readMoments(sourceOf(constant), asked);
    expect(Array.from(mean)).toEqual([0.3, -1e6 / 3]);
    expect(Array.from(deviation)).toEqual([1, 1]);
  });
});
