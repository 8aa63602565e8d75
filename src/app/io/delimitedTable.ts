import { InvalidInputError } from '../../core/errors.ts';
import { decodeText } from './decode.ts';
import { type DelimitedRow, guessDelimiter, namedDelimiter, parseDelimited } from './delimited.ts';
import type { Format } from './format.ts';
import { hasHeader } from './header.ts';
import { decimalComma, type NumberStyle, numberReader, PLAIN, percentReader } from './numberText.ts';
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
