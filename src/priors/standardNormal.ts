import { fixed } from '../model/parameter.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D } from '../tensors/tensorflow.ts';
import { definePrior } from './definePrior.ts';

/**
 * Independent normal latents of precision γ: log p(X) = −γ/2·Σ x² + Nq/2·log γ − Nq/2·log 2π.
 *
 * @param overrides - `precision` γ > 0, held at 1 unless a free parameter is given
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Lawrence 2005, eq. 3; Jiang et al. 2014, eq. 24
 * @example
 * ```ts
 * standardNormal({ precision: 2 });
 * ```
 */
export const standardNormal = definePrior({
  name: 'standardNormal',
  parameters: { precision: fixed(1) },
  logDensity: (p, X) => density(p.precision, op.sum(op.square(X)), X.size) as Scalar,
  pointLogDensity: (p, X) => density(p.precision, op.sum(op.square(X), 1), X.shape[1]) as Tensor1D,
});

/** −γ/2·squares + count/2·(log γ − log 2π) */
function density(precision: Tensor, squares: Tensor, count: number): Tensor {
  const constant = op.mul(count / 2, op.sub(op.log(precision), Math.log(2 * Math.PI)));
  return op.add(op.mul(op.mul(-0.5, precision), squares), constant);
}
