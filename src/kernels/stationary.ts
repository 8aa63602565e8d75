import * as op from '../core/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../core/tensorflow.ts';

/**
 * r²_ij = Σ_d ((a_id − b_jd)/l_d)², n×m, by direct differences: never negative, 0 for coincident points, with gradient 0 there.
 */
export function scaledSquaredDistances(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): Tensor2D {
  const scaled = op.div(A, lengthscale) as Tensor2D;
  return op.squaredDistances(scaled, A === B ? scaled : (op.div(B, lengthscale) as Tensor2D));
}

/** The diagonal of a stationary covariance: its variance for every row of A. */
export function constantDiagonal(variance: Tensor, A: Tensor2D): Tensor1D {
  return op.mul(variance, op.ones([A.shape[0]])) as Tensor1D;
}
