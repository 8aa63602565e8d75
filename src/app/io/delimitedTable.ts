import { InvalidInputError } from '../../core/errors.ts';
import { type DelimitedRow, decodeText, guessDelimiter, namedDelimiter, parseDelimited } from './delimited.ts';
import type { Format } from './format.ts';
import { decimalComma, type NumberStyle, numberOf, numberReader, PLAIN, percentReader } from './numberText.ts';
import { type RawColumn, type RawTable, uniqueNames } from './rawTable.ts';

/** How text is split into cells, and how its numbers are written. */
export interface TextOptions {
  readonly delimiter?: string | undefined;
  readonly header?: boolean | undefined;
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: string | undefined;
  /** The label column, whose text does not indicate a header. */
  readonly labels?: string | number | undefined;
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Reads a .csv, .tsv or .txt file. */
export function delimitedTable(bytes: Uint8Array, format: Format, file: string, options: TextOptions): RawTable {
  const { text: whole, note } = decodeText(bytes);
  const binary = whole.indexOf('\0');
  if (binary >= 0) {
    throw new InvalidInputError(
      `'${file}' is not text: its character ${binary + 1} is a null. Save the table as .csv, .tsv or .txt, or give an array of NumPy as .npy.`,
    );
  }
  const named = namedDelimiter(whole);
  const text = named === undefined ? whole : whole.slice(named.line.length);
  const delimiter = options.delimiter ?? named?.delimiter ?? (format === 'tsv' ? '\t' : guessDelimiter(text));
  const notes = note === undefined ? [] : [note];
  const rows = withValues(parseDelimited(text, delimiter, file, options.onRows), file, notes);
  const style = numberStyle(rows, delimiter, file, options, notes);
  const read = numberReader(style);
  const first = rows[0]!.cells;
  const labels = typeof options.labels === 'number' ? options.labels : undefined;
  const percent = percentReader(read);
  const isNumber = (cell: string) => read(cell) !== undefined || percent(cell) !== undefined;
  const isHeader =
    options.header ??
    hasHeader(
      rows.map(({ cells }) => cells),
      isNumber,
      labels,
    );
  const names = uniqueNames(
    first.map((cell, j) => (isHeader && cell !== '' ? cell.replace(/\s+/gu, ' ') : `column${j}`)),
  );
  const body = isHeader ? rows.slice(1) : rows;
  if (body.length === 0) throw new InvalidInputError(`'${file}' holds a line of column names, but no data below it.`);
  if (isHeader) notes.push(...headerNotes(first, names, isNumber, options));
  const columns = names.map((name, j) => {
    const isNamed = isHeader && first[j] !== '';
    const column = columnOf(body, j, name, isNamed, read);
    if (column.text?.some((cell) => cell.endsWith('%')) !== true) return column;
    const inPercent = columnOf(body, j, name, isNamed, percent);
    if (inPercent.text !== undefined) return column;
    const cell = column.text.find((each) => each.endsWith('%'))!;
    notes.push(`'${name}' is in percent: '${cell}' is read as ${percent(cell)}.`);
    return inPercent;
  });
  return {
    file,
    rows: body.length,
    columns,
    place: (row) => `line ${body[row]!.line}`,
    notes,
  };
}

/** The rows with content: spreadsheets leave lines of delimiters below a table. */
function withValues(rows: readonly DelimitedRow[], file: string, notes: string[]): readonly DelimitedRow[] {
  const found = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  if (found.length === 0) throw new InvalidInputError(`'${file}' is empty: it holds no line with data.`);
  const empty = rows.length - found.length;
  if (empty > 0)
    notes.push(`${empty === 1 ? '1 line' : `${empty} lines`} of empty cells ${empty === 1 ? 'is' : 'are'} left out.`);
  return found;
}

function columnOf(
  body: readonly DelimitedRow[],
  j: number,
  name: string,
  isNamed: boolean,
  read: (cell: string) => number | undefined,
): RawColumn {
  const numbers = new Float64Array(body.length);
  for (let i = 0; i < body.length; i++) {
    const value = read(body[i]!.cells[j]!);
    if (value === undefined) return { name, isNamed, text: body.map(({ cells }) => cells[j]!), read };
    numbers[i] = value;
  }
  return { name, isNamed, numbers, source: (i) => body[i]!.cells[j]! };
}

function headerNotes(
  first: readonly string[],
  names: readonly string[],
  isNumber: (cell: string) => boolean,
  { header }: TextOptions,
): string[] {
  const notes: string[] = [];
  if (header === undefined && first.some((cell) => cell !== '' && isNumber(cell))) {
    notes.push(
      `The first line, ${JSON.stringify(first.slice(0, 4).join(', '))}${first.length > 4 ? '…' : ''}, is read as column names (header: --header no for data).`,
    );
  }
  const again = names.filter((name, j) => first[j] !== '' && name !== first[j]!.replace(/\s+/gu, ' '));
  if (again.length > 0) notes.push(`Names that come again are numbered: ${again.slice(0, 5).join(', ')}.`);
  return notes;
}

/** The given style; a decimal comma if columns that are not separated by commas cannot be read otherwise. */
function numberStyle(
  rows: readonly DelimitedRow[],
  delimiter: string,
  file: string,
  { decimal, thousands }: TextOptions,
  notes: string[],
): NumberStyle {
  if (decimal !== undefined && decimal === (thousands ?? '')) {
    throw new InvalidInputError(
      `'${decimal}' cannot stand before the decimals and between thousands. Give two different characters.`,
    );
  }
  const grouping = thousands === undefined ? {} : { thousands };
  if (decimal !== undefined || delimiter === ',' || thousands === ',')
    return { ...PLAIN, ...grouping, decimal: decimal ?? '.' };
  const cells = rows.slice(1, 200).flatMap((row) => row.cells.filter((cell) => decimalComma(cell) !== 'no'));
  if (cells.length === 0) return { ...PLAIN, ...grouping };
  if (cells.every((cell) => decimalComma(cell) === 'unsure')) {
    throw new InvalidInputError(
      `'${file}' holds numbers such as '${cells[0]}', whose comma may stand before decimals or between thousands. Say which: decimal ',' (--decimal ,) or thousands ',' (--thousands ,).`,
    );
  }
  notes.push(`Numbers are read with a decimal comma, as in '${cells.find((cell) => decimalComma(cell) === 'sure')}'.`);
  return { decimal: ',', ...grouping };
}

/**
 * True if the first line holds names, which it does if
 * - a text of it stands above a column of numbers; or
 * - it is text throughout; or its only numbers are different whole ones, such as years, and its texts do not come again below; or
 * - it counts on from any number, as years do, above numbers of which most have decimals; or
 * - it counts 0, 1, 2, …, as the columns of a data frame without names do, with an empty first cell or without.
 *
 * @param rows - all lines, split into cells
 * @param isNumber - whether a cell is a number or missing
 * @param labels - index of the label column, whose text is no evidence
 */
function hasHeader(
  rows: readonly (readonly string[])[],
  isNumber: (cell: string) => boolean,
  labels: number | undefined,
): boolean {
  const [first = [], ...body] = rows;
  const texts = first.map((_, j) => j).filter((j) => j !== labels && !isNumber(first[j]!));
  if (texts.length === 0) return (counts(first) || countsOn(first, body)) && body.length > 0;
  if (body.length === 0) return texts.length === first.length;
  const isNumeric = (j: number) => 2 * body.filter((cells) => isNumber(cells[j]!)).length >= body.length;
  if (texts.some(isNumeric)) return true;
  const numbers = first.filter((cell) => isNumber(cell) && cell !== '');
  if (numbers.length === 0) return true;
  const areNames = numbers.every((cell) => /^\d+$/.test(cell)) && new Set(numbers).size === numbers.length;
  return areNames && labels === undefined && !texts.some((j) => body.some((cells) => cells[j] === first[j]));
}

function counts(first: readonly string[]): boolean {
  const cells = first[0] === '' ? first.slice(1) : first;
  return cells.length >= 3 && cells.every((cell, j) => numberOf(cell) === j && cell === String(j));
}

/** True if the first line is n, n + 1, n + 2, …, and most cells below have decimals. */
function countsOn(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const start = Number(first[0]);
  if (first.length < 3 || !first.every((cell, j) => /^\d+$/.test(cell) && Number(cell) === start + j)) return false;
  const cells = body.flat();
  return 2 * cells.filter((cell) => /\d[.,]\d/.test(cell)).length > cells.length;
}
