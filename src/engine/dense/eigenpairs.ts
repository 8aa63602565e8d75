import { InvalidInputError, NumericalError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { checkGiven } from '../../core/options.ts';
import { sharedMemory } from '../memory.ts';
import { rowMajor } from '../typescript/matrices.ts';
import { symmetricEigen } from '../typescript/symmetricEigen.ts';
import { linearAlgebra } from './activeEngine.ts';

/** Order from which the active engine is worth copying to its memory and back. */
const LARGE = 100;
const BYTES = 8;

/** Eigenvalues and, as columns, unit eigenvectors whose entry of largest modulus (the first of equals) is positive. */
export interface Eigenpairs {
  readonly values: Float64Array;
  /** Column j belongs to `values[j]`. */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of a symmetric matrix, A = V·diag(λ)·Vᵀ with λ ascending; the lower triangle is read. The active engine computes those of large
 * matrices.
 *
 * @param matrix - n×n
 * @throws InvalidInputError if the matrix is not square
 * @throws NumericalError if an entry is not finite or the iteration does not converge
 * @example
 * ```ts
 * symmetricEigenpairs(Matrix.from([[2, 1], [1, 2]])).values; // Float64Array [1, 3]
 * ```
 */
export function symmetricEigenpairs(matrix: Matrix): Eigenpairs {
  checkGiven(matrix, 'symmetricEigenpairs', 'a Matrix', (given) => given instanceof Matrix);
  const { rows: n, columns } = matrix;
  if (n !== columns) {
    throw new InvalidInputError(`Eigenvectors of a symmetric matrix need a square one, but it is ${n}×${columns}.`);
  }
  const pairs = { values: new Float64Array(n), vectors: new Matrix(matrix.data.slice(), n, n) };
  const status =
    n < LARGE ? symmetricEigen(n, rowMajor(pairs.vectors.data, n), pairs.values) : decomposeByEngine(n, pairs);
  if (status !== 0) throw eigenFailure(matrix);
  return pairs;
}

/** Overwrites A, stored in place of the vectors, with V; returns the engine's status. */
function decomposeByEngine(n: number, { values, vectors }: Eigenpairs): number {
  const memory64 = sharedMemory();
  return memory64.withBlock(BYTES * n * (n + 1), (a) => {
    const w = a + BYTES * n * n;
    memory64.float64(a, n * n).set(vectors.data);
    const status = linearAlgebra(memory64).symmetricEigen(n, a, w);
    vectors.data.set(memory64.float64(a, n * n));
    values.set(memory64.float64(w, n));
    return status;
  });
}

/** Error for a matrix whose eigenvalues could not be computed. */
function eigenFailure({ data, rows: n }: Matrix): NumericalError {
  const index = data.findIndex((entry, k) => k % n <= Math.floor(k / n) && !Number.isFinite(entry));
  return new NumericalError(
    index < 0
      ? `The eigenvalues of the ${n}×${n} matrix did not converge. Scale the data, or report this matrix as a bug.`
      : `The ${n}×${n} matrix has no eigenvalues: row ${Math.floor(index / n)}, column ${index % n} is ${data[index]}. ` +
          'Look for missing or overflowing values in what it was made from.',
  );
}
