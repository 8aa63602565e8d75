import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { isPart } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Approximation, Measured } from '../approximation.ts';
import type { Batch, Findings, ParameterValues, Search, TensorMap } from '../model.ts';
import type { Parameter } from '../parameter.ts';
import type { LearnedByLayer, Projection } from '../posterior.ts';
import type { Curvature } from '../solver.ts';
import type { ObservationSupport } from './support.ts';

/** Rows of a variable beside the same rows of the variables that it is given. */
export interface Rows<V = Tensor2D> {
  /** n×D */
  readonly value: V;
  /** n×q of each variable that it is given, in their order. */
  readonly given: readonly V[];
  /** n×D, 1 where an entry of the value is observed and 0 where it is missing (the value is 0 there); without it all are observed. */
  readonly present?: Tensor2D;
  /** n×1, how often each row counts, for a density that counts them itself; without it all count once. */
  readonly weights?: Tensor2D;
  /** n×D variances of fitted rows that are Gaussian; `value` holds their means. */
  readonly variance?: Tensor2D;
  /** The same of rows that are correlated: F_d of each column, n×n, whose covariance is F_dF_dᵀ. */
  readonly factors?: readonly Tensor2D[] | undefined;
  /** n×q variances of those given variables whose fitted rows are Gaussian; `given` holds their means. */
  readonly givenVariances?: readonly (Tensor2D | undefined)[];
}

/** Number of rows of a variable, beside the rows of those that it is given. */
export interface RowsShape extends Pick<Rows, 'given'> {
  readonly rows: number;
}

/** Q, n×n, few of whose entries are not 0. */
export interface SparsePrecision {
  /** Q_ii, n numbers. */
  readonly diagonal: Tensor1D;
  /** All of it. */
  matrix(): Tensor2D;
  /** log|Q + diag λ|, and the diagonal of (Q + diag λ)⁻¹, n numbers, without an n×n matrix; undefined where that saves nothing. */
  marginals?(lambda: Tensor1D): { readonly logDeterminant: Scalar; readonly variances: Tensor1D };
}

/** Rows as they are where a search starts: points, or means with their variances. */
export interface RowsStart {
  readonly mean: Matrix;
  readonly variance?: Matrix;
}

/** Context of a density before the fit: its variable. */
export interface DensityStart {
  /** Name of the variable. */
  readonly variable: string;
  /** Number of its rows. */
  readonly rows: number;
  /** Number of its columns. */
  readonly columns: number;
  /** Numbers of columns of the variables that it is given. */
  readonly givenColumns: readonly number[];
  /** Where the variables that it is given start; known when asked for. */
  readonly given: readonly RowsStart[];
  /** Observations as the model sees them, NaN where missing; undefined for a variable that is not observed. */
  readonly data: Matrix | undefined;
  /** How often each row counts; once where undefined. */
  readonly weights?: Float64Array | undefined;
  /** Observations of all observed variables side by side, missing entries filled in. */
  readonly observations: Matrix;
  /** True if a variable that it is given lies on a manifold with a chart, such as a circle. */
  readonly isOnChart: boolean;
  readonly seed: number;
  /** True if the log density will be asked for some rows at a time. */
  readonly batched: boolean;
}

/** Context of a density in an evaluation. */
export interface DensityContext<C = unknown> {
  /** Result of `prepare`. */
  readonly constants: C;
  /** Random numbers of this iteration: the same in each evaluation of it. */
  readonly random: Random;
  /** Iteration of a stochastic solver, from 0; 0 for all others. */
  readonly iteration: number;
  /** The rows that the evaluation sees, where it does not see all. */
  readonly batch?: Batch;
  /** Natural values by the density's own names, as plain numbers; in `condition` only. */
  readonly values?: ParameterValues;
  /** True if a quick approximation will do: searches for the place of new rows begin with it. */
  readonly isRough: boolean;
  /** False where predictive variances are to be the model's, without a factor that residuals give; true unless it says. */
  readonly isCalibrated?: boolean;
  /** Returns what `make` makes, plain numbers without tensors; of one fit it is made once for each owner. */
  remember<T>(owner: object, make: () => T): T;
  onJitter(jitter: number): void;
  onRank?(rank: number): void;
  /** Called with an approximation of the density, and with what measures its error. */
  onApproximation?(approximation: Omit<Approximation, 'of'>, measure?: Measured): void;
}

