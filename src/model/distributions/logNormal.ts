import * as op from '../../tensors/ops.ts';
import { parameterPrior } from './parameterPrior.ts';

/**
 * Log-normal distribution: log x is normal, log p(x) = −(log x − m)²/(2s²) − log x − log s − ½·log 2π, x > 0.
 *
 * @param options - `mean` m and `deviation` s > 0, both of log x; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * rbf({ variance: positive(1, { prior: logNormal({ mean: 0, deviation: 1 }) }) });
 * ```
 */
export const logNormal = parameterPrior({
  name: 'logNormal',
  values: { mean: 'real', deviation: 'positive' },
  lower: 0,
  logDensity: (x, { mean, deviation }) => {
    const logarithm = op.log(x);
    const exponent = op.mul(-0.5 / deviation ** 2, op.square(op.sub(logarithm, mean)));
    return op.sub(op.sub(exponent, logarithm), Math.log(deviation) + 0.5 * Math.log(2 * Math.PI));
  },
});
