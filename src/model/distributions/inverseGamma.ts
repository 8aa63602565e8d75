import { lgamma } from '../../numerics/special/gamma.ts';
import * as op from '../../tensors/ops.ts';
import { parameterPrior } from './parameterPrior.ts';

/**
 * Inverse gamma distribution: log p(x) = a·log b − log Γ(a) − (a + 1)·log x − b/x, x > 0. It keeps a lengthscale away from 0.
 *
 * @param options - `shape` a > 0, `scale` b > 0 (mode b/(a + 1)); `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: inverseGamma({ shape: 3, scale: 4 }) }) });
 * ```
 */
export const inverseGamma = parameterPrior({
  name: 'inverseGamma',
  values: { shape: 'positive', scale: 'positive' },
  lower: 0,
  logDensity: (x, { shape, scale }) =>
    op.sub(shape * Math.log(scale) - lgamma(shape), op.add(op.mul(shape + 1, op.log(x)), op.div(scale, x))),
});
