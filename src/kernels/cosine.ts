import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel } from './defineKernel.ts';
import { constantDiagonal } from './defineRadialKernel.ts';

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
