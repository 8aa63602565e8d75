import { InvalidInputError } from 'latentfield';
import { parseTable } from 'latentfield/io';
import { describe, expect, it } from 'vitest';

const table = (text: string, options = {}) => parseTable(new TextEncoder().encode(text), 'table.csv', options);
const lines = (head: string, line: (i: number) => string, rows = 8) =>
  [head, ...Array.from({ length: rows }, (_, i) => line(i))].join('\n');

describe('tables as spreadsheets leave them', () => {
  it('name their delimiter in a first line, which is not data', async () => {
    const { columns, observations } = await table(`sep=;\na;b\n${lines('1,5;2', (i) => `${i},25;${i * i}`)}`);
    expect(columns).toEqual(['a', 'b']);
    expect(observations.row(0)).toEqual(Float64Array.of(1.5, 2));
    await expect(table(`sep=|\na|b\n1|2\n3|x\n`)).rejects.toThrow("line 4, column 'b' contains 'x'");
  });

  it('keep names above their columns where lines of data end with a delimiter', async () => {
    const { columns, observations, leftOut } = await table(lines('a,b,c', (i) => `${i}.5,${i * i},${-i},`));
    expect(columns).toEqual(['a', 'b', 'c']);
    expect(observations.row(2)).toEqual(Float64Array.of(2.5, 4, -2));
    expect(leftOut).toEqual([{ column: 'column3', reason: 'contains no value' }]);
  });

  it('end with lines of empty cells, which are left out with a sentence', async () => {
    const { observations, notes } = await table(`${lines('a,b', (i) => `${i}.5,${i * i}`)}\n,\n,\n`);
    expect(observations.rows).toBe(8);
    expect(notes).toEqual(['2 lines of empty cells are left out.']);
    await expect(table(',,\n,,\n')).rejects.toThrow('is empty');
  });

  it('have percent signs and typeset minus signs', async () => {
    const { columns, observations, notes } = await table(
      lines('a,share', (i) => `\u2212${i}.5,${i === 3 ? '' : `${10 * i}.5 %`}`),
      { allowMissing: true },
    );
    expect(columns).toEqual(['a', 'share']);
    expect(observations.row(2)).toEqual(Float64Array.of(-2.5, 20.5));
    expect(observations.row(3)).toEqual(Float64Array.of(-3.5, Number.NaN));
    expect(notes).toEqual(["'share' is in percent: '0.5 %' is read as 0.5.", '1 of 16 entries is missing.']);
    // Beside numbers without the sign nobody knows what these mean.
    await expect(table(lines('a,share', (i) => `${i}.5,${i < 2 ? `${i}%` : i / 100}`))).rejects.toThrow(
      "line 2, column 'share' contains '0%'",
    );
  });

  it.each([
    ['units', (i: number) => `${i}.5 kg`, 0.5, "'a' is in kg: '0.5 kg' is read as 0.5."],
    ['currencies', (i: number) => `"$${i + 1},000.50"`, 1000.5, "'a' is in $: '$1,000.50' is read as 1000.5."],
  ])('have numbers with %s, one in all cells', async (_, cell, first, note) => {
    const { columns, ids, observations, notes } = await table(lines('a,b,c', (i) => `${cell(i)},${i * i},${-i}.5`));
    expect(columns).toEqual(['a', 'b', 'c']);
    expect(observations.row(0)[0]).toBe(first);
    expect(notes).toEqual([note]);
    expect(ids).toBeUndefined();
  });

  it('have numbers with blanks, which name no points', async () => {
    const { columns, ids, leftOut } = await table(lines('a,b,c', (i) => `${i + 1} 234,${i * i},${-i}.5`));
    expect(columns).toEqual(['b', 'c']);
    expect(ids).toBeUndefined();
    expect(leftOut[0]!.reason).toContain("such as '1 234': `thousands: ' '` reads them");
  });

  it('have blanks between thousands, of any width', async () => {
    const { observations } = await table('a;b\n1\u00a0234,5;2,5\n12\u202f000;1,5\n7;-0,5\n', { thousands: ' ' });
    expect(observations.column(0)).toEqual(Float64Array.of(1234.5, 12000, 7));
  });

  it('have a second line of names, a line of totals, or two decimal marks: each is named, with a remedy', async () => {
    const rejected = (text: string) => expect(table(text)).rejects;
    await rejected(lines('a,b', (i) => (i === 0 ? '[mm],[kg]' : `${i}.5,2`))).toThrow(
      "line 2, column 'a' contains '[mm]', which is not a finite number. If this line contains names or units, remove it.",
    );
    await rejected(`${lines('a,b', (i) => `${i}.5,${i * i}`)}\nTotal,28`).toThrow(
      "line 10, column 'a' contains 'Total', which is not a finite number. Correct it, remove its line",
    );
    await rejected(lines('a;b', (i) => `${i}${i % 2 ? ',' : '.'}5;${i * i}`)).toThrow(
      "contains '0.5', which is not a finite number. Numbers of this table are read with a decimal comma",
    );
    await rejected(lines('a,b', (i) => (i === 4 ? '1e400,1' : `${i}.5,${i * i}`))).toThrow(InvalidInputError);
  });

  it('have a dash where nothing was measured', async () => {
    const { observations } = await table(
      lines('a,b', (i) => (i === 4 ? '-,–' : `${i}.5,${i * i}`)),
      { allowMissing: true },
    );
    expect(observations.row(4)).toEqual(Float64Array.of(Number.NaN, Number.NaN));
  });

  it('have line breaks in names and text, which sentences do not repeat', async () => {
    const { leftOut, columns } = await table(
      lines('a,"long\nname","note\n(free)"', (i) => `${i}.5,${i * i},"one\ntwo"`),
    );
    expect(columns).toEqual(['a', 'long name']);
    expect(leftOut).toEqual([{ column: 'note (free)', reason: "is text ('one two', always)" }]);
  });
});
