import type { Matrix, MatrixLike } from '../core/matrix.ts';
import type { ObservationsLike } from '../core/namedTable.ts';
import type { Graph } from '../engine/graph/graph.ts';
import type { Prediction, Projection } from './posterior.ts';

/** Option of all that predicts. */
export interface CalibrationOptions {
  /**
   * Whether predictive variances are multiplied by a factor for each column, s_d² = y_dᵀC⁻¹y_d/(N·ν), which residuals give with the degrees of freedom that fitted latents leave:
   * a point fit takes one value of the latents for sure, and without it variances would be too small. Default true for a fit of one exact process under `scale: 'auto'`, whose noise is free,
   * and for a random field, whose columns are then in the scale of their observed entries; false for the fits of draws, where nothing is taken for sure, and without effect
   * for models that have no such factor. False gives the variances of the model as it is.
   */
  readonly calibrated?: boolean | undefined;
}

/** Options of `project` and what rests on it. */
export interface ProjectOptions extends CalibrationOptions {
  /** Largest number of training latents from which each search starts; default 40. */
  readonly starts?: number | undefined;
  /** Iterations of each search; default 200. */
  readonly maxIterations?: number | undefined;
  /** Largest entry of the gradient at which a search has converged, in coordinates in which the curvature there is about 1; default 1e-6. */
  readonly tolerance?: number | undefined;
  /** Number of weighted points that stand for the place of a row; default 512, at least 8. */
  readonly draws?: number | undefined;
  /** Seed of these points; default 0. */
  readonly seed?: number | undefined;
  /** Aborting it rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A latent point, or the number of a training point from 0. */
export type LatentPlace = number | readonly number[];

/** Latents, and predictions at them. */
export interface PredictedLatents extends Prediction {
  readonly latents: Matrix;
  /** n×q variances of the latents, where latents are distributions and the predictions average over them. */
  readonly latentVariances?: Matrix;
}

/** Fits of models that place new observations among their latents. */
export interface Placing {
  /**
   * The latents of new observations: through the back-constraint where the model has one; by a formula for models that have one
   * (those that embed by eigenvectors, such as `isomap` or `meu`); otherwise the maximum of log p(y*|x*) + log p(x*), searched from the training latents of highest predictive
   * density; the event loop gets its turn every 40 ms. For models whose latents are distributions they are the means of the Gaussians of greatest bound
   * on log p(y*), the functions being what they were fitted to, and `latentVariances` their variances. Where a search places points, `latentVariances` are
   * those of the Gaussian with the curvature of that density at x*, Σ = (−∂² log p(x*|y*))⁻¹ (Laplace's approximation).
   * There are none where a map or a formula computes the place of a row (`gplrf` and `dgplvm` of complete rows, the spectral models but `ppca`), nor on a chart, nor from
   * `tsne`, `umap` and `sammon`: what these maximize says how well a row's neighbors or distances are kept, in units that no observation sets, and its curvature says nothing
   * of how well the place is known.
   *
   * @param Y - n×D, or a table, whose columns are matched by name with those of the fit; NaN counts as not observed (spectral models but `ppca`, `meu` and `mpme` need complete rows)
   * @param options - see {@link ProjectOptions}
   * @returns latents n×q, `latentVariances` n×q where a density says how far the places are known, log p(y*) of each row, and, where a search places rows, log p(y*|x*) at the latents and mean, covariance
   * and Monte Carlo error of the posterior of the places
   * @throws InvalidInputError when Y has another number of columns, or not the ones that were fitted, entries that are not numbers, or a row without observed entries
   * @see Jiang et al. 2014, §III-E
   */
  project(Y: ObservationsLike, options?: ProjectOptions): Promise<Projection>;
}

/** Fits of models that say what observations are like. */
export interface Reconstructing {
  /**
   * What the model makes of new observations Y (n×D), missing entries (NaN) filled in: the predictive mean (n×D) over the places where they may lie, in the
   * units of the observations (expected counts under `poisson`, with an offset as multiples of the row's mean count), or, for random fields over points, their mean given their neighbors.
   */
  reconstruct(Y: ObservationsLike, options?: ProjectOptions): Promise<Matrix>;
}

/** Fits of models with a mapping from latents to observations. */
export interface Predicting {
  /**
   * Predictive mean and variance of the observations at latent points.
   *
   * @param X - n×q latent points
   * @param options - `noise`: whether mean and variance are those of a new observation (true) or of the noise-free function (false,
   * the default); `calibrated`: see {@link CalibrationOptions}
   * @returns mean and variance, both n×D, in the units of the observations; without noise, under a likelihood that is not Gaussian, those of the function
   * behind it, such as the logarithm of a rate under `poisson`
   * @throws InvalidInputError when X is not a matrix of finite numbers with q columns
   */
  predict(X: MatrixLike, options?: { noise?: boolean | undefined } & CalibrationOptions): Prediction;
  /**
   * Predictions on the way between two latents: on the straight line, or along the geodesic, which keeps to where the mapping is known. A geodesic takes its time and is
   * a promise: see `geometry`.
   *
   * @param from - a latent point, or the number of a training point from 0
   * @param to - likewise
   * @param steps - number of points on the way, both ends included, from 2
   * @param options - `along`: 'line' unless given; `noise`: whether the variance is that of a new observation (true, the default) or of the noise-free function. Between rows
   * that are Gaussians it holds their variances too
   */
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options?: { along?: 'line'; noise?: boolean | undefined } & CalibrationOptions,
  ): PredictedLatents;
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options: { along: 'geodesic'; noise?: boolean | undefined } & CalibrationOptions,
  ): Promise<PredictedLatents>;
}

