import { log } from '../../core/elementary/index.ts';
import { digamma, lgamma } from '../../engine/special/gamma.ts';
import { distribution } from './distribution.ts';

/**
 * Gamma distribution: log p(x) = a·log b − log Γ(a) + (a − 1)·log x − b·x, x > 0.
 *
 * @param options - `shape` a > 0, `rate` b > 0 (mean a/b): numbers, or parameters, so that hierarchies are said; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) });
 * // three lengthscales of one rate, which is found with them
 * const rate = positive(1, { prior: gamma({ shape: 1, rate: 1 }) });
 * rbf({ lengthscale: positive([1, 1, 1], { prior: gamma({ shape: 2, rate }) }) });
 * ```
 */
export const gamma = distribution({
  name: 'gamma',
  values: { shape: 'positive', rate: 'positive' },
  lower: 0,
  logDensity: (x, { shape, rate }) => shape * log(rate) - lgamma(shape) + (shape - 1) * log(x) - rate * x,
  slope: (x, { shape, rate }) => (shape - 1) / x - rate,
  valueSlopes: (x, { shape, rate }) => ({
    shape: log(rate) - digamma(shape) + log(x),
    rate: shape / rate - x,
  }),
});
