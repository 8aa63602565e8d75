import { exp } from '../../core/elementary/index.ts';
import { poissonDraw } from '../../engine/special/randomDraws.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { type CountOptions, countOptions, logCount, refusesAsCount, withOffset } from './counts.ts';
import { defineLikelihood } from './defineLikelihood.ts';
import { drawnEntries } from './likelihood.ts';

/**
 * Counts: y ~ Poisson(exp f), log p(y|f) = y·f − exp f − log y!. Its expectation under f ~ N(a, s) is y·a − exp(a + s/2) − log y!.
 *
 * @param overrides - `offset`: 'rowSums' adds the logarithm of the row's mean count to f, for rows with different exposures, such as cells with
 *   different library sizes; predicted rates are then those of a row with mean count 1
 * @throws InvalidInputError, when a model is made, for observations that are not whole numbers from 0, and with an offset for a row without counts
 * @example
 * ```ts
 * bayesianGplvm(counts, { latentDim: 2, inducing: 20, likelihood: poisson() });
 * ```
 */
export const poisson = defineLikelihood<never, CountOptions>({
  name: 'poisson',
  options: countOptions,
  logDensity: (_p, given, y, options) => {
    const f = withOffset(given, y, options);
    return op.sub<Tensor2D>(op.mul(y, f), op.add(op.exp(f), op.lgamma(op.add(y, 1))));
  },
  expectation: (_p, given, variance, y, options) => {
    const mean = withOffset(given, y, options);
    const rate = op.exp(op.add(mean, op.mul(0.5, variance)));
    return op.sub<Tensor2D>(op.mul(y, mean), op.add(rate, op.lgamma(op.add(y, 1))));
  },
  moments: (_p, mean, variance) => {
    const rate = op.exp<Tensor2D>(op.add<Tensor2D>(mean, op.mul(0.5, variance)));
    const spread = op.mul(op.square(rate), op.sub(op.exp(variance), 1));
    return { mean: rate, variance: op.add<Tensor2D>(rate, spread) };
  },
  sample: (_p, f, random) => drawnEntries(f, [], (entry) => poissonDraw(exp(entry), random)),
  start: logCount,
  refuses: refusesAsCount,
});
