import { InvalidInputError } from './errors.ts';
import { describe, Matrix } from './matrix.ts';
import type { Standardization } from './observations.ts';

/** Observations that are read a few rows at a time and need not fit in memory: `rowsOf(file)`, or a custom source. */
export interface RowSource {
  /** N, at least 2. */
  readonly rows: number;
  /** D, at least 1. */
  readonly columns: number;
  /** Reads the rows with these indices (from 0), in this order, as a matrix or a promise of one. Repeated reads must give the same rows. */
  read(indices: Int32Array): Matrix | Promise<Matrix>;
}

export function isRowSource(value: unknown): value is RowSource {
  return typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function';
}

/** A source whose rows are no longer available. */
export interface SampledRows extends RowSource {
  /** Sample of the rows, used to initialize a model. */
  readonly sample: Matrix;
  /** Means and deviations used to standardize all rows. */
  readonly standardization: Standardization;
  /** Means and variances of the latents of all rows, once they are fitted. */
  readonly latents?: { readonly mean: Matrix; readonly variance: Matrix } | undefined;
}

export function sampledRows(of: Omit<SampledRows, 'columns' | 'read'>): SampledRows {
  return Object.freeze<SampledRows>({ ...of, columns: of.sample.columns, read: rowsGone });
}

export const isSampled = (source: RowSource): source is SampledRows => 'sample' in source;

export function rowsGone(): never {
  throw new InvalidInputError(
    'The observations of this model are read in blocks of rows and are not saved with it. Rebuild the model with their source.',
  );
}

/** @throws InvalidInputError unless the source has at least 2 rows and 1 column */
export function checkRowSource(source: RowSource): RowSource {
  const { rows, columns } = source;
  if (Number.isSafeInteger(rows) && rows >= 2 && Number.isSafeInteger(columns) && columns >= 1) return source;
  throw new InvalidInputError(
    `A source of observations has rows (2 or more) and columns (1 or more), but ${describe(rows)} and ${describe(columns)} were given.`,
  );
}

/**
 * Reads rows and checks their shape against the source's.
 *
 * @throws InvalidInputError unless the source returns a matrix of that shape
 */
export async function readRows(source: RowSource, indices: Int32Array): Promise<Matrix> {
  const found: unknown = await source.read(indices);
  if (found instanceof Matrix && found.rows === indices.length && found.columns === source.columns) return found;
  const given = found instanceof Matrix ? `a ${found.rows}×${found.columns} matrix` : describe(found);
  throw new InvalidInputError(
    `${indices.length} rows of ${source.columns} columns were requested from a source of observations, but it gave ${given}. Return a Matrix of that shape.`,
  );
}

/** Points as the rows of a matrix. */
export function stacked(points: readonly Float64Array[], q: number): Matrix {
  const result = Matrix.zeros(points.length, q);
  points.forEach((point, i) => {
    result.data.set(point, i * q);
  });
  return result;
}

/** The selected rows of Y, which may repeat. */
export const rowsOf = (Y: Matrix, rows: ArrayLike<number>): Matrix =>
  stacked(
    Array.from(rows, (i) => Y.row(i)),
    Y.columns,
  );

/** Selected columns, in the requested order. */
export const columnsOf = (A: Matrix, chosen: ArrayLike<number>): Matrix =>
  Matrix.zeros(A.rows, chosen.length).map((_, i, c) => A.at(i, chosen[c]!));

/** Rows from one index up to, but not including, another. */
export const rowsBetween = ({ data, columns }: Matrix, from: number, to: number): Matrix =>
  new Matrix(data.slice(from * columns, to * columns), to - from, columns);

/** Splits the columns of Y into blocks, by name. */
export function columnsByName(
  Y: Matrix,
  widths: readonly { readonly name: string; readonly columns: number }[],
): Record<string, Matrix> {
  const found: Record<string, Matrix> = {};
  let from = 0;
  for (const { name, columns } of widths) {
    const own = Matrix.zeros(Y.rows, columns);
    for (let i = 0; i < Y.rows; i++) own.data.set(Y.row(i).subarray(from, from + columns), i * columns);
    found[name] = own;
    from += columns;
  }
  return found;
}

