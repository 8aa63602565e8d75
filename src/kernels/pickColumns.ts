import { InvalidInputError } from '../core/errors.ts';
import { givenList } from '../core/given.ts';
import { describe, Matrix } from '../core/matrix.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';

/**
 * Returns a function that selects columns of points.
 *
 * @throws InvalidInputError unless the columns are a list of whole numbers ≥ 0
 */
export function pickColumns(given: readonly number[]): {
  tensor(X: Tensor2D): Tensor2D;
  matrix(X: Matrix): Matrix;
} {
  const expected = 'a list of column numbers from 0';
  const columns = givenList(given, 'select', expected);
  if (columns.length === 0 || columns.some((c) => !Number.isInteger(c) || c < 0)) {
    throw new InvalidInputError(
      `select takes ${expected}, but ${describe(given)} ([${columns.map(describe)}]) was given.`,
    );
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