/** Mean and variance of new rows. */
export interface RowMoments {
  /** n×D */
  readonly mean: Tensor2D;
  /** Variance of the noise-free function, n×D or n×1. */
  readonly variance: Tensor2D;
  /** Variance that noise adds to it: a scalar, D entries, or n×D; default none. */
  readonly noise?: Tensor;
  /** Mean and variance of observations, n×D each, where these are not the function's with the noise added. */
  readonly observed?: () => { readonly mean: Tensor2D; readonly variance: Tensor2D };
  /**
   * Covariances between the n rows, n×n: one for all columns, or D. With them functions and noise are normal, and new rows are drawn so; without them
   * a density has to say its sample.
   */
  readonly covariances?: () => readonly Tensor2D[];
}

/** Slopes of the noise-free function of n new rows along the q columns that it is given, side by side. */
export interface SlopeMoments {
  /** n·q×D, row i·q + k along column k. */
  readonly mean: Tensor2D;
  /** Covariances between the slopes, n·q×n·q: one for all columns, or D. */
  readonly covariances: () => readonly Tensor2D[];
}

/** Conditional of a density for new rows, given the fitted rows. */
export interface Conditional {
  /** log p(new row | its givens, the fitted rows), n entries. */
  logPredictive?(rows: Rows): Tensor1D;
  /** Moments of new rows given the values of what they are given. */
  moments?(given: readonly Tensor2D[]): RowMoments;
  /** Moments of new rows whose givens are Gaussian rows, functions and givens integrated out. */
  uncertainMoments?(given: readonly GaussianRows[]): RowMoments;
  /** True where observations have Gaussian noise around these moments, with one variance or one a column. */
  readonly hasGaussianNoise?: boolean;
  /** E[log p(new row | its givens, the fitted rows)] where the givens are Gaussian rows, or a lower bound of it, n entries. */
  expected?(rows: Rows<Tensor2D | GaussianRows>): Tensor1D;
  /** How much the function varies along each column that it is given, 1 for the one along which it varies most; undefined where it does not say. */
  relevance?(): Float64Array | undefined;
  /** Moments of the slopes of a function that is random; the slopes of the mean are differences of `moments` without it. */
  slopes?(given: readonly Tensor2D[]): SlopeMoments;
  /** A draw of new rows, n×D; where it is left out, by the density's own sample where rows are independent, or normal with the covariances of the moments. */
  sample?(given: readonly Tensor2D[], random: Random): Tensor2D;
  /**
   * The row that follows, of n paths side by side: densities of sequences have it.
   *
   * @param before - rows of the paths so many steps back, n×D: `before(1)` are the last ones
   * @param ahead - number of rows that the paths have beyond the fitted ones
   */
  next?(before: (lag: number) => Tensor2D, ahead: number): NextRow;
}

/** Normal distribution of the row that follows, of n paths; its columns are independent. */
export interface NextRow {
  /** n×D */
  readonly mean: Tensor2D;
  /** A scalar, D entries, n×1 or n×D; 0 where the row follows for certain. */
  readonly variance: Tensor;
}

/** Entries of natural values by a density's own names. */
export type Entries = Readonly<Record<string, Float64Array>>;

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** The call that makes a part again, as files have it: a factory by its name, and the arguments. */
export interface Call {
  readonly name: string;
  readonly arguments: readonly unknown[];
}

