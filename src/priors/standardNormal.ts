import { log } from '../core/elementary/index.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { normalEntries } from '../model/jointDraw.ts';
import { fixed } from '../model/parameter.ts';
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
  logDensity: (p, X) => op.normalLogDensity(X, p.precision),
  pointLogDensity: (p, X) => {
    const constant = op.mul(X.shape[1] / 2, op.sub(op.log(p.precision), log(2 * Math.PI)));
    return op.add<Tensor1D>(op.mul(op.mul(-0.5, p.precision), op.sum(op.square(X), 1)), constant);
  },
  sample: (p, random, shape) => op.div<Tensor2D>(normalEntries(random, ...shape), op.sqrt(p.precision)),
  expected: (p, { mean, variance }) => {
    const constant = op.mul(mean.shape[1] / 2, op.sub(op.log(p.precision), log(2 * Math.PI)));
    const squares = op.sum(op.add(op.square(mean), variance), 1);
    return op.add<Tensor1D>(op.mul(op.mul(-0.5, p.precision), squares), constant);
  },
  hessian:
    () =>
    ({ precision }, { data: { length: n } }) => {
      const H = new Float64Array(n * n);
      for (let i = 0; i < n; i++) H[i * (n + 1)] = -(precision as number);
      return H;
    },
});
