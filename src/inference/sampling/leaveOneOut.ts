import { log } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { Matrix } from '../../core/matrix.ts';
import type { AnyAbilities } from '../../model/abilities.ts';
import { evaluate } from '../../model/evaluate.ts';
import type { Fit } from '../../model/fit.ts';
import type { AnyModel, ParameterValues } from '../../model/model.ts';
import { essBulk } from './convergence.ts';
import { type LeaveOneOut, loo } from './psis.ts';

/** Draws as leave-one-out reads them. */
interface DrawnFits {
  readonly chains: number;
  readonly draws: number;
  valuesOf(k: number): ParameterValues;
  fitOf(k: number): Fit & Partial<AnyAbilities>;
}

/** Most draws that are looked at. */
const MOST = 1000;
/** The noise of a model with one mapping. */
const NOISE = 'mapping.noise';
/** Relative difference of the gradient in the noise at which leverages are not those of this covariance. */
const AGREEMENT = 1e-6;

/**
 * Leave-one-out cross-validation, by Pareto smoothed importance sampling. Where rows are independent given latents and parameters, of each row. Of a Gaussian process
 * with Gaussian noise, of each entry: log p(y_nd | all other entries of its column) at each draw. With the leverages h_n = v_n/σ² of noise-free predictions m, v at
 * the points themselves the rest is in closed form: the residual (y − m)/(1 − h), the variance σ²/(1 − h).
 *
 * @throws InvalidInputError for models that have no such noise, or whose kernel has a noise of its own
 * @see Bürkner, Gabry & Vehtari, Efficient leave-one-out cross-validation for Bayesian non-factorized normal models, Computational Statistics 36 (2021)
 */
export function leaveOneOut(model: AnyModel, given: DrawnFits): LeaveOneOut {
  const byRow = hasIndependentRows(model);
  const logLikelihood = byRow ? rowLikelihoods(model, given) : entryLikelihoods(model, given);
  const { chains, draws } = given;
  const perChain = takenOf(draws, chains);
  const relativeEfficiency = Array.from({ length: logLikelihood.columns }, (_, e) => {
    const likelihood = Array.from({ length: chains }, (_, c) =>
      Array.from({ length: perChain }, (_, i) => logLikelihood.at(c * perChain + i, e)),
    );
    const size = essBulk(likelihood) / logLikelihood.rows;
    return Number.isNaN(size) ? 1 : Math.min(size, 1);
  });
  const found = loo(logLikelihood, { relativeEfficiency });
  return { ...found, message: `Each ${byRow ? 'row' : 'entry'} was left out. ${found.message}` };
}

const takenOf = (draws: number, chains: number) => Math.min(draws, Math.ceil(MOST / chains));

/** The draws that are looked at, evenly spaced in each chain. */
function takenDraws({ chains, draws }: DrawnFits): number[] {
  const perChain = takenOf(draws, chains);
  return Array.from({ length: chains }, (_, c) =>
    Array.from({ length: perChain }, (_, i) => c * draws + Math.floor(((i + 0.5) * draws) / perChain)),
  ).flat();
}

/** True for models of variables whose rows are independent given latents and parameters. */
const hasIndependentRows = ({ points }: AnyModel): boolean => points !== undefined;

/**
 * log p(y_n | latents, parameters) of each row at each of some draws, draws × N.
 *
 * @throws InvalidInputError for models whose rows are not independent
 */
export function rowLikelihoods(model: AnyModel, given: DrawnFits): Matrix {
  const unsuitedRows = () =>
    new InvalidInputError(
      `The rows of '${model.name}' are not independent given latents and parameters, so there is no likelihood of one row: ask for loo(), or give loo or waic the log likelihoods yourself.`,
    );
  if (!hasIndependentRows(model)) throw unsuitedRows();
  const taken = takenDraws(given);
  let all: Matrix | undefined;
  for (const [s, k] of taken.entries()) {
    const posterior = model.posterior(given.valuesOf(k)) as { readonly variables?: RowDensities };
    if (posterior.variables === undefined) throw unsuitedRows();
    const { latents, known, values, observations, density } = posterior.variables;
    const X = besides((latents.length > 0 ? latents.map(({ name }) => name) : []).map((name) => values[name]!));
    const rows = { ...observations, ...Object.fromEntries(known.map(({ name }) => [name, values[name]!])) };
    const own = density(X ?? Matrix.zeros(Object.values(observations)[0]!.rows, 0), rows).density;
    all ??= Matrix.zeros(taken.length, own.length);
    all.data.set(own, s * own.length);
  }
  return all!;
}

/** What is read of a model of variables at some values. */
interface RowDensities {
  readonly latents: readonly { readonly name: string }[];
  readonly known: readonly { readonly name: string }[];
  readonly values: Readonly<Record<string, Matrix>>;
  readonly observations: Readonly<Record<string, Matrix>>;
  density(X: Matrix, rows: Readonly<Record<string, Matrix>>): { readonly density: Float64Array };
}

/** Matrices side by side; undefined where there is none. */
function besides(parts: readonly Matrix[]): Matrix | undefined {
  if (parts.length < 2) return parts[0];
  const width = parts.reduce((sum, { columns }) => sum + columns, 0);
  return Matrix.from(
    Array.from({ length: parts[0]!.rows }, (_, n) => parts.flatMap((part) => Array.from(part.row(n)))),
    `values of ${width} columns`,
  );
}

function entryLikelihoods(model: AnyModel, given: DrawnFits): Matrix {
  const { valuesOf, fitOf } = given;
  const Y = observationsOf(model);
  const taken = takenDraws(given);
  const logLikelihood = Matrix.zeros(taken.length, Y.data.length);
  for (const [s, k] of taken.entries()) {
    const values = valuesOf(k);
    const noise = values[NOISE];
    const fitted = fitOf(k);
    if (typeof noise !== 'number' || fitted.predict === undefined) throw unsuited(model);
    const { mean, variance: shown } = fitted.predict(fitted.latents);
    const variance = inModelScale(shown, fitted.predict(fitted.latents, { noise: true }).variance, noise);
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

/** Variances of functions as the density has them: predictions of columns that have scales of their own multiply them, and the noise, with s_d². */
function inModelScale(variance: Matrix, noisy: Matrix, noise: number): Matrix {
  const D = variance.columns;
  const scales = Array.from({ length: D }, (_, d) => (noisy.at(0, d) - variance.at(0, d)) / noise);
  return new Matrix(
    variance.data.map((entry, e) => entry / scales[e % D]!),
    variance.rows,
    D,
  );
}

const unsuited = ({ name }: AnyModel) =>
  new InvalidInputError(
    `Leave-one-out is in closed form for one Gaussian process whose noise is one number, '${NOISE}', and without a white kernel: '${name}' is no such model. Give loo the log likelihoods yourself.`,
  );

/** The observations of a model with one view, complete. */
function observationsOf(model: AnyModel): Matrix {
  const { observations, scale } = model.toJSON() as { observations?: unknown; scale?: unknown };
  if (!Array.isArray(observations) || scale === true) throw unsuited(model);
  const Y = Matrix.from(observations as number[][], 'The observations');
  if (Y.data.some((entry) => !Number.isFinite(entry))) throw unsuited(model);
  return Y;
}

/** Compares ∂ log p/∂σ² = ½·Σ(α² − K⁻¹_nn), α = (y − m)/σ², K⁻¹_nn = (1 − h)/σ², with the model's own gradient. */
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
