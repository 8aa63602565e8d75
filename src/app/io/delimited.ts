import { CsvError, parse } from 'csv-parse/sync';
import { InvalidInputError } from '../../core/errors.ts';
import { counted } from '../../core/wording.ts';
import type { Format } from './format.ts';
import { type RawColumn, type RawTable, uniqueNames } from './rawTable.ts';
import { decimalComma, type NumberStyle, numberOf, numberReader, PLAIN, percentReader } from './tableText.ts';

/** A line of text split into cells. */
export interface DelimitedRow {
  /** Line number at which the row starts, from 1. */
  readonly line: number;
  readonly cells: string[];
}

/**
 * Splits CSV or TSV text into rows of equal length. Cells may be quoted by `"`; blank lines, lines that begin with `#`, a byte order mark and blanks
 * around cells are dropped. If the first line has one cell less than all others, an empty one is added: in front, as R writes tables with row names,
 * or at the end if all others end with an empty cell.
 *
 * @throws InvalidInputError if a quote is not closed, rows differ in length or there are none
 */
export function parseDelimited(
  text: string,
  delimiter: string,
  file: string,
  onRows: (rows: number) => void = () => {},
): DelimitedRow[] {
  const separated = delimiter === ' ' ? text.replace(/ {2,}/g, ' ').replace(/^ | $/gm, '') : text;
  const rows = split(separated, delimiter, file, onRows);
  const first = rows[0];
  if (first === undefined) throw new InvalidInputError(`'${file}' is empty: it holds no line with data.`);
  const length = rows[1]?.cells.length;
  if (
    length === first.cells.length + 1 &&
    length > 2 &&
    rows.every((row, i) => i === 0 || row.cells.length === length)
  ) {
    if (rows.every(({ cells }, i) => i === 0 || cells.at(-1) === '')) first.cells.push('');
    else first.cells.unshift('');
  }
  for (const { line, cells } of rows) {
    if (cells.length !== first.cells.length) {
      throw new InvalidInputError(
        `'${file}' is ragged: line ${first.line} has ${counted(first.cells.length, 'cell')}, but line ${line} has ${cells.length}. Give every line the same number of cells, or say what separates them: delimiter (--delimiter).`,
      );
    }
  }
  return rows;
}

/** Rows between two calls of `onRows`. */
const ROWS_A_CALL = 4096;

function split(text: string, delimiter: string, file: string, onRows: (rows: number) => void): DelimitedRow[] {
  // The parser counts \r\n inside quotes as two lines.
  let twice = 0;
  let last = 0;
  const rows: DelimitedRow[] = [];
  const read = (whole: string, record_delimiter: string[]) =>
    parse(whole, {
      delimiter,
      record_delimiter,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        for (const cell of cells) twice += cell.split('\r\n').length - 1;
        last = lines - twice;
        const further = cells.reduce((sum, cell) => sum + cell.split(/\r\n|\r|\n/).length - 1, 0);
        rows.push({ line: last - further, cells });
        if (rows.length % ROWS_A_CALL === 0) onRows(rows.length);
        return null;
      },
    });
  try {
    read(text, lineEndings(text));
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? `a quote that opens ${last === 0 ? 'in the first row' : `below line ${last}`} is not closed`
        : messageOf(error, () => read(text.replace(/\r\n?/g, '\n'), ['\n']));
    throw new InvalidInputError(`'${file}' is not valid CSV: ${reason}.`, { cause: error });
  }
}

/** The message of an error, with the line number for text whose lines end in one character. */
function messageOf(error: CsvError, again: () => unknown): string {
  try {
    again();
  } catch (other) {
    if (other instanceof CsvError) return other.message;
  }
  return error.message;
}

/** Line endings of a text, which may be mixed if tables were joined. */
function lineEndings(text: string): string[] {
  const kinds = { '\r\n': /\r\n/, '\n': /(?<!\r)\n/, '\r': /\r(?!\n)/ };
  const found = Object.entries(kinds).filter(([, kind]) => kind.test(text));
  return found.length > 0 ? found.map(([ending]) => ending) : ['\n'];
}

/** The first line of a table that names its delimiter for Excel, 'sep=;', and the delimiter. */
function namedDelimiter(text: string): { readonly line: string; readonly delimiter: string } | undefined {
  const found = /^"?sep=(.)"?[ \t]*(?=\r|\n)/i.exec(text);
  return found === null ? undefined : { line: found[0], delimiter: found[1]! };
}

/** Delimiters in order of preference: between semicolons, a comma may be a decimal comma. */
const DELIMITERS = ['\t', ';', ',', '|', ' '] as const;

/**
 * Guesses the delimiter: the first of tab, semicolon, comma, bar and blank that splits each of the first lines into the same number of cells,
 * otherwise the most frequent one of the first line.
 */
function guessDelimiter(text: string): string {
  const lines = text
    .slice(0, 100_000)
    .split(/\r?\n|\r/, 40)
    .map((line) => line.replace(/"(?:[^"]|"")*"/g, 'q').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, 20);
  const counts = (delimiter: string) =>
    lines.map((line) => (delimiter === ' ' ? line.split(/ +/) : line.split(delimiter)).length);
  const regular = DELIMITERS.find((delimiter) => {
    const [first = 1, ...rest] = counts(delimiter);
    const last = rest.at(-1) ?? first;
    return last > 1 && rest.every((count) => count === last) && (first === last || first === last - 1);
  });
  if (regular !== undefined && (regular !== ' ' || isNumeric(lines.at(-1)!))) return regular;
  const frequency = (delimiter: string) => (lines[0] ?? '').split(delimiter).length;
  return ([',', ';', '\t', '|'] as const).reduce((a, b) => (frequency(b) > frequency(a) ? b : a));
}

/** Blanks separate numbers, but not words within text. */
const isNumeric = (line: string) => line.split(/ +/).filter((cell) => /\d/.test(cell)).length >= 2;

/** Text, with a note if it was not plain UTF-8. */
interface DecodedText {
  readonly text: string;
  readonly note?: string;
}

/**
 * Decodes bytes as UTF-16 if a byte order mark or zero bytes in every other position say so, otherwise as UTF-8, or as Windows-1252, which includes
 * Latin-1, if they are not valid UTF-8.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = utf16Order(bytes);
  if (wide !== undefined) {
    return { text: new TextDecoder(wide).decode(bytes), note: `The text is read as ${wide.toUpperCase()}.` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return {
      text: new TextDecoder('windows-1252').decode(bytes),
      note: 'The text is not valid UTF-8; it is read as Latin-1 (Windows-1252).',
    };
  }
}

function utf16Order(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark: tables of numbers are nearly all ASCII, whose upper bytes are zero.
  const pairs = Math.min(bytes.length >> 1, 100);
  let even = 0;
  let odd = 0;
  for (let k = 0; k < pairs; k++) {
    if (bytes[2 * k] === 0) even++;
    if (bytes[2 * k + 1] === 0) odd++;
  }
  if (pairs > 0 && odd > 0.8 * pairs && even === 0) return 'utf-16le';
  if (pairs > 0 && even > 0.8 * pairs && odd === 0) return 'utf-16be';
  return undefined;
}

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
