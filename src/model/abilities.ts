import type { Matrix, MatrixLike } from '../core/matrix.ts';
import type { ObservationsLike } from '../core/namedTable.ts';
import type { Graph } from '../engine/graph/graph.ts';
import type { Prediction, Projection } from './posterior.ts';

/** Calibration option of predictions. */
export interface CalibrationOptions {
  /**
   * Whether predictive variances are multiplied by a factor for each column, s_d² = y_dᵀC⁻¹y_d/(N·ν), computed from residuals and the degrees of
   * freedom that fitted latents leave. Without it, a point fit underestimates variances, because it treats its latents as known. The default is true
   * for fits of one exact process under `scale: 'auto'` with free noise, and for random fields, whose columns then have the scale of their observed
   * entries. Forecasts then also estimate the noise of a step of `dynamics` from the fitted steps. It is false for fits of posterior samples, which
   * account for the uncertainty of the latents, and has no effect on models without such a factor. False gives the variances of the model itself.
   */
  readonly calibrated?: boolean | undefined;
}

/** Rows of known variables in addition to rows that are not given by name. */
export interface KnownRowsOptions {
  /** Rows of the known variable, such as the covariates of `gplvm(Y, { given: covariates(C) })`, or of several known variables by name. */
  readonly given?: MatrixLike | Readonly<Record<string, MatrixLike>> | undefined;
}

