import { InvalidInputError, NumericalError } from '../errors.ts';
import { Matrix } from '../matrix.ts';
import { rowMajor } from './matrixView.ts';
import { symmetricEigen } from './symmetricEigen.ts';

/** Eigenvalues and, as columns, unit eigenvectors whose entry of largest modulus (the first of equals) is positive. */
export interface Eigenpairs {
  readonly values: Float64Array;
  /** Column j belongs to `values[j]`. */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of a symmetric matrix, A = V·diag(λ)·Vᵀ with λ ascending; the lower triangle is read.
 *
 * @param matrix - n×n
 * @throws InvalidInputError when the matrix is not square
 * @throws NumericalError when an entry is not finite or the iteration does not converge
 */
export function symmetricEigenpairs(matrix: Matrix): Eigenpairs {
  const { rows: n, columns } = matrix;
  if (n !== columns) {
    throw new InvalidInputError(`Eigenvectors of a symmetric matrix need a square one, but it is ${n}×${columns}.`);
  }
  const vectors = new Matrix(matrix.data.slice(), n, n);
  const values = new Float64Array(n);
  if (symmetricEigen(n, rowMajor(vectors.data, n), values) !== 0) throw eigenFailure(matrix);
  return { values, vectors };
}

/** Why the eigenvalues of a matrix could not be computed. */
function eigenFailure({ data, rows: n }: Matrix): NumericalError {
  const index = data.findIndex((entry, k) => k % n <= Math.floor(k / n) && !Number.isFinite(entry));
  return new NumericalError(
    index < 0
      ? `The eigenvalues of the ${n}×${n} matrix did not converge. Scale the data, or report this matrix as a bug.`
      : `The ${n}×${n} matrix has no eigenvalues: row ${Math.floor(index / n)}, column ${index % n} is ${data[index]}. ` +
          'Look for missing or overflowing values in what it was made from.',
  );
}
