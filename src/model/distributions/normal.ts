import * as op from '../../tensors/ops.ts';
import { parameterPrior } from './parameterPrior.ts';

/**
 * Normal distribution: log p(x) = −(x − m)²/(2s²) − log s − ½·log 2π, on the whole real line.
 *
 * @param options - `mean` m, `deviation` s > 0; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * positive(1, { prior: normal({ mean: 0, deviation: 1, on: 'unconstrained' }) }); // on the logarithm of the parameter
 * ```
 */
export const normal = parameterPrior({
  name: 'normal',
  values: { mean: 'real', deviation: 'positive' },
  lower: -Infinity,
  logDensity: (x, { mean, deviation }) =>
    op.sub(
      op.mul(-0.5 / deviation ** 2, op.square(op.sub(x, mean))),
      Math.log(deviation) + 0.5 * Math.log(2 * Math.PI),
    ),
});
