import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';

/** Checks variances of points X, n×q, to be nonnegative. */
export function givenVariances(given: MatrixLike, X: Matrix): Matrix {
  const variances = sameShape(
    checkNumbers(Matrix.from(given, 'latentVariances'), 'latentVariances'),
    X,
    'latentVariances',
  );
  const bad = variances.data.findIndex((entry) => entry < 0);
  if (bad < 0) return variances;
  throw new InvalidInputError(
    `latentVariances must be 0 or more, but row ${Math.floor(bad / X.columns)}, column ${bad % X.columns} is ${variances.data[bad]}.`,
  );
}

/** Checks that a matrix has the same shape as another. */
export function sameShape(given: Matrix, like: Matrix, name = 'The complete observations'): Matrix {
  if (given.rows === like.rows && given.columns === like.columns) return given;
  throw new InvalidInputError(
    `${name} must be ${like.rows}×${like.columns}, but a ${given.rows}×${given.columns} matrix was given.`,
  );
}
