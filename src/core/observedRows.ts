import { InvalidInputError } from './errors.ts';
import type { Matrix } from './matrix.ts';

/**
 * Returns the matrix unless a row has only missing entries (NaN).
 *
 * @param name - its name in error messages
 */
export function checkObservedRows(Y: Matrix, name: string): Matrix {
  for (let i = 0; i < Y.rows; i++) if (!isObserved(Y, i)) throw unobservedRow(i, name);
  return Y;
}

/** True if a row has at least one observed entry. */
export const isObserved = ({ data, columns }: Matrix, row: number): boolean =>
  data.subarray(row * columns, (row + 1) * columns).some((entry) => !Number.isNaN(entry));

export const unobservedRow = (row: number, name: string): InvalidInputError =>
  new InvalidInputError(
    `Row ${row} of ${name} (from 0) has no observed entry at all, so nothing says where it lies. Leave that row out.`,
  );
