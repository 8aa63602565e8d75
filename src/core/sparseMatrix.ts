import { InvalidInputError } from './errors.ts';
import { Matrix } from './matrix.ts';
import { counted } from './wording.ts';

/** The arrays of a {@link SparseMatrix}: compressed rows, as in SciPy's `csr_matrix` (`indptr`, `indices`, `data`). */
export interface CompressedRows {
  readonly rows: number;
  readonly columns: number;
  /** Index of the first entry of each row, and the number of entries at the end: rows + 1 numbers, from 0. */
  readonly starts: Int32Array;
  /** Column of each entry, increasing within a row. */
  readonly indices: Int32Array;
  /** The stored entries; all others are 0. */
  readonly values: Float64Array;
}

/**
 * A sparse matrix in compressed rows: rows are points.
 *
 * @example
 * ```ts
 * const S = new SparseMatrix({
 *   rows: 2, columns: 3, starts: Int32Array.of(0, 1, 3), indices: Int32Array.of(2, 0, 1), values: Float64Array.of(5, 1, 2),
 * });
 * S.toDense().toArrays(); // [[0, 0, 5], [1, 2, 0]]
 * ```
 */
export class SparseMatrix implements CompressedRows {
  readonly rows: number;
  readonly columns: number;
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;

  /**
   * @param given - the arrays are not copied
   * @throws InvalidInputError if the arrays are inconsistent, columns do not increase within a row, or an entry is not finite
   */
  constructor({ rows, columns, starts, indices, values }: CompressedRows) {
    const wrong = (what: string) => new InvalidInputError(`A sparse matrix of ${rows}×${columns} ${what}.`);
    if (!(Number.isInteger(rows) && rows >= 1 && Number.isInteger(columns) && columns >= 1)) {
      throw wrong('has no entries: give at least one row and one column');
    }
    if (starts.length !== rows + 1 || starts[0] !== 0 || starts[rows] !== indices.length) {
      throw wrong(
        `takes ${counted(rows + 1, 'start')} from 0 to the number of its entries, ${indices.length}, but ${counted(starts.length, 'start')} from ${starts[0]} to ${starts.at(-1)} were given`,
      );
    }
    if (values.length !== indices.length) {
      throw wrong(
        `takes a column for each entry, but ${indices.length} columns and ${values.length} entries were given`,
      );
    }
    for (let i = 0; i < rows; i++) {
      if (starts[i + 1]! < starts[i]!) throw wrong(`has starts that fall at row index ${i}`);
      for (let p = starts[i]!; p < starts[i + 1]!; p++) {
        const before = p === starts[i] ? -1 : indices[p - 1]!;
        if (!(indices[p]! > before && indices[p]! < columns)) {
          throw wrong(
            `has column index ${indices[p]} after ${before} in row index ${i}: columns of a row rise, from 0 to ${columns - 1}`,
          );
        }
        if (!Number.isFinite(values[p])) throw wrong(`has ${values[p]} at [${i}][${indices[p]}]: entries are finite`);
      }
    }
    [this.rows, this.columns, this.starts, this.indices, this.values] = [rows, columns, starts, indices, values];
  }

  /** Converts the matrix to a dense one. */
  toDense(): Matrix {
    const dense = Matrix.zeros(this.rows, this.columns);
    for (let i = 0; i < this.rows; i++) {
      for (let p = this.starts[i]!; p < this.starts[i + 1]!; p++) {
        dense.data[i * this.columns + this.indices[p]!] = this.values[p]!;
      }
    }
    return dense;
  }

  /** The transposed matrix. */
  transposed(): SparseMatrix {
    const { rows, columns, starts, indices, values } = this;
    const ends = new Int32Array(columns + 1);
    for (const j of indices) ends[j + 1]!++;
    for (let j = 0; j < columns; j++) ends[j + 1]! += ends[j]!;
    const next = ends.slice(0, columns);
    const own = { indices: new Int32Array(indices.length), values: new Float64Array(indices.length) };
    for (let i = 0; i < rows; i++) {
      for (let p = starts[i]!; p < starts[i + 1]!; p++) {
        const place = next[indices[p]!]!++;
        own.indices[place] = i;
        own.values[place] = values[p]!;
      }
    }
    return new SparseMatrix({ rows: columns, columns: rows, starts: ends, ...own });
  }
}
