import { describe, expect, it } from 'vitest';
import { type ReadTableOptions, readMatchingTable, readTable } from '../../../src/app/io/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { temporaryFolder } from './folder.ts';

const read = (content: string, options?: ReadTableOptions, name = 't.csv') =>
  readTable(temporaryFolder().write(name, content), options);

const lines = (...rows: string[]) => `${rows.join('\n')}\n`;
/** Six rows of two measured columns, below names, with whatever stands before them in a row. */
const measured = (names: string, before: readonly string[]) =>
  lines(names, ...before.map((cell, i) => `${cell},${(i * 7) % 5}.5,${(i * 3) % 4}.25`));
const six = ['0', '1', '2', '3', '4', '5'];

describe('columns that look like an index', () => {
  it.each([
    ['an index of pandas', ',a,b', six, 'counts the rows', 'id'],
    ['text of pandas', ',a,b', ['u', 'v', 'w', 'x', 'y', 'z'], 'is text that names each row', 'id'],
    ['an unnamed column', ',a,b', ['7', '3', '9', '12', '1', '40'], 'has no name and no value twice', 'id'],
    ['id', 'id,a,b', ['17', '3', '9', '12', '1', '40'], 'is named like an identifier', 'id'],
    ['sample_id', 'sample_id,a,b', ['17', '3', '9', '9', '1', '40'], 'is named like an identifier', 'sample_id'],
    ['a count from 1', 'n,a,b', ['1', '2', '3', '4', '5', '6'], 'counts the rows', 'n'],
    ['names', 'who,a,b', ['Ann', 'Bob', 'Cid', 'Dee', 'Eve', 'Flo'], 'is text that names each row', 'who'],
  ])('are ids, not observations: %s', async (_, names, before, reason, idColumn) => {
    const table = await read(measured(names, before));
    expect(table.columns).toEqual(['a', 'b']);
    expect(table.observations.row(1)).toEqual(Float64Array.from([2.5, 3.25]));
    expect(table.ids).toEqual(before);
    expect(table.idColumn).toBe(idColumn);
    const column = names.split(',')[0] || 'column0';
    const isText = reason.includes('text');
    const expected = { column, reason: `${reason}: it names the points`, ...(!isText && { byDefault: true }) };
    expect(table.leftOut).toEqual([expected]);
    const all = await read(measured(names, before), { columns: '*', ...(isText ? { drop: 0 } : {}) });
    expect(all.columns).toHaveLength(isText ? 2 : 3);
  });

  it('are unique whole numbers in the first of many rows, where others are not like them', async () => {
    const rows = Array.from({ length: 25 }, (_, i) => `${1000 + ((i * 7919) % 3001)},${(i % 6) / 4},${i % 3}`);
    expect((await read(lines('customer,a,b', ...rows))).columns).toEqual(['a', 'b']);
    const counts = Array.from({ length: 25 }, (_, i) => `${(i * 7919) % 3001},${(i * 104729) % 5003}`);
    expect((await read(lines('reads1,reads2', ...counts))).columns).toEqual(['reads1', 'reads2']);
  });

  it('are kept where nothing else is left, and where few rows may count by chance', async () => {
    expect((await read(lines('n', ...six))).columns).toEqual(['n']);
    expect((await read('a,b\n1,2\n2,3\n3,4\n')).columns).toEqual(['a', 'b']);
  });
});

