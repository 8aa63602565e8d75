import type { Matrix, MatrixLike } from '../core/matrix.ts';
import type { Graph } from '../numerics/graph/graph.ts';
import type { ModelJSON, ParameterValues, Prediction, Projection } from './model.ts';
import { type ParameterJSON, type ParameterValue, valueFromJSON } from './parameter.ts';

/** How a fit ended: see the message that comes with it. 'degenerate' is an optimum that means nothing, such as an empty graph. */
export type FitStatus = 'converged' | 'degenerate' | 'maxIterations' | 'stopped' | 'failed';

/** Where a fit stood after an iteration. */
export interface TraceEntry {
  readonly iteration: number;
  readonly evaluations: number;
  /** The best log density so far. */
  readonly objective: number;
  /** Largest entry of the gradient in the solver's variables. */
  readonly gradientNorm: number;
}

export interface FitDiagnostics {
  /** Which linear algebra ran. */
  readonly engine: string;
  /** The BLAS that a native engine called: what it says about itself, and its file. */
  readonly engineLibrary?: string;
  /**
   * Why 'auto' did not come to the native engine, where it might have: koffi is installed or LATENTFIELD_BLAS names a library, but none
   * could be used.
   */
  readonly engineReason?: string;
  /** How many threads it shared its work among, when it was asked for a number of them. */
  readonly threads?: number;
  /** Why there were fewer threads than asked for. */
  readonly threadsReason?: string;
  /** Of the log density, or as much work of a solver's own, from all starts. */
  readonly evaluations: number;
  /** Of the solver, from the start that led to the result. */
  readonly iterations: number;
  readonly seconds: number;
  /** Jitter on the diagonal of the covariance at the result (absolute); 0 when none was needed. */
  readonly jitter: number;
  /** Largest entry of the gradient in the solver's variables at the result. */
  readonly gradientNorm: number;
  /** Largest relative violation of the optimality conditions of a constraint layer: see `maxEntropy`. */
  readonly kktResidual?: number;
  /** The objective reached from each start, the model's own first, when there were restarts. */
  readonly restarts?: readonly number[];
}

/** What a fit knows beside its model: plain data. */
export interface FitOutcome {
  /** Natural values by path, the latents among them when they are free. */
  readonly values: ParameterValues;
  /** The maximised log density. */
  readonly objective: number;
  /** Each factor's part by name. */
  readonly terms: Readonly<Record<string, number>>;
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  /** A sentence that says exactly how the fit ended. */
  readonly message: string;
  readonly diagnostics: FitDiagnostics;
}

