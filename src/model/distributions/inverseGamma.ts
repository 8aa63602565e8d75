import { log } from '../../core/elementary/index.ts';
import { digamma, lgamma } from '../../engine/special/gamma.ts';
import { distribution } from './distribution.ts';

/**
 * Inverse gamma distribution: log p(x) = a·log b − log Γ(a) − (a + 1)·log x − b/x, x > 0. It keeps a lengthscale away from 0.
 *
 * @param options - `shape` a > 0, `scale` b > 0 (mode b/(a + 1)), numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: inverseGamma({ shape: 3, scale: 4 }) }) });
 * ```
 */
export const inverseGamma = distribution({
  name: 'inverseGamma',
  values: { shape: 'positive', scale: 'positive' },
  lower: 0,
  logDensity: (x, { shape, scale }) => shape * log(scale) - lgamma(shape) - (shape + 1) * log(x) - scale / x,
  slope: (x, { shape, scale }) => (scale / x - shape - 1) / x,
  valueSlopes: (x, { shape, scale }) => ({
    shape: log(scale) - digamma(shape) - log(x),
    scale: shape / scale - 1 / x,
  }),
});
