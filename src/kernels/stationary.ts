import { InvalidInputError } from '../core/errors.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';

/**
 * r²_ij = Σ_d ((a_id − b_jd)/l_d)², n×m, by direct differences: never negative, 0 for coincident points, with gradient 0 there.
 */
export function scaledSquaredDistances(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): Tensor2D {
  return op.squaredDistances(...scaledPoints(A, B, lengthscale));
}

/** Both sets of points divided by the lengthscales; the same tensor twice if the sets are the same. */
export function scaledPoints(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): [Tensor2D, Tensor2D] {
  if (lengthscale.size !== 1 && lengthscale.size !== A.shape[1]) {
    throw new InvalidInputError(
      `A lengthscale is one number, or ${A.shape[1]}, one for each dimension of the points, but ${lengthscale.size} were given.`,
    );
  }
  const left = op.div(A, lengthscale) as Tensor2D;
  return [left, A === B ? left : (op.div(B, lengthscale) as Tensor2D)];
}

/** The diagonal of a stationary covariance: its variance for every row of A. */
export function constantDiagonal(variance: Tensor, A: Tensor2D): Tensor1D {
  return op.mul(variance, op.ones([A.shape[0]])) as Tensor1D;
}