/** A fitted model. */
export interface Fit extends Omit<FitOutcome, 'values'> {
  /** The name of the model that was fitted. */
  readonly model: string;
  /** N×q */
  readonly latents: Matrix;
  /** Variances of the latents, N×q; for models whose latents are distributions. */
  readonly latentVariances?: Matrix;
  /**
   * How much the mapping varies along each latent dimension, relative to the most relevant one (q entries): near 0 for dimensions that have
   * switched themselves off; for variational models.
   */
  readonly relevance?: Float64Array;
  /** Natural values by path, without the latents. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Of the matrix whose eigenvectors the latents are, one a column; for spectral models. */
  readonly eigenvalues?: Float64Array;
  /** The learned graph, its edges of positive weight; for maximum-entropy models. */
  readonly graph?: Graph;
  /** Precision of the learned random field over points, N×N; for maximum-entropy models. */
  readonly precision?: () => Matrix;
  /** Covariance of the learned random field over points, N×N; for maximum-entropy models. */
  readonly covariance?: () => Matrix;
  /**
   * Fills in missing entries of columns over the points that were fitted, each at its mean given the observed entries of its column in
   * the learned random field, y_m = −Q'_mm⁻¹·Q'_mo·y_o with Q' = Q − Q11ᵀQ/(1ᵀQ1), the precision about a mean that is not known;
   * for maximum-entropy models.
   *
   * @param Y - N×D, the observations or any other columns over the same points, NaN where missing
   * @returns mean, Y itself where it is observed, and conditional variance for columns on the scale of the observations, 0 there; both N×D
   * @throws InvalidInputError when Y has not N rows, a column without observed entries, or infinite entries
   * @see Rue & Held 2005, theorem 2.5
   */
  readonly impute?: (Y: MatrixLike) => Prediction;
  /**
   * Predictive mean and variance of the observations at latent points.
   *
   * @param X - n×q latent points
   * @param options - `noise`: whether the variance is that of a new observation (true) or of the noise-free function (false,
   * the default)
   * @returns mean and variance, both n×D, in the units of the observations
   * @throws InvalidInputError when X is not a matrix of finite numbers with q columns
   */
  predict(X: MatrixLike, options?: { noise?: boolean }): Prediction;
  /**
   * The latents of new observations: through the back-constraint where the model has one; by a formula for models that have one
   * (those that embed by eigenvectors, such as `isomap` or `meu`); otherwise the maximum of log p(y*|x*) + log p(x*), searched from the training latents of highest predictive
   * density; the thread is left every 40 ms.
   *
   * @param Y - n×D; NaN counts as not observed (not with a back-constraint or a spectral model but `meu` and `mpme`, which need complete rows)
   * @param options - `starts` (20) of each search at the most, its `maxIterations` (200) and `tolerance` (1e-6); a `signal`, aborting which rejects with its reason
   * @returns latents n×q, and log p(y*|x*) of each row there, NaN where the model gives no density
   * @throws InvalidInputError when Y has another number of columns, entries that are not numbers, or a row without observed entries
   * @see Jiang et al. 2014, §III-E
   */
  project(
    Y: MatrixLike,
    options?: { starts?: number; maxIterations?: number; tolerance?: number; signal?: AbortSignal },
  ): Promise<Projection>;
  /**
   * What the model makes of new observations Y (n×D), holes (NaN) filled in: the predictive mean (n×D) at their projections, or, for
   * random fields over points, their mean given their neighbours.
   */
  reconstruct(Y: MatrixLike, options?: Parameters<Fit['project']>[1]): Promise<Matrix>;
  /**
   * A draw from the joint predictive distribution of the observations at latent points X (n×q), n×D.
   *
   * @param X - n×q latent points
   * @param options - `seed` (0); `noise`: of new observations (true, the default) or of the noise-free function
   */
  sample(X: MatrixLike, options?: { seed?: number; noise?: boolean }): Matrix;
  /**
   * Predictions on the straight line between two latents.
   *
   * @param from - a latent point, or the number of a training point from 0
   * @param to - likewise
   * @param steps - number of points on the way, both ends included, from 2
   */
  interpolate(
    from: number | readonly number[],
    to: number | readonly number[],
    steps: number,
  ): { readonly latents: Matrix } & Prediction;
  /**
   * The mean path of the latents ahead of the last point, and predictions along it; for models with a prior on sequences.
   *
   * @param steps - from 1
   * @throws InvalidInputError when the model has no such prior
   */
  forecast(steps: number): { readonly latents: Matrix } & Prediction;
  /** The fit as plain JSON, from which `loadFit` makes it again with the same predictions bit for bit. */
  toJSON(): FitJSON;
}

export interface FitJSON extends Omit<FitOutcome, 'values'> {
  readonly format: 'latentfield-fit';
  readonly version: 1;
  readonly model: ModelJSON;
  readonly values: Readonly<Record<string, ParameterJSON['initial']>>;
}

/** What `Fit.toJSON` wrote about the outcome. */
export function outcomeFromJSON(json: FitJSON): FitOutcome {
  const { values, objective, terms, trace, status, message, diagnostics } = json;
  return {
    values: Object.fromEntries(Object.entries(values).map(([path, value]) => [path, valueFromJSON(value)])),
    objective,
    terms,
    trace,
    status,
    message,
    diagnostics,
  };
}
