import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { constantDiagonal, defineKernel } from './defineKernel.ts';

/**
 * Cosine: k(x, x') = v·cos(2π·Σ_d (x_d − x'_d)/l_d): a wave of length l_d along dimension d. Positive definite in any dimension (of rank 2), unlike a
 * cosine of the Euclidean distance.
 *
 * @param overrides - `variance` v > 0 (1); `lengthscale` l > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Wilson & Adams 2013, eq. 12, with one component of zero width
 * @example
 * ```ts
 * multiply(cosine({ lengthscale: 2 }), rbf()); // a wave that fades
 * ```
 */
export const cosine = defineKernel<'variance' | 'lengthscale', object, 'cosine'>({
  name: 'cosine',
  parameters: { variance: positive(1), lengthscale: positive(1) },
  covariance: (p, A, B) => {
    const left = waves(A, p.lengthscale);
    // cos(α − β) = cos α·cos β + sin α·sin β
    const product = A === B ? op.gramMatrix(left) : op.matMul(left, waves(B, p.lengthscale), false, true);
    return op.mul(p.variance, product) as Tensor2D;
  },
  diagonal: (p, A) => constantDiagonal(p.variance, A),
  capabilities: () => ({
    structure: {
      type: 'features',
      rank: () => 2,
      at: (p, A) => op.mul<Tensor2D>(op.sqrt(p.variance), waves(A, p.lengthscale)),
    },
  }),
});

/** (cos α, sin α) of every row's phase α = 2π·Σ_d x_d/l_d: n×2. */
function waves(X: Tensor2D, lengthscale: Tensor): Tensor2D {
  const phase = op.mul(2 * Math.PI, op.sum(op.div(X, lengthscale), 1, true));
  return op.concat([op.cos(phase), op.sin(phase)], 1) as Tensor2D;
}

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
