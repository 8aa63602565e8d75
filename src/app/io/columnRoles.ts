import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, namedOptions } from '../../core/options.ts';
import { isDate } from './dates.ts';
import { type DelimitedRow, rectangular, splitRows } from './delimited.ts';
import { type MissingValues, missingCodes } from './missingValues.ts';
import { parseNumpy } from './npy.ts';
import { isInexact, numberOf } from './numberStyle.ts';
import type { RawColumn } from './rawTable.ts';
import { readSource } from './source.ts';
import { decodeText } from './textDecoding.ts';
import { tableText } from './textLines.ts';
import { beginsLikeNumber, isWrittenNumber, remedyForWritten } from './writtenForms.ts';

export interface ReadLabelsOptions {
  /** Expected number of labels: the number of points. */
  readonly count?: number;
  /** Texts that mark a missing label in addition to an empty one; default NaN, NA, N/A, null, None, ?, a dash. */
  readonly missingValues?: MissingValues;
}

/**
 * Reads labels, one per row, from a .csv, .tsv, .txt or .npy file of a single column: text or numbers.
 *
 * Since text alone does not show whether the first line is a name, it counts as one if there is one row more than `count`, it is not a number and no
 * row repeats it; without `count`, if it is the only row that is not a number.
 *
 * @param file - path of the file; its extension determines the format
 * @param options - expected number of labels, and texts for missing ones
 * @returns the labels as written in the file, '' for missing ones (empty, NaN, NA, null, ?, a dash)
 * @throws InvalidInputError if the file cannot be read, has several columns, or contains another number of labels
 * @example
 * ```ts
 * const labels = await readLabels('classes.csv', { count: 150 });
 * ```
 */
export async function readLabels(file: string, options: ReadLabelsOptions = {}): Promise<string[]> {
  const { count, missingValues } = namedOptions(options, 'readLabels', ['count', 'missingValues']);
  const { isMissing } = missingCodes(missingValues);
  checkGiven(file, 'readLabels', "a file's path, a text", (given) => typeof given === 'string');
  const { bytes, format } = await readSource(file);
  if (format === 'npz' || format === 'parquet' || format === 'arrow' || format === 'mtx') {
    throw new InvalidInputError(`'${file}' cannot contain labels. Give a .csv, .tsv, .txt or .npy file.`);
  }
  const column = format === 'npy' ? numpyColumn(bytes, file) : textColumn(bytes, format, file, count);
  const labels = (format !== 'npy' && startsWithName(column, count) ? column.slice(1) : column).map((label) =>
    isMissing(label.trim()) ? '' : label,
  );
  if (count !== undefined && labels.length !== count) {
    throw new InvalidInputError(
      `'${file}' contains ${labels.length} labels, but there are ${count} points. Give one label for each point.`,
    );
  }
  return labels;
}

function startsWithName(column: string[], count: number | undefined): boolean {
  const [first, ...rest] = column;
  if (first === undefined || numberOf(first) !== undefined) return false;
  if (count === undefined) return rest.length > 0 && rest.every((label) => numberOf(label) !== undefined);
  return column.length === count + 1 && !rest.includes(first);
}

function textColumn(
  bytes: Uint8Array,
  format: 'csv' | 'tsv' | 'txt',
  file: string,
  count: number | undefined,
): string[] {
  const { text } = decodeText(bytes);
  const lines = tableText(text, 0, file);
  // Lines that begin with # may be labels; the number of points decides.
  const readings = lines.comments.length > 0 && count !== undefined ? [text, lines.text] : [lines.text];
  const columns = readings.map((each) => labelLines(each, format, file, count));
  return columns.find(({ length }) => length === count || length === (count ?? 0) + 1) ?? columns.at(-1)!;
}

function labelLines(text: string, format: 'csv' | 'tsv' | 'txt', file: string, count: number | undefined): string[] {
  const firstLine = text.trimStart().split(/\r?\n/, 1)[0]!;
  const delimiter = format === 'tsv' ? '\t' : firstLine.includes(';') && !firstLine.includes(',') ? ';' : ',';
  const split = splitRows(text, delimiter, file);
  if (split.length === 0) throw new InvalidInputError(`'${file}' is empty: it contains no line with data.`);
  const rows = rectangular(split, file);
  const columns = rows[0]!.cells.length;
  if (columns !== 1) throw severalColumns(file, columns);
  const written = rows.map(({ cells }) => cells[0]!);
  if (count === undefined) return written;
  // A blank line in a single column is either a missing label or decoration; the number of points decides.
  const within = withBlankLines(text, rows);
  const candidates = [within.concat(blankLinesAfter(text)), within];
  return candidates.find(({ length }) => length === count || length === count + 1) ?? written;
}

