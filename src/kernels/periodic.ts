import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel } from './defineKernel.ts';
import { constantDiagonal } from './defineRadialKernel.ts';

/**
 * Periodic: k(x, x') = v·exp(−2·Σ_d sin²(π(x_d − x'_d)/T_d)/l_d²): functions that repeat after T.
 * It is computed as an rbf of points on circles: with u(x) = (cos 2πx/T, sin 2πx/T), ‖u(x) − u(x')‖² = 4·sin²(π(x − x')/T).
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1) and `period` T > 0 (1), each a list for one per latent dimension
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see MacKay 1998, §5.2; Rasmussen & Williams 2006, eq. 4.31
 * @example
 * ```ts
 * periodic({ period: 2 * Math.PI });
 * ```
 */
export const periodic = defineKernel<'variance' | 'lengthscale' | 'period', object, 'periodic'>({
  name: 'periodic',
  parameters: { variance: positive(1), lengthscale: positive(1), period: positive(1) },
  covariance: (p, A, B) => {
    const left = onCircles(A, p.period, p.lengthscale);
    const right = A === B ? left : onCircles(B, p.period, p.lengthscale);
    return op.mul(p.variance, op.exp(op.mul(-0.5, op.squaredDistances(left, right)))) as Tensor2D;
  },
  diagonal: (p, A) => constantDiagonal(p.variance, A),
});

/** Maps every coordinate to a circle of radius 1/l, once around per period: n×2q. */
function onCircles(X: Tensor2D, period: Tensor, lengthscale: Tensor): Tensor2D {
  const angle = op.mul(2 * Math.PI, op.div(X, period));
  return op.concat([op.div(op.cos(angle), lengthscale), op.div(op.sin(angle), lengthscale)], 1) as Tensor2D;
}
