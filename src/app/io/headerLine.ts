import { isDate } from './dates.ts';
import type { DelimitedRow } from './delimited.ts';
import { numberOf, type ReadNumber } from './numberStyle.ts';
import type { RawColumn } from './rawTable.ts';
import { isWrittenNumber, readWritten, remedyForWritten } from './writtenForms.ts';
import { isTruth } from './writtenValues.ts';

/** Number of rows that are examined. */
const LOOKED_AT = 2000;

/** True for a number, a missing value, and a date, a truth value or a number in another form, unless its column contains plain numbers. */
function numberTest(body: readonly DelimitedRow[], read: ReadNumber): (cell: string, j: number) => boolean {
  const isPlain = memoized((j) => count(body, j, (cell) => isFiniteOrInfinite(read(cell))) > count(body, j, isWritten));
  return (cell, j) => read(cell) !== undefined || (isWritten(cell) && !isPlain(j));
}

const isWritten = (cell: string) =>
  isWrittenNumber(cell) || remedyForWritten(cell) !== undefined || isTruth(cell) || isDate(cell);

const isFiniteOrInfinite = (value: number | undefined) => value !== undefined && !Number.isNaN(value);

/** Number of rows with such a cell in a column. */
const count = (body: readonly DelimitedRow[], j: number, test: (cell: string) => boolean) =>
  body.filter(({ cells }) => test(cells[j] ?? '')).length;

const isMostly = (body: readonly DelimitedRow[], j: number, test: (cell: string) => boolean) =>
  2 * count(body, j, test) > body.length;

function memoized(of: (j: number) => boolean): (j: number) => boolean {
  const known = new Map<number, boolean>();
  return (j) => {
    const value = known.get(j) ?? of(j);
    known.set(j, value);
    return value;
  };
}

/**
 * Whether the first line contains names: 'surely' if it has text above a column of numbers, 'yes' if
 * - it is text throughout; or its only numbers are distinct whole numbers in order, such as years, which no row continues, and its texts are not
 *   repeated below; or
 * - it counts up from any number, like years, above numbers that mostly have decimals; or
 * - it counts 0, 1, 2, …, like the columns of a data frame without names, with or without an empty first cell.
 *
 * @param rows - all lines, split into cells
 */
export function hasHeader(rows: readonly DelimitedRow[], read: ReadNumber): 'surely' | 'yes' | 'no' {
  const [first, ...rest] = rows.slice(0, LOOKED_AT);
  const names = first!.cells;
  const body = rest.filter(({ cells }) => cells.length === names.length);
  const isNumber = numberTest(body, read);
  const texts = Array.from(names.keys()).filter((j) => !isNumber(names[j]!, j));
  if (texts.length === 0) {
    const isCount = counts(names) || countsOn(names, body);
    return isCount && body.length > 0 ? 'yes' : 'no';
  }
  if (body.length === 0) return texts.length === names.length ? 'yes' : 'no';
  // Dates and truth values above others are data.
  const isAbove = (test: (cell: string) => boolean) => names.some((cell, j) => test(cell) && count(body, j, test) > 0);
  if (isAbove(isTruth) || isAbove(isDate)) return 'no';
  const isValue = (cell: string) => isFiniteOrInfinite(read(cell)) || (read(cell) === undefined && isWritten(cell));
  const isWord = (cell: string) => read(cell) === undefined && !isWritten(cell);
  if (texts.some((j) => count(body, j, isValue) > count(body, j, isWord))) return 'surely';
  const comeAgain = texts.some((j) => body.some(({ cells }) => cells[j] === names[j]));
  const numbers = names.flatMap((cell, j) => (isNumber(cell, j) && cell !== '' ? [j] : []));
  if (numbers.length === 0) return comeAgain ? 'no' : 'yes';
  return !comeAgain && areNumericNames(names, numbers, body) ? 'yes' : 'no';
}

const YEAR = /^(1[89]|20|21)\d\d$/;

/** True for a line of years only. */
export const areYears = (cells: readonly string[]): boolean => cells.every((cell) => YEAR.test(cell));

/** True if the whole numbers of the first line are names: in order, unlike the rows; one or two of them must look like years, unlike those below. */
function areNumericNames(names: readonly string[], columns: readonly number[], body: readonly DelimitedRow[]): boolean {
  if (!columns.every((j) => /^\d+$/.test(names[j]!))) return false;
  if (columns.length < 3) {
    const isYear = (cells: readonly string[]) => columns.every((j) => YEAR.test(cells[j]!));
    return (
      isYear(names) &&
      new Set(columns.map((j) => names[j])).size === columns.length &&
      !body.some(({ cells }) => isYear(cells))
    );
  }
  const direction = order(names, columns);
  return direction !== 0 && !body.every(({ cells }) => order(cells, columns) === direction);
}

/** 1 for increasing numbers, −1 for decreasing ones, 0 for others. */
function order(cells: readonly string[], columns: readonly number[]): number {
  const steps = columns.slice(1).map((j, k) => Math.sign(Number(cells[j]) - Number(cells[columns[k]!])));
  return steps.every((step) => step === steps[0]) ? (steps[0] ?? 0) : 0;
}

