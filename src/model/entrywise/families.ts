import { exp, log } from '../../core/elementary/index.ts';
import { gammaDraw } from '../../engine/special/randomDraws.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import { bounded, fixed, positive, real } from '../parameter.ts';
import { defineLikelihood, drawnEntries } from './likelihood.ts';

// Densities of numbers, amounts and fractions. With all of its values, each is a prior on parameters, and the density of entries of a latent or an observed variable; its numbers are
// then fixed. Without the parameter that the function replaces, it is a likelihood.

const above = { above: 0 } as const;
const HALF_LOG_2PI = 0.5 * log(2 * Math.PI);

/** log N(y | mean, s²) of every entry. */
function logNormalDensity(y: Tensor2D, mean: Tensor, s: Tensor): Tensor2D {
  const z = op.div(op.sub(y, mean), s);
  return op.sub<Tensor2D>(op.mul(-0.5, op.square(z)), op.add(op.log(s), HALF_LOG_2PI));
}

/**
 * Gamma distribution: log p(x) = a·log b − log Γ(a) + (a − 1)·log x − b·x, x > 0. As a likelihood of amounts it has the mean exp f, b = a/exp f.
 *
 * @param options - `shape` a > 0, `rate` b > 0 (mean a/b): numbers, or parameters, which make a hierarchy; `on` 'natural' or 'unconstrained'.
 * Without `rate` a likelihood, whose shape starts at 1
 * @throws InvalidInputError when a value is out of its range, or with a rate alone
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) });
 * // three lengthscales of one rate, which is found with them
 * const rate = positive(1, { prior: gamma({ shape: 1, rate: 1 }) });
 * rbf({ lengthscale: positive([1, 1, 1], { prior: gamma({ shape: 2, rate }) }) });
 * const amounts = [[0.2, 1.4], [0.5, 2.2], [1.3, 0.4], [0.9, 0.8]];
 * bayesianGplvm(amounts, { latentDim: 1, inducing: 3, likelihood: gamma() });
 * ```
 */
export const gamma = defineLikelihood<'shape', object, 1, 'rate'>({
  name: 'gamma',
  parameters: { shape: positive(1) },
  alone: { name: 'rate', parameter: positive(1), functionOf: ({ shape, rate }) => op.log(op.div(shape, rate)) },
  support: above,
  logDensity: ({ shape }, f, y) => {
    const logRate = op.sub<Tensor2D>(op.log(shape), f);
    const powers = op.add<Tensor2D>(op.mul(shape, logRate), op.mul(op.sub(shape, 1), op.log(y)));
    return op.sub<Tensor2D>(powers, op.add(op.lgamma(shape), op.mul(op.exp(logRate), y)));
  },
  momentsAt: ({ shape }, f) => {
    const mean = op.exp(f);
    return { mean, variance: op.div<Tensor2D>(op.square(mean), shape) };
  },
  sample: ({ shape }, f, random) => drawnEntries(f, [shape], (entry, a) => (exp(entry) / a!) * gammaDraw(a!, random)),
  start: (y) => log(y),
});

/**
 * Half-normal distribution: log p(x) = ½·log(2/π) − log s − x²/(2s²), x > 0. As a likelihood s = exp f.
 *
 * @param options - `scale` s > 0, a number or a parameter; `on` 'natural' or 'unconstrained'. Without it a likelihood
 * @throws InvalidInputError when the scale is not above 0
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, noise: positive(0.01, { prior: halfNormal({ scale: 0.1 }) }) });
 * ```
 */
export const halfNormal = defineLikelihood<never, object, 1, 'scale'>({
  name: 'halfNormal',
  alone: { name: 'scale', parameter: positive(1), functionOf: ({ scale }) => op.log(scale) },
  support: above,
  logDensity: (_, f, y) => {
    const z = op.mul(y, op.exp(op.neg(f)));
    return op.sub<Tensor2D>(op.sub(0.5 * log(2 / Math.PI), f), op.mul(0.5, op.square(z)));
  },
  momentsAt: (_, f) => {
    const s = op.exp(f);
    const share = 2 / Math.PI;
    return { mean: op.mul<Tensor2D>(Math.sqrt(share), s), variance: op.mul<Tensor2D>(1 - share, op.square(s)) };
  },
  sample: (_, f, random) => drawnEntries(f, [], (entry) => exp(entry) * Math.abs(random.normal())),
  start: (y) => log(y),
});

