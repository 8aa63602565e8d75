import * as v from 'valibot';
import { exp, log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import { savedObservations } from '../../core/observations.ts';
import {
  checkFunction,
  checkGiven,
  checkOptions,
  givenList,
  integerFromOne,
  type OptionsIn,
} from '../../core/options.ts';
import { joinedColumns } from '../../core/rowMatrices.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import type { Fit } from '../../model/fit.ts';
import type { FittedVariables } from '../../model/language/derived.ts';
import type { AnyModel, ParameterValues } from '../../model/model.ts';
import { evaluate } from '../../model/open.ts';
import { knownRowsOf } from '../fit/knownRows.ts';
import { essBulk } from './convergence.ts';
import type { Draws } from './draws.ts';
import { sampleVariance } from './givenDraws.ts';
import { type LeaveOneOut, loo, type PredictiveAccuracy } from './psis.ts';

/** A statistic of the observations compared with its distribution under the model. */
export interface PredictiveCheck {
  /** Statistic of the observations. */
  readonly observed: number;
  /** Statistics of replicated observations, one per draw. */
  readonly replicated: Float64Array;
  /** Fraction of replicated statistics that are at least as large as the observed one; near 0 or 1, the model does not generate observations like these. */
  readonly pValue: number;
  /** Interpretation in a sentence. */
  readonly message: string;
}

/** Tail probability below which the message reports that the model misses the statistic. */
const SUSPICIOUS = 0.025;

/**
 * Posterior predictive check: compares a statistic of the observations with its values on observations simulated from the model at each of some draws.
 *
 * @param draws - result of `samplePosterior`
 * @param statistic - function from observations N×D to a number
 * @param options - `seed` of the replicated observations (0); `draws`: their number (200)
 * @throws InvalidInputError for a model with several observed variables or views, and a statistic that is not finite
 * @see Gelman, Meng & Stern, Posterior predictive assessment, Statistica Sinica 6 (1996)
 * @example
 * ```ts
 * const largest = checkPredictive(draws, (observations) => Math.max(...observations.data));
 * largest.pValue;
 * ```
 */
export function checkPredictive(
  draws: Draws,
  statistic: (observations: Matrix) => number,
  options: { readonly seed?: number | undefined; readonly draws?: number | undefined } = {},
): PredictiveCheck {
  checkFunction(statistic, 'checkPredictive', 'a function of observations');
  checkGiven(
    draws,
    'checkPredictive',
    'what draw returned',
    ({ toJSON, predictive }) => typeof toJSON === 'function' && typeof predictive === 'function',
  );
  const { observations } = draws;
  if (observations === undefined) {
    throw new InvalidInputError(
      `The model '${draws.model}' has several observed variables or views: compare draws.predictive({ view }) with the observations of each yourself.`,
    );
  }
  const of = (Y: Matrix) => {
    const value = statistic(Y);
    if (Number.isFinite(value)) return value;
    throw new InvalidInputError(`The statistic given to checkPredictive is ${value}: it takes a finite number.`);
  };
  const observed = of(observations);
  const replicated = Float64Array.from(draws.predictive(options), of);
  const pValue = replicated.filter((entry) => entry >= observed).length / replicated.length;
  const isMissed = Math.min(pValue, 1 - pValue) < SUSPICIOUS;
  const message = isMissed
    ? `The model misses this statistic: ${(100 * pValue).toFixed(1)} % of ${replicated.length} replicated statistics are as large as the observed one.`
    : `The model reproduces this statistic: ${(100 * pValue).toFixed(1)} % of ${replicated.length} replicated statistics are as large as the observed one.`;
  return Object.freeze({ observed, replicated, pValue, message });
}

/** Row of a comparison by predictive accuracy: one model. */
export interface ElpdRow {
  /** Expected log pointwise predictive density. */
  readonly elpd: number;
  readonly se: number;
  /** elpd minus the best model's; 0 for the best. */
  readonly difference: number;
  /** Standard error of the difference, √(N·var of the pointwise differences). */
  readonly differenceSe: number;
  /** Weight in the mixture of all models that predicts best. */
  readonly stackingWeight: number;
}

/**
 * Compares models of the same observations by their expected log predictive densities.
 *
 * @param accuracies - results of `loo` or `waic`, one per model
 * @returns a row per model, in the same order: a difference of less than about 4, or below twice its standard error, is not meaningful
 * @throws InvalidInputError for accuracies of different numbers of observations
 * @see Vehtari, Gelman & Gabry 2017, §5; Yao, Vehtari, Simpson & Gelman, Using stacking to average Bayesian predictive distributions, Bayesian
 * Analysis 13 (2018)
 * @example
 * ```ts
 * const [narrow, wide] = compareElpd([loo([[-1, -2], [-1.1, -1.9]]), loo([[-2, -3], [-2.1, -3.2]])]);
 * ```
 */
export function compareElpd(accuracies: readonly PredictiveAccuracy[]): readonly ElpdRow[] {
  const given = givenList(accuracies, 'compareElpd', 'a list of results of loo');
  const N = given[0]?.pointwise?.length;
  if (N === undefined || given.some(({ pointwise }) => pointwise?.length !== N)) {
    throw new InvalidInputError(
      `compareElpd takes the result of loo for at least one model, all of the same observations, but the numbers of observations are ${given.map((each) => each?.pointwise?.length ?? 'unknown').join(', ') || 'none'}.`,
    );
  }
  const best = given.reduce((most, accuracy) => (accuracy.elpd > most.elpd ? accuracy : most));
  const weights = stackingWeights(given.map(({ pointwise }) => pointwise));
  return given.map(({ elpd, se, pointwise }, k) => {
    const differences = pointwise.map((entry, n) => entry - best.pointwise[n]!);
    return Object.freeze({
      elpd,
      se,
      difference: elpd - best.elpd,
      differenceSe: Math.sqrt(N * sampleVariance(differences)),
      stackingWeight: weights[k]!,
    });
  });
}

/** Maximum number of steps for the weights, and the change of all weights at which they have converged. */
const STEPS = 10_000;
const SETTLED = 1e-10;

/** argmax_w Σ_n log Σ_k w_k·exp(lpd_kn) on the simplex, by EM steps of a mixture, which increase the sum monotonically. */
function stackingWeights(pointwise: readonly Float64Array[]): Float64Array {
  const [K, N] = [pointwise.length, pointwise[0]!.length];
  const densities = Matrix.zeros(K, N);
  for (let n = 0; n < N; n++) {
    const most = Math.max(...pointwise.map((own) => own[n]!));
    for (let k = 0; k < K; k++) densities.data[k * N + n] = exp(pointwise[k]![n]! - most);
  }
  let weights = new Float64Array(K).fill(1 / K);
  for (let step = 0; step < STEPS; step++) {
    const next = new Float64Array(K);
    for (let n = 0; n < N; n++) {
      let total = 0;
      for (let k = 0; k < K; k++) total += weights[k]! * densities.at(k, n);
      for (let k = 0; k < K; k++) next[k]! += (weights[k]! * densities.at(k, n)) / (total * N);
    }
    const change = next.reduce((most, entry, k) => Math.max(most, Math.abs(entry - weights[k]!)), 0);
    weights = next;
    if (change < SETTLED) break;
  }
  return weights;
}

/** Options of leave-one-out cross-validation and of the widely applicable information criterion of draws. */
export interface AccuracyOptions extends OptionsIn<typeof accuracySchema> {}

const accuracySchema = v.strictObject({
  /** Number of draws used, evenly spaced in each chain and at least one per chain; default all. */
  draws: v.optional(integerFromOne),
});

/** Quantities derived from a model of variables at some values; undefined for other models. */
export const variablesOf = (model: AnyModel, values: ParameterValues): FittedVariables | undefined =>
  (model.posterior(values) as { readonly variables?: FittedVariables }).variables;

/** Draws in the form that leave-one-out cross-validation reads. */
interface DrawnFits {
  readonly chains: number;
  readonly draws: number;
  valuesOf(k: number): ParameterValues;
  fitOf(k: number): Fit & Partial<AnyAbilities>;
}

/** Path of the noise of a model with one mapping. */
const NOISE = 'mapping.noise';
/** Relative difference of the gradient in the noise above which the leverages do not belong to this covariance. */
const AGREEMENT = 1e-6;

/**
 * Leave-one-out cross-validation, by Pareto smoothed importance sampling. It is over rows if rows are independent conditional on latents and
 * parameters. For a Gaussian process with Gaussian noise it is over entries: log p(y_nd | all other entries of its column) at each draw. With the
 * leverages h_n = v_n/σ² of noise-free predictions m, v at the fitted points, it has a closed form: the residual (y − m)/(1 − h), the variance σ²/(1 − h).
 *
 * @throws InvalidInputError for models without such noise, or whose kernel contains noise
 * @see Bürkner, Gabry & Vehtari, Efficient leave-one-out cross-validation for Bayesian non-factorized normal models, Computational Statistics 36 (2021)
 */
export function leaveOneOut(model: AnyModel, drawn: DrawnFits, options: AccuracyOptions = {}): LeaveOneOut {
  const used = usedDraws(drawn, options, 'loo');
  const byRow = hasIndependentRows(model);
  const logLikelihood = byRow ? rowLikelihoodsAt(model, drawn, used) : entryLikelihoods(model, drawn, used);
  const { chains } = drawn;
  const perChain = used.length / chains;
  const relativeEfficiency = Array.from({ length: logLikelihood.columns }, (_, e) => {
    const likelihood = Array.from({ length: chains }, (_, c) =>
      Array.from({ length: perChain }, (_, i) => logLikelihood.at(c * perChain + i, e)),
    );
    const size = essBulk(likelihood) / logLikelihood.rows;
    return Number.isNaN(size) ? 1 : Math.min(size, 1);
  });
  const found = loo(logLikelihood, { relativeEfficiency });
  const all = chains * drawn.draws;
  const thinned = used.length < all ? ` at ${used.length} of ${all} draws` : '';
  return { ...found, message: `Each ${byRow ? 'row' : 'entry'} was left out${thinned}. ${found.message}` };
}

/** Indices of the draws used, evenly spaced in each chain. */
function usedDraws({ chains, draws }: DrawnFits, options: AccuracyOptions, caller: string): number[] {
  const { draws: most = chains * draws } = checkOptions(accuracySchema, options, caller);
  const perChain = Math.min(draws, Math.ceil(most / chains));
  return Array.from({ length: chains }, (_, c) =>
    Array.from({ length: perChain }, (_, i) => c * draws + Math.floor(((i + 0.5) * draws) / perChain)),
  ).flat();
}

/** True for models of variables whose rows are independent conditional on latents and parameters. */
const hasIndependentRows = ({ points }: AnyModel): boolean => points !== undefined;

/**
 * log p(y_n | latents, parameters) of each row at each selected draw, draws × N.
 *
 * @throws InvalidInputError for models whose rows are not independent
 */
export function rowLikelihoods(model: AnyModel, drawn: DrawnFits, options: AccuracyOptions = {}): Matrix {
  return rowLikelihoodsAt(model, drawn, usedDraws(drawn, options, 'waic'));
}

function rowLikelihoodsAt(model: AnyModel, { valuesOf }: DrawnFits, used: readonly number[]): Matrix {
  const unsuitedRows = () =>
    new InvalidInputError(
      `The rows of '${model.name}' are not independent given latents and parameters, so there is no likelihood of one row: ask for loo(), or give loo or waic the log likelihoods yourself.`,
    );
  if (!hasIndependentRows(model)) throw unsuitedRows();
  let all: Matrix | undefined;
  for (const [s, k] of used.entries()) {
    const variables = variablesOf(model, valuesOf(k));
    if (variables === undefined) throw unsuitedRows();
    const { latents, known, values, observations, density } = variables;
    const parts = latents.map(({ name }) => values[name]!);
    const [{ rows: N }] = Object.values(observations) as [Matrix];
    const rows = { ...observations, ...Object.fromEntries(known.map(({ name }) => [name, values[name]!])) };
    const own = density!(parts.length > 0 ? joinedColumns(parts) : Matrix.zeros(N, 0), rows).density;
    all ??= Matrix.zeros(used.length, own.length);
    all.data.set(own, s * own.length);
  }
  return all!;
}

function entryLikelihoods(model: AnyModel, { valuesOf, fitOf }: DrawnFits, used: readonly number[]): Matrix {
  const Y = observationsOf(model);
  const logLikelihood = Matrix.zeros(used.length, Y.data.length);
  for (const [s, k] of used.entries()) {
    const values = valuesOf(k);
    const noise = values[NOISE];
    const fitted = fitOf(k);
    if (typeof noise !== 'number' || fitted.predict === undefined) throw unsuited(model);
    const { mean, variance } = fitted.predict(fitted.latents, { given: knownRowsOf(fitted) });
    if (s === 0) checkLeverages(model, values, noise, Y, mean, variance);
    for (let e = 0; e < Y.data.length; e++) {
      const left = 1 - variance.data[e]! / noise;
      const spread = noise / left;
      const residual = (Y.data[e]! - mean.data[e]!) / left;
      logLikelihood.data[s * Y.data.length + e] = -0.5 * (log(2 * Math.PI * spread) + (residual * residual) / spread);
    }
  }
  return logLikelihood;
}

const unsuited = ({ name }: AnyModel) =>
  new InvalidInputError(
    `Leave-one-out is in closed form for one Gaussian process whose noise is one number, '${NOISE}', and without a white kernel: '${name}' is not such a model. Pass loo the log likelihoods yourself.`,
  );

/** Complete observations of a model with one view. */
function observationsOf(model: AnyModel): Matrix {
  const json = model.toJSON();
  const Y = savedObservations(json);
  if (Y === undefined || json.scale === true || Y.data.some(Number.isNaN)) throw unsuited(model);
  return Y;
}

/** Compares ∂ log p/∂σ² = ½·Σ(α² − K⁻¹_nn), α = (y − m)/σ², K⁻¹_nn = (1 − h)/σ², with the model's gradient. */
function checkLeverages(
  model: AnyModel,
  values: ParameterValues,
  noise: number,
  Y: Matrix,
  mean: Matrix,
  variance: Matrix,
): void {
  let expected = 0;
  Y.data.forEach((y, e) => {
    const alpha = (y - mean.data[e]!) / noise;
    expected += 0.5 * (alpha * alpha - (1 - variance.data[e]! / noise) / noise);
  });
  const { termGradients } = evaluate(model, values, { gradients: 'byTerm' });
  const found = termGradients.mapping?.[NOISE];
  const scale = Math.abs(expected) + Y.data.length / noise;
  if (typeof found === 'number' && Math.abs(found - expected) <= AGREEMENT * scale) return;
  throw unsuited(model);
}