/** Labels of the rows, with '' for each blank line between them. */
function withBlankLines(text: string, rows: readonly DelimitedRow[]): string[] {
  const lines = text.split(LINE_END);
  let next = rows[0]!.line;
  return rows.flatMap(({ line, cells: [label] }) => {
    const blank = lines.slice(next - 1, line - 1).filter((each) => each.trim() === '');
    next = line + label!.split(LINE_END).length;
    return [...blank.map(() => ''), label!];
  });
}

function blankLinesAfter(text: string): string[] {
  const after = /(?:[^\S\r\n]*(?:\r\n|\r|\n))*[^\S\r\n]*$/.exec(text)![0];
  return after
    .split(LINE_END)
    .slice(2)
    .map(() => '');
}

const LINE_END = /\r\n|\r|\n/;

function numpyColumn(bytes: Uint8Array, file: string): string[] {
  const { shape, numbers, text } = parseNumpy(bytes, file);
  const columns = shape.slice(1).reduce((product, length) => product * length, 1);
  if (columns !== 1) throw severalColumns(file, columns);
  return text ?? Array.from(numbers!, String);
}

const severalColumns = (file: string, columns: number) =>
  new InvalidInputError(
    `'${file}' has ${columns} columns, but labels are a single one. Keep that column alone in the file.`,
  );

/** Column that is excluded from the observations by default. */
export interface LeftOut {
  readonly column: string;
  /** The reason, as the end of a sentence: "is constant". */
  readonly reason: string;
  /** True for numbers that are excluded by default but may be chosen. */
  readonly byDefault?: true;
  /** Value of a constant column, and the number of observation columns that precede it in the file. */
  readonly constant?: { readonly value: number; readonly position: number };
}

/** Kinds of columns. */
export type Appearance =
  | { readonly kind: 'feature' }
  | {
      readonly kind: 'index' | 'text' | 'constant' | 'empty';
      readonly reason: string;
      /** True for columns of dates. */
      readonly isOfDates?: true;
    };

const IDENTIFIER =
  /^(id|ids|idx|index|row|rows|rowid|row_?(id|name|number|names|no)|rownames?|key|uuid|guid|unnamed: ?\d+|.*[_ .-]ids?|.*[a-z]I[dD])$/i;
const NAMED_ID = /^(.*[_ .-])?(id|ids|index|idx)$|[a-z]I[dD]$/;

/** Minimum number of rows to treat whole numbers that count up in some order as an index rather than as measurements. */
const FEWEST_COUNTED = 5;
const FEWEST_UNIQUE = 20;

/**
 * The kind of a column:
 * - an index: no name, first, and no repeated value; the name of an identifier (id, index, row, key, sample_id, …) and whole numbers; text
 *   without repetitions; whole numbers that count the rows up by one, in order or, from 20 rows, in any order; the first column, from 20 rows, of
 *   distinct whole numbers, if other columns are not like that;
 * - text: more than half of its cells are not numbers, or all of them are dates; dates that are not repeated are an index;
 * - constant without missing entries, or entirely empty.
 */
export function appearance(column: RawColumn, position: number, all: readonly RawColumn[]): Appearance {
  const { numbers, text, nested, name, isNamed } = column;
  if (nested !== undefined) return { kind: 'text', reason: nested };
  if (text !== undefined) return textAppearance(column, position);
  const present = numbers!.filter((value) => !Number.isNaN(value));
  if (present.length === 0 && numbers!.length > 1) return { kind: 'empty', reason: 'contains no value' };
  const isWhole = present.every(Number.isInteger);
  const distinct = new Set(present).size;
  const isUnique = distinct === numbers!.length && numbers!.length > 1;
  if (isNamed && IDENTIFIER.test(name) && isWhole && (isUnique || NAMED_ID.test(name))) {
    return { kind: 'index', reason: 'is named like an identifier' };
  }
  if (numbers!.length >= FEWEST_COUNTED && isWhole && isUnique && counts(numbers!)) {
    return { kind: 'index', reason: 'counts the rows' };
  }
  if (position === 0 && !isNamed && all.slice(1).some((other) => other.isNamed) && isWhole && isUnique) {
    return { kind: 'index', reason: 'has no name and no value twice' };
  }
  if (position === 0 && isUniqueWhole(numbers!) && all.slice(1).some((other) => !isUniqueWhole(other.numbers))) {
    return { kind: 'index', reason: 'contains whole numbers, none of them twice' };
  }
  return arrayAppearance(column);
}

/** Kind of a column of an array: all columns are intended as observations, but a constant one carries no information. */
export function arrayAppearance({ numbers, text }: RawColumn): Appearance {
  if (text !== undefined) return { kind: 'text', reason: 'is text' };
  const first = numbers![0]!;
  const isConstant = numbers!.length > 1 && numbers!.every((value) => value === first);
  return isConstant ? { kind: 'constant', reason: `is ${first} in every row` } : { kind: 'feature' };
}