describe('columns without numbers to fit', () => {
  it('are named: text, constant, empty', async () => {
    const text = lines('a,kind,unit,gap,b', '1,oil,3,,2', '2,gas,3,NA,2.5', '5,oil,3,null,1');
    const table = await read(text);
    expect(table.columns).toEqual(['a', 'b']);
    expect(table.leftOut).toEqual([
      { column: 'kind', reason: "is text ('oil', 2 kinds)" },
      { column: 'unit', reason: 'is 3 in every row', byDefault: true, constant: { value: 3, position: 1 } },
      { column: 'gap', reason: 'contains no value' },
    ]);
    expect((await read(text, { labels: 'kind' })).labels).toEqual(['oil', 'gas', 'oil']);
    expect((await read(text, { columns: 'a:unit', labels: 'kind' })).columns).toEqual(['a', 'unit']);
  });

  it('are dates, which point to the option `time` and name the points only without another index', async () => {
    const days = ['2024-03-01', '2024-03-02', '2024-03-04', '2024-03-05T12:00', '2024-03-06', '2024-03-09'];
    const dates = (name: string) => `contains dates (\`time: '${name}'\` takes them as the times of the rows)`;
    const alone = await read(measured('day,a,b', days));
    expect(alone.leftOut).toEqual([{ column: 'day', reason: `${dates('day')}: it names the points` }]);
    expect(alone.ids).toEqual(days);
    const named = await read(
      measured(
        'day,who,a,b',
        ['Ann', 'Bob', 'Cid', 'Dee', 'Eve', 'Flo'].map((who, i) => `${days[i]},${who}`),
      ),
    );
    expect(named.idColumn).toBe('who');
    expect(named.leftOut.map(({ reason }) => reason)).toEqual([
      dates('day'),
      'is text that names each row: it names the points',
    ]);
    const again = Array.from({ length: 12 }, (_, i) => `${days[i % 2]!},${(i * 7) % 5}.5,${i === 3 ? '' : 2 * i}`);
    const repeated = await read(lines('day,a,b', ...again), { categories: 'auto', allowMissing: true });
    expect(repeated.leftOut).toEqual([{ column: 'day', reason: dates('day') }]);
    expect(repeated.columns).toEqual(['a', 'b']);
    expect(repeated.notes).toEqual(['1 of 24 entries is missing.']);
    expect(
      (await read(lines('day,a', ...again.map((row) => row.split(',').slice(0, 2).join())), { oneHot: 'day' })).columns,
    ).toEqual([...days.slice(0, 2).map((day) => `day=${day}`), 'a']);
  });

  it('are named by their lines where no column that is used has a value, and by the cell that makes numbers text', async () => {
    const rows = Array.from({ length: 6 }, (_, i) => `$${i + 1}.5,${i === 2 ? '' : i + 0.5},${2 * i + 0.5}`);
    const read6 = await read(lines('price,a,b', ...rows, 'Total,,'), { allowMissing: true });
    expect(read6.notes).toEqual(['3 of 14 entries are missing, among them all of line 8.']);
    expect(read6.leftOut).toEqual([
      {
        column: 'price',
        reason: "is read as text, because 'Total' is not a number like '$1.5': correct the cell, or remove its line",
      },
    ]);
  });

  it('are counted as one column with its missing cells, where they are categories', async () => {
    const text = lines('a,kind', '1,oil', '2,NA', ',gas', '5,water', '6,oil');
    const { notes, columns } = await read(text, { oneHot: 'kind', allowMissing: true });
    expect(columns).toEqual(['a', 'kind=gas', 'kind=oil', 'kind=water']);
    expect(notes).toEqual(["2 of 10 entries are missing: 'NA'."]);
    expect((await read(text, { oneHot: 'kind', drop: 'kind', allowMissing: true })).leftOut).toEqual([
      { column: 'kind', reason: 'is dropped' },
    ]);
  });

  it('are refused where only a few cells are text', async () => {
    await expect(read('a,b\n1,2\n3,high\n4,5\n')).rejects.toThrow("line 3, column 'b' contains 'high'");
    await expect(read('a,b\n1,2\n3,inf\n4,5\n')).rejects.toThrow("line 3, column 'b' contains 'inf'");
    await expect(read('a,b\nx,y\n')).rejects.toThrow("has no column of numbers: there are no data. 'a' is text ('x'");
  });

  it('color the points: text is not an observation, numbers remain one', async () => {
    const text = lines('a,age,kind', '1,30,oil', '2,40,gas', '4,20.5,oil');
    const byAge = await read(text, { color: 'age' });
    expect(byAge.color).toEqual(Float64Array.from([30, 40, 20.5]));
    expect(byAge.columns).toEqual(['a', 'age']);
    expect((await read(text, { color: 'kind' })).color).toEqual(['oil', 'gas', 'oil']);
  });
});

