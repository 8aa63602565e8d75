import * as op from '../../tensors/ops.ts';
import { parameterPrior } from './parameterPrior.ts';

/**
 * Half-normal distribution: log p(x) = ½·log(2/π) − log s − x²/(2s²), x > 0.
 *
 * @param options - `scale` s > 0; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when the scale is missing or not above 0
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, noise: positive(0.01, { prior: halfNormal({ scale: 0.1 }) }) });
 * ```
 */
export const halfNormal = parameterPrior({
  name: 'halfNormal',
  values: { scale: 'positive' },
  lower: 0,
  logDensity: (x, { scale }) =>
    op.add(op.mul(-0.5 / scale ** 2, op.square(x)), 0.5 * Math.log(2 / Math.PI) - Math.log(scale)),
});
