import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { isMissingText } from '../../core/observations.ts';
import { checkGiven, givenList, givenOptions, isList } from '../../core/options.ts';
import { counted, countGiven } from '../../core/wording.ts';

/** How numbers are written: decimal point or comma, and the separator of thousands, if any. */
export interface NumberStyle {
  readonly decimal: '.' | ',';
  readonly thousands?: string;
}

export const PLAIN: NumberStyle = { decimal: '.' };

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?(inf|infinity)$/i;

/**
 * Returns a reader of cells as numbers: NaN if missing (empty, NaN, NA, N/A, null, None, ?, a dash), ±Infinity if the cell says so or exceeds the
 * largest double, undefined for text.
 */
export function numberReader({ decimal, thousands }: NumberStyle): (cell: string) => number | undefined {
  if (decimal === '.' && thousands === undefined) return numberOf;
  const grouped = thousands === undefined ? undefined : groups(thousands, decimal);
  return (given) => {
    const cell = thousands === ' ' ? given.replace(/[\u00a0\u2009\u202f]/g, ' ') : given;
    const ungrouped = grouped?.test(cell) ? cell.replaceAll(thousands!, '') : cell;
    // With a decimal comma, 1.234 is not a number, because the point may separate thousands.
    if (decimal === ',' && ungrouped.includes('.')) return isMissingText(cell) ? Number.NaN : undefined;
    return numberOf(decimal === ',' ? ungrouped.replace(',', '.') : ungrouped);
  };
}

/** Reads a plain number with a decimal point. */
export function numberOf(cell: string): number | undefined {
  if (NUMBER.test(cell)) return Number(cell);
  if (isMissingText(cell)) return Number.NaN;
  if (INFINITE.test(cell)) return cell.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  // The typographic minus sign: −1.5.
  return cell.startsWith('\u2212') && /^[\d.]/.test(cell.slice(1)) ? numberOf(`-${cell.slice(1)}`) : undefined;
}

/** A label, or '' if it is missing in the same ways as a number: NaN, NA, null, a dash. */
export const presentLabel = (label: string): string => (isMissingText(label.trim()) ? '' : label);

/** Returns a reader of the number before a percent sign; NaN if it is missing. */
export function percentReader(read: (cell: string) => number | undefined): (cell: string) => number | undefined {
  return (cell) => {
    if (cell.endsWith('%')) return read(cell.slice(0, -1).trim());
    const value = read(cell);
    return Number.isNaN(value) ? value : undefined;
  };
}

const WRITTEN = "[+-]?(\\d{1,3}([ ,.'’\\u00a0\\u2009\\u202f]\\d{3})+|\\d+)([.,]\\d+)?";
const IN_UNITS = new RegExp(`^(\\p{Sc}\\s?${WRITTEN}|${WRITTEN}(\\s?\\p{Sc}|\\s?%|\\s[\\p{L}°µ²³/]+))$`, 'u');
const GROUPED = new RegExp(`^${WRITTEN}$`, 'u');

