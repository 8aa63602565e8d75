import { lgamma } from '../../numerics/special/gamma.ts';
import * as op from '../../tensors/ops.ts';
import { parameterPrior } from './parameterPrior.ts';

/**
 * Gamma distribution: log p(x) = a·log b − log Γ(a) + (a − 1)·log x − b·x, x > 0.
 *
 * @param options - `shape` a > 0, `rate` b > 0 (mean a/b); `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) });
 * ```
 */
export const gamma = parameterPrior({
  name: 'gamma',
  values: { shape: 'positive', rate: 'positive' },
  lower: 0,
  logDensity: (x, { shape, rate }) =>
    op.add(op.sub(op.mul(shape - 1, op.log(x)), op.mul(rate, x)), shape * Math.log(rate) - lgamma(shape)),
});
