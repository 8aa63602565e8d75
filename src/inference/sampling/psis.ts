import * as v from 'valibot';
import { exp, expm1, log, log1p } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkOptions, type OptionsIn } from '../../core/options.ts';
import { givenByDraw, logSumExp, sampleVariance } from './givenDraws.ts';

/** Options of {@link psis} and {@link loo}. */
export interface PsisOptions extends OptionsIn<typeof schema> {}

/** Importance weights with smoothed tails. */
export interface SmoothedWeights {
  /** Logarithms of weights that add up to 1 over the draws of each observation, draws × observations. */
  readonly logWeights: Matrix;
  /** k̂, the shape of the tail of each observation's ratios: reliable below min(1 − 1/log₁₀S, 0.7). */
  readonly k: Float64Array;
  /** Effective sample size of each observation's weights. */
  readonly effectiveSize: Float64Array;
}

const efficiency = v.pipe(
  v.number(),
  v.finite(),
  v.check((value) => value > 0),
);
const schema = v.strictObject({
  /** ESS of the importance ratios over the number of draws, one number or one per observation; default 1, for independent draws. */
  relativeEfficiency: v.optional(
    v.union(
      [
        efficiency,
        v.pipe(
          v.custom<readonly number[] | Float64Array>(isNumbers),
          v.transform((list) => Array.from(list)),
          v.array(efficiency),
        ),
      ],
      'a number above 0, or a list of one for each observation',
    ),
    1,
  ),
});

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) || value instanceof Float64Array;
}

/**
 * Pareto smoothed importance sampling: for each observation, the largest importance ratios, min(S/5, 3·√(S/r_eff)) of S, are replaced by the expected
 * order statistics of a generalized Pareto distribution fitted to them, truncated at the largest raw ratio.
 *
 * @param logRatios - logarithms of importance ratios, draws × observations, or a list for one observation; the negative log likelihood for leave-one-out
 * @param options - see {@link PsisOptions}
 * @returns normalized log weights, k̂ and effective sample size of each observation; k̂ is Infinity if the tail has fewer than 5 draws, and −Infinity
 * if the largest ratios are equal up to rounding: then nothing is smoothed and the mean is exact
 * @throws InvalidInputError for ratios that are not finite
 * @see Vehtari, Simpson, Gelman, Yao & Gabry, Pareto smoothed importance sampling, JMLR 25 (2024); Zhang & Stephens, Technometrics 51 (2009)
 * @example
 * ```ts
 * const { k } = psis([[0.1, -2], [0.4, -1.2], [-0.3, -0.7]]);
 * ```
 */
export function psis(
  logRatios: MatrixLike | readonly number[] | Float64Array,
  options: PsisOptions = {},
): SmoothedWeights {
  const { relativeEfficiency } = checkOptions(schema, options, 'psis');
  const ratios = givenByDraw(logRatios, 'psis', 'the log ratio');
  return smoothedWeights(ratios, efficiencies(relativeEfficiency, ratios.columns, 'psis'));
}

/** Expected log pointwise predictive density of observations, with its components. */
export interface PredictiveAccuracy {
  /** Expected log pointwise predictive density, Σ over observations. */
  readonly elpd: number;
  /** Standard error of elpd, √(N·var(pointwise)). */
  readonly se: number;
  /** Contribution of each observation. */
  readonly pointwise: Float64Array;
  /** Effective number of parameters: the log density of the observations themselves minus elpd. */
  readonly effectiveParameters: number;
}

/** Result of leave-one-out cross-validation. */
export interface LeaveOneOut extends PredictiveAccuracy {
  /** k̂ of each observation. */
  readonly k: Float64Array;
  /** Limit min(1 − 1/log₁₀S, 0.7) above which k̂ marks an observation's contribution as unreliable. */
  readonly kLimit: number;
  /** Message on the reliability of the result, with advice. */
  readonly message: string;
}

