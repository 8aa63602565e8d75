import * as op from '../tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';

/** Σ_d w_d·a_id·b_jd, n×m, with one weight or one per column. */
export function weightedProducts(A: Tensor2D, B: Tensor2D, weights: Tensor): Tensor2D {
  return op.matMul(op.mul(A, weights) as Tensor2D, B, false, true) as Tensor2D;
}

/** Σ_d w_d·a_id², n entries. */
export function weightedSquares(A: Tensor2D, weights: Tensor): Tensor1D {
  return op.sum(op.mul(op.square(A), weights), 1) as Tensor1D;
}
