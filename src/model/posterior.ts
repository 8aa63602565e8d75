import { Matrix } from '../core/matrix.ts';
import { columnMeans } from '../core/observations.ts';
import type { Random } from '../core/random.ts';
import { principalSubspaceFit } from '../engine/dense/principalComponents.ts';
import type { Graph } from '../engine/graph/graph.ts';
import type { FieldReading } from './language/variable.ts';
import type { VariablesPosterior } from './language/variablesModel.ts';

const posteriors = new WeakMap<object, AnyPosterior>();

/** Keeps a fit's posterior for what is computed of fits by functions rather than by their members. */
export function rememberPosterior<F extends object>(fit: F, posterior: AnyPosterior): F {
  posteriors.set(fit, posterior);
  return fit;
}

/** The posterior of a fit; undefined for what is not a fit, or one that was stopped before it had latents. */
export const posteriorOf = (fit: unknown): AnyPosterior | undefined =>
  typeof fit === 'object' && fit !== null ? posteriors.get(fit) : undefined;

/** Rounds of filling in and fitting again; the start of a fit needs no more. */
const ROUNDS = 20;

/**
 * Y with its missing entries (NaN) filled in by q principal components, fitted to the completed matrix again and again from the
 * column means; Y itself when nothing is missing. For what needs complete observations: the start of the latents, and priors
 * and maps that read Y. The likelihood sees observed entries only.
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
  /** Names of the D columns, where the fit remembers its table. */
  readonly columns?: readonly string[];
  /** n×D */
  readonly mean: Matrix;
  /** n×D */
  readonly variance: Matrix;
  /** Monte Carlo standard error of the mean, n×D, where variables between are integrated over draws: 128 of them for `predict`. */
  readonly meanError?: Matrix;
}

/** The posterior p(x*|y*) of the places of new rows, by weighted points around its maxima. */
export interface PlacePosterior {
  /** E[x*|y*], n×q. */
  readonly mean: Matrix;
  /** Cov[x*|y*], n matrices q×q. */
  readonly covariances: readonly Matrix[];
  /** Monte Carlo standard error of `logDensity`, n entries; more `draws` lower it. */
  readonly logDensityError: Float64Array;
  /** Number of independent draws that the weighted points are worth, n entries: where it is below about 30, ask for more `draws`. */
  readonly effectiveSize: Float64Array;
}

/** New observations placed in the latent space. */
export interface Projection {
  /** n×q */
  readonly latents: Matrix;
  /** Variances of the latents, n×q, where a density says how well a row is placed: those of distributions, or of the Gaussian with the density's curvature at the place. */
  readonly latentVariances?: Matrix;
  /**
   * log p(y*) of each new observation, n entries: the integral of p(y*|x)·p(x) over its place, by weighted points, or in closed form. +Infinity where the model's density has all
   * of its mass in that row: a row that `meu` was fitted to, as weights between equal points have no bound. NaN for models without a density, whose latents have no normalized one,
   * and where latents are computed from the observations.
   */
  readonly logDensity: Float64Array;
  /** log p(y*|x*) at the place, n entries, where latents have a mapping: larger the better a place can be chosen by looking at y*, and so with every dimension. */
  readonly logDensityAtPlace?: Float64Array;
  /** The posterior of the places, where a search places them. */
  readonly posterior?: PlacePosterior;
}

/** How probable new observations are at given latents. */
export interface PredictiveDensity {
  /** log p(y_i|x_i), n entries. */
  readonly density: Float64Array;
  /** log p(y_i|x_i) + log p(x_i) with the priors that say something about single points, n entries. */
  readonly posterior: Float64Array;
  /** Gradient of each entry of `posterior` in its own x_i, n×q. */
  readonly gradient: Matrix;
}

/** The way from latents to observations; plain numbers only, no tensors. */
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
  /**
   * Density of new observations Y (n×D), row i at row i of X (n×q). NaN counts as not observed. With `isRough` a quick approximation
   * will do: searches begin with it.
   */
  predictiveDensity?(X: Matrix, Y: Matrix, isRough?: boolean): PredictiveDensity;
}

