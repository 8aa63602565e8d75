import { CsvError, parse } from 'csv-parse/sync';
import { InvalidInputError } from '../../core/errors.ts';
import { counted } from '../../core/wording.ts';
import type { Format } from './format.ts';
import { areYears, hasHeader, rowsAbove, textColumn } from './headerLine.ts';
import { type MissingValues, missingCodes } from './missingValues.ts';
import { numberReader, numberStyle, type ReadNumber } from './numberStyle.ts';
import { type FileTable, uniqueNames } from './rawTable.ts';
import { decodeText } from './textDecoding.ts';
import { guessDelimiter, singleDecimals, type TableText, tableText } from './textLines.ts';

/** A line of text split into cells. */
export interface DelimitedRow {
  /** Line number at which the row starts, from 1. */
  readonly line: number;
  readonly cells: string[];
}

/** Rows between two calls of `onRows`. */
const ROWS_A_CALL = 4096;

/**
 * Splits CSV or TSV text into rows. Cells may be quoted by `"`; blank lines, a byte order mark and blanks around cells are dropped. Quotes within a
 * cell that does not begin with one are ordinary characters.
 *
 * @param offset - number of lines in front of the text
 * @throws InvalidInputError if a quote is not closed, or closes within a cell
 */
export function splitRows(
  text: string,
  delimiter: string,
  file: string,
  offset = 0,
  onRows: (rows: number) => void = () => {},
): DelimitedRow[] {
  const separated = delimiter === ' ' ? text.replace(/ {2,}/g, ' ').replace(/^ | $/gm, '') : text;
  // The parser counts \r\n inside quotes as two lines.
  let twice = 0;
  let last = 0;
  let rows: DelimitedRow[] = [];
  const read = (whole: string, record_delimiter: string[], relax_quotes: boolean) =>
    parse(whole, {
      delimiter,
      record_delimiter,
      relax_quotes,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        for (const cell of cells) twice += cell.split('\r\n').length - 1;
        last = lines - twice + offset;
        const further = cells.reduce((sum, cell) => sum + cell.split(/\r\n|\r|\n/).length - 1, 0);
        if (relax_quotes && cells.some((cell) => /^"/.test(cell) || (cell.includes('"') && /[\r\n]/.test(cell)))) {
          throw closedWithin(file, last - further);
        }
        rows.push({ line: last - further, cells });
        if (rows.length % ROWS_A_CALL === 0) onRows(rows.length);
        return null;
      },
    });
  try {
    read(separated, lineEndings(separated), false);
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code !== 'INVALID_OPENING_QUOTE') throw quoteError(error, file, last, offset, separated, read);
  }
  [rows, twice, last] = [[], 0, 0];
  try {
    read(separated, lineEndings(separated), true);
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw quoteError(error, file, last, offset, separated, read);
  }
}

function quoteError(
  error: CsvError,
  file: string,
  last: number,
  offset: number,
  text: string,
  read: (whole: string, recordDelimiter: string[], relaxed: boolean) => unknown,
): InvalidInputError {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    const place = last === 0 ? 'in the first row' : `below line ${last}`;
    return new InvalidInputError(
      `'${file}' is not valid CSV: a quote that opens ${place} is not closed. Close it, or remove it.`,
      { cause: error },
    );
  }
  if (error.code === 'CSV_INVALID_CLOSING_QUOTE') return closedWithin(file, lineOf(error, text, read) + offset, error);
  return new InvalidInputError(`'${file}' is not valid CSV: ${error.message}.`, { cause: error });
}

const closedWithin = (file: string, line: number, cause?: unknown) =>
  new InvalidInputError(
    `'${file}' is not valid CSV: a quoted cell continues behind its closing quote in line ${line}. Double the quotes within a quoted cell, or remove them.`,
    { cause },
  );

