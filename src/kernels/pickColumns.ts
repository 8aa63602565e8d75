import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor2D } from '../tensors/tensorflow.ts';

/**
 * Takes some columns out of points.
 *
 * @throws InvalidInputError when the columns are not a list of whole numbers ≥ 0
 */
export function pickColumns(columns: readonly number[]): {
  tensor(X: Tensor2D): Tensor2D;
  matrix(X: Matrix): Matrix;
} {
  if (!Array.isArray(columns) || columns.length === 0 || columns.some((c) => !Number.isInteger(c) || c < 0)) {
    const given = Array.isArray(columns) ? `${describe(columns)} ([${columns}])` : describe(columns);
    throw new InvalidInputError(`select takes a list of column numbers from 0, but ${given} was given.`);
  }
  const check = (width: number) => {
    const beyond = columns.find((column) => column >= width);
    if (beyond === undefined) return;
    throw new InvalidInputError(`select asks for column ${beyond}, but the inputs have ${width} columns.`);
  };
  return {
    tensor: (X) => {
      check(X.shape[1]);
      return op.gather(X, columns, 1) as Tensor2D;
    },
    matrix: (X) => {
      check(X.columns);
      return Matrix.from(X.toArrays().map((row) => columns.map((column) => row[column]!)));
    },
  };
}
