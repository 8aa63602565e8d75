import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Kernel } from '../../kernels/kernel.ts';
import type { TensorMap } from '../../model/model.ts';

/**
 * Default jitter of K_uu = k(Z, Z), relative to the mean of its diagonal: inducing inputs close to each other, or a kernel of lower rank than their
 * number, leave it singular. A relative jitter makes results independent of the unit of the observations; GPy adds 1e-8 whatever the variance is.
 */
const INDUCING_JITTER = 1e-8;

/** L with LLᵀ = k(Z, Z) + jitter·I, M×M, without `white`, the white noise of the kernel, if the inducing variables do not include it. */
export function inducingFactor(
  kernel: Kernel,
  p: TensorMap,
  Z: Tensor2D,
  options: op.PositiveDefiniteOptions & {
    readonly jitter?: number | undefined;
    readonly white?: Tensor | undefined;
  } = {},
): Tensor2D {
  const { jitter, white, ...rest } = options;
  const K = kernel.covariance(p, Z, Z, Z);
  const smooth = white === undefined ? K : op.addDiagonal(K, op.neg(white));
  const added =
    jitter === undefined ? op.mul<Scalar>(INDUCING_JITTER, op.mean(op.diagPart(smooth))) : op.scalar(jitter);
  const name = 'The covariance of the inducing inputs';
  return op.cholesky(jitter === 0 ? smooth : op.addDiagonal(smooth, added), { ...rest, name });
}