/** First column that looks like an index; dates yield to other columns, and a mere row counter to text. −1 if there is none. */
export function namingColumn(
  looks: readonly Appearance[],
  columns: readonly RawColumn[],
  isTaken: (j: number) => boolean,
): number {
  const index = looks.flatMap((look, j) =>
    look.kind === 'index' && !isTaken(j) ? [{ j, isOfDates: look.isOfDates }] : [],
  );
  const found = [...index.filter(({ isOfDates }) => !isOfDates), ...index.filter(({ isOfDates }) => isOfDates)].map(
    ({ j }) => j,
  );
  const first = found[0];
  if (first === undefined) return -1;
  const { numbers } = columns[first]!;
  if (numbers === undefined || !counts(numbers)) return first;
  return found.find((j) => columns[j]!.text !== undefined) ?? first;
}

/** True if the numbers increase by one from row to row or, in tables with many rows, would after sorting. */
function counts(numbers: Float64Array): boolean {
  if (numbers.every((value, i) => value === numbers[0]! + i)) return true;
  if (numbers.length < FEWEST_UNIQUE) return false;
  const range =
    numbers.reduce((largest, value) => Math.max(largest, value)) -
    numbers.reduce((least, value) => Math.min(least, value));
  return range === numbers.length - 1;
}

const isUniqueWhole = (numbers: Float64Array | undefined): boolean =>
  numbers !== undefined &&
  numbers.length >= FEWEST_UNIQUE &&
  numbers.every(Number.isInteger) &&
  new Set(numbers).size === numbers.length;

/** Date in the order of a country, or without leading zeros, with or without a time. */
const LOCAL_DATE =
  /^(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})(?:,?[ T]\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?)?$/i;

function textAppearance({ text, read, name, isNamed }: RawColumn, position: number): Appearance {
  const present = text!.filter((cell) => cell !== '' && !Number.isNaN(read?.(cell)));
  const texts = present.filter((cell) => read?.(cell) === undefined);
  const isUnique = text!.length > 1 && new Set(text).size === text!.length;
  const mayName = (position === 0 && !isNamed) || IDENTIFIER.test(name) || text!.length >= FEWEST_COUNTED;
  if (
    isUnique &&
    mayName &&
    texts.length > 0 &&
    present.every((cell) => /^\d+$/.test(cell)) &&
    texts.every(isInexact)
  ) {
    return { kind: 'index', reason: 'contains whole numbers beyond 2⁵³, none of them twice' };
  }
  if (present.length > 0 && present.every(isDate)) {
    const reason = `contains dates (\`time: '${name}'\` takes them as the times of the rows)`;
    return { kind: isUnique && mayName ? 'index' : 'text', reason, isOfDates: true };
  }
  if (present.length > 0 && present.every((cell) => LOCAL_DATE.test(cell))) {
    const reason = `contains dates such as '${present[0]}', whose day and month cannot be distinguished: only dates such as 2024-02-29 can be times or observations`;
    return { kind: isUnique && mayName ? 'index' : 'text', reason, isOfDates: true };
  }
  // A text among numbers is a mistake, which the reader reports with its position, as it does numbers in a form that is not certain.
  const words = read === undefined ? texts : texts.filter((cell) => !isWrittenNumber(cell));
  if (2 * words.length <= present.length && (read !== undefined || present.length === 0)) return { kind: 'feature' };
  const shown = shortened(words[0]!);
  const remedy = remedyForWritten(words[0]!);
  if (remedy !== undefined && words.every((cell) => remedyForWritten(cell) !== undefined)) {
    return { kind: 'text', reason: `is read as text, although it contains numbers such as '${shown}': ${remedy}` };
  }
  const numbers = words.filter((cell) => remedyForWritten(cell) !== undefined);
  const other = words.find((cell) => remedyForWritten(cell) === undefined);
  if (2 * numbers.length > present.length && other !== undefined) {
    const reason = `is read as text, because '${shortened(other)}' is not a number like '${shortened(numbers[0]!)}': correct the cell, or remove its line`;
    return { kind: 'text', reason };
  }
  const areNumbers = 2 * present.filter((cell) => beginsLikeNumber(cell) || hasDecimals(cell)).length > present.length;
  if (isUnique && mayName && !areNumbers) return { kind: 'index', reason: 'is text that names each row' };
  const kinds = new Set(present).size;
  return { kind: 'text', reason: `is text ('${shown}', ${kinds === 1 ? 'always' : `${kinds} kinds`})` };
}

/** True for a number with decimals in a column whose type is text. */
const hasDecimals = (cell: string) => !Number.isInteger(numberOf(cell) ?? 0);

function shortened(cell: string): string {
  const line = cell.replace(/\s+/gu, ' ');
  return line.length > 20 ? `${line.slice(0, 19)}…` : line;
}