/** Expectations of a log density under Gaussian rows. */
export interface UnderGaussianRows {
  expected?(p: TensorMap, rows: Rows<Tensor2D | GaussianRows>, context: DensityContext): Scalar | Tensor1D;
  /** Rows that `expected` takes as Gaussian: the value or what it is given, which are points otherwise; both unless set. */
  readonly over?: 'value' | 'given';
  /**
   * Q, n×n, where log p(value | given) = c − ½·Σ_d (x_d − μ_d)ᵀQ(x_d − μ_d) with one matrix for all columns; undefined where the density is of another form after all. Expectations
   * under Gaussian rows follow from it, for 4000 rows at most, and Gaussian rows may take their correlations from it.
   */
  precision?(p: TensorMap, rows: RowsShape, context: DensityContext): Tensor2D | SparsePrecision | undefined;
  /** Whether `precision` makes no n×n matrix, so that any number of rows will do. */
  readonly isSparse?: true;
  /**
   * KL(q‖p) of Gaussian rows q in closed form, for a density without `expected`, in the place of an expectation and the entropy: n numbers, or n×k whose sums over k they are, where rows are
   * independent; a scalar otherwise.
   */
  divergence?(p: TensorMap, q: GaussianRows): Scalar | Tensor1D | Tensor2D;
}

/** A random field over the rows. */
export interface FieldOfRows {
  /** The field at natural values and rows, which fits show. */
  learned(p: ParameterValues, value: Matrix, constants: unknown): LearnedByLayer;
  /** Number of points of a field that reads no rows, as all that it expects of them is given: `embedded` takes it in the place of a variable. */
  readonly points?: number;
}

/** How the maximum of a density is searched for. */
export interface SearchOfRows {
  /** The search that suits it; or that for observations as the model sees them, NaN where missing. */
  readonly settings?: Search | ((data: Matrix | undefined) => Search | undefined);
  /**
   * The curvature of minus the log density in the entries of the density's free parameters, in their order, where its rows do not move; or its Hessian, n² numbers row
   * by row. Undefined where the search does without.
   */
  curvature?(p: Entries, constants: unknown): Curvature | Float64Array | undefined;
  /** Hessian of the log density in its value (n×D), (nD)² numbers row by row: solvers that ask for curvature need it of all densities. */
  hessian?(p: ParameterValues, value: Matrix, constants: unknown): Float64Array;
  /** Parameters that a fit holds at their initial values for a number of iterations, if any. */
  held?(start: DensityStart): { readonly names: readonly string[]; readonly iterations: number } | undefined;
  /** Parameter of the latents, moved within what the density allows only. */
  restrict?(latents: Parameter): Parameter;
  /** Findings about a result at these values, beside how its search ended. */
  findings?(p: ParameterValues, constants: unknown): Findings | undefined;
  /** Graph along which rows are near each other, which preconditions a search. */
  readonly graph?: Graph | undefined;
  /** Where new rows lie whose givens are these (n×c), beside the fitted rows, for a density that finds them by itself; plain numbers. */
  place?(given: Matrix, fitted: Matrix): Projection | Promise<Projection>;
}

/** How the rows of a variable are distributed: anything random in a model. A plain frozen description. */
export interface Density<Said = unknown> {
  readonly kind: 'density';
  /** In types only: what it says beside its log density, where the type knows it: see {@link Saying}. */
  readonly '~says'?: Said;
  readonly name: string;
  /** True if the density integrates to 1 over its rows, whatever its parameters. */
  readonly normalized: boolean;
  /** True if `logPredictive` is the conditional of the joint density of all rows. */
  readonly exact: boolean;
  /** True if columns of observations are to be brought to mean 0 before it sees them, unless the variable says otherwise. */
  readonly centered: boolean;
  /** True if rows with missing entries are taken: the density reads `present`, or what is missing in the data at `prepare`. */
  readonly takesMissing: boolean;
  /** Which observations it can be of; any real numbers without it. */
  readonly support?: ObservationSupport;
  /** True if rows are independent given what they are given, false if not; where it does not say, its log density shows it. */
  readonly independent: boolean | undefined;
  /** True if it counts rows by their weights where its log density is one of all rows. */
  readonly countsRows?: boolean;
  /** True if `condition` multiplies predictive variances by factors that it takes from the residuals, where the context is calibrated. */
  readonly calibrates?: true;
  /** Number of functions that a likelihood takes for each column: a map before it has D times as many columns. */
  readonly functions?: number;
  /** Functions that these observations speak for, from which maps before it start. */
  readonly functionStart?: (data: Matrix) => Matrix;
  /** Parameters by name; they may depend on the variable. */
  readonly parameters: Parameters | ((start: DensityStart) => Parameters);
  readonly prepare?: (start: DensityStart) => unknown;
  readonly logDensity: (p: TensorMap, rows: Rows, context: DensityContext) => Scalar | Tensor1D;
  /** Conditional for new rows, given the fitted rows. */
  readonly condition?: (p: TensorMap, fitted: Rows, context: DensityContext) => Conditional;
  /** A draw from the density itself, n×D. */
  readonly sample?: (
    p: TensorMap,
    random: Random,
    shape: readonly [number, number],
    given: readonly Tensor2D[],
  ) => Tensor2D;
  readonly gaussian?: UnderGaussianRows;
  readonly field?: FieldOfRows;
  readonly search?: SearchOfRows;
  /** Term independent of the batch, added to its log density: −KL(q(u)‖p(u)) of variables of its own; undefined where it has none. */
  readonly once?: (p: TensorMap) => Scalar | undefined;
  /** The call that makes it again. */
  readonly call?: Call;
}

