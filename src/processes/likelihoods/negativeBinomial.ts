import { exp } from '../../core/elementary/index.ts';
import { gammaDraw, poissonDraw } from '../../engine/special/randomDraws.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { positive } from '../../model/parameter.ts';
import { type CountOptions, countOptions, logCount, refusesAsCount, withOffset } from './counts.ts';
import { defineLikelihood } from './defineLikelihood.ts';
import { drawnEntries } from './likelihood.ts';

/**
 * Overdispersed counts: mean μ = exp f and variance μ + μ²/r,
 * log p(y|f) = log Γ(y + r) − log Γ(r) − log y! + y·(f − log(r + μ)) + r·(log r − log(r + μ)).
 *
 * @param overrides - `size` r > 0 (1), one number or one per column, which tends to the Poisson as it grows; `offset` as for `poisson`
 * @throws InvalidInputError, when a model is made, for observations that are not whole numbers from 0
 * @example
 * ```ts
 * bayesianGplvm(counts, { latentDim: 2, inducing: 20, likelihood: negativeBinomial({ size: 5 }) });
 * ```
 */
export const negativeBinomial = defineLikelihood<'size', CountOptions>({
  name: 'negativeBinomial',
  options: countOptions,
  parameters: { size: positive(1) },
  logDensity: ({ size }, given, y, options) => {
    const f = withOffset(given, y, options);
    const logSize = op.log(size);
    // log(r + exp f) without overflow.
    const logTotal = op.add(logSize, op.softplus(op.sub(f, logSize)));
    const choices = op.sub(op.lgamma(op.add(y, size)), op.add(op.lgamma(size), op.lgamma(op.add(y, 1))));
    const counted = op.add(op.mul(y, op.sub(f, logTotal)), op.mul(size, op.sub(logSize, logTotal)));
    return op.add<Tensor2D>(choices, counted);
  },
  moments: ({ size }, mean, variance) => {
    const rate = op.exp<Tensor2D>(op.add<Tensor2D>(mean, op.mul(0.5, variance)));
    const square = op.mul(op.square(rate), op.exp(variance));
    const spread = op.sub(op.add(square, op.div(square, size)), op.square(rate));
    return { mean: rate, variance: op.add<Tensor2D>(rate, spread) };
  },
  // A Poisson variable with a gamma distributed rate of mean μ.
  sample: ({ size }, f, random) =>
    drawnEntries(f, [size], (entry, r) => poissonDraw((exp(entry) / r!) * gammaDraw(r!, random), random)),
  start: logCount,
  refuses: refusesAsCount,
});