function counts(first: readonly string[]): boolean {
  const cells = first[0] === '' ? first.slice(1) : first;
  return cells.length >= 3 && cells.every((cell, j) => numberOf(cell) === j && cell === String(j));
}

/** True if the first line is n, n + 1, n + 2, …, and most cells below have decimals. */
function countsOn(first: readonly string[], body: readonly DelimitedRow[]): boolean {
  const start = Number(first[0]);
  if (first.length < 3 || !first.every((cell, j) => /^\d+$/.test(cell) && Number(cell) === start + j)) return false;
  const cells = body.flatMap((row) => row.cells);
  return 2 * cells.filter((cell) => /\d[.,]\d/.test(cell)).length > cells.length;
}

/**
 * Number of rows above a table: titles, notes and the like, which have other numbers of cells or more empty cells than the names below them. Names
 * consist of text above numbers; without names the table begins where rows reach their number of cells.
 */
export function rowsAbove(rows: readonly DelimitedRow[], read: ReadNumber): number {
  const above = rowsBefore(rows, read);
  const width = rows.at(-1)!.cells.length;
  // A last line that is cut short is not a second table.
  return rows.slice(above).filter(({ cells }) => cells.length === width).length > above ? above : 0;
}

function rowsBefore(rows: readonly DelimitedRow[], read: ReadNumber): number {
  const looked = rows.slice(0, LOOKED_AT);
  const width = looked.at(-1)!.cells.length;
  if (width < 2) return 0;
  const isNumber = (cell: string) => read(cell) !== undefined || isWritten(cell);
  const body = looked.filter(({ cells }) => cells.length === width);
  const numeric = Array.from({ length: width }, (_, j) => j).filter((j) => isMostly(body, j, isNumber));
  const held = ({ cells }: DelimitedRow) => (cells.length === width ? cells.filter((cell) => cell !== '').length : 0);
  const isNames = (row: DelimitedRow) =>
    held(row) >= width - 1 && numeric.every((j) => row.cells[j] === '' || !isNumber(row.cells[j]!));
  const isData = (row: DelimitedRow | undefined) =>
    row?.cells.length === width && numeric.some((j) => row.cells[j] !== '' && isNumber(row.cells[j]!));
  const names = numeric.length === 0 ? -1 : looked.findIndex((row, i) => isNames(row) && isData(looked[i + 1]));
  if (names >= 0) return looked.slice(0, names).some((row) => held(row) >= held(looked[names]!)) ? 0 : names;
  const first = looked.findIndex(({ cells }) => cells.length === width);
  // Names of R, one too few.
  return first === 1 && looked[0]!.cells.length === width - 1 ? 0 : first;
}

/** Columns of a text, below its names. */
export interface TextColumns {
  readonly rows: readonly DelimitedRow[];
  readonly read: ReadNumber;
  /** Receives sentences about cells that are not plain numbers. */
  readonly notes: string[];
}

/** Column of a text: numbers if all of its cells are numbers, plainly or in another unambiguous form. */
export function textColumn({ rows, read, notes }: TextColumns, j: number, name: string, isNamed: boolean): RawColumn {
  const source = (i: number) => rows[i]!.cells[j]!;
  const plain = numbersOf(rows, j, read);
  if (plain !== undefined) return { name, isNamed, numbers: plain, source };
  const cells = rows.map((row) => row.cells[j]!);
  const written = readWritten(cells, read);
  if (written !== undefined) {
    notes.push(written.note(name));
    const { note: _, ...column } = written;
    return { name, isNamed, source, ...column };
  }
  return withoutTextMarks({ name, isNamed, text: cells, read }, notes);
}

function numbersOf(rows: readonly DelimitedRow[], j: number, read: ReadNumber): Float64Array | undefined {
  const numbers = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i]!.cells[j]!);
    if (value === undefined) return undefined;
    numbers[i] = value;
  }
  return numbers;
}

/** Pattern of a cell that a spreadsheet keeps as text: ="00123" or '14.26. */
const MARKED = /^(?:="(.*)"|'([+\-\u2212]?[\d.,].*))$/s;

/** Column without spreadsheet marks that keep cells as text, if there are any; numbers with leading zeros are codes and stay text. */
function withoutTextMarks(column: RawColumn, notes: string[]): RawColumn {
  const { name, isNamed, text, read } = column;
  const marked = text!.filter((cell) => MARKED.test(cell));
  if (marked.length === 0) return column;
  const cells = text!.map((cell) => cell.replace(MARKED, (_, quoted, rest) => quoted ?? rest));
  const shown = `'${marked[0]!}' is read as ${cells[text!.indexOf(marked[0]!)]!}`;
  notes.push(`'${name}' contains cells that a spreadsheet keeps as text: ${shown}, without the mark.`);
  const values = cells.map(read!);
  const areCodes = cells.some((cell) => /^[+-]?0\d/.test(cell));
  if (areCodes || values.some((value) => value === undefined)) {
    return { name, isNamed, text: cells, ...(!areCodes && { read: read! }) };
  }
  return { name, isNamed, numbers: Float64Array.from(values as number[]), source: (i) => cells[i]! };
}