/** Fits of models whose predictions can be drawn from. */
export interface Sampling {
  /**
   * A draw from the joint predictive distribution of the observations at latent points X (n×q), n×D.
   *
   * @param X - n×q latent points
   * @param options - `seed` (0); `noise`: of new observations (true, the default) or of the noise-free function
   */
  sample(
    X: MatrixLike,
    options?: { seed?: number | undefined; noise?: boolean | undefined } & CalibrationOptions,
  ): Matrix;
}

/** Fits of models that fill in what is missing of new observations. */
export interface Imputing {
  /**
   * Fills in missing entries of observations Y (n×D, NaN where missing): each row is placed by what is observed of it, and its missing
   * entries are predicted over the places where it may lie: points around the maxima of log p(x|y) that a search finds, weighted by p(x|y) over the density by which they are spread.
   * Variances hold the noise, the uncertainty of the functions, and that of the place: σ² + E[v(x)] + Var[m(x)].
   *
   * @returns mean, Y itself where it is observed, and variance of a new observation, 0 there; both n×D
   */
  impute(Y: ObservationsLike, options?: ProjectOptions): Promise<Prediction>;
}

/** Abilities of fits of a model with one mapping. */
export interface Mapped extends Placing, Reconstructing, Predicting, Sampling, Imputing {}

/** Observations of some views, by name; rows of one are rows of all. */
export type ViewMatrices<View extends string> = { readonly [V in View]?: MatrixLike | undefined };

/** Abilities of fits of a model with several views. */
export interface Viewed<View extends string> {
  /**
   * Predictive mean and variance of the observations of one view at latent points.
   *
   * @param X - n×q latent points
   * @param options - `view`, which; `noise`: whether the variance is that of a new observation (default false)
   */
  predict(X: MatrixLike, options: { view: View; noise?: boolean | undefined } & CalibrationOptions): Prediction;
  /** A draw from the joint predictive distribution of one view at latent points X (n×q). */
  sample(
    X: MatrixLike,
    options: { view: View; seed?: number | undefined; noise?: boolean | undefined } & CalibrationOptions,
  ): Matrix;
  /** Predictions of one view on the straight line between two latents, or along the geodesic of this view, `steps` points in all. */
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options: { view: View; along?: 'line'; noise?: boolean | undefined } & CalibrationOptions,
  ): PredictedLatents;
  interpolate(
    from: LatentPlace,
    to: LatentPlace,
    steps: number,
    options: { view: View; along: 'geodesic'; noise?: boolean | undefined } & CalibrationOptions,
  ): Promise<PredictedLatents>;
  /** The latents of new observations of one view, or of several of the same points: `project({ pose: Y })`. */
  project(given: ViewMatrices<View>, options?: ProjectOptions): Promise<Projection>;
  /** Reconstructions of new observations of these views, missing entries filled in: the predictive means at their projections. */
  reconstruct<V extends View>(
    given: { readonly [Name in V]: MatrixLike },
    options?: ProjectOptions,
  ): Promise<{ readonly [Name in V]: Matrix }>;
  /** Latents of new observations of some views, and the prediction of another there: `translate({ pose: Y }, 'pixels')`. */
  translate(given: ViewMatrices<View>, to: View, options?: ProjectOptions): Promise<PredictedLatents>;
}

/** Options of forecasts. */
export interface ForecastOptions extends CalibrationOptions {
  /** Whether mean and variance are those of new observations (true, the default) or of the noise-free functions. */
  readonly noise?: boolean | undefined;
  /** Number of paths of the latents that are drawn, from 2 (256): errors fall with its root. */
  readonly draws?: number | undefined;
  /** Seed of the draws (0). */
  readonly seed?: number | undefined;
}

/** Predictions of the rows ahead. */
export interface Forecast extends PredictedLatents {
  /** Variances of the paths, steps×q. */
  readonly latentVariances: Matrix;
  /** Monte Carlo standard error of `mean`, steps×D; more `draws` lower it. */
  readonly meanError: Matrix;
}

/** Abilities of fits of a model with a prior on sequences. */
export interface Forecasting {
  /**
   * Rows ahead of the last one. Paths of the latents are drawn, x_{t+1} ~ N(m, v) given all rows before, and observations are predicted on each: their mean is E[m(x)], their variance
   * E[v(x)] + Var[m(x)] over the paths, with the noise. `latents` and `latentVariances` are the moments of the paths.
   *
   * @param steps - from 1
   * @throws InvalidInputError for a number of steps below 1, or an unknown option or one out of its range
   */
  forecast(steps: number, options?: ForecastOptions): Forecast;
}

