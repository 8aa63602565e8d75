import { describe, expect, it } from 'vitest';
import { distinctRows, repeatedRows, repeatsInWords } from '../../src/core/rowMatrices.ts';
import { Matrix } from '../../src/index.ts';

const of = (rows: number[][]) => repeatedRows(Matrix.from(rows));

describe('rows that differ', () => {
  const rows = Array.from({ length: 20 }, (_, i) => [i % 3, i % 2]);

  it('are numbered in order, in full tiles, with the position of each row among them', () => {
    const { first, at } = distinctRows(Matrix.from(rows));
    expect(first).toEqual([0, 1, 2, 3, 4, 5, 5, 5]);
    for (const [i, row] of rows.entries()) expect(rows[first[at[i]!]!]).toEqual(row);
  });
});

describe('rows that repeat others', () => {
  it('are counted for the first of their kind', () => {
    const rows = [
      [1, 2],
      [3, 4],
      [1, 2],
      [0, 9],
      [3, 4],
      [1, 2],
    ];
    expect(of(rows)).toEqual({ count: 3, example: [0, 2] });
    expect(repeatsInWords(Matrix.from(rows))).toBe('3 of the 6 rows repeat others (row index 2 is row index 0)');
  });

  it('are absent where each pair differs in an entry', () => {
    expect(
      of([
        [1, 2],
        [1, 3],
        [2, 2],
      ]),
    ).toBeUndefined();
  });

  it('are equal in missing entries too', () => {
    const { NaN: none } = Number;
    expect(
      of([
        [none, 1],
        [2, 1],
        [none, 1],
        [none, 2],
      ]),
    ).toEqual({ count: 1, example: [0, 2] });
    expect(
      of([
        [none, 1],
        [2, 1],
        [1, none],
      ]),
    ).toBeUndefined();
  });

  it('are detected among rows in any order, with 0 equal to −0', () => {
    expect(of([[0], [-0]])).toEqual({ count: 1, example: [0, 1] });
  });
});
