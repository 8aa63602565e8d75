import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';

/** Which entries of an N×D matrix count: true or 1 for those that do, false or 0 for those that do not. */
export type Mask = readonly (readonly boolean[])[] | MatrixLike;

/**
 * Places of the entries that count; all of them without a mask.
 *
 * @throws InvalidInputError when the mask has another shape, or leaves nothing
 */
export function countedEntries({ rows, columns }: Matrix, mask: Mask | undefined): number[] {
  const all = Array.from({ length: rows * columns }, (_, i) => i);
  const counted = mask === undefined ? all : chosen(all, maskMatrix(mask), rows, columns);
  if (counted.length === 0) {
    throw new InvalidInputError(`A score needs at least one entry, but none of the ${rows}×${columns} counts.`);
  }
  return counted;
}

function maskMatrix(mask: Mask): Matrix {
  const rows = Array.isArray(mask) ? mask.map((row) => (Array.isArray(row) ? row.map(Number) : row)) : mask;
  return Matrix.from(rows as MatrixLike, 'The mask');
}

function chosen(all: number[], mask: Matrix, rows: number, columns: number): number[] {
  if (mask.rows !== rows || mask.columns !== columns) {
    throw new InvalidInputError(
      `The mask must be ${rows}×${columns}, as the observations are, but it is ${mask.rows}×${mask.columns}.`,
    );
  }
  return all.filter((i) => mask.data[i] !== 0);
}

/** Throws unless two matrices have the same shape. */
export function checkSameShape(expected: Matrix, given: Matrix, name: string): void {
  if (given.rows === expected.rows && given.columns === expected.columns) return;
  throw new InvalidInputError(
    `${name} must be ${expected.rows}×${expected.columns}, as the observations are, but it is ${given.rows}×${given.columns}.`,
  );
}

/** The entry of a matrix at a place that counts, which must be finite. */
export function finiteEntry({ data, columns }: Matrix, i: number, name: string): number {
  const entry = data[i]!;
  if (Number.isFinite(entry)) return entry;
  throw new InvalidInputError(
    `${name} must be finite where it counts, but row ${Math.floor(i / columns)}, column ${i % columns} is ${entry}. ` +
      'Leave that entry out with a mask.',
  );
}