/**
 * Inverse gamma distribution: log p(x) = a·log b − log Γ(a) − (a + 1)·log x − b/x, x > 0. It keeps a lengthscale away from 0. As a likelihood b = exp f.
 *
 * @param options - `shape` a > 0, `scale` b > 0 (mode b/(a + 1)), numbers or parameters; `on` 'natural' or 'unconstrained'. Without `scale` a likelihood, whose shape starts at 3; variances are infinite for shapes up to 2
 * @throws InvalidInputError when a value is out of its range, or with a scale alone
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: inverseGamma({ shape: 3, scale: 4 }) }) });
 * ```
 */
export const inverseGamma = defineLikelihood<'shape', object, 1, 'scale'>({
  name: 'inverseGamma',
  parameters: { shape: positive(3) },
  alone: { name: 'scale', parameter: positive(1), functionOf: ({ scale }) => op.log(scale) },
  support: above,
  logDensity: ({ shape }, f, y) => {
    const powers = op.sub<Tensor2D>(op.mul(shape, f), op.mul(op.add(shape, 1), op.log(y)));
    return op.sub<Tensor2D>(powers, op.add(op.lgamma(shape), op.div(op.exp(f), y)));
  },
  momentsAt: ({ shape }, f) => {
    const mean = op.div<Tensor2D>(op.exp(f), op.relu(op.sub(shape, 1)));
    return { mean, variance: op.div<Tensor2D>(op.square(mean), op.relu(op.sub(shape, 2))) };
  },
  sample: ({ shape }, f, random) => drawnEntries(f, [shape], (entry, a) => exp(entry) / gammaDraw(a!, random)),
  start: (y) => log(y),
});

/**
 * Log-normal distribution: log x is normal, log p(x) = −(log x − m)²/(2s²) − log x − log s − ½·log 2π, x > 0. As a likelihood of amounts m = f.
 *
 * @param options - `mean` m and `deviation` s > 0, both of log x, numbers or parameters; `on` 'natural' or 'unconstrained'. Without `mean` a likelihood, whose deviation starts at 1
 * @throws InvalidInputError when a value is out of its range, or with a mean alone
 * @example
 * ```ts
 * rbf({ variance: positive(1, { prior: logNormal({ mean: 0, deviation: 1 }) }) });
 * ```
 */
export const logNormal = defineLikelihood<'deviation', object, 1, 'mean'>({
  name: 'logNormal',
  parameters: { deviation: positive(1) },
  alone: { name: 'mean', parameter: real(0), functionOf: ({ mean }) => mean },
  support: above,
  logDensity: ({ deviation }, f, y) => {
    const logs = op.log(y);
    return op.sub<Tensor2D>(logNormalDensity(logs, f, deviation), logs);
  },
  momentsAt: ({ deviation }, f) => {
    const square = op.square(deviation);
    const mean = op.exp<Tensor2D>(op.add<Tensor2D>(f, op.mul(0.5, square)));
    return { mean, variance: op.mul<Tensor2D>(op.expm1(square), op.square(mean)) };
  },
  sample: ({ deviation }, f, random) => drawnEntries(f, [deviation], (entry, s) => exp(entry + s! * random.normal())),
  start: (y) => log(y),
});

/**
 * Normal distribution: log p(x) = −(x − m)²/(2s²) − log s − ½·log 2π, on the whole real line. Under `gaussian` rather than as a likelihood, functions are integrated out exactly.
 *
 * @param options - `mean` m, `deviation` s > 0, numbers or parameters; `on` 'natural' or 'unconstrained'. Without `mean` a likelihood, whose deviation starts at 1
 * @throws InvalidInputError when a value is out of its range, or with a mean alone
 * @example
 * ```ts
 * positive(1, { prior: normal({ mean: 0, deviation: 1, on: 'unconstrained' }) }); // on the logarithm of the parameter
 * latent({ dim: 2, density: normal({ mean: 0, deviation: 2 }) });
 * ```
 */
export const normal = defineLikelihood<'deviation', object, 1, 'mean'>({
  name: 'normal',
  parameters: { deviation: positive(1) },
  alone: { name: 'mean', parameter: real(0), functionOf: ({ mean }) => mean },
  logDensity: ({ deviation }, f, y) => logNormalDensity(y, f, deviation),
  momentsAt: ({ deviation }, f) => ({
    mean: f,
    variance: op.mul<Tensor2D>(op.square(deviation), op.onesLike(f)),
  }),
  sample: ({ deviation }, f, random) => drawnEntries(f, [deviation], (entry, s) => entry + s! * random.normal()),
});

