import * as v from 'valibot';
import { InvalidInputError } from '../core/errors.ts';
import { Matrix } from '../core/matrix.ts';
import { checkOptions } from '../core/options.ts';
import { type DelimitedRow, guessDelimiter, numberOf, parseDelimited } from './delimited.ts';
import { parseNumpy } from './npy.ts';
import { formatOf, readBytes } from './source.ts';

/** Numbers read from a file, with the names of their columns and, when asked for, one label a row. */
export interface Table {
  /** N×D; the label column is not part of it. */
  readonly matrix: Matrix;
  /** D names; `column0`, `column1`, … when the file has none. */
  readonly columnNames: string[];
  /** N labels as they stand in the file. */
  readonly labels?: string[];
}

export interface ReadTableOptions {
  /** The column that holds labels: its name, or its index from 0. It may be text. */
  readonly labels?: string | number;
  /** Whether an empty, NaN or NA cell is read as NaN (true) or is an error (false, the default). */
  readonly allowMissing?: boolean;
  /** Whether the first line holds names; by default it does when one of its cells outside the label column is text. */
  readonly header?: boolean;
  /** What separates cells; by default a tab in .tsv, and in .csv a comma, or a semicolon if the first line has no comma. */
  readonly delimiter?: string;
}

const schema = v.strictObject({
  labels: v.optional(v.union([v.string(), v.number()], 'the name of a column or its index from 0')),
  allowMissing: v.optional(v.boolean('true or false')),
  header: v.optional(v.boolean('true or false')),
  delimiter: v.optional(v.pipe(v.string('a character'), v.minLength(1, 'a character'))),
});

/**
 * Reads a table of numbers, one point a row, from a .csv, .tsv or .npy file.
 *
 * The first line of text is a header if any of its cells is not a number; a line of numbers is data. An .npy array of
 * rank 1 is a column, and one of rank 3 or more is flattened to N × the product of its other lengths.
 *
 * @param file - path of the file; its extension says the format
 * @param options - label column, missing cells, header, delimiter
 * @returns the numbers N×D, D column names and, if a label column was named, N labels
 * @throws InvalidInputError when the file cannot be read, is empty or ragged, its extension is unknown, a cell is not a
 * finite number, or there is no such label column, the message giving line and column; or for an unknown option
 * @example
 * ```ts
 * const { matrix, labels } = await readTable('iris.csv', { labels: 'species' });
 * ```
 */
export async function readTable(file: string, options: ReadTableOptions = {}): Promise<Table> {
  checkOptions(schema, options, 'readTable');
  const format = formatOf(file);
  const bytes = await readBytes(file);
  if (format === 'npy') return numpyTable(bytes, file, options);
  const text = bytes.toString('utf8');
  const delimiter = options.delimiter ?? (format === 'tsv' ? '\t' : guessDelimiter(text));
  return delimitedTable(parseDelimited(text, delimiter, file), file, options);
}

function delimitedTable(rows: DelimitedRow[], file: string, options: ReadTableOptions): Table {
  const first = rows[0]!.cells;
  const isText = (cell: string, j: number) => j !== options.labels && numberOf(cell) === undefined;
  const hasHeader = options.header ?? first.some(isText);
  const names = first.map((cell, j) => (hasHeader && cell !== '' ? cell : `column${j}`));
  const body = hasHeader ? rows.slice(1) : rows;
  if (body.length === 0) throw new InvalidInputError(`'${file}' holds a line of column names, but no data below it.`);
  const labelIndex = labelColumn(names, file, options.labels);
  const features = names.map((_, j) => j).filter((j) => j !== labelIndex);
  if (features.length === 0) {
    throw new InvalidInputError(`'${file}' has no column but the labels '${names[labelIndex!]}': there are no data.`);
  }
  const matrix = Matrix.zeros(body.length, features.length);
  body.forEach(({ line, cells }, i) => {
    features.forEach((column, j) => {
      matrix.data[i * features.length + j] = numberIn(cells[column]!, options, () =>
        at(file, `line ${line}`, names[column]!),
      );
    });
  });
  const table = { matrix, columnNames: features.map((j) => names[j]!) };
  return labelIndex === undefined ? table : { ...table, labels: labelsOf(body, labelIndex, names, file, options) };
}

