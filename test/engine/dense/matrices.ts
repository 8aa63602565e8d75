import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';

/** Entries from the standard normal. */
export function normalMatrix(rows: number, columns: number, seed = 1): Matrix {
  const { normal } = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => normal()),
    rows,
    columns,
  );
}

export function symmetricMatrix(n: number, seed = 1): Matrix {
  const B = normalMatrix(n, n, seed);
  return fromEntries(n, n, (i, j) => B.at(i, j) + B.at(j, i));
}

/** BBᵀ/n + I/2: eigenvalues between 0.5 and about 4.5. */
export function positiveDefiniteMatrix(n: number, seed = 1): Matrix {
  const B = normalMatrix(n, n, seed);
  const product = multiply(B, transpose(B));
  return fromEntries(n, n, (i, j) => product.at(i, j) / n + (i === j ? 0.5 : 0));
}

/** Lower triangular with a diagonal between 1 and 2, and `above` elsewhere. */
export function lowerMatrix(n: number, seed = 1, above = 0): Matrix {
  const B = normalMatrix(n, n, seed);
  return fromEntries(n, n, (i, j) => {
    if (i === j) return 1 + Math.abs(Math.tanh(B.at(i, j)));
    return i > j ? B.at(i, j) / Math.sqrt(n) : above;
  });
}

export function fromEntries(rows: number, columns: number, entry: (i: number, j: number) => number): Matrix {
  const matrix = Matrix.zeros(rows, columns);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) matrix.data[i * columns + j] = entry(i, j);
  return matrix;
}

export function identity(n: number): Matrix {
  return fromEntries(n, n, (i, j) => (i === j ? 1 : 0));
}

export function transpose(A: Matrix): Matrix {
  return fromEntries(A.columns, A.rows, (i, j) => A.at(j, i));
}

/** The product by its definition. */
export function multiply(A: Matrix, B: Matrix): Matrix {
  const C = Matrix.zeros(A.rows, B.columns);
  for (let i = 0; i < A.rows; i++) {
    for (let k = 0; k < A.columns; k++) {
      const value = A.at(i, k);
      for (let j = 0; j < B.columns; j++) C.data[i * B.columns + j]! += value * B.at(k, j);
    }
  }
  return C;
}

export function lowerTriangle(A: Matrix): Matrix {
  return fromEntries(A.rows, A.columns, (i, j) => (i >= j ? A.at(i, j) : 0));
}

/** Largest difference of two matrices of one shape. */
export function distance(A: Matrix, B: Matrix): number {
  let largest = 0;
  for (let k = 0; k < A.data.length; k++) {
    const difference = Math.abs(A.data[k]! - B.data[k]!);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

export function largestEntry(A: Matrix): number {
  return A.data.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0);
}
