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
    const z = (Math.log(x) - mean) / deviation;
    return -0.5 * z * z - Math.log(x) - Math.log(deviation) - 0.5 * Math.log(2 * Math.PI);
  },
  slopes: (x, { mean, deviation }) => {
    const z = (Math.log(x) - mean) / deviation;
    return { x: -(z / deviation + 1) / x, mean: z / deviation, deviation: (z * z - 1) / deviation };
  },
});
