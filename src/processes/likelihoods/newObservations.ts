import { InvalidInputError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Likelihood } from './likelihood.ts';
import { logPredictiveDensity } from './normalExpectation.ts';

/**
 * Draws observations at known functions.
 *
 * @throws InvalidInputError for a likelihood without `sample`
 */
export function observedAt(likelihood: Likelihood, p: TensorMap, functions: Tensor2D, random: Random): Tensor2D {
  if (likelihood.density.sample === undefined) {
    throw new InvalidInputError(
      `Observations of likelihood '${likelihood.name}' cannot be drawn: give defineLikelihood its sample, or draw the functions behind them: sample(X, { noise: false }).`,
    );
  }
  return likelihood.density.sample(p, random, functions.shape, [functions]);
}

/** log p(y) of every entry of new observations if the functions are normal with these moments, n×D each. */
export function logPredictiveEntries(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  return likelihood.conjugate === undefined
    ? logPredictiveDensity(likelihood, p, mean, variance, y)
    : normalDensity(y, likelihood.moments(p, mean, variance));
}

function normalDensity(y: Tensor2D, { mean, variance }: { mean: Tensor2D; variance: Tensor2D }): Tensor2D {
  const quadratic = op.div(op.square(op.sub(y, mean)), variance);
  return op.mul<Tensor2D>(-0.5, op.add(op.log(op.mul(2 * Math.PI, variance)), quadratic));
}
