/**
 * A matrix inside a Float64Array: entry (i, j) is at `start + i·rowStride + j·columnStride`. A transpose is a swap of the
 * strides.
 */
export interface MatrixView {
  readonly data: Float64Array;
  readonly start: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** A contiguous row-major matrix with `columns` columns. */
export function rowMajor(data: Float64Array, columns: number, start = 0): MatrixView {
  return { data, start, rowStride: columns, columnStride: 1 };
}

/** The transpose of `view`, on the same numbers. */
export function transposed(view: MatrixView): MatrixView {
  return { data: view.data, start: view.start, rowStride: view.columnStride, columnStride: view.rowStride };
}