/** Line of an error, counted in text whose lines end in one character. */
function lineOf(
  error: CsvError,
  text: string,
  read: (whole: string, recordDelimiter: string[], relaxed: boolean) => unknown,
): number {
  try {
    read(text.replace(/\r\n?/g, '\n'), ['\n'], false);
  } catch (other) {
    if (other instanceof CsvError) return Number(other.lines);
  }
  return Number(error.lines);
}

/** Line endings of a text, which may be mixed if tables were joined. */
function lineEndings(text: string): string[] {
  const kinds = { '\r\n': /\r\n/, '\n': /(?<!\r)\n/, '\r': /\r(?!\n)/ };
  const found = Object.entries(kinds).filter(([, kind]) => kind.test(text));
  return found.length > 0 ? found.map(([ending]) => ending) : ['\n'];
}

/**
 * Rows with an empty cell added to the first if it has one cell less than all others: in front, as in R's tables with row names, or at the end if all
 * others end with an empty cell.
 *
 * @throws InvalidInputError if rows differ in length otherwise
 */
export function rectangular(
  rows: readonly DelimitedRow[],
  file: string,
  notes: string[] = [],
): readonly DelimitedRow[] {
  const first = rows[0]!;
  const length = rows[1]?.cells.length;
  let names = first.cells;
  if (length === names.length + 1 && length > 2 && rows.every((row, i) => i === 0 || row.cells.length === length)) {
    const isTrailing = rows.every(({ cells }, i) => i === 0 || cells.at(-1) === '');
    if (!isTrailing) notes.push('The first line has one cell less than the others: their first cells name the rows.');
    names = isTrailing ? [...names, ''] : ['', ...names];
  }
  const wrong = rows.slice(1).find(({ cells }) => cells.length !== names.length);
  if (wrong === undefined) return [{ line: first.line, cells: names }, ...rows.slice(1)];
  const remedy = wrong.cells[0]!.startsWith('#')
    ? 'Remove the line, if it is a comment: # begins one only above the first line of data.'
    : 'Give every line the same number of cells, name their separator with `delimiter`, or leave out lines above the table by `skip`.';
  throw new InvalidInputError(
    `'${file}' is ragged: line ${first.line} has ${counted(names.length, 'cell')}, but line ${wrong.line} has ${wrong.cells.length}. ${remedy}`,
  );
}

/** First line of a table that names its delimiter for Excel, 'sep=;', and the delimiter. */
function namedDelimiter(text: string): { readonly line: string; readonly delimiter: string } | undefined {
  const found = /^"?sep=(.)"?[ \t]*(?=\r|\n)/i.exec(text);
  return found === null ? undefined : { line: found[0], delimiter: found[1]! };
}

