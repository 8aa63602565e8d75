import { InvalidInputError } from '../core/errors.ts';
import { type ParameterLike, positive } from '../model/parameter.ts';
import * as op from '../tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import { defineKernel, type KernelDefinition, type KernelFactory } from './defineKernel.ts';

/**
 * A stationary kernel: k(x, x') = v·f(r²), r² = Σ_d ((x_d − x'_d)/l_d)². A profile f and the metric are all it takes.
 *
 * @param profile - f with f(0) = 1; its name is the kernel's
 * @param offsetGram - the Gram matrix with offsets, when one operation does both
 */
export function stationaryKernel(
  profile: op.RadialProfile,
  offsetGram?: KernelDefinition<'variance' | 'lengthscale'>['offsetGram'],
): KernelFactory<'variance' | 'lengthscale'> {
  return defineKernel({
    name: profile.name,
    parameters: STATIONARY,
    covariance: (p, A, B) => {
      const [left, right] = scaledPoints(A, B, p.lengthscale);
      return op.radialCovariance(left, right, p.variance, profile);
    },
    diagonal: (p, A) => constantDiagonal(p.variance, A),
    ...(offsetGram && { offsetGram }),
  });
}

const STATIONARY: Record<'variance' | 'lengthscale', ParameterLike> = {
  variance: positive(1),
  lengthscale: positive(1),
};

/**
 * r²_ij = Σ_d ((a_id − b_jd)/l_d)², n×m, by direct differences: never negative, 0 for coincident points, with gradient 0 there.
 */
export function scaledSquaredDistances(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): Tensor2D {
  return op.squaredDistances(...scaledPoints(A, B, lengthscale));
}

/** Both sets of points divided by the lengthscales; one tensor twice for one set. */
function scaledPoints(A: Tensor2D, B: Tensor2D, lengthscale: Tensor): [Tensor2D, Tensor2D] {
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
