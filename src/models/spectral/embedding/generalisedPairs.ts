import { square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import { symmetricEigenpairs } from '../../../engine/dense/eigenpairs.ts';

/** Eigenpairs of Av = λBv in the range of B, λ ascending, columns with vᵀBv = 1. */
export interface GeneralisedPairs {
  /** As many as the rank of B. */
  readonly values: Float64Array;
  /** n×rank */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of Av = λBv for symmetric A and B ⪰ 0: with B = UΛUᵀ, those of Λ^−½UᵀAUΛ^−½ over the eigenvalues of B above rounding.
 *
 * @see Golub & Van Loan 2013, §8.7
 */
export function generalisedPairs(A: Matrix, B: Matrix): GeneralisedPairs {
  const n = B.rows;
  const { values: spread, vectors: U } = symmetricEigenpairs(B);
  const negligible = n * Number.EPSILON * Math.max(0, spread[n - 1]!);
  const kept = Int32Array.from(spread.keys()).filter((k) => spread[k]! > negligible);
  const whitening = Matrix.zeros(n, kept.length);
  kept.forEach((k, c) => {
    for (let i = 0; i < n; i++) whitening.data[i * kept.length + c] = U.at(i, k) / Math.sqrt(spread[k]!);
  });
  const { values, vectors } = symmetricEigenpairs(product(transposed(whitening), product(A, whitening)));
  return { values, vectors: product(whitening, vectors) };
}

/** A·B */
export function product(A: Matrix, B: Matrix): Matrix {
  const [m, K, n] = [A.rows, A.columns, B.columns];
  const result = Matrix.zeros(m, n);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < K; k++) {
      const factor = A.data[i * K + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < n; j++) result.data[i * n + j]! += factor * B.data[k * n + j]!;
    }
  }
  return result;
}

/** Aᵀ */
export function transposed({ data, rows, columns }: Matrix): Matrix {
  const result = Matrix.zeros(columns, rows);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) result.data[j * rows + i] = data[i * columns + j]!;
  return result;
}

/** Turns columns of `axes`, in place, so that the entry of largest modulus in each column of points·axes is positive; returns points·axes. */
export function signedScores(points: Matrix, axes: Matrix): Matrix {
  const scores = product(points, axes);
  for (let c = 0; c < axes.columns; c++) {
    let largest = 0;
    for (let i = 0; i < scores.rows; i++) {
      if (square(scores.at(i, c)) > square(largest)) largest = scores.at(i, c);
    }
    if (largest >= 0) continue;
    for (const { data, columns } of [scores, axes]) for (let k = c; k < data.length; k += columns) data[k] = -data[k]!;
  }
  return scores;
}

/** Some columns of a matrix, in the order asked for. */
export function columnsOf(A: Matrix, chosen: readonly number[]): Matrix {
  const result = Matrix.zeros(A.rows, chosen.length);
  for (let i = 0; i < A.rows; i++) {
    chosen.forEach((c, k) => {
      result.data[i * chosen.length + k] = A.at(i, c);
    });
  }
  return result;
}
