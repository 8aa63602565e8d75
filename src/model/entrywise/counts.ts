import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { gammaDraw, poissonDraw } from '../../engine/special/randomDraws.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { positive } from '../parameter.ts';
import { expectedSoftplus } from './expectedSoftplus.ts';
import { defineLikelihood, drawnEntries } from './likelihood.ts';
import { logChoices } from './logChoices.ts';

/** Options of likelihoods of counts. */
export interface CountOptions {
  /**
   * 'rowSums' adds the logarithm of each row's mean count to its functions: rows with more counts (cells with larger libraries) have higher rates,
   * which the latents then need not explain. Predicted rates belong to a row with mean count 1. Rows cannot be split, and densities are conditional
   * on the row sums: compare them only between models with the same offset.
   */
  readonly offset?: 'rowSums';
}

const countOptions = {
  offset: (given: unknown): 'rowSums' => {
    if (given === 'rowSums') return given;
    throw new InvalidInputError(`The offset of counts is 'rowSums', or left out, but ${describe(given)} was given.`);
  },
};

/** f, n×D, with the offset of each row added. */
function withOffset(f: Tensor2D, y: Tensor2D, { offset }: CountOptions): Tensor2D {
  return offset === undefined ? f : op.add<Tensor2D>(f, op.log(op.mean(y, 1, true)));
}

/** The requirement violated by y as a count; undefined if there is none. */
function refusesAsCount(y: number, { offset }: CountOptions, rowMean: number): string | undefined {
  if (!(Number.isInteger(y) && y >= 0)) return 'a count, a whole number from 0';
  if (offset === undefined || rowMean > 0) return undefined;
  return "in a row without missing entries whose sum is above 0, as offset: 'rowSums' divides by it";
}

/** The logarithm of a count plus ½, since counts may be 0. */
function logCount(y: number, { offset }: CountOptions, rowMean: number): number {
  return log((offset === undefined ? y : y / rowMean) + 0.5);
}

/**
 * Counts: y ~ Poisson(exp f), log p(y|f) = y·f − exp f − log y!. Its expectation under f ~ N(a, s) is y·a − exp(a + s/2) − log y!.
 *
 * @param overrides - `rate`, for counts without functions; or `offset`: 'rowSums' adds the logarithm of the row's mean count to f, for rows with different exposures, such as
 *   cells with different library sizes; predicted rates then belong to a row with mean count 1
 * @throws InvalidInputError, when a model is made, for observations that are not whole numbers from 0 and, with an offset, for a row without counts
 * @example
 * ```ts
 * bayesianGplvm(counts, { latentDim: 2, inducing: 20, likelihood: poisson() });
 * ```
 */
export const poisson = defineLikelihood<never, CountOptions, 1, 'rate'>({
  name: 'poisson',
  options: countOptions,
  alone: { name: 'rate', parameter: positive(1), functionOf: ({ rate }) => op.log(rate) },
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
  support: 'counts',
  refuses: refusesAsCount,
});

/**
 * Overdispersed counts: mean μ = exp f and variance μ + μ²/r,
 * log p(y|f) = log Γ(y + r) − log Γ(r) − log y! + y·(f − log(r + μ)) + r·(log r − log(r + μ)).
 *
 * @param overrides - `size` r > 0 (1), one number or one per column, with the Poisson distribution as its limit for r → ∞; `mean` for counts without functions; `offset` as for `poisson`
 * @throws InvalidInputError, when a model is made, for observations that are not whole numbers from 0
 * @example
 * ```ts
 * bayesianGplvm(counts, { latentDim: 2, inducing: 20, likelihood: negativeBinomial({ size: 5 }) });
 * ```
 */
export const negativeBinomial = defineLikelihood<'size', CountOptions, 1, 'mean'>({
  name: 'negativeBinomial',
  options: countOptions,
  parameters: { size: positive(1) },
  alone: { name: 'mean', parameter: positive(1), functionOf: ({ mean }) => op.log(mean) },
  logDensity: ({ size }, given, y, options) => {
    const f = withOffset(given, y, options);
    const logSize = op.log(size);
    // log(r + exp f) without overflow.
    const logTotal = op.add(logSize, op.softplus(op.sub(f, logSize)));
    const choices = logChoices(y, size);
    const counted = op.add(op.mul(y, op.sub(f, logTotal)), op.mul(size, op.sub(logSize, logTotal)));
    return op.add<Tensor2D>(choices, counted);
  },
  // The same with the expectation of log(r + exp f) alone.
  expectation: ({ size }, given, variance, y, options) => {
    const mean = withOffset(given, y, options);
    const logSize = op.log(size);
    const soft = expectedSoftplus(op.sub<Tensor2D>(mean, logSize), variance);
    const choices = logChoices(y, size);
    const counted = op.sub(op.mul(y, op.sub(mean, logSize)), op.mul(op.add(y, size), soft));
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
  support: 'counts',
  refuses: refusesAsCount,
});