/** Options of `project` and of abilities based on it. */
export interface ProjectOptions extends CalibrationOptions, KnownRowsOptions {
  /** Largest number of training latents used as starting points of each search; default 40. */
  readonly starts?: number | undefined;
  /** Largest number of iterations of each search; default 200. */
  readonly maxIterations?: number | undefined;
  /** Convergence tolerance: largest entry of the gradient, in coordinates with curvature about 1; default 1e-6. */
  readonly tolerance?: number | undefined;
  /** Number of weighted points that represent the posterior of a row's latents; default 512, at least 8. */
  readonly draws?: number | undefined;
  /** Seed of these points; default 0. */
  readonly seed?: number | undefined;
  /** Aborting it rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A latent point, or the index of a training point from 0. */
export type LatentPlace = number | readonly number[];

/** Latents, and predictions at them. */
export interface PredictedLatents extends Prediction {
  readonly latents: Matrix;
  /** n×q variances of the latents, if latents are distributions and the predictions average over them. */
  readonly latentVariances?: Matrix;
}

/** Abilities of fits that project new observations to latents. */
export interface Placing {
  /**
   * Latents of new observations. A model with a back-constraint applies it, and spectral models such as `isomap` or `meu` use a formula. Other models
   * maximize log p(y*|x*) + log p(x*), searching from the training latents with the highest predictive density; they yield to the event loop every 40
   * ms. If latents are distributions, the result is the means of the Gaussians with the largest bound on log p(y*) under the fitted functions, and
   * `latentVariances` are their variances. For a search over points, `latentVariances` are the variances of Laplace's approximation, the Gaussian
   * with covariance Σ = (−∂² log p(x*|y*))⁻¹. They are undefined if a map or a formula computes the latents (`gplrf` and `dgplvm` for complete rows,
   * spectral models except `ppca`), on a chart, and for `tsne`, `umap` and `sammon`: their objectives measure how well neighbors or distances are
   * preserved, in units independent of the observations, so that their curvature is not a measure of uncertainty.
   *
   * @param Y - n×D, or a table, whose columns are matched to the fitted ones by name; NaN means not observed (spectral models except `ppca`, `meu`
   *   and `mpme` need complete rows)
   * @param options - see {@link ProjectOptions}
   * @returns latents n×q, `latentVariances` n×q if defined, and log p(y*) for each row; for a search, also log p(y*|x*) at the latents, and mean,
   *   covariance and Monte Carlo error of the latents' posterior
   * @throws InvalidInputError unless Y has the fitted columns, all entries are numbers, and each row has an observed entry
   * @see Jiang et al. 2014, §III-E
   */
  project(Y: ObservationsLike, options?: ProjectOptions): Promise<Projection>;
}

/** Abilities of fits that reconstruct observations. */
export interface Reconstructing {
  /**
   * Reconstruction of new observations Y (n×D) with missing entries (NaN) filled in: the predictive mean (n×D) over the posterior of their latents,
   * in the units of the observations (expected counts under `poisson`; with an offset, multiples of the row's mean count). For random fields over
   * points, their mean given their neighbors.
   */
  reconstruct(Y: ObservationsLike, options?: ProjectOptions): Promise<Matrix>;
}

/** Options of predictions of rows. */
export interface PredictOptions extends CalibrationOptions {
  /** Whether the variance, or a draw, is of new observations, with their noise, or of the noise-free function. */
  readonly noise?: boolean | undefined;
}

/** Options of draws of rows. */
export interface SampleOptions extends PredictOptions {
  /** Default 0. */
  readonly seed?: number | undefined;
}

/** Predictions along the straight line between two latents, or along the geodesic, with further options. */
export interface Interpolate<Further = unknown> {
  (
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    ...options: OptionalIfEmpty<Further & PredictOptions & { readonly along?: 'line' }>
  ): PredictedLatents;
  (
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options: Further & PredictOptions & { readonly along: 'geodesic' },
  ): Promise<PredictedLatents>;
}

/** An argument that may be left out if it may be empty. */
export type OptionalIfEmpty<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** Fits of models with a mapping from latents to observations. */
export interface Predicting {
  /**
   * Predictive mean and variance of the observations at latent points.
   *
   * @param X - n×q latent points
   * @param options - `noise`: true for the mean and variance of a new observation, false (the default) for the noise-free function; `calibrated`: see
   *   {@link CalibrationOptions}
   * @returns mean and variance, both n×D, in the units of the observations; without noise, under a non-Gaussian likelihood, mean and variance of the
   *   latent function, such as the logarithm of the rate under `poisson`
   * @throws InvalidInputError if X is not a matrix of finite numbers with q columns
   */
  predict(X: MatrixLike, options?: { noise?: boolean | undefined } & CalibrationOptions & KnownRowsOptions): Prediction;
  /**
   * Predictions along a path between two latents: the straight line, or the geodesic, which avoids regions of high uncertainty. A geodesic takes
   * longer and is returned as a promise: see `geometry`.
   *
   * @param from - a latent point, or the index of a training point from 0
   * @param to - likewise
   * @param steps - number of points on the path including both ends, from 2
   * @param options - `along`: default 'line'; `noise`: true (the default) for the variance of a new observation, false for the noise-free function.
   *   Between Gaussian rows it includes their variances
   */
  interpolate: Interpolate;
}

/** Abilities of fits that draw predictions. */
export interface Sampling {
  /**
   * A draw from the joint predictive distribution of the observations at latent points X (n×q), n×D.
   *
   * @param X - n×q latent points
   * @param options - `seed` (0); `noise`: true (the default) for new observations, false for the noise-free function
   */
  sample(X: MatrixLike, options?: SampleOptions & KnownRowsOptions): Matrix;
}

/** Abilities of fits that impute missing entries of new observations. */
export interface Imputing {
  /**
   * Imputes missing entries of observations Y (n×D, NaN where missing). The observed entries of a row determine the posterior of its latents, over
   * which the missing entries are predicted: by importance sampling of points around the maxima of log p(x|y). Variances include the noise and the
   * uncertainty of the functions and of the latents: σ² + E[v(x)] + Var[m(x)]. For a row of the fitted table, the mapping is conditioned on the other
   * rows only. A row without any entry has the predictive moments under the prior of its latents, if that is normalized.
   *
   * @throws InvalidInputError with the code 'followsNoise' for fitted rows if the latents have absorbed the noise: with many latent coordinates, the
   *   errors of predictions cannot be estimated
   * @returns mean, equal to Y where Y is observed, and variance of a new observation, 0 where Y is observed; both n×D
   */
  impute(Y: ObservationsLike, options?: ProjectOptions): Promise<Prediction>;
}

/** Abilities of fits of a model with one mapping. */
export interface Mapped extends Placing, Reconstructing, Predicting, Sampling, Imputing {}

/** Observations of some views, by name; row n of each view belongs to the same point. */
export type ViewMatrices<View extends string> = { readonly [V in View]?: MatrixLike | undefined };

/** Abilities of fits of a model with several views. */
export interface Viewed<View extends string> {
  /**
   * Predictive mean and variance of the observations of one view at latent points.
   *
   * @param X - n×q latent points
   * @param options - `view`, its name; `noise`: whether to include the noise of a new observation (default false)
   */
  predict(X: MatrixLike, options: { readonly view: View } & PredictOptions & KnownRowsOptions): Prediction;
  /** A draw from the joint predictive distribution of one view at latent points X (n×q). */
  sample(X: MatrixLike, options: { readonly view: View } & SampleOptions & KnownRowsOptions): Matrix;
  /** Predictions of one view on the straight line between two latents, or along the geodesic of this view, `steps` points in all. */
  interpolate: Interpolate<{ readonly view: View }>;
  /** The latents of new observations of one view, or of several views of the same points: `project({ pose: Y })`. */
  project(given: ViewMatrices<View>, options?: ProjectOptions): Promise<Projection>;
  /** Reconstructions of new observations of these views with missing entries filled in: the predictive means at their projections. */
  reconstruct<V extends View>(
    given: { readonly [Name in V]: MatrixLike },
    options?: ProjectOptions,
  ): Promise<{ readonly [Name in V]: Matrix }>;
  /** Latents of new observations of some views, and predictions of another view there: `translate({ pose: Y }, 'pixels')`. */
  translate(given: ViewMatrices<View>, to: View, options?: ProjectOptions): Promise<PredictedLatents>;
}

/** Options of forecasts. */
export interface ForecastOptions extends CalibrationOptions {
  /** Whether mean and variance include the noise of new observations (true, the default), or belong to the noise-free functions. */
  readonly noise?: boolean | undefined;
  /** Number of simulated paths of the latents, from 2 (256): errors decrease with its square root. */
  readonly draws?: number | undefined;
  /** Seed of the draws (0). */
  readonly seed?: number | undefined;
}

/**
 * Uncertainty of the last fitted rows: 'laplace', of up to ten points together by Laplace's approximation, with the rows before and the parameters fixed;
 * 'gaussian', the variances of Gaussian rows; 'fixed', none, for rows that are functions of observations and for points that are not at a maximum.
 */
export type ForecastStart = 'laplace' | 'gaussian' | 'fixed';

/** Predictions of future rows. */
export interface Forecast extends PredictedLatents {
  /** Uncertainty of the fitted rows that the paths start from. */
  readonly start: ForecastStart;
  /** Variances of the paths, steps×q. */
  readonly latentVariances: Matrix;
  /** Monte Carlo standard error of `mean`, steps×D; more `draws` lower it. */
  readonly meanError: Matrix;
}

/** Abilities of fits of a model with a prior on sequences. */
export interface Forecasting {
  /**
   * Predicts the rows that follow the last one. Paths of the latents are simulated: the last fitted rows are drawn from their posterior (`start` is its
   * approximation), then x_{t+1} ~ N(m, v) given all earlier rows, and observations are predicted on each path: their mean is E[m(x)], and their variance E[v(x)] + Var[m(x)] over the paths, including the noise. `latents` and
   * `latentVariances` are the moments of the paths.
   *
   * @param steps - number of rows, from 1
   * @throws InvalidInputError for a number of steps below 1, and for an unknown option or one outside its range
   */
  forecast(steps: number, options?: ForecastOptions): Forecast;
}

/** Members of fits of a model that learns a graph over points. */
export interface GraphLearning {
  /** The learned graph: edges with positive weight. */
  readonly graph: Graph;
}

/** Members of fits of a model with a layer that is a random field over points. */
export interface FieldAbility extends GraphLearning {
  /** Precision of the learned random field over points, N×N. */
  precision(): Matrix;
  /** Covariance of the learned random field over points, N×N. */
  covariance(): Matrix;
}

/** Abilities of fits of a model that learns a random field over points and has no mapping. */
export interface FieldLearning extends FieldAbility {
  /**
   * Imputes missing entries of columns over the fitted points by their mean given the observed entries of the same column in the learned random
   * field, y_m = −Q'_mm⁻¹·Q'_mo·y_o with Q' = Q − Q11ᵀQ/(1ᵀQ1), the precision around an unknown mean. Columns with missing entries that `meu` was
   * fitted to are imputed by fields of other columns, since the joint field was fitted to their entries.
   *
   * @param Y - N×D, the observations or any other columns over the same points, NaN where missing
   * @param options - `calibrated`: false for the conditional variances of the field itself, true (the default) for variances in the scale of each
   *   column's observed entries
   * @returns mean, equal to Y where Y is observed, and conditional variance in the scale of the observations, 0 where Y is observed; both N×D
   * @throws InvalidInputError unless Y has N rows, each column has an observed entry, and no entry is infinite
   * @see Rue & Held 2005, theorem 2.5
   */
  impute(Y: ObservationsLike, options?: Pick<ProjectOptions, 'calibrated' | 'signal'>): Promise<Prediction>;
}

/** Members of fits of models with a variational posterior of the latents. */
export interface DistributedLatents {
  /**
   * Predictive mean and variance of the observations at Gaussian latents, x_n ~ N(X_n, diag s_n), with functions and latents integrated out:
   * `predict(fit.latents, { latentVariances: fit.latentVariances })`. Without `latentVariances`, latents are points.
   *
   * @param X - n×q means
   * @param options - `latentVariances`: s, n×q, 0 or more; `noise`: whether to include the noise of a new observation (default false)
   * @throws InvalidInputError if X or the variances are not n×q matrices of finite numbers, or a variance is below 0
   */
  predict(
    X: MatrixLike,
    options?: { noise?: boolean | undefined; latentVariances?: MatrixLike | undefined } & CalibrationOptions &
      KnownRowsOptions,
  ): Prediction;
  /**
   * log p(y_nd | observed entries of row n) for the entries of `full` that are missing in Y. The density is a mixture over the latents of all points,
   * weighted by the observed entries of the row and including the latents' variances; `impute` returns the moments of the same mixture. For Gaussian
   * noise with one variance, or one per column.
   *
   * @param Y - n×D observations, NaN where missing
   * @param full - n×D, the same with the missing entries
   * @returns n×D, NaN except where an entry was missing
   * @throws InvalidInputError if the shapes do not match, or a row has no observed entry
   */
  missingLogDensity?(Y: ObservationsLike, full: ObservationsLike): Matrix;
  /** Variances of the latents, N×q. */
  readonly latentVariances: Matrix;
  /**
   * Variation of the mapping along each latent dimension, relative to the most relevant one (q entries): near 0 for dimensions that are switched off.
   * It is based on the variance of the functions' slopes, which is available for functions of distance, linear and constant kernels and their sums.
   * Undefined for products and other kernels.
   */
  readonly relevance?: Float64Array;
  /** The bound on log p(Y), with the latents integrated out: the criterion for comparing models of the same observations. */
  readonly evidence: number;
}

/** Abilities of fits of models with several views and a variational posterior of the latents. */
export interface DistributedViewed<View extends string>
  extends Omit<Viewed<View>, 'predict'>,
    Pick<DistributedLatents, 'latentVariances' | 'evidence'> {
  /**
   * Variation of the mapping of each view along each latent dimension, relative to the most relevant one of that view (q entries): a dimension that
   * is near 0 in one view only is private to the others. Views are omitted if it is undefined for their kernel.
   *
   * @see Damianou, Ek, Titsias & Lawrence 2012
   */
  readonly relevance: { readonly [name in View]?: Float64Array };
  /**
   * Predictive mean and variance of the observations of one view at Gaussian latents with means X (n×q) and variances `latentVariances`, as returned
   * by `project` and `translate`; without variances, latents are points.
   *
   * @param options - `view`, its name; `noise`: whether to include the noise of a new observation (default false)
   */
  predict(
    X: MatrixLike,
    options: { view: View; noise?: boolean | undefined; latentVariances?: MatrixLike | undefined } & KnownRowsOptions,
  ): Prediction;
}

/** Members of fits of spectral models. */
export interface Spectral {
  /** Eigenvalues of the matrix whose eigenvectors are the columns of the latents. */
  readonly eigenvalues: Float64Array;
}

/** All possible abilities of a fit. */
export interface AnyAbilities
  extends Placing,
    Reconstructing,
    Predicting,
    Sampling,
    Forecasting,
    Omit<FieldLearning, 'impute'>,
    Omit<DistributedLatents, 'predict'>,
    Spectral {
  impute(Y: ObservationsLike, options?: ProjectOptions): Promise<Prediction>;
}