/**
 * Beta distribution by its mean and concentration: a = m·c and b = (1 − m)·c in log p(x) = log Γ(a + b) − log Γ(a) − log Γ(b) + (a − 1)·log x + (b − 1)·log(1 − x), 0 < x < 1. As a likelihood
 * of fractions m = 1/(1 + exp(−f)).
 *
 * @param options - `mean` m between 0 and 1 and `concentration` c > 0, numbers or parameters; `on` 'natural' or 'unconstrained'. Without `mean` a likelihood, whose concentration starts at 10
 * @throws InvalidInputError when a value is out of its range, or with a mean alone
 * @see Ferrari & Cribari-Neto 2004
 * @example
 * ```ts
 * bounded(0, 1, 0.5, { prior: beta({ mean: 0.5, concentration: 4 }) });
 * const fractions = [[0.2, 0.4], [0.5, 0.2], [0.3, 0.9], [0.9, 0.8]];
 * bayesianGplvm(fractions, { latentDim: 1, inducing: 3, likelihood: beta() });
 * ```
 */
export const beta = defineLikelihood<'concentration', object, 1, 'mean'>({
  name: 'beta',
  parameters: { concentration: positive(10) },
  alone: {
    name: 'mean',
    parameter: bounded(0, 1),
    functionOf: ({ mean }) => op.log(op.div(mean, op.sub(1, mean))),
  },
  support: { above: 0, below: 1 },
  logDensity: ({ concentration }, f, y) => {
    const [a, b] = [f, op.neg(f)].map((signed) => op.mul<Tensor2D>(op.sigmoid(signed), concentration)) as [
      Tensor2D,
      Tensor2D,
    ];
    const constant = op.sub<Tensor2D>(op.lgamma(concentration), op.add(op.lgamma(a), op.lgamma(b)));
    const powers = op.add<Tensor2D>(op.mul(op.sub(a, 1), op.log(y)), op.mul(op.sub(b, 1), op.log(op.sub(1, y))));
    return op.add<Tensor2D>(constant, powers);
  },
  momentsAt: ({ concentration }, f) => {
    const mean = op.sigmoid(f);
    return { mean, variance: op.div<Tensor2D>(op.mul(mean, op.sub(1, mean)), op.add(concentration, 1)) };
  },
  sample: ({ concentration }, f, random) =>
    drawnEntries(f, [concentration], (entry, c) => {
      const mean = 1 / (1 + exp(-entry));
      const [a, b] = [gammaDraw(mean * c!, random), gammaDraw((1 - mean) * c!, random)];
      return a / (a + b);
    }),
  start: (y) => log(y / (1 - y)),
});

/**
 * Real observations with outliers: (y − f)/σ has a t distribution with ν degrees of freedom,
 * log p(y|f) = log Γ((ν + 1)/2) − log Γ(ν/2) − ½·log(νπσ²) − (ν + 1)/2·log(1 + (y − f)²/(νσ²)).
 *
 * @param overrides - `scale` σ > 0 (0.1), one number or one per column; `degreesOfFreedom` ν > 0 (fixed at 4); `mean`, for numbers without functions: heavy tails of a latent variable, or of a parameter
 * @see Lange, Little & Taylor 1989
 * @example
 * ```ts
 * bayesianGplvm(Y, { latentDim: 2, inducing: 20, likelihood: studentT({ scale: 0.2 }) });
 * ```
 */
export const studentT = defineLikelihood<'scale' | 'degreesOfFreedom', object, 1, 'mean'>({
  name: 'studentT',
  parameters: { scale: positive(0.1), degreesOfFreedom: fixed(4) },
  alone: { name: 'mean', parameter: real(0), functionOf: ({ mean }) => mean },
  logDensity: ({ scale, degreesOfFreedom: freedom }, f, y) => {
    const halfMore = op.mul(0.5, op.add(freedom, 1));
    const width = op.mul(freedom, op.square(scale));
    const constant = op.sub(
      op.sub(op.lgamma(halfMore), op.lgamma(op.mul(0.5, freedom))),
      op.mul(0.5, op.log(op.mul(Math.PI, width))),
    );
    const tail = op.log(op.add(1, op.div(op.square(op.sub(y, f)), width)));
    return op.sub<Tensor2D>(constant, op.mul(halfMore, tail));
  },
  // With at most two degrees of freedom the variance of an observation is infinite.
  moments: ({ scale, degreesOfFreedom: freedom }, mean, variance) => {
    const excess = op.relu(op.sub(freedom, 2));
    const spread = op.div(op.mul(freedom, op.square(scale)), excess);
    return { mean, variance: op.add<Tensor2D>(variance, spread) };
  },
  // A normal variable divided by the square root of χ²/ν.
  sample: ({ scale, degreesOfFreedom }, f, random) =>
    drawnEntries(
      f,
      [scale, degreesOfFreedom],
      (entry, s, v) => entry + (s! * random.normal()) / Math.sqrt((2 * gammaDraw(v! / 2, random)) / v!),
    ),
});
