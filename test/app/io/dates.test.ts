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

  it.each([
    ['13.09.2023', '01.02.2023'],
    ['9/13/2023 4:30 pm', '2/1/2023 12:00 am'],
    ['2023-9-13', '2023-2-1'],
  ])('is left out with advice, not as a category, if it is written like %s', async (first, second) => {
    const rows = Array.from({ length: 20 }, (_, i) => `${[first, second][i % 2]};${i + 0.5};${'xy'[i % 2]}\n`);
    const { columns, leftOut } = await parsed({ categories: 'auto' }, `day;a;kind\n${rows.join('')}`);
    expect(columns).toEqual(['a', 'kind=x', 'kind=y']);
    expect(leftOut[0]).toMatchObject({
      column: 'day',
      reason: expect.stringMatching(/^contains dates such as '.*', .* only dates such as 2024-02-29/),
    });
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
    await expect(parsed({ columns: ['a', 'kind=season sine'] })).rejects.toThrow(
      /line 2, column 'kind' contains 'x', but a season needs dates/,
    );
    await expect(parsed({ columns: ['a', 'day=season'] })).rejects.toThrow(/no column 'day=season'/);
  });

  it('is matched in new tables as days and as a season', async () => {
    const file = temporaryFolder().write('new.csv', 'day,a\n2024-07-02,7\n');
    const columns = ['day', 'day=season cosine', 'a'];
    const table = await readMatchingTable(file, { columns, isNamed: true, others: [] });
    expect(table.observations.row(0)[0]).toBe(19906);
    expect(table.observations.row(0)[1]).toBeCloseTo(-1, 12);
    expect(table.observations.row(0)[2]).toBe(7);
    expect(table.notes).toEqual(["'day' contains dates, which are read as days since 1970-01-01."]);
  });

  it('is refused in a new table for a cell that is not a date, and for numbers where the fit had dates', async () => {
    const folder = temporaryFolder();
    const wrong = folder.write('wrong.csv', 'a,day\n7,2024-07-02\n8,03.02.2024\n');
    const season = { columns: ['day=season cosine', 'a'], isNamed: true, others: ['day'] };
    await expect(readMatchingTable(wrong, season)).rejects.toThrow(
      /line 3, column 'day' contains '03\.02\.2024', but a season needs dates/,
    );
    const numbers = folder.write('numbers.csv', 'a,day\n7,1\n8,2\n');
    const days = { columns: ['day', 'a'], isNamed: true, others: [], writtenUnits: { day: 'days since 1970-01-01' } };
    await expect(readMatchingTable(numbers, days)).rejects.toThrow(/'day' contained dates in the fitted table/);
  });

  it('is a missing season in a new table without dates, which a completed table does not name', async () => {
    const file = temporaryFolder().write('absent.csv', 'a,b\n7,1\n');
    const known = { columns: ['a', 'b', 'day=season cosine', 'day=season sine'], isNamed: true, others: ['day'] };
    const table = await readMatchingTable(file, known, { allowMissing: true, allowAbsent: true, keepCells: true });
    expect(Array.from(table.observations.row(0))).toEqual([7, 1, Number.NaN, Number.NaN]);
    expect(table.completedText!([[7, 1, 0.5, 0.5]])).toBe('a,b\n7,1\n');
  });

  it('takes its seasons along when it is dropped, and its missing cells are counted once', async () => {
    const columns = ['a', 'day=season cosine', 'day=season sine'];
    expect((await parsed({ columns })).notes).toContain('1 of 12 entries is missing.');
    expect((await parsed({ columns, drop: ['day'] })).columns).toEqual(['a']);
    const comma = 'a,"day, local"\n1,2024-01-01\n2,2024-07-02\n';
    const { observations } = await parsed({ columns: ['a', 'day, local=season cosine'] }, comma);
    expect(observations.at(1, 1)).toBeCloseTo(-1, 12);
  });
});

describe('a completed table with dates', () => {
  it('has times for missing ones where others have times', async () => {
    const text = 'day,a\n2024-01-01T01:30,1\n,2\n2024-01-01T02:30,3\n';
    const table = await parsed({ columns: ['day', 'a'], keepCells: true }, text);
    const values = [19723.0625, 19723 + 2 / 24, 19723.1041667].map((day, i) => [day, i + 1]);
    expect(table.completedText!(values)).toBe('day,a\n2024-01-01T01:30,1\n2024-01-01T02:00:00,2\n2024-01-01T02:30,3\n');
  });

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
      "'kind' contains a category without a column, such as 'y' (line 3): it has 0 in each column of a category.",
    ]);
    await expect(parsed({ columns: ['a', 'kind=x'] })).rejects.toThrow(/no column 'kind=x'/);
  });
});