/** Delimiter and number format of a text. */
export interface TextOptions {
  readonly delimiter?: string | undefined;
  readonly header?: boolean | undefined;
  readonly skip?: number | undefined;
  readonly decimal?: '.' | ',' | undefined;
  readonly thousands?: string | undefined;
  readonly missingValues?: MissingValues | undefined;
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Reads a .csv, .tsv or .txt file. */
export function delimitedTable(bytes: Uint8Array, format: Format, file: string, options: TextOptions): FileTable {
  const { text: decoded, note } = decodeText(bytes);
  const binary = decoded.indexOf('\0');
  if (binary >= 0) {
    throw new InvalidInputError(
      `'${file}' is not a text file: character ${binary + 1} is a null byte. Save the table as .csv, .tsv or .txt, or a NumPy array as .npy.`,
    );
  }
  const notes = note === undefined ? [] : [note];
  const named = namedDelimiter(decoded);
  const lines = tableText(named === undefined ? decoded : decoded.slice(named.line.length), options.skip ?? 0, file);
  const asked = options.delimiter ?? named?.delimiter ?? (format === 'tsv' ? '\t' : undefined);
  const split = splitText(lines, asked, file, options, notes);
  const missing = missingCodes(options.missingValues);
  const cells = function* () {
    for (const row of split.rows) yield* row.cells;
  };
  const style = numberStyle(cells(), split.delimiter, file, options, missing, notes);
  const read = numberReader(style);
  const table = rectangular(tableRows(split.rows, lines, read, options, notes), file, notes);
  const blank = blankLines(table);
  if (blank > 0) notes.push(`${counted(blank, 'blank line')} between its rows ${blank === 1 ? 'is' : 'are'} left out.`);
  const { names, body } = namesOf(table, lines, split.delimiter, file, read, options, notes);
  if (body.length === 0)
    throw new InvalidInputError(`'${file}' contains a line of column names, but no data below it.`);
  const unique = uniqueNames(
    table[0]!.cells.map((_, j) => (names?.[j] ? names[j].replace(/\s+/gu, ' ') : `column${j}`)),
  );
  if (names !== undefined) notes.push(...nameNotes(names, unique));
  return {
    file,
    rows: body.length,
    columns: unique.map((name, j) => textColumn({ rows: body, read, notes }, j, name, Boolean(names?.[j]))),
    place: (row) => `line ${body[row]!.line}`,
    layout: {
      ...(names !== undefined && { header: names }),
      rows: body.map((row) => row.cells),
      delimiter: split.delimiter,
      decimal: style.decimal,
    },
    notes,
  };
}

/** Number of blank lines between rows. */
function blankLines(rows: readonly DelimitedRow[]): number {
  const linesOf = ({ cells }: DelimitedRow) =>
    cells.reduce((sum, cell) => sum + (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0), 1);
  return rows.slice(1).reduce((sum, { line }, i) => sum + Math.max(0, line - rows[i]!.line - linesOf(rows[i]!)), 0);
}

/** Nonempty rows of the text, since spreadsheets append lines of delimiters to a table. */
function splitText(
  { text, offset }: TableText,
  asked: string | undefined,
  file: string,
  { decimal, onRows }: TextOptions,
  notes: string[],
) {
  const single = asked === undefined && decimal !== '.' ? singleDecimals(text, !/\.txt(\.gz)?$/i.test(file)) : 'no';
  if (single === 'unsure') {
    throw new InvalidInputError(
      `'${file}' may contain one number with a decimal comma per line, or two whole numbers. Choose: \`decimal: ','\` and \`delimiter: ';'\`, or \`delimiter: ','\`.`,
    );
  }
  const delimiter = asked ?? (single === 'yes' ? ';' : guessDelimiter(text));
  const rows = splitRows(text, delimiter, file, offset, onRows);
  const found = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  if (found.length === 0) throw new InvalidInputError(`'${file}' is empty: it contains no line with data.`);
  const empty = rows.length - found.length;
  if (empty > 0) notes.push(`${counted(empty, 'line')} of empty cells ${empty === 1 ? 'is' : 'are'} left out.`);
  if (single === 'two')
    notes.push(
      "Each line is read as two whole numbers (`decimal: ','` and `delimiter: ';'` read one with a decimal comma).",
    );
  if (single === 'yes') notes.push("Each line is read as one number (`delimiter: ','` reads two).");
  return { delimiter, rows: found };
}

/** Rows of the table, without lines above it and comments between names and data; all of these are noted. */
function tableRows(
  rows: readonly DelimitedRow[],
  { comments }: TableText,
  read: ReadNumber,
  { skip = 0, header }: TextOptions,
  notes: string[],
): readonly DelimitedRow[] {
  if (skip > 0) notes.push(`${counted(skip, 'line')} above the table ${skip === 1 ? 'is' : 'are'} skipped, as asked.`);
  const above = skip > 0 || header === false ? 0 : rowsAbove(rows, read);
  if (above > 0) {
    const [from, to] = [rows[0]!.line, rows[above - 1]!.line];
    notes.push(
      `${counted(above, 'line')} above the table ${above === 1 ? 'is' : 'are'} left out: ${from === to ? `line ${from}` : `lines ${from} to ${to}`}, from ${shown(rows[0]!.cells)} (set their number with \`skip\`).`,
    );
  }
  const table = rows.slice(above);
  const width = table[0]!.cells.length;
  const isComment = ({ cells }: DelimitedRow) => cells[0]!.startsWith('#') && cells.length !== width;
  const data = table.findIndex((row, i) => i > 0 && !isComment(row));
  const between = data < 0 ? [] : table.slice(1, data);
  const all = [
    ...comments.map(({ line, text }) => ({ line, text })),
    ...between.map(({ line, cells }) => ({ line, text: cells.join(' ') })),
  ];
  if (all.length > 0) {
    const cut = all[0]!.text.length > 60 ? `${all[0]!.text.slice(0, 59)}…` : all[0]!.text;
    notes.push(
      `${counted(all.length, 'line')} that begin${all.length === 1 ? 's' : ''} with # above the data ${all.length === 1 ? 'is a comment' : 'are comments'}: ${JSON.stringify(cut)}${all.length === 1 ? '' : ', …'}`,
    );
  }
  return between.length === 0 ? table : [{ ...table[0]!, line: table[data]!.line - 1 }, ...table.slice(data)];
}

/** Names of the columns, from the first row or a line after #, and the rows below them. */
function namesOf(
  rows: readonly DelimitedRow[],
  { comments }: TableText,
  delimiter: string,
  file: string,
  read: ReadNumber,
  { header }: TextOptions,
  notes: string[],
): { names: readonly string[] | undefined; body: readonly DelimitedRow[] } {
  const evidence = hasHeader(rows, read);
  const first = rows[0]!.cells;
  const areNumbers = first.every((cell) => read(cell) !== undefined);
  const behind =
    header === false || evidence === 'surely' || (header === true && !areNumbers)
      ? undefined
      : namesBehindHash(comments, delimiter, file, first.length, read);
  if (behind !== undefined) {
    notes.push(`Column names are taken from line ${behind.line}, behind #.`);
    return { names: behind.cells, body: rows };
  }
  if (!(header ?? evidence !== 'no')) {
    const mayBeNames =
      header === undefined &&
      (areYears(first) || (first.some((cell) => read(cell) === undefined) && first.some((cell) => /^\d+$/.test(cell))));
    if (mayBeNames)
      notes.push(`The first line, ${shown(first)}, is read as data (\`header: true\` takes names from it).`);
    return { names: undefined, body: rows };
  }
  const isUnsure = evidence !== 'surely' || first.some((cell) => cell !== '' && read(cell) !== undefined);
  if (header === undefined && isUnsure) {
    notes.push(`The first line, ${shown(first)}, is read as column names (\`header: false\` takes it for data).`);
  }
  return { names: first, body: rows.slice(1) };
}

const shown = (cells: readonly string[]) =>
  `${JSON.stringify(cells.slice(0, 4).join(', '))}${cells.length > 4 ? '…' : ''}`;

/** Last comment that splits into as many texts as there are columns. */
function namesBehindHash(
  comments: TableText['comments'],
  delimiter: string,
  file: string,
  width: number,
  read: ReadNumber,
): DelimitedRow | undefined {
  const found = comments.flatMap(({ line, text }) => {
    const behind = text.replace(/^#+\s*/, '');
    const [row] = splitRows(behind === '' ? '""' : behind, delimiter, file, line - 1);
    const first = row!.cells[0] === '' ? '#' : row!.cells[0]!;
    const cells = [first, ...row!.cells.slice(1)];
    const areUnits = cells.every((cell) => /^[[(].*[\])]$/.test(cell));
    return cells.length === width && !areUnits && cells.every((cell) => read(cell) === undefined)
      ? [{ line, cells }]
      : [];
  });
  return found.at(-1);
}

function nameNotes(first: readonly string[], names: readonly string[]): string[] {
  const again = names.filter((name, j) => first[j] !== '' && name !== first[j]!.replace(/\s+/gu, ' '));
  return again.length > 0 ? [`Names that come again are numbered: ${again.slice(0, 5).join(', ')}.`] : [];
}
