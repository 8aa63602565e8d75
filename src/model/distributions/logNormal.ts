import { log } from '../../core/elementary/index.ts';
import { distribution } from './distribution.ts';

/**
 * Log-normal distribution: log x is normal, log p(x) = −(log x − m)²/(2s²) − log x − log s − ½·log 2π, x > 0.
 *
 * @param options - `mean` m and `deviation` s > 0, both of log x, numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * rbf({ variance: positive(1, { prior: logNormal({ mean: 0, deviation: 1 }) }) });
 * ```
 */
export const logNormal = distribution({
  name: 'logNormal',
  values: { mean: 'real', deviation: 'positive' },
  lower: 0,
  logDensity: (x, { mean, deviation }) => {
    const z = (log(x) - mean) / deviation;
    return -0.5 * z * z - log(x) - log(deviation) - 0.5 * log(2 * Math.PI);
  },
  slope: (x, { mean, deviation }) => -((log(x) - mean) / deviation / deviation + 1) / x,
  valueSlopes: (x, { mean, deviation }) => {
    const z = (log(x) - mean) / deviation;
    return { mean: z / deviation, deviation: (z * z - 1) / deviation };
  },
});
