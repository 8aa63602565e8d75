import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { gaussHermite } from '../../engine/quadrature/gaussHermite.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../../model/model.ts';
import type { Likelihood } from './likelihood.ts';

const NODES = 20;

/** E[g(f)] of every entry if f ~ N(mean, variance), n×D each, by Gauss–Hermite quadrature with 20 nodes. */
export function normalExpectation(mean: Tensor2D, variance: Tensor2D, g: (f: Tensor2D) => Tensor2D): Tensor2D {
  const { nodes, weights } = gaussHermite(NODES);
  const deviation = op.sqrt(variance);
  return Array.from(nodes, (node, k) => {
    const f = op.add<Tensor2D>(mean, op.mul(node, deviation));
    return op.mul<Tensor2D>(weights[k]!, g(f));
  }).reduce((sum, part) => op.add<Tensor2D>(sum, part));
}

/** E[log p(y|f)] of every entry: in closed form if the likelihood has one. */
export function expectedLogDensity(
  likelihood: Pick<Likelihood, 'expectation' | 'logDensity'>,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  return (
    likelihood.expectation?.(p, mean, variance, y) ??
    normalExpectation(mean, variance, (f) => likelihood.logDensity(p, f, y))
  );
}

/**
 * log E[p(y|f)] of every entry: log p(y) of a new observation if f ~ N(mean, variance).
 * The largest term is factored out of the sum, so that nothing underflows.
 */
export function logPredictiveDensity(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  const { nodes, weights } = gaussHermite(NODES);
  const deviation = op.sqrt(variance);
  const logs = Array.from(nodes, (node, k) => {
    const f = op.add<Tensor2D>(mean, op.mul(node, deviation));
    return op.add<Tensor2D>(log(weights[k]!), likelihood.logDensity(p, f, y));
  });
  const most = logs.reduce((largest, part) => op.maximum<Tensor2D>(largest, part));
  const sum = logs
    .map((part) => op.exp<Tensor2D>(op.sub<Tensor2D>(part, most)))
    .reduce((total, part) => op.add<Tensor2D>(total, part));
  return op.add<Tensor2D>(most, op.log(sum));
}

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
