import { Matrix } from '../core/matrix.ts';
import { columnMeans } from '../core/observations.ts';
import type { Random } from '../core/random.ts';
import { principalSubspaceFit } from '../engine/dense/principalComponents.ts';
import type { Graph } from '../engine/graph/graph.ts';
import type { FieldReading } from './language/variable.ts';
import type { VariablesPosterior } from './language/variablesModel.ts';

const posteriors = new WeakMap<object, AnyPosterior>();

/** Stores a fit's posterior, for functions that compute further quantities of fits. */
export function rememberPosterior<F extends object>(fit: F, posterior: AnyPosterior): F {
  posteriors.set(fit, posterior);
  return fit;
}

/** The posterior of a fit; undefined unless it is a fit that has latents. */
export const posteriorOf = (fit: unknown): AnyPosterior | undefined =>
  typeof fit === 'object' && fit !== null ? posteriors.get(fit) : undefined;

/** Number of rounds of imputing and refitting; the start of a fit needs no more. */
const ROUNDS = 20;

/**
 * Y with its missing entries (NaN) imputed by q principal components, which are refitted to the completed matrix, starting at the column means; Y
 * itself if nothing is missing. Used where complete observations are needed: to initialize latents, and in priors and maps that read Y. The
 * likelihood uses observed entries only.
 */
export function imputed(Y: Matrix, components: number): Matrix {
  if (!Y.data.some(Number.isNaN)) return Y;
  const missing = Array.from(Y.data.keys()).filter((index) => Number.isNaN(Y.data[index]));
  const means = columnMeans(Y);
  const complete = Matrix.from(Y);
  for (const index of missing) complete.data[index] = means[index % Y.columns]!;
  for (let round = 0; round < ROUNDS; round++) {
    const fitted = principalSubspaceFit(complete, Math.min(components, Y.rows - 1, Y.columns));
    for (const index of missing) complete.data[index] = fitted.data[index]!;
  }
  return complete;
}

/** Predicted moments of observations. */
export interface Prediction {
  /** Names of the D columns, if the fit has a table. */
  readonly columns?: readonly string[];
  /** n×D */
  readonly mean: Matrix;
  /** n×D */
  readonly variance: Matrix;
  /** Monte Carlo standard error of the mean, n×D, if intermediate variables are integrated over draws: 128 draws for `predict`. */
  readonly meanError?: Matrix;
}

/** The posterior p(x*|y*) of the latents of new rows, represented by weighted points around its maxima. */
export interface PlacePosterior {
  /** E[x*|y*], n×q. */
  readonly mean: Matrix;
  /** Cov[x*|y*], n matrices q×q. */
  readonly covariances: readonly Matrix[];
  /** Monte Carlo standard error of `logDensity`, n entries; more `draws` reduce it. */
  readonly logDensityError: Float64Array;
  /** Effective number of independent draws, n entries: below about 30, use more `draws`. */
  readonly effectiveSize: Float64Array;
}

/** New observations projected into the latent space. */
export interface Projection {
  /** n×q */
  readonly latents: Matrix;
  /** Variances of the latents, n×q, if a density defines them: of latent distributions, or of the Gaussian with the curvature of the density at the latents. */
  readonly latentVariances?: Matrix;
  /**
   * log p(y*) for each new observation, n entries: the integral of p(y*|x)·p(x) over its latents, by weighted points, or in closed form. +Infinity if
   * the density concentrates all mass in that row, as for rows that `meu` was fitted to, since weights between equal points are unbounded. NaN for
   * models without a normalized density of new rows or of their latents, and if latents are computed from the observations.
   */
  readonly logDensity: Float64Array;
  /** log p(y*|x*) at the projected latents, n entries, if latents have a mapping. As the latents are chosen to fit y*, it increases with their dimension. */
  readonly logDensityAtPlace?: Float64Array;
  /** The posterior of the latents, if it was computed by a search. */
  readonly posterior?: PlacePosterior;
}

/** New observations at these latents, if the model has no density of new observations. */
export const withoutDensity = (latents: Matrix): Projection => ({
  latents,
  logDensity: new Float64Array(latents.rows).fill(Number.NaN),
});

/**
 * Accuracy that suffices for densities of new rows, which are exact by default: `rough` where searches begin; `close`, without gradients, for integrals
 * over some hundred points, whose error is far larger.
 */
export type Accuracy = 'close' | 'rough';

/** Density of new observations at certain latents. */
export interface PredictiveDensity {
  /** log p(y_i|x_i), n entries. */
  readonly density: Float64Array;
  /** log p(y_i|x_i) + log p(x_i), with all priors that apply to single points, n entries. */
  readonly posterior: Float64Array;
  /** Gradient of each entry of `posterior` in the corresponding x_i, n×q. */
  readonly gradient: Matrix;
}

/** The mapping from latents to observations, in plain numbers without tensors. */
export interface Mapping {
  /** D */
  readonly observedColumns: number;
  /**
   * Predictive mean and variance of the observations at latent points X (n×q), or at Gaussians of these means and `variances` (n×q) for models
   * whose latents are distributions.
   */
  predict(X: Matrix, noise: boolean, variances?: Matrix): Prediction;
  /** A draw from the joint predictive distribution at latent points X (n×q), n×D. */
  sample?(X: Matrix, random: Random, noise: boolean): Matrix;
  /** Density of new observations Y (n×D), row i at row i of X (n×q), by default exact. NaN means not observed. */
  predictiveDensity?(X: Matrix, Y: Matrix, accuracy?: Accuracy): PredictiveDensity;
}

