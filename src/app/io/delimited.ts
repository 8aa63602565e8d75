import { CsvError, parse } from 'csv-parse/sync';
import { counted } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';

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
export function namedDelimiter(text: string): { readonly line: string; readonly delimiter: string } | undefined {
  const found = /^"?sep=(.)"?[ \t]*(?=\r|\n)/i.exec(text);
  return found === null ? undefined : { line: found[0], delimiter: found[1]! };
}

/** Delimiters in order of preference: between semicolons, a comma may be a decimal comma. */
const DELIMITERS = ['\t', ';', ',', '|', ' '] as const;

/**
 * Guesses the delimiter: the first of tab, semicolon, comma, bar and blank that splits each of the first lines into the same number of cells,
 * otherwise the most frequent one of the first line.
 */
export function guessDelimiter(text: string): string {
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