/** A density whose parameters do not depend on the variable, such as one of latents. */
export interface Prior<Said = unknown> extends Density<Said> {
  readonly parameters: Parameters;
}

/** Parameters of a density of a variable. */
export const parametersOf = ({ parameters }: Pick<Density, 'parameters'>, start: DensityStart): Parameters =>
  typeof parameters === 'function' ? parameters(start) : parameters;

/** Abilities of a density: log densities of new rows, their moments, draws of them, the rows that follow, draws from its prior, and a field over the rows. */
export type Saying = 'rows' | 'moments' | 'sample' | 'next' | 'draws' | 'field';

/**
 * The log density of n rows: a scalar, or one number a row.
 *
 * @param of - what has the density, in errors
 * @throws InvalidInputError for anything else, such as one number a column
 */
export function checkedTerm(term: unknown, rows: number, of: string): Scalar | Tensor1D {
  const isTensor = term instanceof tf.Tensor;
  if (isTensor && (term.rank === 0 || (term.rank === 1 && term.size === rows))) return term as Scalar | Tensor1D;
  throw new InvalidInputError(
    `The log density of ${of} must be a scalar, or one number for each of ${rows} rows, but ` +
      `${isTensor ? `a tensor of shape [${term.shape}]` : describe(term)} was returned. Sum it over its columns: op.sum(entries, 1).`,
  );
}

/** The same of rows that are independent. */
export function checkedRowTerms(term: unknown, rows: number, of: string): Tensor1D {
  const own = checkedTerm(term, rows, of);
  if (own.rank === 1) return own as Tensor1D;
  throw new InvalidInputError(
    `The log density of ${of} must be one number for each of ${rows} rows, but one of all together was returned. Sum it over its columns: op.sum(entries, 1).`,
  );
}

/** A part that has a density: processes, likelihoods and priors of latents. */
export interface HasDensity {
  readonly density: Density;
}

/** Accepted where a density is expected. */
export type DensityLike = Density | HasDensity;

/**
 * The density that is meant.
 *
 * @throws InvalidInputError for what is neither a density nor a part that has one
 */
export function densityOf(given: unknown, place: string): Density {
  const read = (of: unknown, key: string): unknown =>
    typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined;
  if (isPart(given, 'density', ['logDensity'])) return given as Density;
  const own = read(given, 'density');
  if (isPart(own, 'density', ['logDensity'])) return own as Density;
  if (typeof given === 'function') {
    throw new InvalidInputError(
      `${place} must be a density, but the function ${given.name || 'without a name'} was given. Call the factory: ${given.name || 'density'}().`,
    );
  }
  const hint = read(given, 'kind') === 'kernel' ? ' A kernel makes one: gaussianProcess({ kernel }).' : '';
  throw new InvalidInputError(
    `${place} must be a density, such as standardNormal() or gaussianProcess({ kernel: rbf() }), but ${describe(given)} was given.${hint}`,
  );
}