/** Members of fits of a model that learns a graph over points. */
export interface GraphLearning {
  /** The learned graph, its edges of positive weight. */
  readonly graph: Graph;
}

/** Members of fits of a model with a layer that is a random field over points. */
export interface FieldShowing extends GraphLearning {
  /** Precision of the learned random field over points, N×N. */
  precision(): Matrix;
  /** Covariance of the learned random field over points, N×N. */
  covariance(): Matrix;
}

/** Abilities of fits of a model that learns a random field over points and has no mapping. */
export interface FieldLearning extends FieldShowing {
  /**
   * Fills in missing entries of columns over the points that were fitted, each at its mean given the observed entries of its column in
   * the learned random field, y_m = −Q'_mm⁻¹·Q'_mo·y_o with Q' = Q − Q11ᵀQ/(1ᵀQ1), the precision about a mean that is not known.
   *
   * @param Y - N×D, the observations or any other columns over the same points, NaN where missing
   * @param options - `calibrated`: false for the conditional variances of the field itself, true (the default) for those in the scale of each column's observed entries
   * @returns mean, Y itself where it is observed, and conditional variance for columns on the scale of the observations, 0 there; both N×D
   * @throws InvalidInputError when Y has not N rows, a column without observed entries, or infinite entries
   * @see Rue & Held 2005, theorem 2.5
   */
  impute(Y: ObservationsLike, options?: CalibrationOptions): Prediction;
}

/** Members of fits of models with a variational posterior of the latents. */
export interface DistributedLatents {
  /**
   * Predictive mean and variance of the observations at latents that are Gaussians, x_n ~ N(X_n, diag s_n), functions and latents integrated out:
   * `predict(fit.latents, { latentVariances: fit.latentVariances })`. Without `latentVariances` at points.
   *
   * @param X - n×q means
   * @param options - `latentVariances`: s, n×q, 0 or more; `noise`: whether the variance is that of a new observation (default false)
   * @throws InvalidInputError when X or the variances are not n×q matrices of finite numbers, or a variance is below 0
   */
  predict(
    X: MatrixLike,
    options?: { noise?: boolean | undefined; latentVariances?: MatrixLike | undefined } & CalibrationOptions,
  ): Prediction;
  /**
   * log p(y_nd | observed entries of row n), of the entries that `full` has and Y lacks: of a mixture over the places of all points, weighed by what
   * the observed entries of the row say of each, with the latents' variances taken into account. `impute` gives the moments of the same mixture. For Gaussian
   * noise of one variance, or one a column.
   *
   * @param Y - n×D observations, NaN where missing
   * @param full - n×D, the same with entries that were missing
   * @returns n×D, NaN but where an entry was missing
   * @throws InvalidInputError when the shapes do not fit, or a row has no observed entry
   */
  missingLogDensity?(Y: ObservationsLike, full: ObservationsLike): Matrix;
  /** Variances of the latents, N×q. */
  readonly latentVariances: Matrix;
  /**
   * How much the mapping varies along each latent dimension, relative to the most relevant one (q entries): near 0 for dimensions that have
   * switched themselves off. It rests on the variance of the functions' slopes, which functions of distance, linear and constant kernels and sums of them
   * know. Fits with a product, or with another kernel, are without it.
   */
  readonly relevance?: Float64Array;
  /** The bound on log p(Y), the latents integrated out: what models of the same observations are compared by. */
  readonly evidence: number;
}

/** Abilities of fits of models with several views and a variational posterior of the latents. */
export interface DistributedViewed<View extends string>
  extends Omit<Viewed<View>, 'predict'>,
    Pick<DistributedLatents, 'latentVariances' | 'evidence'> {
  /**
   * How much the mapping of each view varies along each latent dimension, relative to the most relevant one of that view (q entries): a dimension
   * that is near 0 in one view alone is private to the others. Without views whose kernel does not say.
   *
   * @see Damianou, Ek, Titsias & Lawrence 2012
   */
  readonly relevance: { readonly [name in View]?: Float64Array };
  /**
   * Predictive mean and variance of the observations of one view at latents that are Gaussians of means X (n×q) and variances `latentVariances`, as
   * `project` and `translate` return them; without those at points.
   *
   * @param options - `view`, which; `noise`: whether the variance is that of a new observation (default false)
   */
  predict(
    X: MatrixLike,
    options: { view: View; noise?: boolean | undefined; latentVariances?: MatrixLike | undefined },
  ): Prediction;
}

/** Members of fits of spectral models. */
export interface Spectral {
  /** Eigenvalues of the matrix whose eigenvectors the latents are, one a column. */
  readonly eigenvalues: Float64Array;
}

/** Everything that a fit of some model can do. */
export interface AnyAbilities
  extends Placing,
    Reconstructing,
    Predicting,
    Sampling,
    Forecasting,
    Omit<FieldLearning, 'impute'>,
    Omit<DistributedLatents, 'predict'>,
    Spectral {
  impute(Y: ObservationsLike, options?: ProjectOptions): Prediction | Promise<Prediction>;
}
