import type { Tensor2D } from '@tensorflow/tfjs-core';
import { InvalidInputError } from './errors.ts';
import { counted, countGiven } from './wording.ts';

/** A {@link Matrix} after `structuredClone` or a message between threads. */
export type PlainMatrix = Pick<Matrix, 'data' | 'rows' | 'columns'>;

/** Any matrix argument: rows are points. */
export type MatrixLike = readonly (readonly number[])[] | readonly Float64Array[] | PlainMatrix | Tensor2D;

/**
 * A row-major matrix of doubles. Every matrix that the library returns is one of these.
 *
 * @example
 * ```ts
 * const X = Matrix.from([[1, 2], [3, 4], [5, 6]]);
 * X.rows; // 3
 * X.row(1); // Float64Array [3, 4]
 * ```
 */
export class Matrix {
  /**
   * @param data - the entries, row by row; not copied
   * @param rows - number of rows
   * @param columns - number of columns
   * @throws InvalidInputError unless there are rows × columns entries
   */
  constructor(
    readonly data: Float64Array,
    readonly rows: number,
    readonly columns: number,
  ) {
    if (data.length !== rows * columns) {
      throw new InvalidInputError(
        `A ${rows}×${columns} matrix takes ${counted(rows * columns, 'number')}, but ${countGiven(data.length, 'number')}.`,
      );
    }
  }

  /** A matrix of zeros. */
  static zeros(rows: number, columns: number): Matrix {
    return new Matrix(new Float64Array(rows * columns), rows, columns);
  }

  /**
   * Makes a matrix from any {@link MatrixLike}; always a copy.
   *
   * @param values - rows of numbers, a Matrix, its structured clone, or a tensor of rank 2, read in full precision if it has it
   * @param name - its name in error messages
   * @throws InvalidInputError if rows differ in length or entries are not numbers
   */
  static from(values: MatrixLike, name = 'The matrix'): Matrix {
    try {
      if (isPlain(values)) return new Matrix(values.data.slice(), values.rows, values.columns);
      if (Array.isArray(values)) return fromRows(values, name);
      if (isTensor(values)) return fromTensor(values, name);
    } catch (cause) {
      if (cause instanceof InvalidInputError) throw cause;
      throw new InvalidInputError(`${name} cannot be read: ${reasonOf(cause)}`, { cause });
    }
    throw new InvalidInputError(
      `${name} must be an array of rows, a Matrix or a Tensor2D, but ${describe(values)} was given.${wayOut(values)}`,
    );
  }

  /**
   * Entry in row i and column j, both from 0. Inner loops call it, so indices are not checked: outside of the matrix it returns another entry or
   * undefined.
   */
  at(i: number, j: number): number {
    return this.data[i * this.columns + j]!;
  }

  /**
   * A copy of row i, from 0.
   *
   * @throws InvalidInputError if there is no such row
   */
  row(i: number): Float64Array {
    checkIndex(i, this.rows, 'row');
    return this.data.slice(i * this.columns, (i + 1) * this.columns);
  }

  /**
   * A copy of column j, from 0.
   *
   * @throws InvalidInputError if there is no such column
   */
  column(j: number): Float64Array {
    checkIndex(j, this.columns, 'column');
    return Float64Array.from({ length: this.rows }, (_, i) => this.at(i, j));
  }

  /**
   * A matrix of the same shape, computed entry by entry.
   *
   * @param f - receives an entry with its row and its column, both from 0
   * @example
   * ```ts
   * const X = Matrix.from([[1, 2], [3, 4]]);
   * X.map((entry, i, j) => (i === j ? 0 : entry)).toArrays(); // [[0, 2], [3, 0]]
   * ```
   */
  map(f: (entry: number, i: number, j: number) => number): Matrix {
    const result = Matrix.zeros(this.rows, this.columns);
    for (let i = 0, k = 0; i < this.rows; i++) {
      for (let j = 0; j < this.columns; j++, k++) result.data[k] = f(this.data[k]!, i, j);
    }
    return result;
  }

  /** Rows as ordinary arrays. */
  toArrays(): number[][] {
    return Array.from({ length: this.rows }, (_, i) => Array.from(this.row(i)));
  }

  /** Rows as ordinary arrays, so that `JSON.stringify` keeps every digit. */
  toJSON(): number[][] {
    return this.toArrays();
  }
}

function checkIndex(index: number, count: number, of: string): void {
  if (Number.isInteger(index) && index >= 0 && index < count) return;
  throw new InvalidInputError(
    `The matrix has ${counted(count, of)}, numbered from 0, but ${of} ${index} was requested.`,
  );
}

