import { Matrix } from './matrix.ts';

/** Points as the rows of a matrix. */
export function stacked(points: readonly Float64Array[], q: number): Matrix {
  const result = Matrix.zeros(points.length, q);
  points.forEach((point, i) => {
    result.data.set(point, i * q);
  });
  return result;
}

/** The given rows of Y, which may repeat. */
export function rowsOf(Y: Matrix, rows: readonly number[]): Matrix {
  return stacked(
    rows.map((i) => Y.row(i)),
    Y.columns,
  );
}

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

export const firstRows = ({ data, columns }: Matrix, rows: number) =>
  new Matrix(data.slice(0, rows * columns), rows, columns);