/** How a text that people read as a number can be read as one, as the end of a message; undefined if it is not one. */
export function remedyForWritten(cell: string): string | undefined {
  if (IN_UNITS.test(cell)) return 'write them without their unit';
  if (!GROUPED.test(cell)) return undefined;
  const mark = /\d([ ,.'’\u00a0\u2009\u202f])\d{3}/u.exec(cell)?.[1];
  if (mark === undefined) return undefined;
  const thousands = /\s/u.test(mark) ? ' ' : mark;
  // A comma after other separators is a decimal comma.
  if (thousands !== ',' && /,\d+$/.test(cell)) {
    const flag = thousands === ' ' ? '" "' : thousands;
    return `decimal ',' and thousands '${thousands}' read them (--decimal , --thousands ${flag})`;
  }
  return `thousands '${thousands}' reads them (--thousands "${thousands}")`;
}

/** Pattern of numbers with separated thousands, as in 1,234,567.5. */
const groups = (thousands: string, decimal: string): RegExp =>
  new RegExp(`^[+-]?\\d{1,3}(${escaped(thousands)}\\d{3})+(${escaped(decimal)}\\d*)?$`);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a cell is a number with a decimal comma: 'sure', 'unsure' (1,234 may be a thousand), or 'no'. */
export function decimalComma(cell: string): 'sure' | 'unsure' | 'no' {
  if (!/^[+-]?\d*,\d+(e[+-]?\d+)?$/i.test(cell)) return 'no';
  return /^[+-]?[1-9]\d{0,2},\d{3}$/.test(cell) ? 'unsure' : 'sure';
}

/** True if a cell looks like a number with commas between its thousands. */
export const hasThousands = (cell: string): boolean => /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(cell);

/** A column of text or numbers beside the matrix. */
export interface LabelColumn {
  readonly name: string;
  readonly values: ArrayLike<string | number>;
}

export interface WriteTableOptions {
  /** A first column, of N ids. */
  readonly ids?: LabelColumn;
  /** Whether text that a spreadsheet would take for a formula (starting with =, +, -, @, a tab or a line break) is prefixed with an apostrophe. */
  readonly guardFormulas?: boolean;
}

/**
 * A table as CSV or TSV text with a header. Each number is the shortest decimal that reads back as the same double.
 *
 * @param matrix - numbers, N×D; NaN reads back as a missing cell
 * @param names - D names of the columns
 * @param labels - a column of N labels to append
 * @param options - see {@link WriteTableOptions}, and the delimiter
 * @throws InvalidInputError if names, ids or labels do not match the matrix
 */
export function tableText(
  matrix: MatrixLike,
  names: readonly string[],
  labels?: LabelColumn,
  options: WriteTableOptions & { delimiter?: string } = {},
): string {
  const { ids, guardFormulas = false, delimiter = ',' } = givenOptions(options, 'tableText');
  const table = Matrix.from(matrix);
  const columnNames = givenTexts(names, 'a list of column names, texts');
  if (columnNames.length !== table.columns) {
    throw new InvalidInputError(
      `The table has ${counted(table.columns, 'column')}, but ${countGiven(columnNames.length, 'name')}.`,
    );
  }
  for (const [column, noun] of [
    [labels, 'label'],
    [ids, 'id'],
  ] as const) {
    if (column === undefined) continue;
    checkGiven(column, 'tableText', `${noun}s as { name, values }`, isColumn);
    if (column.values.length === table.rows) continue;
    throw new InvalidInputError(
      `The table has ${counted(table.rows, 'row')}, but ${countGiven(column.values.length, noun)}.`,
    );
  }
  const cell = (text: string) => quoted(guardFormulas ? guarded(text) : text);
  const beside = (column: LabelColumn | undefined, i: number) =>
    column === undefined ? [] : [cell(i < 0 ? column.name : String(column.values[i]))];
  const line = (cells: string[], i: number) =>
    `${[...beside(ids, i), ...cells, ...beside(labels, i)].join(delimiter)}\n`;
  const lines = [line(columnNames.map(cell), -1)];
  for (let i = 0; i < table.rows; i++) lines.push(line(Array.from(table.row(i), decimal), i));
  return lines.join('');
}

const isColumn = (given: LabelColumn) => typeof given.name === 'string' && isList(given.values);

const givenTexts = (given: readonly string[], expected: string) =>
  checkGiven(givenList(given, 'tableText', expected), 'tableText', expected, (list) =>
    list.every((text) => typeof text === 'string'),
  );

const decimal = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

const quoted = (text: string) => (/[",;\t\r\n]|^\s|\s$|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Spreadsheets evaluate cells that start like this, even quoted ones; numbers are left as they are. */
const guarded = (text: string) => (/^[=+\-@\t\r\n]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);
