import { InvalidInputError } from './errors.ts';
import { describe, Matrix } from './matrix.ts';

/** Observations that are read some rows at a time, so that they need not fit in memory: `rowsOf(file)`, or one's own. */
export interface RowSource {
  /** N, at least 2. */
  readonly rows: number;
  /** D, at least 1. */
  readonly columns: number;
  /** The rows of these numbers, from 0, in their order: a matrix with one row each, or a promise of it. The same whenever they are read. */
  read(indices: Int32Array): Matrix | Promise<Matrix>;
}

export function isRowSource(value: unknown): value is RowSource {
  return typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function';
}

/** @throws InvalidInputError when it is no source of at least 2 rows and 1 column */
export function checkRowSource(source: RowSource): RowSource {
  const { rows, columns } = source;
  if (Number.isSafeInteger(rows) && rows >= 2 && Number.isSafeInteger(columns) && columns >= 1) return source;
  throw new InvalidInputError(
    `A source of observations has rows (2 or more) and columns (1 or more), but ${describe(rows)} and ${describe(columns)} were given.`,
  );
}

/**
 * Reads rows, and holds the source to what it says of itself.
 *
 * @throws InvalidInputError when what it gives is not a matrix with these rows and its columns
 */
export async function readRows(source: RowSource, indices: Int32Array): Promise<Matrix> {
  const found: unknown = await source.read(indices);
  if (found instanceof Matrix && found.rows === indices.length && found.columns === source.columns) return found;
  const given = found instanceof Matrix ? `a ${found.rows}×${found.columns} matrix` : describe(found);
  throw new InvalidInputError(
    `A source of observations was asked for ${indices.length} rows of ${source.columns} columns, but gave ${given}. Return a Matrix of that shape.`,
  );
}
