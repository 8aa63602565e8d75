import * as op from '../core/ops.ts';
import { positive } from '../core/parameter.ts';
import type { Tensor1D, Tensor2D } from '../core/tensorflow.ts';
import { defineKernel } from './defineKernel.ts';
import { constantDiagonal, scaledSquaredDistances } from './stationary.ts';

/**
 * Radial basis function (squared exponential): k(x, x') = v·exp(−r²/2), r² = Σ_d ((x_d − x'_d)/l_d)².
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.9
 * @example
 * ```ts
 * rbf({ variance: 2, lengthscale: [1, 0.5] });
 * ```
 */
export const rbf = defineKernel({
  name: 'rbf',
  parameters: { variance: positive(1), lengthscale: positive(1) },
  covariance: (p, A, B) =>
    op.mul(p.variance, op.exp(op.mul(-0.5, scaledSquaredDistances(A, B, p.lengthscale)))) as Tensor2D,
  diagonal: (p, A): Tensor1D => constantDiagonal(p.variance, A),
});
