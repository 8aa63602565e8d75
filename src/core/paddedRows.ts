import { Matrix } from './matrix.ts';

/** Rows that fill the registers and tiles of the products and triangular solves, whose sums run in another order for the rows left over. */
const TILE = 8;

/** The rows, with the last one repeated until whole tiles are full, so that the result for a row does not depend on how many others there are. */
export function paddedRows({ data, rows, columns }: Matrix): Matrix {
  const padded = Matrix.zeros(TILE * Math.ceil(rows / TILE), columns);
  padded.data.set(data);
  for (let i = rows; i < padded.rows; i++) padded.data.copyWithin(i * columns, (rows - 1) * columns, rows * columns);
  return padded;
}

/** The first of the rows. */
export const firstRows = ({ data, columns }: Matrix, rows: number) =>
  new Matrix(data.slice(0, rows * columns), rows, columns);