function numberIn(cell: string, { allowMissing }: ReadTableOptions, place: () => string): number {
  const value = numberOf(cell);
  if (value === undefined) {
    throw new InvalidInputError(
      `${place()} holds '${cell}', which is not a finite number. Correct it, drop the column, or name it as the labels.`,
    );
  }
  if (Number.isNaN(value) && !allowMissing) throw missing(place(), cell);
  return value;
}

function labelsOf(
  body: DelimitedRow[],
  index: number,
  names: string[],
  file: string,
  { allowMissing }: ReadTableOptions,
): string[] {
  return body.map(({ line, cells }) => {
    const label = cells[index]!;
    if (label === '' && !allowMissing) throw missing(at(file, `line ${line}`, names[index]!), label);
    return label;
  });
}

function numpyTable(bytes: Buffer, file: string, options: ReadTableOptions): Table {
  const { shape, values, isText } = parseNumpy(bytes, file);
  if (isText) {
    throw new InvalidInputError(
      `'${file}' holds text, not numbers. Text is read as labels only, from a file of its own.`,
    );
  }
  const rows = shape[0] ?? 1;
  const columns = shape.slice(1).reduce((product, length) => product * length, 1);
  if (rows * columns === 0) throw new InvalidInputError(`'${file}' is empty: its shape is (${shape.join(', ')}).`);
  const names = Array.from({ length: columns }, (_, j) => `column${j}`);
  const all = new Matrix(
    Float64Array.from({ length: rows * columns }, (_, k) => Number(values[k])),
    rows,
    columns,
  );
  all.data.forEach((value, k) => {
    const place = () => at(file, `row ${Math.floor(k / columns)}`, names[k % columns]!);
    if (Number.isNaN(value) && !options.allowMissing) throw missing(place(), 'NaN');
    if (Math.abs(value) === Number.POSITIVE_INFINITY) {
      throw new InvalidInputError(`${place()} holds ${value}, which is not a finite number. Correct it.`);
    }
  });
  const labelIndex = labelColumn(names, file, options.labels);
  if (labelIndex === undefined) return { matrix: all, columnNames: names };
  if (columns === 1) throw new InvalidInputError(`'${file}' has no column but the labels: there are no data.`);
  const features = names.map((_, j) => j).filter((j) => j !== labelIndex);
  return {
    matrix: Matrix.from(all.toArrays().map((row) => features.map((j) => row[j]!))),
    columnNames: features.map((j) => names[j]!),
    labels: Array.from(all.column(labelIndex), String),
  };
}

function labelColumn(names: string[], file: string, labels: string | number | undefined): number | undefined {
  if (labels === undefined) return undefined;
  const index = typeof labels === 'number' ? labels : names.indexOf(labels);
  if (Number.isInteger(index) && index >= 0 && index < names.length) return index;
  const asked = typeof labels === 'number' ? `number ${labels}` : `'${labels}'`;
  const listed = names.slice(0, 20).map((name) => `'${name}'`);
  throw new InvalidInputError(
    `'${file}' has no column ${asked} for the labels. Its ${names.length} columns, numbered from 0, are ${listed.join(', ')}${names.length > 20 ? ', …' : ''}.`,
  );
}

const at = (file: string, row: string, column: string) => `'${file}', ${row}, column '${column}'`;

const missing = (place: string, cell: string) =>
  new InvalidInputError(
    `${place} is ${cell === '' ? 'empty' : `'${cell}'`}. Fill it in, drop its row, or allow missing values.`,
  );
