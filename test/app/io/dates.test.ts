import { describe, expect, it } from 'vitest';
import { parseTable, readMatchingTable } from '../../../src/app/io/index.ts';
import { temporaryFolder } from './folder.ts';

const TEXT =
  'day,a,kind\n2024-01-01,1,x\n2024-07-02,2,y\n,3,x\n2023-04-02T06:00,4,y\n2024-04-01T12:00,5,x\n2024-01-01,6,y\n';
const parsed = (options: object, text = TEXT) =>
  parseTable(new TextEncoder().encode(text), 't.csv', { allowMissing: true, ...options });

describe('a column of dates among the observations', () => {
  it('is read as days since 1970-01-01 where it is chosen, with a note and a unit', async () => {
    const { observations, columns, notes, writtenUnits, leftOut } = await parsed({ columns: ['a', 'day'] });
    expect(columns).toEqual(['a', 'day']);
    // Days by `date -d … +%s` divided by 86 400.
    expect([...observations.column(1)]).toEqual([19723, 19906, Number.NaN, 19449.25, 19814.5, 19723]);
    expect(notes).toEqual([
      "'day' contains dates, which are read as days since 1970-01-01.",
      '1 of 12 entries is missing.',
    ]);
    expect(writtenUnits).toEqual({ day: 'days since 1970-01-01' });
    expect(leftOut.map(({ column }) => column)).toEqual(['kind']);
    expect((await parsed({})).columns).toEqual(['a']);
  });

  it('is a season, cos 2πu and sin 2πu of the elapsed part u of the year, where that is chosen by name', async () => {
    const { observations, columns, leftOut } = await parsed({ columns: 'a,day=season cosine,day=season sine' });
    expect(columns).toEqual(['a', 'day=season cosine', 'day=season sine']);
    // Of the 366 days of 2024, 0, 183 and 91.5 have passed: 0, a half and a quarter; of the 365 days of 2023, 91.25: a quarter.
    const expected = [
      [1, 0],
      [-1, 0],
      [Number.NaN, Number.NaN],
      [0, 1],
      [0, 1],
      [1, 0],
    ];
    for (const [i, [cosine, sine]] of expected.entries()) {
      if (Number.isNaN(cosine)) expect([observations.at(i, 1), observations.at(i, 2)]).toEqual([cosine, sine]);
      else {
        expect(observations.at(i, 1)).toBeCloseTo(cosine!, 12);
        expect(observations.at(i, 2)).toBeCloseTo(sine!, 12);
      }
    }
    expect(leftOut[0]).toEqual({ column: 'day', reason: 'is replaced by the cosine and sine of its season' });
    await expect(parsed({ columns: ['a', 'kind=season sine'] })).rejects.toThrow(/no column 'kind=season sine'/);
    await expect(parsed({ columns: ['a', 'day=season'] })).rejects.toThrow(/no column 'day=season'/);
  });

  it('is matched in new tables as days and as a season', async () => {
    const file = temporaryFolder().write('new.csv', 'a,day\n7,2024-07-02\n');
    const columns = ['day', 'day=season cosine', 'a'];
    const table = await readMatchingTable(file, { columns, isNamed: true, others: [] });
    expect(table.observations.row(0)[0]).toBe(19906);
    expect(table.observations.row(0)[1]).toBeCloseTo(-1, 12);
    expect(table.observations.row(0)[2]).toBe(7);
  });
});

describe('a completed table with dates', () => {
  it('has dates for missing ones that were fitted as days, and no columns of seasons', async () => {
    const text = 'day,a\n2024-01-01,1\n,2\n2024-01-03,\n';
    const days = await parsed({ columns: ['day', 'a'], keepCells: true }, text);
    // Four in the morning of the second is the second.
    const values = [
      [19723, 1],
      [19724 + 1 / 6, 2],
      [19725, 3.5],
    ];
    expect(days.completedText!(values)).toBe('day,a\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3.5\n');
    const season = await parsed({ columns: ['a', 'day=season sine'], keepCells: true }, text);
    expect(
      season.completedText!([
        [1, 0],
        [2, 0.5],
        [3.5, 0],
      ]),
    ).toBe('day,a\n2024-01-01,1\n,2\n2024-01-03,3.5\n');
  });
});

describe('levels of a category that are chosen by name', () => {
  it('are columns of zeros where no row has them, and a level without a column is noted', async () => {
    const options = { oneHot: 'kind', columns: ['a', 'kind=x', 'kind=z'] };
    const { observations, columns, notes } = await parsed(options, 'a,kind\n1,x\n2,y\n');
    expect(columns).toEqual(['a', 'kind=x', 'kind=z']);
    expect(observations.toArrays()).toEqual([
      [1, 1, 0],
      [2, 0, 0],
    ]);
    expect(notes).toEqual([
      "'kind' contains a category without a column, such as 'y' (line 3): it counts as none of those that have one.",
    ]);
    await expect(parsed({ columns: ['a', 'kind=x'] })).rejects.toThrow(/no column 'kind=x'/);
  });
});
