import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkGiven } from '../../core/options.ts';
import { SparseMatrix } from '../../core/sparseMatrix.ts';
import { counted } from '../../core/wording.ts';
import { topEigenpairs } from '../dense/eigenpairs.ts';

/** Principal components of a sparse matrix. */
export interface SparseComponents {
  /** Eigenvalues of the covariance YcᵀYc/N, descending: q. */
  readonly eigenvalues: Float64Array;
  /** (y − mean)ᵀv_c, N×q; the entry of largest modulus in each column is positive. */
  readonly scores: Matrix;
  /** v_c as columns, D×q. */
  readonly axes: Matrix;
  /** Means of the columns, D. */
  readonly mean: Float64Array;
  /** Scores of other rows, n×q. */
  project(rows: SparseMatrix): Matrix;
}

/**
 * Principal components of a sparse matrix, which is neither centered nor filled in: products with the centered rows are Yx − 1·(mᵀx) and Yᵀu − m·(1ᵀu),
 * and the Lanczos search uses the smaller of YcᵀYc and YcYcᵀ. For dense models, the scores can replace a table with many columns.
 *
 * @param Y - N×D
 * @param components - q, from 1 to min(N − 1, D)
 * @throws InvalidInputError unless Y is a SparseMatrix, components is in range, and the rows vary in as many directions
 * @see Bishop 2006, §12.1; Golub & Van Loan, Matrix Computations, §10.3
 * @example
 * ```ts
 * const { observations } = await readSparseTable('filtered_feature_bc_matrix', { rowSums: 'median', log1p: true });
 * const { scores } = sparsePrincipalComponents(observations, 50);
 * const map = await fit(umap(scores));
 * ```
 */
export function sparsePrincipalComponents(Y: SparseMatrix, components: number): SparseComponents {
  checkGiven(Y, 'sparsePrincipalComponents', 'a SparseMatrix', (given) => given instanceof SparseMatrix);
  const { rows: N, columns: D } = Y;
  const most = Math.min(N - 1, D);
  if (!(Number.isInteger(components) && components >= 1 && components <= most)) {
    throw new InvalidInputError(
      `${components} components were requested from sparsePrincipalComponents, but ${N} points of ${counted(D, 'column')} have from 1 to ${most}.`,
    );
  }
  const mean = new Float64Array(D);
  Y.indices.forEach((j, p) => {
    mean[j]! += Y.values[p]! / N;
  });
  const wide = D > N;
  const [ofRows, ofColumns] = [new Float64Array(N), new Float64Array(D)];
  const { values, vectors } = topEigenpairs(
    (x, y) => {
      if (wide) combine(Y, mean, x, ofColumns);
      project(Y, mean, wide ? ofColumns : x, wide ? y : ofRows);
      if (!wide) combine(Y, mean, ofRows, y);
    },
    Math.min(N, D),
    components,
  );
  const found = values.filter((value) => value > values[0]! * Math.max(N, D) * Number.EPSILON).length;
  if (found < components) {
    throw new InvalidInputError(
      `The rows vary in ${counted(found, 'direction')} only, so ${components} principal components do not exist. Ask for fewer.`,
    );
  }
  const scores = Matrix.zeros(N, components);
  const axes = Matrix.zeros(D, components);
  for (let c = 0; c < components; c++) {
    const axis = vectors.column(c);
    if (wide) combine(Y, mean, axis, ofColumns);
    else ofColumns.set(axis);
    const norm = Math.sqrt(ofColumns.reduce((sum, entry) => sum + entry * entry, 0));
    for (let j = 0; j < D; j++) ofColumns[j]! /= norm;
    project(Y, mean, ofColumns, ofRows);
    const largest = ofRows.reduce((best, entry) => (Math.abs(entry) > Math.abs(best) ? entry : best), 0);
    const sign = largest < 0 ? -1 : 1;
    for (let i = 0; i < N; i++) scores.data[i * components + c] = sign * ofRows[i]!;
    for (let j = 0; j < D; j++) axes.data[j * components + c] = sign * ofColumns[j]!;
  }
  return {
    eigenvalues: values.map((value) => value / N),
    scores,
    axes,
    mean,
    project: (rows) => scoresOf(rows, mean, axes),
  };
}

/** (Y − 1mᵀ)·V. */
function scoresOf(Y: SparseMatrix, mean: Float64Array, axes: Matrix): Matrix {
  checkGiven(Y, 'project', 'a SparseMatrix', (given) => given instanceof SparseMatrix);
  if (Y.columns !== mean.length) {
    throw new InvalidInputError(
      `The components are of ${counted(mean.length, 'column')}, but rows of ${Y.columns} were given. Give the columns that they were computed for.`,
    );
  }
  const result = Matrix.zeros(Y.rows, axes.columns);
  const score = new Float64Array(Y.rows);
  for (let c = 0; c < axes.columns; c++) {
    project(Y, mean, axes.column(c), score);
    for (let i = 0; i < Y.rows; i++) result.data[i * axes.columns + c] = score[i]!;
  }
  return result;
}

/** u ← Yx − 1·(mᵀx) */
function project(
  { rows, starts, indices, values }: SparseMatrix,
  mean: Float64Array,
  x: Float64Array,
  u: Float64Array,
): void {
  let shift = 0;
  for (let j = 0; j < mean.length; j++) shift += mean[j]! * x[j]!;
  for (let i = 0; i < rows; i++) {
    let sum = -shift;
    for (let p = starts[i]!; p < starts[i + 1]!; p++) sum += values[p]! * x[indices[p]!]!;
    u[i] = sum;
  }
}

/** x ← Yᵀu − m·(1ᵀu) */
function combine(
  { rows, starts, indices, values }: SparseMatrix,
  mean: Float64Array,
  u: Float64Array,
  x: Float64Array,
): void {
  let total = 0;
  for (let i = 0; i < rows; i++) total += u[i]!;
  for (let j = 0; j < mean.length; j++) x[j] = -mean[j]! * total;
  for (let i = 0; i < rows; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) x[indices[p]!]! += values[p]! * u[i]!;
  }
}
