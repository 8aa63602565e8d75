import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';
import * as op from '../../tensors/ops.ts';
import type { Tensor2D } from '../../tensors/tensorflow.ts';

/**
 * What is added to the diagonal of K_uu = k(Z, Z), always: inducing inputs that come close to each other, or a kernel of lower rank than
 * there are inducing inputs, leave it singular. GPy adds the same.
 */
export const INDUCING_JITTER = 1e-8;

/** L with LLᵀ = k(Z, Z) + jitter·I, M×M. */
export function inducingFactor(
  kernel: Kernel,
  p: TensorMap,
  Z: Tensor2D,
  options: op.PositiveDefiniteOptions & { readonly jitter: number },
): Tensor2D {
  const { jitter, ...rest } = options;
  const K = kernel.covariance(p, Z, Z, Z);
  const name = 'The covariance of the inducing inputs';
  return op.cholesky(jitter === 0 ? K : op.addDiagonal(K, op.scalar(jitter)), { name, ...rest });
}
