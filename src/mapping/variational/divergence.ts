import * as op from '../../tensors/ops.ts';
import type { Scalar } from '../../tensors/tensorflow.ts';

/** KL(q(X)‖N(0, I)) = ½·Σ_nd (μ² + s − log s − 1) of Gaussian latents. */
export function standardNormalDivergence({ mean, variance }: op.GaussianRows): Scalar {
  const entries = op.sub(op.add(op.square(mean), variance), op.add(op.log(variance), 1));
  return op.mul(0.5, op.sum(entries)) as Scalar;
}
