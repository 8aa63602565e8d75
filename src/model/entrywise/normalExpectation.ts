import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { productRule } from '../../engine/special/gaussHermite.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model.ts';
import type { Likelihood } from './likelihood.ts';

/** Gauss–Hermite nodes of each function, by the number of functions; 5 for more functions. */
const NODES = [0, 20, 12, 7];

/** Values of functions with these moments, n×D or adjacent blocks of several, at all combinations of nodes, with the weight of each. */
function atNodes(
  mean: Tensor2D,
  variance: Tensor2D,
  functions: number,
): { readonly f: () => Tensor2D; readonly weight: number }[] {
  const deviation = op.sqrt(variance);
  const columns = mean.shape[1] / functions;
  return productRule(NODES[functions] ?? 5, functions).map(({ at, weight }) => {
    // A number where there is one function, otherwise one for each column.
    const steps = at.flatMap((node) => new Array<number>(columns).fill(node));
    const step = () => (functions === 1 ? at[0]! : op.tensor<Tensor2D>(steps, [1, steps.length]));
    return { f: () => op.add<Tensor2D>(mean, op.mul(step(), deviation)), weight };
  });
}

/** E[g(f)] of every entry if f ~ N(mean, variance), n×D each (or blocks of several functions), by Gauss–Hermite quadrature, with 20 nodes for one function. */
export function normalExpectation(
  mean: Tensor2D,
  variance: Tensor2D,
  g: (f: Tensor2D) => Tensor2D,
  functions = 1,
): Tensor2D {
  return atNodes(mean, variance, functions)
    .map(({ f, weight }) => op.mul<Tensor2D>(weight, g(f())))
    .reduce((sum, part) => op.add<Tensor2D>(sum, part));
}

/**
 * Moments of observations over functions with these moments, from the likelihood's moments at known functions: mean and variance of the expected
 * observation, and the mean variance around it.
 *
 * @throws InvalidInputError for a likelihood without moments
 */
export function expectedMoments(
  owner: string,
  { momentsAt, functions }: Pick<Likelihood, 'momentsAt' | 'functions'>,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
): { readonly expected: { readonly mean: Tensor2D; readonly variance: Tensor2D }; readonly observed: Tensor2D } {
  if (momentsAt === undefined) {
    const own = functions === 1 ? 'moments(p, mean, variance)' : 'momentsAt(p, functions)';
    throw new InvalidInputError(
      `${owner} cannot predict observations: give defineLikelihood its ${own}${functions === 1 ? ', or ask for { noise: false }' : ''}.`,
    );
  }
  const over = (of: (f: Tensor2D) => Tensor2D) => normalExpectation(mean, variance, of, functions);
  const center = over((f) => momentsAt(p, f).mean);
  return {
    expected: {
      mean: center,
      variance: over((f) => op.square(op.sub<Tensor2D>(momentsAt(p, f).mean, center))),
    },
    observed: over((f) => momentsAt(p, f).variance),
  };
}

/** E[log p(y|f)] of every entry: in closed form if the likelihood has one. */
export function expectedLogDensity(
  likelihood: Pick<Likelihood, 'expectation' | 'entryDensity' | 'functions'>,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  return (
    likelihood.expectation?.(p, mean, variance, y) ??
    normalExpectation(mean, variance, (f) => likelihood.entryDensity(p, f, y), likelihood.functions)
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
  if (likelihood.logPredictive !== undefined) return likelihood.logPredictive(p, mean, variance, y);
  const logs = atNodes(mean, variance, likelihood.functions).map(({ f, weight }) =>
    op.add<Tensor2D>(log(weight), likelihood.entryDensity(p, f(), y)),
  );
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
  if (likelihood.sample === undefined) {
    throw new InvalidInputError(
      `Observations of likelihood '${likelihood.name}' cannot be drawn: give defineLikelihood its sample, or draw the functions behind them: sample(X, { noise: false }).`,
    );
  }
  const [n, width] = functions.shape;
  return likelihood.sample(p, random, [n, width / likelihood.functions], [functions]);
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