/** Tile height of matrix products and triangular solves. Rows outside of full tiles are summed in another order. */
const TILE = 8;

/** Pads the rows to full tiles by repeating the last one, so that the result for a row is independent of the number of rows. */
export function paddedRows({ data, rows, columns }: Matrix): Matrix {
  const padded = Matrix.zeros(TILE * Math.ceil(rows / TILE), columns);
  padded.data.set(data);
  for (let i = rows; i < padded.rows; i++) padded.data.copyWithin(i * columns, (rows - 1) * columns, rows * columns);
  return padded;
}

export const firstRows = (Y: Matrix, rows: number): Matrix => rowsBetween(Y, 0, rows);

/** The rows that differ from all earlier ones, padded to full tiles by repeating the last, and the position of each row among these. */
export function distinctRows(Y: Matrix): { readonly first: number[]; readonly at: Int32Array } {
  const known = new Map<string, number>();
  const first: number[] = [];
  const at = Int32Array.from({ length: Y.rows }, (_, i) => {
    const key = Y.row(i).join();
    if (!known.has(key)) known.set(key, first.push(i) - 1);
    return known.get(key)!;
  });
  while (first.length % TILE) first.push(first.at(-1)!);
  return { first, at };
}

/** Rows that equal an earlier row. */
interface RepeatedRows {
  readonly count: number;
  /** Two equal rows, the smaller number first. */
  readonly example: readonly [number, number];
}

/** Returns the rows that repeat others, missing entries included; undefined if all rows differ. O(N log N). */
export function repeatedRows({ data, rows, columns }: Matrix): RepeatedRows | undefined {
  const entry = (p: number) => (Number.isNaN(data[p]) ? Infinity : data[p]!);
  const compare = (i: number, j: number) => {
    for (let d = 0; d < columns; d++) {
      const [a, b] = [entry(i * columns + d), entry(j * columns + d)];
      if (a !== b) return a - b;
    }
    return 0;
  };
  const order = Array.from({ length: rows }, (_, i) => i).sort(compare);
  const repeats = order.flatMap((i, n) => (n > 0 && compare(order[n - 1]!, i) === 0 ? [n] : []));
  const first = repeats[0];
  return first === undefined ? undefined : { count: repeats.length, example: [order[first - 1]!, order[first]!] };
}

/** '20 of the 40 rows repeat others (row 1 is row 0)'; undefined if all rows differ. */
export function repeatsInWords(Y: Matrix): string | undefined {
  const found = repeatedRows(Y);
  return (
    found &&
    `${found.count} of the ${Y.rows} rows repeat others (row index ${found.example[1]} is row index ${found.example[0]})`
  );
}

/** Smallest fraction of repeated rows that suggests copies. */
const MANY = 0.1;

/** Whether so many rows repeat that they are likely to be copies. */
export const hasCopies = (Y: Matrix): boolean => (repeatedRows(Y)?.count ?? 0) >= MANY * Y.rows;

/** Note in the message of a fit; '' unless at least a tenth of the rows repeat others. */
export const copiesNote = (Y: Matrix, effect = 'leave copies out, which make noise and variances too small'): string =>
  hasCopies(Y) ? ` ${repeatsInWords(Y)}: ${effect}.` : '';

/** Matrices of the same number of columns, one below the other. */
export function joinedRows(parts: readonly Matrix[]): Matrix {
  const result = Matrix.zeros(
    parts.reduce((sum, { rows }) => sum + rows, 0),
    parts[0]!.columns,
  );
  let at = 0;
  for (const { data } of parts) {
    result.data.set(data, at);
    at += data.length;
  }
  return result;
}

/** Matrices of the same number of rows, side by side. */
export function joinedColumns(parts: readonly Matrix[]): Matrix {
  if (parts.length === 1) return parts[0]!;
  const rows = parts[0]!.rows;
  const columns = parts.reduce((sum, part) => sum + part.columns, 0);
  const result = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) {
    let at = i * columns;
    for (const part of parts) {
      result.data.set(part.row(i), at);
      at += part.columns;
    }
  }
  return result;
}
