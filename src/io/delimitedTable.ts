import { InvalidInputError } from '../core/errors.ts';
import { decodeText } from './decode.ts';
import { type DelimitedRow, guessDelimiter, parseDelimited } from './delimited.ts';
import type { Format } from './format.ts';
import { hasHeader } from './header.ts';
import { decimalComma, type NumberStyle, numberReader, PLAIN } from './numberText.ts';
import { type RawColumn, type RawTable, uniqueNames } from './rawTable.ts';

/** How a text is cut into cells, and how its numbers are written. */
export interface TextOptions {
  readonly delimiter?: string | undefined;
  readonly header?: boolean | undefined;
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: string | undefined;
  /** The label column, whose text says nothing about a header. */
  readonly labels?: string | number | undefined;
}

/** The table of a .csv, .tsv or .txt file. */
export function delimitedTable(bytes: Uint8Array, format: Format, file: string, options: TextOptions): RawTable {
  const { text, note } = decodeText(bytes);
  const delimiter = options.delimiter ?? (format === 'tsv' ? '\t' : guessDelimiter(text));
  const rows = parseDelimited(text, delimiter, file);
  const notes = note === undefined ? [] : [note];
  const style = numberStyle(rows, delimiter, file, options, notes);
  const read = numberReader(style);
  const first = rows[0]!.cells;
  const labels = typeof options.labels === 'number' ? options.labels : undefined;
  const isNumber = (cell: string) => read(cell) !== undefined;
  const isHeader =
    options.header ??
    hasHeader(
      rows.map(({ cells }) => cells),
      isNumber,
      labels,
    );
  const names = uniqueNames(first.map((cell, j) => (isHeader && cell !== '' ? cell : `column${j}`)));
  const body = isHeader ? rows.slice(1) : rows;
  if (body.length === 0) throw new InvalidInputError(`'${file}' holds a line of column names, but no data below it.`);
  if (isHeader) notes.push(...headerNotes(first, names, isNumber, options));
  return {
    file,
    rows: body.length,
    columns: names.map((name, j) => columnOf(body, j, name, isHeader && first[j] !== '', read)),
    place: (row) => `line ${body[row]!.line}`,
    notes,
  };
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
  const again = names.filter((name, j) => first[j] !== '' && name !== first[j]);
  if (again.length > 0) notes.push(`Names that come again are numbered: ${again.slice(0, 5).join(', ')}.`);
  return notes;
}

/** The style that is given; a decimal comma where columns that are not separated by commas cannot be read otherwise. */
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