function wayOut(given: unknown): string {
  if (isTable(given)) return ' For a table, pass its observations.';
  if (typeof given === 'string') return ' Read a file first: (await readTable(file)).observations.';
  return typeof (given as { then?: unknown } | null | undefined)?.then === 'function' ? ' Await it first.' : '';
}

/** A value in a few words, for an error message. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `the string '${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return typeof value;
  try {
    if (Array.isArray(value)) return `an array of ${value.length}`;
    return `an object (${value.constructor?.name ?? 'no class'})`;
  } catch {
    return 'an object that cannot be read';
  }
}

function fromRows(rows: readonly unknown[], name: string): Matrix {
  const columns = rows.length === 0 ? 0 : rowLength(rows[0], 0, name);
  // Before anything is allocated, because an array may be much longer than its content. A hole is not a row, and `forEach` would skip it.
  for (let i = 0; i < rows.length; i++) {
    const length = rowLength(rows[i], i, name);
    if (length !== columns) {
      throw new InvalidInputError(
        `${name} must have rows of equal length, but row index ${i} has ${length} entries, and the first one ${columns}.`,
      );
    }
  }
  const data = new Float64Array(rows.length * columns);
  for (let i = 0; i < rows.length; i++) {
    const entries = rows[i] as ArrayLike<unknown>;
    for (let j = 0; j < columns; j++) {
      const entry = entries[j];
      if (typeof entry !== 'number') {
        throw new InvalidInputError(
          `${name} must contain numbers, but entry [${i}][${j}] is ${describe(entry)}. Convert or drop that column.`,
        );
      }
      data[i * columns + j] = entry;
    }
  }
  return new Matrix(data, rows.length, columns);
}

function rowLength(row: unknown, i: number, name: string): number {
  if (Array.isArray(row) || row instanceof Float64Array || row instanceof Float32Array) return row.length;
  throw new InvalidInputError(
    `${name} must be an array of rows, but row index ${i} is ${describe(row)}. A single column is [[1], [2], [3]].`,
  );
}

/** The text of an error, for another error's message. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The members of a tensor that a matrix reads, whichever copy of TensorFlow.js made it. */
interface TensorLike {
  readonly isDisposed?: boolean;
  readonly rank: number;
  readonly dtype: string;
  readonly shape: readonly number[];
  dataSync(): ArrayLike<number>;
}

function isPlain(value: unknown): value is PlainMatrix {
  const { data, rows, columns } = (value ?? {}) as Partial<PlainMatrix>;
  return data?.[Symbol.toStringTag] === 'Float64Array' && isCount(rows) && isCount(columns);
}

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;

function isTensor(value: unknown): value is TensorLike {
  return typeof value === 'object' && value !== null && 'dataId' in value && 'dataSync' in value;
}

let numbersOf = (tensor: TensorLike): Float64Array => Float64Array.from(tensor.dataSync());

/**
 * Replaces the reader of tensors: the float64 backend reads its own tensors in full precision, whichever backend is active.
 *
 * @internal
 */
export function readTensorsWith(reader: (tensor: TensorLike) => Float64Array): void {
  numbersOf = reader;
}

function fromTensor(tensor: TensorLike, name: string): Matrix {
  const { dtype, shape, isDisposed = false } = tensor;
  if (isDisposed) {
    throw new InvalidInputError(
      `${name} is a tensor that has been disposed. Dispose it after the call, or give its values.`,
    );
  }
  if (shape.length !== 2 || (dtype !== 'float32' && dtype !== 'int32')) {
    throw new InvalidInputError(
      `${name} must be a numeric tensor of rank 2, but a tensor of type ${dtype} and shape [${shape}] was given.`,
    );
  }
  return new Matrix(numbersOf(tensor), shape[0]!, shape[1]!);
}

/** True for a table of `readTable` or an example of `latentfield/data`. */
function isTable(values: unknown): boolean {
  return typeof values === 'object' && values !== null && Object.hasOwn(values, 'observations');
}

/** An entry of a matrix in words: `entry [3][0] is NaN`. */
export const entryInWords = ({ data, columns }: Pick<Matrix, 'data' | 'columns'>, k: number): string =>
  `entry [${Math.floor(k / columns)}][${k % columns}] is ${data[k]}`;

/**
 * Returns the matrix if all of its entries pass a test.
 *
 * @throws InvalidInputError with the requirement and the first entry that does not
 */
export function checkEach(matrix: Matrix, requirement: string, isRight: (entry: number) => boolean): Matrix {
  const bad = matrix.data.findIndex((entry) => !isRight(entry));
  if (bad < 0) return matrix;
  throw new InvalidInputError(`${requirement}, but ${entryInWords(matrix, bad)}.`);
}