/**
 * Leave-one-out cross-validation by Pareto smoothed importance sampling: log p(y_n | y_−n) of each observation, from draws of the posterior given all
 * observations.
 *
 * @param logLikelihood - log p(y_n | θ_s), draws × observations
 * @param options - see {@link PsisOptions}
 * @returns elpd with its standard error, its contributions, their k̂ and a message
 * @throws InvalidInputError for log densities that are not finite
 * @see Vehtari, Gelman & Gabry, Statistics and Computing 27 (2017)
 * @example
 * ```ts
 * const { elpd, se, message } = loo([[-1.2, -0.7], [-1.1, -0.8], [-1.4, -0.6]]);
 * ```
 */
export function loo(logLikelihood: MatrixLike, options: PsisOptions = {}): LeaveOneOut {
  const { relativeEfficiency } = checkOptions(schema, options, 'loo');
  const densities = givenByDraw(logLikelihood, 'loo', 'the log likelihood');
  const { rows: S, columns: N } = densities;
  const { logWeights, k } = smoothedWeights(
    densities.map((entry) => -entry),
    efficiencies(relativeEfficiency, N, 'loo'),
  );
  const pointwise = Float64Array.from({ length: N }, (_, n) => {
    const weights = logWeights.column(n);
    return logSumExp(densities.column(n).map((entry, s) => entry + weights[s]!));
  });
  const kLimit = Math.min(1 - 1 / (log(S) / Math.LN10), 0.7);
  return { ...accuracy(densities, pointwise), k, kLimit, message: advice(k, kLimit, S) };
}

/**
 * Widely applicable information criterion on the scale of {@link loo}: Σ_n log mean p(y_n | θ_s) − var log p(y_n | θ_s). Prefer `loo` if it is
 * available, since it diagnoses its own reliability.
 *
 * @param logLikelihood - log p(y_n | θ_s), draws × observations
 * @throws InvalidInputError for log densities that are not finite
 * @see Watanabe, JMLR 11 (2010)
 * @example
 * ```ts
 * const { elpd } = waic([[-1.2, -0.7], [-1.1, -0.8], [-1.4, -0.6]]);
 * ```
 */
export function waic(logLikelihood: MatrixLike): PredictiveAccuracy {
  const densities = givenByDraw(logLikelihood, 'waic', 'the log likelihood');
  const fitted = logMeanDensities(densities);
  return accuracy(
    densities,
    fitted.map((entry, n) => entry - sampleVariance(densities.column(n))),
  );
}

function accuracy(densities: Matrix, pointwise: Float64Array): PredictiveAccuracy {
  const sum = (x: Float64Array) => x.reduce((total, entry) => total + entry, 0);
  const elpd = sum(pointwise);
  const se = Math.sqrt(pointwise.length * sampleVariance(pointwise));
  return { elpd, se, pointwise, effectiveParameters: sum(logMeanDensities(densities)) - elpd };
}

const logMeanDensities = (densities: Matrix) =>
  Float64Array.from({ length: densities.columns }, (_, n) => logSumExp(densities.column(n)) - log(densities.rows));

function advice(k: Float64Array, limit: number, S: number): string {
  const bad = k.filter((entry) => !(entry <= limit)).length;
  if (bad === 0) return `All k̂ are at most ${limit.toFixed(2)}: the estimate can be trusted.`;
  const few = limit < 0.7 ? ` ${S} draws are few: draw more first.` : '';
  return (
    `k̂ is above ${limit.toFixed(2)} for ${bad} of ${k.length} observations, which the estimate is too optimistic about.${few} ` +
    'Fit again without each of these, or take a model that expects such observations.'
  );
}

function efficiencies(given: number | readonly number[], N: number, caller: string): readonly number[] {
  if (typeof given === 'number') return Array.from({ length: N }, () => given);
  if (given.length === N) return given;
  throw new InvalidInputError(
    `The option relativeEfficiency of ${caller} is one number, or one for each of the ${N} observations, but ${given.length} were given.`,
  );
}

