import { exp } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { bounded } from '../parameter.ts';
import { expectedSoftplus } from './expectedSoftplus.ts';
import { defineLikelihood, drawnEntries } from './likelihood.ts';
import { normalExpectation } from './normalExpectation.ts';

// A type, not an interface, which declarations of modules that export such a likelihood could not name.
type Options = { readonly link: 'logit' | 'probit' };

/**
 * Binary observations: p(y = 1|f) = 1/(1 + exp(−f)) with the logit link, Φ(f) with the probit link.
 *
 * @param overrides - `link`: 'logit' (the default) or 'probit'; or `probability`, for entries without functions
 * @throws InvalidInputError for any other link; when a model is made, for observations other than 0 and 1
 * @example
 * ```ts
 * bayesianGplvm(pixels, { latentDim: 2, inducing: 30, likelihood: bernoulli({ link: 'probit' }) });
 * ```
 */
export const bernoulli = defineLikelihood<never, Options, 1, 'probability'>({
  name: 'bernoulli',
  alone: {
    name: 'probability',
    parameter: bounded(0, 1),
    functionOf: ({ probability: p }) => op.log(op.div(p, op.sub(1, p))),
  },
  options: { link: readLink },
  logDensity: (_p, f, y, { link }) => {
    const signed = op.mul<Tensor2D>(op.sub(op.mul(2, y), 1), f);
    return link === 'probit' ? op.logNormalCdf(signed) : (op.neg(op.softplus(op.neg(signed))) as Tensor2D);
  },
  // With the logit link, E[log p(y|f)] = y·a − E[log(1 + exp f)].
  expectation: (_p, mean, variance, y, { link }) =>
    link === 'probit'
      ? normalExpectation(op.mul(op.sub(op.mul(2, y), 1), mean), variance, (f) => op.logNormalCdf(f))
      : op.sub<Tensor2D>(op.mul(y, mean), expectedSoftplus(mean, variance)),
  moments: (_p, mean, variance, { link }) => {
    const p = link === 'probit' ? probitMean(mean, variance) : logitMean(mean, variance);
    return { mean: p, variance: op.mul<Tensor2D>(p, op.sub(1, p)) };
  },
  sample: (_p, f, random, { link }) =>
    drawnEntries(f, [], (entry) => {
      // Φ(f) is the probability that the sum of f and a standard normal variable is positive.
      if (link === 'probit') return entry + random.normal() > 0 ? 1 : 0;
      return random.uniform() < 1 / (1 + exp(-entry)) ? 1 : 0;
    }),
  start: (y) => 2 * y - 1,
  support: [0, 1],
  refuses: (y) => (y === 0 || y === 1 ? undefined : '0 or 1'),
});

/** E[Φ(f)] = Φ(a/√(1 + s)). */
function probitMean(mean: Tensor2D, variance: Tensor2D): Tensor2D {
  return op.exp(op.logNormalCdf(op.div<Tensor2D>(mean, op.sqrt(op.add(1, variance)))));
}

/** E[σ(f)], by Gauss–Hermite quadrature. */
function logitMean(mean: Tensor2D, variance: Tensor2D): Tensor2D {
  return normalExpectation(mean, variance, (f) => op.sigmoid(f));
}

function readLink(given: unknown): Options['link'] {
  if (given === 'logit' || given === 'probit') return given;
  throw new InvalidInputError(
    `Option 'link' of likelihood 'bernoulli' is 'logit' or 'probit', but ${describe(given)} was given.`,
  );
}
