import { InvalidInputError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { productRule } from '../../engine/special/gaussHermite.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { TensorMap } from '../model.ts';
import type { Likelihood } from './likelihood.ts';

/** Gauss–Hermite nodes of each function, by the number of functions; 5 for more functions. */
const NODES = [0, 20, 12, 7];

/** Functions with given moments at nodes of quadrature. */
interface AtNodes {
  /** Values at all combinations of the nodes, a block of n rows for each. */
  readonly f: Tensor2D;
  /** Rows that are the same at all nodes, such as observations, as blocks below each other. */
  readonly repeated: (rows: Tensor2D) => Tensor2D;
  /** Weighted sum over the nodes of such blocks, n×D. */
  readonly averaged: (values: Tensor2D) => Tensor2D;
  /** Logarithm of the weighted sum of exp(logs) over the nodes, n×D, which does not underflow. */
  readonly logAveraged: (logs: Tensor2D) => Tensor2D;
}

/** Functions with these moments, n×D or adjacent blocks of several, at the nodes of Gauss–Hermite quadrature. */
function atNodes(mean: Tensor2D, variance: Tensor2D, functions = 1): AtNodes {
  const [n, width] = mean.shape;
  const rule = productRule(NODES[functions] ?? 5, functions);
  const count = rule.length;
  const columns = width / functions;
  const steps = rule.flatMap(({ at }) => at.flatMap((node) => new Array<number>(columns).fill(node)));
  const moved = op.mul(op.tensor(steps, [count, 1, width]), op.reshape(op.sqrt(variance), [1, ...variance.shape]));
  const weights = op.tensor(
    rule.map(({ weight }) => weight),
    [count, 1, 1],
  );
  const blocks = (values: Tensor2D) => op.reshape<Tensor>(values, [count, n, -1]);
  return {
    f: op.reshape<Tensor2D>(op.add(op.reshape(mean, [1, n, width]), moved), [count * n, width]),
    repeated: (rows) => op.concat(new Array<Tensor2D>(count).fill(rows), 0),
    averaged: (values) => op.sum<Tensor2D>(op.mul(weights, blocks(values)), 0),
    logAveraged: (logs) => op.logSumExp<Tensor2D>(op.add(op.log(weights), blocks(logs)), 0),
  };
}

/**
 * E[g(f)] of every entry if f ~ N(mean, variance), n×D each (or blocks of several functions), by Gauss–Hermite quadrature, with 20 nodes for one function.
 *
 * @param g - function of the functions' values at all nodes, a block of n rows for each
 */
export function normalExpectation(mean: Tensor2D, variance: Tensor2D, g: (f: Tensor2D) => Tensor2D): Tensor2D {
  const { f, averaged } = atNodes(mean, variance);
  return averaged(g(f));
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
    const other = functions === 1 ? ', or ask for { noise: false }' : '';
    throw new InvalidInputError(
      `${owner} cannot predict observations: give defineLikelihood its momentsAt(p, functions)${other}.`,
    );
  }
  const { f, repeated, averaged } = atNodes(mean, variance, functions);
  const at = momentsAt(p, f);
  const center = averaged(at.mean);
  return {
    expected: { mean: center, variance: averaged(op.square(op.sub<Tensor2D>(at.mean, repeated(center)))) },
    observed: averaged(op.add(at.variance, op.zerosLike(at.mean))),
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
  const closed = likelihood.expectation?.(p, mean, variance, y);
  if (closed !== undefined) return closed;
  const { f, repeated, averaged } = atNodes(mean, variance, likelihood.functions);
  return averaged(likelihood.entryDensity(p, f, repeated(y)));
}

/**
 * log E[p(y|f)] of every entry: log p(y) of a new observation if f ~ N(mean, variance).
 */
export function logPredictiveDensity(
  likelihood: Likelihood,
  p: TensorMap,
  mean: Tensor2D,
  variance: Tensor2D,
  y: Tensor2D,
): Tensor2D {
  if (likelihood.logPredictive !== undefined) return likelihood.logPredictive(p, mean, variance, y);
  const { f, repeated, logAveraged } = atNodes(mean, variance, likelihood.functions);
  return logAveraged(likelihood.entryDensity(p, f, repeated(y)));
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
  if (likelihood.conjugate === undefined) return logPredictiveDensity(likelihood, p, mean, variance, y);
  const predicted = likelihood.moments(p, mean, variance);
  return normalDensity(op.square(op.sub(y, predicted.mean)), predicted.variance);
}

/** −½·(log 2πv + s/v) of every entry: the log density of N(m, v) if s = (y − m)², and its expectation if s is the expectation of (y − m)². */
export const normalDensity = (squares: Tensor, variance: Tensor): Tensor2D =>
  op.mul<Tensor2D>(-0.5, op.add(op.log(op.mul(2 * Math.PI, variance)), op.div(squares, variance)));