function smoothedWeights(ratios: Matrix, efficiency: readonly number[]): SmoothedWeights {
  const { rows: S, columns: N } = ratios;
  const logWeights = Matrix.zeros(S, N);
  const k = new Float64Array(N);
  const effectiveSize = new Float64Array(N);
  for (let n = 0; n < N; n++) {
    const column = ratios.column(n);
    k[n] = smoothTail(column, efficiency[n]!);
    const total = logSumExp(column);
    let squares = 0;
    for (let s = 0; s < S; s++) {
      const weight = column[s]! - total;
      logWeights.data[s * N + n] = weight;
      squares += exp(2 * weight);
    }
    effectiveSize[n] = efficiency[n]! / squares;
  }
  return { logWeights, k, effectiveSize };
}

/** Relative rounding of a log likelihood that is a sum of many terms. */
const ROUNDING = 64 * Number.EPSILON;

/** Smooths the tail of log ratios in place, up to a constant factor. Returns k̂. */
function smoothTail(ratios: Float64Array, efficiency: number): number {
  const S = ratios.length;
  const largest = ratios.reduce((most, entry) => Math.max(most, entry), Number.NEGATIVE_INFINITY);
  const rounding = ROUNDING * ratios.reduce((most, entry) => Math.max(most, Math.abs(entry)), 1);
  for (let s = 0; s < S; s++) ratios[s] = ratios[s]! - largest;
  const length = Math.ceil(Math.min(0.2 * S, 3 * Math.sqrt(S / efficiency)));
  const order = Array.from(ratios.keys()).sort((a, b) => ratios[a]! - ratios[b]!);
  const isShort = length < 5 || length >= S;
  if (ratios[order[isShort ? 0 : S - length]!]! >= -rounding) return Number.NEGATIVE_INFINITY;
  if (isShort) return Infinity;
  const below = ratios[order[S - length - 1]!]!;
  // Ratios equal to the cutoff are not above it: the tail begins behind them.
  const places = order.slice(S - length).filter((place) => ratios[place]! > below);
  if (places.length < 5) return Infinity;
  const cutoff = exp(below);
  const { k, sigma } = fitGeneralizedPareto(Float64Array.from(places, (place) => exp(ratios[place]!) - cutoff));
  if (!Number.isFinite(k)) return Infinity;
  places.forEach((place, i) => {
    const p = (i + 0.5) / places.length;
    ratios[place] = Math.min(log((sigma * expm1(-k * log1p(-p))) / k + cutoff), 0);
  });
  return k;
}

/**
 * Shape and scale of a generalized Pareto distribution, by the mean of a profile posterior, with the shape shrunk toward ½ with the weight of ten observations.
 *
 * @param x - in ascending order, above 0
 * @see Zhang & Stephens 2009
 */
function fitGeneralizedPareto(x: Float64Array): { k: number; sigma: number } {
  const N = x.length;
  const M = 30 + Math.floor(Math.sqrt(N));
  const firstQuartile = x[Math.floor(N / 4 + 0.5) - 1]!;
  const shapeAt = (theta: number) => x.reduce((sum, entry) => sum + log1p(-theta * entry), 0) / N;
  const thetas = Float64Array.from(
    { length: M },
    (_, j) => 1 / x[N - 1]! + (1 - Math.sqrt(M / (j + 0.5))) / 3 / firstQuartile,
  );
  const profile = thetas.map((theta) => {
    const shape = shapeAt(theta);
    return N * (log(-theta / shape) - shape - 1);
  });
  const total = logSumExp(profile);
  const theta = thetas.reduce((sum, entry, j) => sum + entry * exp(profile[j]! - total), 0);
  const shape = shapeAt(theta);
  return { k: (shape * N + 5) / (N + 10), sigma: -shape / theta };
}