describe('choosing columns', () => {
  const text = lines('x1,x2,x10,y,"a,b",3', '1,2,3,4,5,6', '2,3,4,5,6,8', '3,4,6,7,8,9');
  it.each([
    ['x1', ['x1']],
    ['x*', ['x1', 'x2', 'x10']],
    ['y, x1', ['y', 'x1']],
    ['x2:y', ['x2', 'x10', 'y']],
    ['0:1', ['x1', 'x2']],
    [':1,y', ['x1', 'x2', 'y']],
    ['a,b', ['a,b']],
    // A name before a number.
    ['3', ['3']],
    [4, ['a,b']],
    [
      ['x1', 5],
      ['x1', '3'],
    ],
  ])('by %j', async (columns, expected) => {
    expect((await read(text, { columns })).columns).toEqual(expected);
  });

  it('drops them, and takes ids that are named', async () => {
    expect((await read(text, { drop: ['x*', '3'] })).columns).toEqual(['y', 'a,b']);
    const named = await read(text, { id: 'y' });
    expect([named.ids, named.columns]).toEqual([
      ['4', '5', '7'],
      ['x1', 'x2', 'x10', 'a,b', '3'],
    ]);
  });

  it.each([
    ['Y', "no column 'Y' for the observations. Did you mean 'y'?"],
    ['q*', "no column 'q*'"],
    ['y:x1', "'y:x1' runs backwards"],
    [9, 'no column number 9'],
  ])('explains invalid input: %j', async (columns, message) => {
    await expect(read(text, { columns })).rejects.toThrow(message);
    await expect(read(text, { columns })).rejects.toThrow(InvalidInputError);
  });
});

describe('the first line', () => {
  it.each([
    ['names above numbers', 'a,b\n1,2\n', ['a', 'b']],
    ['flowers without names', '5.1,3.5,setosa\n4.9,3.0,setosa\n7.0,3.2,versicolor\n', ['column0', 'column1']],
    ['years', 'country,2001,2002\nA,1.5,2\nB,2.5,3\nA,4,5\n', ['2001', '2002']],
    ['columns of pandas that have no names', ',0,1,2\n0,.5,1,2\n1,2,.5,2.5\n2,.5,1,7\n', ['0', '1', '2']],
    ['names of R, one too few', 'a b\nu 1.5 2\nv 2 3\nw 4 5\nx 1 2\ny 3 4\n', ['a', 'b']],
    ['names twice', 'a,a,a\n1,2,3\n2,3,5\n', ['a', 'a.1', 'a.2']],
  ])('%s', async (_, text, expected) => {
    expect((await read(text)).columns).toEqual(expected);
  });

  it('is one of years that count on above decimals, and a row where they are whole numbers or do not count on', async () => {
    const years = await read('2019,2020,2021\n0.5,1.25,3\n2.5,0.75,1.5\n');
    expect(years.columns).toEqual(['2019', '2020', '2021']);
    expect(years.observations.rows).toBe(2);
    expect((await read('2019,2020,2021\n3,1,4\n1,5,9\n')).observations.rows).toBe(3);
    expect((await read('2019,2020,2022\n0.5,1.25,3\n2.5,0.75,1.5\n')).observations.rows).toBe(3);
  });

  it('is used as the caller describes it', async () => {
    expect((await read('1,2\n3,4\n5,7\n', { header: true })).columns).toEqual(['1', '2']);
    await expect(read('a,b\n3,4\n5,7\n', { header: false })).rejects.toThrow("line 1, column 'column0' contains 'a'");
  });
});

it('text in a first column names no points', async () => {
  const table = await read('site,a,b\nnorth,1,2\nnorth,3,5\nsouth,2,2\n');
  expect(table.ids).toBeUndefined();
  expect(table.columns).toEqual(['a', 'b']);
  expect(table.leftOut).toEqual([{ column: 'site', reason: "is text ('north', 2 kinds)" }]);
});

