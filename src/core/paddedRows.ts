import { Matrix } from './matrix.ts';

/** Tile height of matrix products and triangular solves. Rows outside of full tiles are summed in another order. */
const TILE = 8;

/** Pads the rows to full tiles by repeating the last one, so that the result for a row is independent of the number of rows. */
export function paddedRows({ data, rows, columns }: Matrix): Matrix {
  const padded = Matrix.zeros(TILE * Math.ceil(rows / TILE), columns);
  padded.data.set(data);
  for (let i = rows; i < padded.rows; i++) padded.data.copyWithin(i * columns, (rows - 1) * columns, rows * columns);
  return padded;
}

export const firstRows = ({ data, columns }: Matrix, rows: number) =>
  new Matrix(data.slice(0, rows * columns), rows, columns);
