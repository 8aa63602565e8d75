import type { SparseSymmetric } from './sparseSymmetric.ts';

/** A sparse matrix by columns: column i has `values[p]` in row `rows[p]` for starts[i] ≤ p < starts[i + 1], with distinct rows. */
export interface SparseColumns {
  /** Number of rows. */
  readonly size: number;
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** MMᵀ; the products in an entry are added column of M by column. The pattern always includes the diagonal. */
export function outerProduct(M: SparseColumns): SparseSymmetric {
  const { size, starts, rows, values } = ascending(M);
  const { ends, columns, places } = byRows(size, starts, rows);
  const most = size + starts.reduce((sum, start, i) => sum + pairs(i === 0 ? 0 : start - starts[i - 1]!), 0);
  const productStarts = new Int32Array(size + 1);
  const productRows = new Int32Array(most);
  const entries = new Float64Array(most);
  // For the current column: the sum in each row, and the column that last used the row.
  const sums = new Float64Array(size);
  const lastColumn = new Int32Array(size).fill(-1);
  let count = 0;
  for (let j = 0, q = 0; j < size; j++) {
    productRows[count++] = j;
    lastColumn[j] = j;
    sums[j] = 0;
    for (; q < ends[j]!; q++) {
      const place = places[q]!;
      const value = values[place]!;
      for (let p = place; p < starts[columns[q]! + 1]!; p++) {
        const i = rows[p]!;
        if (lastColumn[i] !== j) {
          productRows[count++] = i;
          lastColumn[i] = j;
          sums[i] = 0;
        }
        sums[i]! += values[p]! * value;
      }
    }
    sortRows(productRows, productStarts[j]!, count);
    for (let p = productStarts[j]!; p < count; p++) entries[p] = sums[productRows[p]!]!;
    productStarts[j + 1] = count;
  }
  const pattern = { size, starts: productStarts, rows: productRows.slice(0, count) };
  return { pattern, values: entries.slice(0, count) };
}

const pairs = (entries: number) => (entries * (entries + 1)) / 2;

/** Sorts the rows of each column in ascending order. */
function ascending({ size, starts, rows, values }: SparseColumns): SparseColumns {
  const sorted = { size, starts, rows: rows.slice(), values: values.slice() };
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let p = starts[i]! + 1; p < starts[i + 1]!; p++) {
      const [row, value] = [sorted.rows[p]!, sorted.values[p]!];
      let q = p;
      for (; q > starts[i]! && sorted.rows[q - 1]! > row; q--) {
        sorted.rows[q] = sorted.rows[q - 1]!;
        sorted.values[q] = sorted.values[q - 1]!;
      }
      sorted.rows[q] = row;
      sorted.values[q] = value;
    }
  }
  return sorted;
}

/** Entries of each row, up to its end: their columns, ascending, and their positions. */
function byRows(
  size: number,
  starts: Int32Array,
  rows: Int32Array,
): { ends: Int32Array; columns: Int32Array; places: Int32Array } {
  const ends = new Int32Array(size + 1);
  for (let p = 0; p < rows.length; p++) ends[rows[p]! + 1]!++;
  for (let j = 0; j < size; j++) ends[j + 1]! += ends[j]!;
  const columns = new Int32Array(rows.length);
  const places = new Int32Array(rows.length);
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) {
      const q = ends[rows[p]!]!++;
      columns[q] = i;
      places[q] = p;
    }
  }
  return { ends, columns, places };
}

/** Few rows are sorted faster by insertion. */
const FEW = 48;

function sortRows(rows: Int32Array, from: number, to: number): void {
  if (to - from > FEW) {
    rows.subarray(from, to).sort();
    return;
  }
  for (let p = from + 1; p < to; p++) {
    const row = rows[p]!;
    let q = p;
    for (; q > from && rows[q - 1]! > row; q--) rows[q] = rows[q - 1]!;
    rows[q] = row;
  }
}
