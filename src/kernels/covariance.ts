import { InvalidInputError, NumericalError } from '../core/errors.ts';
import { Matrix, type MatrixLike } from '../core/matrix.ts';
import { checkNumbers } from '../core/observations.ts';
import { firstNotFinite } from '../core/plainNumbers.ts';
import { doublesOf } from '../engine/tensors/doubles.ts';
import { withFloat64 } from '../engine/tensors/float64/scope.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { entriesOf, shapeOf } from '../model/parameter.ts';
import { checkKernel } from './algebra.ts';
import type { Kernel } from './kernel.ts';

/**
 * The covariance matrix of a kernel at its initial parameter values.
 *
 * @param kernel - the kernel
 * @param X - n×q points
 * @param X2 - m×q points; without them, the Gram matrix of X, with white noise on its diagonal
 * @returns n×n, or n×m with X2
 * @throws InvalidInputError unless the points are matrices of finite numbers with the same number of columns
 * @example
 * ```ts
 * covariance(add(rbf(), white()), [[0], [1], [2]]).toArrays();
 * ```
 */
export function covariance(kernel: Kernel, X: MatrixLike, X2?: MatrixLike): Matrix {
  checkKernel(kernel, 'covariance');
  const left = checkNumbers(Matrix.from(X, 'X'), 'X');
  const right = X2 === undefined ? left : checkNumbers(Matrix.from(X2, 'X2'), 'X2');
  if (left.columns !== right.columns) {
    throw new InvalidInputError(
      `X has ${left.columns} columns, but X2 has ${right.columns}: give points of the same dimension.`,
    );
  }
  return withFloat64(() => {
    const p = Object.fromEntries(
      Object.entries(kernel.parameters).map(([name, { initial }]) => [
        name,
        op.tensor(entriesOf(initial), shapeOf(initial)),
      ]),
    );
    const A = op.tensor(left.data, [left.rows, left.columns]) as Tensor2D;
    const B = X2 === undefined ? A : (op.tensor(right.data, [right.rows, right.columns]) as Tensor2D);
    const entries = doublesOf(kernel.covariance(p, A, B, B));
    const bad = firstNotFinite(entries);
    if (bad >= 0) {
      throw new NumericalError(
        `The covariance of '${kernel.name}' is ${entries[bad]} between point index ${Math.floor(bad / right.rows)} of the first and ` +
          `point index ${bad % right.rows} of the second set. Check its formula there.`,
      );
    }
    return new Matrix(entries, left.rows, right.rows);
  });
}
