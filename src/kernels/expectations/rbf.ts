import * as op from '../../tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../tensors/tensorflow.ts';
import { type ExpectationInputs, type Expectations, weightedProducts } from './expectations.ts';

/**
 * Expectations of v·exp(−r²/2), one lengthscale or one a dimension: see `op.expectedRbf` and `op.expectedRbfProducts`. The density of x_n times
 * k(x_n, z_m) is Ψ₁ times a Gaussian of mean (l²μ + s·z)/(l² + s), which gives the moments.
 */
export function rbfExpectations(
  p: { readonly variance: Tensor; readonly lengthscale: Tensor },
  { x, Z, weights }: ExpectationInputs,
): Expectations {
  const cross = op.expectedRbf(x, Z, p.variance, p.lengthscale);
  return {
    diagonal: op.mul(p.variance, op.ones([x.mean.shape[0]])),
    cross,
    products: () => {
      const all = op.expectedRbfProducts(x, Z, p.variance, p.lengthscale, weights);
      const m = Z.shape[0];
      return Array.from({ length: all.shape[0]! }, (_, i) => {
        const one = all.shape[0] === 1 ? all : op.slice(all, [i, 0, 0], [1, m, m]);
        return op.reshape<Tensor2D>(one, [m, m]);
      });
    },
    moments: () => {
      const square = op.square(p.lengthscale);
      const shares = op.div(x.variance, op.add(square, x.variance)) as Tensor2D;
      const rest = op.mul(op.sub(1, shares), x.mean) as Tensor2D;
      const own = weightedProducts(cross, rest, weights);
      const towards = weightedProducts(cross, shares, weights);
      return own.map((part, i) => op.add(part, op.mul(Z, towards[i]!)) as Tensor2D);
    },
  };
}