/** Moments of the missing entries of rows Y (n×D, NaN where missing), given the observed ones. */
export interface MissingEntries {
  /** Mean and variance of new observations, the entries themselves, without variance, where they are observed; without it they follow from the places of the rows. */
  impute?(Y: Matrix): Prediction;
  /** log p(y_nd | observed entries of row n) of what `full` (n×D) has and Y lacks; NaN elsewhere. */
  logDensity(Y: Matrix, full: Matrix): Matrix;
}

/** How new observations get their latents without a search. */
export interface Placement {
  /** Whether rows may have missing entries (NaN). */
  readonly acceptsMissing: boolean;
  /** D, where it matters. */
  readonly observedColumns?: number;
  /** Places of new observations Y (n×D) that are found some time before `place` is asked for what else there is to say of them. */
  found?(Y: Matrix): Promise<Matrix>;
  /** New observations Y (n×D), at the places X (n×q) that `found` gives, if it is there; the density is NaN where the model gives none. */
  place(Y: Matrix, X?: Matrix): Projection | Promise<Projection>;
}

/** A random field over the points that were fitted. */
export interface LearnedField {
  /** N×N */
  precision(): Matrix;
  /** Its inverse. */
  covariance(): Matrix;
  /**
   * Columns over the N points, missing entries (NaN) at their conditional mean in the field, and their variance: that of the field, or, calibrated, in the scale of each column's
   * observed entries.
   */
  impute(Y: Matrix, isCalibrated: boolean): Prediction;
  /** Mean of new observations Y (n×D) given what is observed of them. */
  reconstruct?(Y: Matrix): Matrix | Promise<Matrix>;
}

/** The random field of a layer over points, at its values and the points' latents. */
export interface LearnedByLayer {
  /** The edges at which the precision is not 0, with the weights of the layer or the moduli of these entries. */
  readonly graph: Graph;
  readonly field: LearnedField;
  /** Largest relative violation of the optimality conditions of what the layer finds by itself or what is free of its parameters. */
  readonly kktResidual?: () => number;
  /** Coordinates of the points that are read off the field, for one that knows more than its covariance says. */
  embedding?(dim: number, by: FieldReading): FieldCoordinates;
}

/** Coordinates of points that are read off a field. */
export interface FieldCoordinates {
  /** N×q */
  readonly latents: Matrix;
  /** q entries: of the matrix whose eigenvectors they are. */
  readonly eigenvalues?: Float64Array;
  /** How new rows of what the field is of get theirs. */
  readonly placement?: Placement;
}

/** A model at given parameter values, as plain numbers without tensors. The narrower types below add what only some models can do. */
export interface Posterior {
  /** N×q */
  readonly latents: Matrix;
}

/** Means and variances of latents, one row a point. */
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
  /** How much the mapping varies along each dimension, 1 at most; that of each view by its name, where there are several. */
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

/** The posterior of a model that places new observations without a search. */
export interface PlacedPosterior extends Posterior {
  readonly placement: Placement;
}

/** The posterior of a model that knows the moments of missing entries. */
export interface FillingPosterior extends Posterior {
  /** Moments of missing entries given the observed ones of their row; used instead of a prediction at the projected row. */
  readonly missing: MissingEntries;
}

/** The posterior of a model that learns a graph. */
export interface GraphPosterior extends Posterior {
  /** The edges of positive weight. */
  readonly graph: Graph;
}

/** The posterior of a model that learns a random field over its points. */
export interface FieldPosterior extends GraphPosterior {
  readonly field: LearnedField;
}

/** The posterior of a model with layers that are such fields. */
export interface LayeredPosterior extends FieldPosterior {
  /** Largest relative violation of the layers' optimality conditions at the latents; for layers that have some. */
  kktResidual(): number | undefined;
}

/** The posterior of a spectral model. */
export interface SpectralPosterior extends Posterior {
  /** Eigenvalues of the matrix whose eigenvectors the latents are, one a column. */
  readonly eigenvalues: Float64Array;
}

/** A posterior of which it is asked what it has. */
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
