import { describe, expect, it } from 'vitest';
import { rowsOfPoints, tableRecord } from '../../../src/app/cli/tableReport.ts';
import type { Table } from '../../../src/app/io/index.ts';
import { type Fit, InvalidInputError, Matrix } from '../../../src/index.ts';

const fitOf = (rows: number, points?: number[]) =>
  ({ latents: Matrix.zeros(rows, 1), parameters: points === undefined ? {} : { points } }) as unknown as Fit;

describe('rows of the points that a fit shows', () => {
  const table = Matrix.from([[0], [1], [2], [3]]);

  it('are all rows of the data, or those that the fit lists', () => {
    expect(rowsOfPoints(fitOf(4), table)).toBe(table);
    expect(rowsOfPoints(fitOf(2, [1, 3]), table).toArrays()).toEqual([[1], [3]]);
  });

  it('are refused for data with fewer or more rows than were fitted', () => {
    expect(() => rowsOfPoints(fitOf(3), table)).toThrow(InvalidInputError);
    expect(() => rowsOfPoints(fitOf(5), table)).toThrow(InvalidInputError);
    expect(() => rowsOfPoints(fitOf(2, [1, 4]), table)).toThrow(InvalidInputError);
  });
});

describe('the record of a fitted table', () => {
  const table: Table = {
    ...{ observations: Matrix.from([[1], [2]]), columns: ['a'], isNamed: true, notes: [] },
    leftOut: [{ column: 'note', reason: 'is text' }],
  };

  it('names the columns that are not observations, including the labels', () => {
    expect(tableRecord(table)).toEqual({ columns: ['a'], isNamed: true, others: ['note'] });
    expect(tableRecord({ ...table, labels: ['x', 'y'] }, 'kind')).toEqual({
      ...{ columns: ['a'], isNamed: true, others: ['note', 'kind'] },
      ...{ labelColumn: 'kind', labels: ['x', 'y'] },
    });
  });
});
