import { log, square } from '../../core/elementary/index.ts';
import { distribution } from './distribution.ts';

/**
 * Normal distribution: log p(x) = −(x − m)²/(2s²) − log s − ½·log 2π, on the whole real line.
 *
 * @param options - `mean` m, `deviation` s > 0, numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * positive(1, { prior: normal({ mean: 0, deviation: 1, on: 'unconstrained' }) }); // on the logarithm of the parameter
 * ```
 */
export const normal = distribution({
  name: 'normal',
  values: { mean: 'real', deviation: 'positive' },
  lower: -Infinity,
  logDensity: (x, { mean, deviation }) =>
    -0.5 * square((x - mean) / deviation) - log(deviation) - 0.5 * log(2 * Math.PI),
  slope: (x, { mean, deviation }) => -((x - mean) / deviation) / deviation,
  valueSlopes: (x, { mean, deviation }) => {
    const z = (x - mean) / deviation;
    return { mean: z / deviation, deviation: (z * z - 1) / deviation };
  },
});
