import type { DelimitedRow } from './delimited.ts';
import { numberOf, type ReadNumber } from './numberStyle.ts';
import { isWrittenNumber, remedyForWritten } from './writtenForms.ts';

/** Rows that are looked at. */
const LOOKED_AT = 2000;

/** True for a number, a missing value, and a number in another form, all of whose columns are not of plain numbers. */
function numberTest(body: readonly DelimitedRow[], read: ReadNumber): (cell: string, j: number) => boolean {
  const isPlain = memoized((j) => isMostly(body, j, (cell) => read(cell) !== undefined));
  return (cell, j) => read(cell) !== undefined || (isWritten(cell) && !isPlain(j));
}

const isWritten = (cell: string) => isWrittenNumber(cell) || remedyForWritten(cell) !== undefined;

const isMostly = (body: readonly DelimitedRow[], j: number, test: (cell: string) => boolean) =>
  2 * body.filter(({ cells }) => test(cells[j] ?? '')).length >= body.length;

function memoized(of: (j: number) => boolean): (j: number) => boolean {
  const known = new Map<number, boolean>();
  return (j) => {
    const value = known.get(j) ?? of(j);
    known.set(j, value);
    return value;
  };
}

/**
 * Whether the first line holds names: 'surely' if a text of it stands above a column of numbers, 'yes' if
 * - it is text throughout; or its only numbers are different whole ones in order, such as years, which no row continues, and its texts do not come
 *   again below; or
 * - it counts on from any number, as years do, above numbers of which most have decimals; or
 * - it counts 0, 1, 2, …, as the columns of a data frame without names do, with an empty first cell or without.
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
  if (texts.some((j) => isMostly(body, j, (cell) => read(cell) !== undefined || isWritten(cell)))) return 'surely';
  const numbers = names.flatMap((cell, j) => (isNumber(cell, j) && cell !== '' ? [j] : []));
  if (numbers.length === 0) return 'yes';
  const comeAgain = texts.some((j) => body.some(({ cells }) => cells[j] === names[j]));
  return !comeAgain && areNumericNames(names, numbers, body) ? 'yes' : 'no';
}

const YEAR = /^(1[89]|20|21)\d\d$/;

/** True if the whole numbers of the first line are names: in order, unlike the rows; one or two of them look like years, unlike those below. */
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
 * Number of rows above a table: titles, notes and the like, which have other numbers of cells or leave more of them empty than the names below them.
 * Names are full of text above numbers; without names the table begins where rows get their number of cells.
 */
export function rowsAbove(rows: readonly DelimitedRow[], read: ReadNumber): number {
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
