import { NumericalError } from './errors.ts';
import { withFloat64 } from './float64/scope.ts';
import { linearAlgebra } from './linalg/index.ts';
import { Matrix } from './matrix.ts';

/**
 * All eigenvalues and eigenvectors of a symmetric matrix A = V·diag(λ)·Vᵀ.
 *
 * @param A - n×n, its lower triangle is read
 * @returns `values` ascending, and `vectors` n×n with unit eigenvectors in its columns, the entry of largest modulus positive
 * @throws NumericalError when an entry is not finite
 */
export function symmetricEigenpairs(A: Matrix): { values: Float64Array; vectors: Matrix } {
  const n = A.rows;
  return withFloat64(({ memory64 }) =>
    memory64.withBlock(Math.max(8, 8 * n * n), (a) =>
      memory64.withBlock(Math.max(8, 8 * n), (w) => {
        memory64.float64(a, n * n).set(A.data);
        if (linearAlgebra(memory64).symmetricEigen(n, a, w) !== 0) {
          throw new NumericalError(
            `The eigenvalues of a ${n}×${n} matrix could not be found: check that its entries are finite.`,
          );
        }
        const vectors = new Matrix(memory64.float64(a, n * n).slice(), n, n);
        return { values: memory64.float64(w, n).slice(), vectors };
      }),
    ),
  );
}
