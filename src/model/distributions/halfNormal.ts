import { log, square } from '../../core/elementary/index.ts';
import { distribution } from './distribution.ts';

/**
 * Half-normal distribution: log p(x) = ½·log(2/π) − log s − x²/(2s²), x > 0.
 *
 * @param options - `scale` s > 0, a number or a parameter; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when the scale is missing or not above 0
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, noise: positive(0.01, { prior: halfNormal({ scale: 0.1 }) }) });
 * ```
 */
export const halfNormal = distribution({
  name: 'halfNormal',
  values: { scale: 'positive' },
  lower: 0,
  logDensity: (x, { scale }) => 0.5 * log(2 / Math.PI) - log(scale) - 0.5 * square(x / scale),
  slope: (x, { scale }) => -x / square(scale),
  valueSlopes: (x, { scale }) => ({ scale: (square(x / scale) - 1) / scale }),
});
