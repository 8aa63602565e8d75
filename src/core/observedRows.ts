import { InvalidInputError } from './errors.ts';
import type { Matrix } from './matrix.ts';

/**
 * Throws for a row whose entries are missing (NaN) all of them; returns the matrix.
 *
 * @param name - what to call the matrix in an error
 */
export function checkObservedRows(Y: Matrix, name: string): Matrix {
  for (let i = 0; i < Y.rows; i++) if (!isObserved(Y, i)) throw unobservedRow(i, name);
  return Y;
}

/** Whether a row has an entry that is not missing. */
export const isObserved = ({ data, columns }: Matrix, row: number): boolean =>
  data.subarray(row * columns, (row + 1) * columns).some((entry) => !Number.isNaN(entry));

export const unobservedRow = (row: number, name: string): InvalidInputError =>
  new InvalidInputError(
    `Row ${row} of ${name} (from 0) has no observed entry at all, so nothing says where it lies. Leave that row out.`,
  );
