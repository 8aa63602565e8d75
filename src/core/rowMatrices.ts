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

/** Rows that are equal to another row with a smaller number. */
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
    found && `${found.count} of the ${Y.rows} rows repeat others (row ${found.example[1]} is row ${found.example[0]})`
  );
}

/** Least part of the rows that makes it likely that repeated rows are copies. */
const MANY = 0.1;

/** Whether so many rows repeat others that they are likely to be copies. */
export const hasCopies = (Y: Matrix): boolean => (repeatedRows(Y)?.count ?? 0) >= MANY * Y.rows;

/** Note in the message of a fit with noise; '' unless a tenth of the rows or more repeat others. */
export const copiesNote = (Y: Matrix): string =>
  hasCopies(Y) ? ` ${repeatsInWords(Y)}: leave copies out, which make noise and variances too small.` : '';
