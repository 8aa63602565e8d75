import * as op from '../../tensors/ops.ts';
import type { Scalar } from '../../tensors/tensorflow.ts';
import type { BoundParts } from './variationalParts.ts';

/** KL(q(X)‖N(0, I)) = ½·Σ_nd (μ² + s − log s − 1) of Gaussian latents. */
export function standardNormalDivergence({ mean, variance }: op.GaussianRows): Scalar {
  const entries = op.sub(op.add(op.square(mean), variance), op.add(op.log(variance), 1));
  return op.mul(0.5, op.sum(entries)) as Scalar;
}

/**
 * The divergences that bounds of several views lose, less than 0: that of the latents from their prior once, and those of each q(u).
 *
 * @param scale - what a sum over the points that count is multiplied with
 */
export function lostDivergence(bounds: readonly BoundParts[], scale: number): Scalar {
  const ofLatents = op.mul(scale, standardNormalDivergence(bounds[0]!.x));
  const all = bounds.flatMap(({ inducing }) => inducing ?? []).reduce((sum, own) => op.add(sum, own), ofLatents);
  return op.neg(all) as Scalar;
}
