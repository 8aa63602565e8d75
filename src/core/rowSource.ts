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
  /** Sample of the rows, from which a model starts. */
  readonly sample: Matrix;
  /** Means and deviations by which all rows are standardised. */
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
    'The observations of this model were read some rows at a time, and are not part of it. Make it again with their source.',
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
 * Reads rows and checks that their shape is what the source promised.
 *
 * @throws InvalidInputError unless the source returns a matrix of that shape
 */
export async function readRows(source: RowSource, indices: Int32Array): Promise<Matrix> {
  const found: unknown = await source.read(indices);
  if (found instanceof Matrix && found.rows === indices.length && found.columns === source.columns) return found;
  const given = found instanceof Matrix ? `a ${found.rows}×${found.columns} matrix` : describe(found);
  throw new InvalidInputError(
    `A source of observations was asked for ${indices.length} rows of ${source.columns} columns, but gave ${given}. Return a Matrix of that shape.`,
  );
}