/** Moments of the missing entries of rows Y (n×D, NaN where missing), given the observed ones. */
export interface MissingEntries {
  /** Mean and variance of new observations, equal to the observed entries with variance 0 where they are observed; without this, they are computed from the projected rows. */
  impute?(Y: Matrix): Prediction;
  /** log p(y_nd | observed entries of row n) for the entries of `full` (n×D) that are missing in Y; NaN elsewhere. */
  logDensity(Y: Matrix, full: Matrix): Matrix;
}

/** Projection of new observations without a search. */
export interface Placement {
  /** Whether rows may have missing entries (NaN); default false. */
  readonly acceptsMissing?: boolean;
  /** D, if it is required. */
  readonly observedColumns?: number;
  /** Latents of new observations Y (n×D), computed before `place` is called for the remaining results. */
  found?(Y: Matrix): Promise<Matrix>;
  /** Projection of new observations Y (n×D), at the latents X (n×q) from `found`, if available; the density is NaN if the model has none. */
  place(Y: Matrix, X?: Matrix): Projection | Promise<Projection>;
}

/** A random field over the fitted points. */
export interface LearnedField {
  /** N×N */
  precision(): Matrix;
  /** Inverse of the precision. */
  covariance(): Matrix;
  /**
   * Columns over the N points with missing entries (NaN) replaced by their conditional mean in the field, and their variance: the field's or, if
   * calibrated, in the scale of each column's observed entries.
   */
  impute(Y: Matrix, isCalibrated: boolean, signal?: AbortSignal): Promise<Prediction>;
  /** Mean of new observations Y (n×D) given their observed entries. */
  reconstruct?(Y: Matrix): Matrix | Promise<Matrix>;
}

/** The random field of a layer over points, at the layer's values and the points' latents. */
export interface LearnedByLayer {
  /** The edges where the precision is not 0, weighted by the layer's weights or by the moduli of these entries. */
  readonly graph: Graph;
  readonly field: LearnedField;
  /** Largest relative violation of the optimality conditions, for multipliers that the layer optimizes or free parameters. */
  readonly kktResidual?: () => number;
  /** Coordinates of the points computed from the field, if it has more information than its covariance. */
  embedding?(dim: number, by: FieldReading): FieldCoordinates;
}

/** Coordinates of points computed from a field. */
export interface FieldCoordinates {
  /** N×q */
  readonly latents: Matrix;
  /** Eigenvalues of the matrix whose eigenvectors they are, q entries. */
  readonly eigenvalues?: Float64Array;
  /** Projection of new rows of the field's variable. */
  readonly placement?: Placement;
}

/** A model at given parameter values, as plain numbers without tensors. The narrower types below add abilities of some models. */
export interface Posterior {
  /** N×q */
  readonly latents: Matrix;
}

/** Means and variances of latents, one row per point. */
export interface LatentMoments {
  readonly mean: Matrix;
  readonly variance: Matrix;
}

/** The contribution of each new row to the bound, given the means and variances of its latents, with gradients with respect to these. */
export interface PlacedBound {
  /** n */
  readonly values: Float64Array;
  /** n×q */
  readonly mean: Matrix;
  /** n×q */
  readonly variance: Matrix;
}

/** Moments of latents with a variational posterior. */
export interface LatentDistributions {
  /** N×q */
  readonly variances: Matrix;
  /** Variation of the mapping along each dimension, at most 1; by the names of the views if there are several. */
  readonly relevance?: Float64Array | Readonly<Record<string, Float64Array>>;
}

/** The posterior of a model whose latents are distributions. */
export interface DistributedPosterior extends Posterior {
  readonly distribution: LatentDistributions;
}

/** The posterior of a model with a mapping from latents to observations. */
export interface MappedPosterior extends Posterior {
  readonly mapping: Mapping;
}

/** The posterior of a model that projects new observations without a search. */
export interface PlacedPosterior extends Posterior {
  readonly placement: Placement;
}

/** The posterior of a model with closed-form moments of missing entries. */
export interface FillingPosterior extends Posterior {
  /** Moments of missing entries given the observed ones of their row; used instead of a prediction at the projected row. */
  readonly missing: MissingEntries;
}

/** The posterior of a model that learns a graph. */
export interface GraphPosterior extends Posterior {
  /** The edges with positive weight. */
  readonly graph: Graph;
}

/** The posterior of a model that learns a random field over its points. */
export interface FieldPosterior extends GraphPosterior {
  readonly field: LearnedField;
}

/** The posterior of a model with layers that are random fields. */
export interface LayeredPosterior extends FieldPosterior {
  /** Largest relative violation of the layers' optimality conditions at the latents, for layers that have them. */
  kktResidual(): number | undefined;
}

/** The posterior of a spectral model. */
export interface SpectralPosterior extends Posterior {
  /** Eigenvalues of the matrix whose eigenvectors are the columns of the latents. */
  readonly eigenvalues: Float64Array;
}

/** A posterior with any members. */
export type AnyPosterior = Posterior &
  Partial<
    DistributedPosterior &
      MappedPosterior &
      PlacedPosterior &
      FillingPosterior &
      LayeredPosterior &
      SpectralPosterior &
      VariablesPosterior
  >;