describe('numbers as people write them', () => {
  it('decimal commas between semicolons, with a note', async () => {
    const { observations, notes } = await read('a;b\n1,5;-2\n,25;3e2\n');
    expect(observations.toArrays()).toEqual([
      [1.5, -2],
      [0.25, 300],
    ]);
    expect(notes).toEqual(["Numbers are read with a decimal comma, as in '1,5'."]);
    // One that must be decimal settles those that need not be.
    expect((await read('a;b\n1,234;0,5\n2,500;3\n')).observations.toArrays()).toEqual([
      [1.234, 0.5],
      [2.5, 3],
    ]);
    expect((await read('1,5;2,5\n3,25;4\n')).observations.toArrays()).toEqual([
      [1.5, 2.5],
      [3.25, 4],
    ]);
  });

  it('thousands, on request', async () => {
    const text = 'a;b\n1.234,5;2\n12.345.678;3\n';
    const european = await read(text, { decimal: ',', thousands: '.' });
    expect(Array.from(european.observations.column(0))).toEqual([1234.5, 12345678]);
    const english = await read('a,b\n"1,234.5",2\n"-2,000",3\n5,4\n', { thousands: ',' });
    expect(Array.from(english.observations.column(0))).toEqual([1234.5, -2000, 5]);
    await expect(read('a;b\n1,234;2\n2,500;3\n')).rejects.toThrow('may be a decimal mark or a thousands separator');
    await expect(read('a,b\n"1,234.5",2\n3,4\n5,6\n')).rejects.toThrow("`thousands: ','`");
    await expect(read('a;b\n1,5;2\n', { decimal: ',', thousands: ',' })).rejects.toThrow('two different characters');
    // A point is no decimal point where the comma is.
    await expect(read('a;b\n1,5;2\n1.5;3\n2,5;2\n', { decimal: ',' })).rejects.toThrow(
      "line 3, column 'a' contains '1.5'",
    );
  });

  it('missing in many words', async () => {
    const text = 'a,b\n1,2\nNULL,3\nN/A,4\n?,5\nNone,6\n<NA>,7\n2,8\n';
    await expect(read(text)).rejects.toThrow(
      "line 3, column 'a' is 'NULL'. Fill it in, drop its row, or allow missing values: `allowMissing: true`.",
    );
    const { observations } = await read(text, { allowMissing: true });
    expect(Array.from(observations.column(0))).toEqual([1, NaN, NaN, NaN, NaN, NaN, 2]);
  });

  it('below comments, between bars and blanks', async () => {
    const expected = [
      [1, 2],
      [3, 4],
    ];
    expect((await read('# made by a machine\na|b\n# units\n1|2\n3|4\n')).observations.toArrays()).toEqual(expected);
    expect((await read('  1   2\n 3 4\n', {}, 't.txt')).observations.toArrays()).toEqual(expected);
  });
});

describe('readMatchingTable', () => {
  const known = { columns: ['a', 'b', 'c'], isNamed: true, others: ['id', 'kind'] };
  const match = (content: string, options = {}) =>
    readMatchingTable(temporaryFolder().write('new.csv', content), known, options);

  it('puts swapped columns in order and leaves the others of the fit out', async () => {
    const table = await match('id,c,kind,a,b\n7,3,oil,1,2\n9,6,gas,4,5\n');
    expect(table.columns).toEqual(['a', 'b', 'c']);
    expect(table.observations.toArrays()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(table.ids).toEqual(['7', '9']);
    expect(table.notes).toEqual(['The columns are put in the order of the fit, by their names.']);
    expect((await match('a,b,c\n1,2,3\n')).notes).toEqual([]);
  });

  it('keeps constant and counting columns that the fit has', async () => {
    const rows = Array.from({ length: 6 }, (_, i) => `${i},5,${i % 2}`);
    expect((await match(lines('a,b,c', ...rows))).observations.row(3)).toEqual(Float64Array.from([3, 5, 1]));
  });

  it('refuses missing and unknown columns', async () => {
    await expect(match('a,b\n1,2\n')).rejects.toThrow("lacks 1 column of the fit: 'c'.");
    await expect(match('a,b,c,d\n1,2,3,4.5\n')).rejects.toThrow("1 column that the fit does not know: 'd'");
    expect((await match('a,b,c,d\n1,2,3,4.5\n', { drop: 'd' })).columns).toEqual(['a', 'b', 'c']);
  });

  it('goes by place where a file has no names', async () => {
    expect((await match('1,2,3\n4,5,6.5\n')).observations.row(1)).toEqual(Float64Array.from([4, 5, 6.5]));
    await expect(match('1,2\n4,5\n')).rejects.toThrow('has 2 columns of observations, but the fit has 3');
  });
});
