import { Matrix } from '../../core/matrix.ts';
import { doublesOf } from './doubles.ts';
import * as op from './ops.ts';
import type { Tensor2D } from './tensorflow.ts';

/** A tensor on the active backend with the entries of a matrix. */
export function matrixTensor(matrix: Matrix): Tensor2D {
  return op.tensor(matrix.data, [matrix.rows, matrix.columns]) as Tensor2D;
}

/** A matrix with the entries of a tensor. */
export function tensorMatrix(tensor: Tensor2D): Matrix {
  return new Matrix(doublesOf(tensor), tensor.shape[0], tensor.shape[1]);
}
