import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel } from './defineKernel.ts';
import { constantDiagonal, scaledSquaredDistances } from './defineRadialKernel.ts';

/**
 * Rational quadratic: k(x, x') = v(1 + r²/(2α))^{−α}, r² = Σ_d ((x_d − x'_d)/l_d)²: a mixture of rbf kernels of all lengthscales, which tends to one
 * rbf for α → ∞.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD); `alpha` α > 0 (1)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, eq. 4.19
 * @example
 * ```ts
 * rationalQuadratic({ lengthscale: 0.5, alpha: 2 });
 * ```
 */
export const rationalQuadratic = defineKernel<'variance' | 'lengthscale' | 'alpha', object, 'rationalQuadratic'>({
  name: 'rationalQuadratic',
  parameters: { variance: positive(1), lengthscale: positive(1), alpha: positive(1) },
  covariance: (p, A, B) => {
    const r2 = scaledSquaredDistances(A, B, p.lengthscale);
    const exponent = op.mul(op.neg(p.alpha), op.log1p(op.div(r2, op.mul(2, p.alpha))));
    return op.mul(p.variance, op.exp(exponent)) as Tensor2D;
  },
  diagonal: (p, A) => constantDiagonal(p.variance, A),
});
