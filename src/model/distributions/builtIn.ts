import { log, square } from '../../core/elementary/index.ts';
import { digamma, lgamma } from '../../engine/special/gamma.ts';
import { distribution } from './distribution.ts';

// Every distribution of parameters that comes with the library, under the name by which saved fits find it.

/**
 * Gamma distribution: log p(x) = a·log b − log Γ(a) + (a − 1)·log x − b·x, x > 0.
 *
 * @param options - `shape` a > 0, `rate` b > 0 (mean a/b): numbers, or parameters, which make a hierarchy; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) });
 * // three lengthscales of one rate, which is found with them
 * const rate = positive(1, { prior: gamma({ shape: 1, rate: 1 }) });
 * rbf({ lengthscale: positive([1, 1, 1], { prior: gamma({ shape: 2, rate }) }) });
 * ```
 */
export const gamma = distribution({
  name: 'gamma',
  values: { shape: 'positive', rate: 'positive' },
  lower: 0,
  logDensity: (x, { shape, rate }) => shape * log(rate) - lgamma(shape) + (shape - 1) * log(x) - rate * x,
  slope: (x, { shape, rate }) => (shape - 1) / x - rate,
  valueSlopes: (x, { shape, rate }) => ({
    shape: log(rate) - digamma(shape) + log(x),
    rate: shape / rate - x,
  }),
});

/**
 * Half-normal distribution: log p(x) = ½·log(2/π) − log s − x²/(2s²), x > 0.
 *
 * @param options - `scale` s > 0, a number or a parameter; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when the scale is missing or not above 0
 * @example
 * ```ts
 * gplvm(Y, { latentDim: 2, noise: positive(0.01, { prior: halfNormal({ scale: 0.1 }) }) });
 * ```
 */
export const halfNormal = distribution({
  name: 'halfNormal',
  values: { scale: 'positive' },
  lower: 0,
  logDensity: (x, { scale }) => 0.5 * log(2 / Math.PI) - log(scale) - 0.5 * square(x / scale),
  slope: (x, { scale }) => -x / square(scale),
  valueSlopes: (x, { scale }) => ({ scale: (square(x / scale) - 1) / scale }),
});

/**
 * Inverse gamma distribution: log p(x) = a·log b − log Γ(a) − (a + 1)·log x − b/x, x > 0. It keeps a lengthscale away from 0.
 *
 * @param options - `shape` a > 0, `scale` b > 0 (mode b/(a + 1)), numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or not above 0
 * @example
 * ```ts
 * rbf({ lengthscale: positive(1, { prior: inverseGamma({ shape: 3, scale: 4 }) }) });
 * ```
 */
export const inverseGamma = distribution({
  name: 'inverseGamma',
  values: { shape: 'positive', scale: 'positive' },
  lower: 0,
  logDensity: (x, { shape, scale }) => shape * log(scale) - lgamma(shape) - (shape + 1) * log(x) - scale / x,
  slope: (x, { shape, scale }) => (scale / x - shape - 1) / x,
  valueSlopes: (x, { shape, scale }) => ({
    shape: log(scale) - digamma(shape) - log(x),
    scale: shape / scale - 1 / x,
  }),
});

/**
 * Log-normal distribution: log x is normal, log p(x) = −(log x − m)²/(2s²) − log x − log s − ½·log 2π, x > 0.
 *
 * @param options - `mean` m and `deviation` s > 0, both of log x, numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * rbf({ variance: positive(1, { prior: logNormal({ mean: 0, deviation: 1 }) }) });
 * ```
 */
export const logNormal = distribution({
  name: 'logNormal',
  values: { mean: 'real', deviation: 'positive' },
  lower: 0,
  logDensity: (x, { mean, deviation }) => {
    const z = (log(x) - mean) / deviation;
    return -0.5 * z * z - log(x) - log(deviation) - 0.5 * log(2 * Math.PI);
  },
  slope: (x, { mean, deviation }) => -((log(x) - mean) / deviation / deviation + 1) / x,
  valueSlopes: (x, { mean, deviation }) => {
    const z = (log(x) - mean) / deviation;
    return { mean: z / deviation, deviation: (z * z - 1) / deviation };
  },
});

/**
 * Normal distribution: log p(x) = −(x − m)²/(2s²) − log s − ½·log 2π, on the whole real line.
 *
 * @param options - `mean` m, `deviation` s > 0, numbers or parameters; `on` 'natural' or 'unconstrained'
 * @throws InvalidInputError when a value is missing or out of its range
 * @example
 * ```ts
 * positive(1, { prior: normal({ mean: 0, deviation: 1, on: 'unconstrained' }) }); // on the logarithm of the parameter
 * ```
 */
export const normal = distribution({
  name: 'normal',
  values: { mean: 'real', deviation: 'positive' },
  lower: -Infinity,
  logDensity: (x, { mean, deviation }) =>
    -0.5 * square((x - mean) / deviation) - log(deviation) - 0.5 * log(2 * Math.PI),
  slope: (x, { mean, deviation }) => -((x - mean) / deviation) / deviation,
  valueSlopes: (x, { mean, deviation }) => {
    const z = (x - mean) / deviation;
    return { mean: z / deviation, deviation: (z * z - 1) / deviation };
  },
});
