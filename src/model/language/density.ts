import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, type Matrix } from '../../core/matrix.ts';
import { isPart } from '../../core/options.ts';
import type { Random } from '../../core/random.ts';
import type { Graph } from '../../engine/graph/graph.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Approximation, Measured } from '../approximation.ts';
import type { Findings, ParameterValues, Search, TensorMap, TermContext } from '../model.ts';
import type { Parameter } from '../parameter.ts';
import type { OfParameter } from '../parameterPrior.ts';
import type { Accuracy, LearnedByLayer, Projection } from '../posterior.ts';
import type { Curvature } from '../solver.ts';
import type { ObservationSupport } from './support.ts';

/** Rows of a variable, with the corresponding rows of its parents. */
export interface Rows<V = Tensor2D> {
  /** n×D */
  readonly value: V;
  /** n×q for each parent, in order. */
  readonly given: readonly V[];
  /** n×D, 1 where an entry of the value is observed and 0 where it is missing (the value is 0 there); default all observed. */
  readonly present?: Tensor2D;
  /** n×1, multiplicity of each row, for a density that applies multiplicities itself; default 1. */
  readonly weights?: Tensor2D;
  /** n×D variances of fitted rows that are Gaussian; `value` contains their means. */
  readonly variance?: Tensor2D;
  /** The same for correlated rows: F_d for each column, n×n, with covariance F_dF_dᵀ. */
  readonly factors?: readonly Tensor2D[] | undefined;
  /** n×q variances of those parents whose fitted rows are Gaussian; `given` contains their means. */
  readonly givenVariances?: readonly (Tensor2D | undefined)[];
}

/** Number of rows of a variable, with the rows of its parents. */
export interface RowsShape extends Pick<Rows, 'given'> {
  readonly rows: number;
}

/** Q, n×n, with few nonzero entries. */
export interface SparsePrecision {
  /** Q_ii, n numbers. */
  readonly diagonal: Tensor1D;
  /** Q as a dense matrix. */
  matrix(): Tensor2D;
  /** log|Q + diag λ|, and the diagonal of (Q + diag λ)⁻¹, n numbers, without an n×n matrix; undefined if this saves nothing. */
  marginals?(lambda: Tensor1D): { readonly logDeterminant: Scalar; readonly variances: Tensor1D };
}

/** Initial rows: points, or means with their variances. */
export interface RowsStart {
  readonly mean: Matrix;
  readonly variance?: Matrix;
}

/** Context of a density before the fit, about its variable. */
export interface DensityStart {
  /** Name of the variable. */
  readonly variable: string;
  /** Number of its rows. */
  readonly rows: number;
  /** Number of its columns. */
  readonly columns: number;
  /** Numbers of columns of the parents. */
  readonly givenColumns: readonly number[];
  /** Initial rows of the parents; computed on demand. */
  readonly given: readonly RowsStart[];
  /** Observations in the model's units, NaN where missing; undefined for a variable that is not observed. */
  readonly data: Matrix | undefined;
  /** Multiplicity of each row; default 1. */
  readonly weights?: Float64Array | undefined;
  /** Observations of all observed variables side by side, with missing entries filled in. */
  readonly observations: Matrix;
  /** True if a parent lies on a manifold with a chart, such as a circle. */
  readonly isOnChart: boolean;
  readonly seed: number;
  /** True if the log density will be evaluated for some rows at a time. */
  readonly batched: boolean;
}

/** Context of a density in an evaluation. */
export interface DensityContext<C = unknown> extends Omit<TermContext, 'onApproximation'> {
  /** Result of `prepare`. */
  readonly constants: C;
  /** Natural values by the density's parameter names, as plain numbers; in `condition` only. */
  readonly values?: ParameterValues;
  /** Accuracy that suffices for densities of new rows; exact by default. */
  readonly accuracy?: Accuracy | undefined;
  /** False if predictive variances should not be multiplied by a factor computed from residuals; default true. */
  readonly isCalibrated?: boolean;
  /** Returns the result of `make`, plain numbers without tensors; it is computed once per owner in a fit. */
  remember<T>(owner: object, make: () => T): T;
  /** Called with an approximation of the density and a function that measures its error. */
  onApproximation?(approximation: Omit<Approximation, 'of'>, measure?: Measured): void;
}

/** Mean and variance of new rows. */
export interface RowMoments {
  /** n×D */
  readonly mean: Tensor2D;
  /** Variance of the noise-free function, n×D or n×1. */
  readonly variance: Tensor2D;
  /** Noise variance of an observation: a scalar, D entries, or n×D; default none. */
  readonly noise?: Tensor;
  /** Mean and variance of observations, n×D each, if they differ from the function's with the noise added. */
  readonly observed?: () => { readonly mean: Tensor2D; readonly variance: Tensor2D };
  /**
   * Covariances between the n rows, n×n: one for all columns, or D. With them, functions and noise are normal, and new rows are drawn accordingly;
   * without them, a density must define `sample`.
   */
  readonly covariances?: () => readonly Tensor2D[];
}

/** Slopes of the noise-free function at n new rows along the q columns of its parents side by side. */
export interface SlopeMoments {
  /** n·q×D, row i·q + k along column k. */
  readonly mean: Tensor2D;
  /** Covariances between the slopes, n·q×n·q: one for all columns, or D. */
  readonly covariances: () => readonly Tensor2D[];
}

/** Conditional of a density for new rows, given the fitted rows. */
export interface Conditional {
  /** log p(new row | its parents, the fitted rows), n entries. */
  logPredictive?(rows: Rows): Tensor1D;
  /** Moments of new rows given the values of their parents. */
  moments?(given: readonly Tensor2D[]): RowMoments;
  /** Moments of new rows whose parents are Gaussian rows, with functions and parents integrated out. */
  uncertainMoments?(given: readonly GaussianRows[]): RowMoments;
  /** True if observations have Gaussian noise around these moments, with one variance or one per column. */
  readonly hasGaussianNoise?: boolean;
  /** E[log p(new row | its parents, the fitted rows)] if the parents are Gaussian rows, or a lower bound on it, n entries. */
  expected?(rows: Rows<Tensor2D | GaussianRows>): Tensor1D;
  /** Variation of the function along each column of its parents, relative to the largest; undefined if unknown. */
  relevance?(): Float64Array | undefined;
  /** Moments of the slopes of a random function; without it, slopes are differences of the mean in `moments`. */
  slopes?(given: readonly Tensor2D[]): SlopeMoments;
  /** A draw of new rows, n×D; without it, rows are drawn by the density's own `sample` if they are independent, or else from a normal distribution with the moments' covariances. */
  sample?(given: readonly Tensor2D[], random: Random): Tensor2D;
  /**
   * The next row of n paths; for densities of sequences.
   *
   * @param before - rows of the paths a number of steps back, n×D: `before(1)` are the last ones
   * @param ahead - number of rows of the paths after the fitted ones
   */
  next?(before: (lag: number) => Tensor2D, ahead: number): NextRow;
}

/** Normal distribution of the next row of n paths, with independent columns. */
export interface NextRow {
  /** n×D */
  readonly mean: Tensor2D;
  /** A scalar, D entries, n×1 or n×D; 0 if the row is deterministic. */
  readonly variance: Tensor;
}

/** Entries of natural values by the density's parameter names. */
export type Entries = Readonly<Record<string, Float64Array>>;

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** The factory call that makes a component, as in files: name of the factory, and arguments. */
export interface Call {
  readonly name: string;
  readonly arguments: readonly unknown[];
}

/** Expectations of a log density under Gaussian rows, for natural values `P` and constants `C`. */
export interface UnderGaussianRows<P = TensorMap, C = unknown> {
  /**
   * E[log p], or a lower bound on it, if the value or its parents are Gaussian row by row (`{ mean, variance }`; others are passed as points): n
   * entries if rows are independent, which also determine the latents of new rows.
   */
  expected?(p: P, rows: Rows<Tensor2D | GaussianRows>, context: DensityContext<C>): Scalar | Tensor1D;
  /** The Gaussian arguments of `expected`: only the value or only its parents, with the others as points; default both. */
  readonly over?: 'value' | 'given';
  /**
   * Q, n×n, if log p(value | parents) = c − ½·Σ_d (x_d − μ_d)ᵀQ(x_d − μ_d) with one matrix for all columns; undefined if the density has a different
   * form. It determines expectations under Gaussian rows, for at most 4000 rows, and the correlations of correlated Gaussian rows.
   */
  precision?(p: P, rows: RowsShape, context: DensityContext<C>): Tensor2D | SparsePrecision | undefined;
  /** Whether `precision` forms no n×n matrix, so that the number of rows is not limited. */
  readonly isSparse?: true;
  /**
   * KL(q‖p) for Gaussian rows q in closed form, for a density without `expected`; it replaces expectation and entropy. n numbers, or n×k to be summed
   * over k, if rows are independent; otherwise a scalar.
   */
  divergence?(p: P, q: GaussianRows): Scalar | Tensor1D | Tensor2D;
}

/** A random field over the rows. */
export interface FieldOfRows<P = ParameterValues, C = unknown> {
  /** The field at natural values and rows (n×D), as shown by fits. */
  learned(p: P, value: Matrix, constants: C): LearnedByLayer;
  /** Number of points of a field without rows, whose expected statistics are all specified: `embedded` accepts it instead of a variable. */
  readonly points?: number;
}

/** Custom search for the maximum of a density. */
export interface SearchOfRows<P = ParameterValues, C = unknown> {
  /** A suitable search, which may depend on the observations in the model's units, NaN where missing. */
  readonly settings?: Search | ((data: Matrix | undefined) => Search | undefined);
  /**
   * The curvature of the negative log density in the entries of the density's free parameters, in their order, if its rows do not move; or its
   * Hessian, n² numbers row by row. Undefined if the search does not use it.
   */
  curvature?(p: Entries, constants: unknown): Curvature | Float64Array | undefined;
  /**
   * Hessian of the log density in its value (n×D), (nD)² numbers row by row. Solvers that use curvature, such as `newton()`, require it for all
   * densities of latents. Only used if no parameter is free.
   */
  hessian?(p: P, value: Matrix, constants: C): Float64Array;
  /** Parameters that a fit fixes at their initial values for a number of iterations, if any. */
  held?(start: DensityStart): { readonly names: readonly string[]; readonly iterations: number } | undefined;
  /** Restricts the parameter of the latents to moves that the density allows. */
  restrict?(latents: Parameter): Parameter;
  /** Findings about a result at these values, in addition to how its search ended. */
  findings?(p: ParameterValues, constants: unknown): Findings | undefined;
  /** Graph of neighboring rows, which preconditions a search. */
  readonly graph?: Graph | undefined;
  /** Latents of new rows (plain numbers) from their parents (n×c) and the fitted rows, for a density that computes them itself. */
  place?(given: Matrix, fitted: Matrix): Projection | Promise<Projection>;
}

/** The distribution of a variable's rows, the random component of every model. A plain frozen description. */
export interface Density<Said = unknown> {
  readonly kind: 'density';
  /** In types only: its abilities in addition to the log density, if the type knows them: see {@link DensityAbility}. */
  readonly '~says'?: Said;
  readonly name: string;
  /** True if the density integrates to 1 over its rows for all values of its parameters. */
  readonly normalized: boolean;
  /** True if `logPredictive` is the conditional of the joint density of all rows. */
  readonly exact: boolean;
  /** True if columns of observations are centered by default before they are passed to it. */
  readonly centered: boolean;
  /** True if rows with missing entries are accepted: the density reads `present`, or missing entries of the data in `prepare`. */
  readonly takesMissing: boolean;
  /** Possible observations; any real numbers by default. */
  readonly support?: ObservationSupport;
  /** Whether rows are independent given their parents; if undefined, the shape of its log density determines it. */
  readonly independent: boolean | undefined;
  /** True if it applies row weights itself although its log density is a scalar for all rows. */
  readonly countsRows?: boolean;
  /** True if `condition` multiplies predictive variances by factors computed from the residuals, in a calibrated context. */
  readonly calibrates?: true;
  /** Number of functions that a likelihood needs for each column: the map that computes them has D times as many columns. */
  readonly functions?: number;
  /** Functions that correspond to these observations, used to initialize the maps that compute them. */
  readonly functionStart?: (data: Matrix) => Matrix;
  /** Parameters by name; they may depend on the variable. */
  readonly parameters: Parameters | ((start: DensityStart) => Parameters);
  readonly prepare?: (start: DensityStart) => unknown;
  readonly logDensity: (p: TensorMap, rows: Rows, context: DensityContext) => Scalar | Tensor1D;
  /** Conditional for new rows, given the fitted rows. */
  readonly condition?: (p: TensorMap, fitted: Rows, context: DensityContext) => Conditional;
  /** A draw from the density, n×D. */
  readonly sample?: (
    p: TensorMap,
    random: Random,
    shape: readonly [number, number],
    given: readonly Tensor2D[],
  ) => Tensor2D;
  readonly gaussian?: UnderGaussianRows;
  readonly field?: FieldOfRows;
  readonly search?: SearchOfRows;
  /** Its form as the prior of a parameter, for entrywise densities. */
  readonly ofParameter?: OfParameter;
  /** Term independent of the batch, added to its log density, such as −KL(q(u)‖p(u)) for its inducing variables; undefined if there is none. */
  readonly once?: (p: TensorMap) => Scalar | undefined;
  /** The factory call that makes it. */
  readonly call?: Call;
}

/** A density whose parameters do not depend on the variable, such as one of latents. */
export interface Prior<Said = unknown> extends Density<Said> {
  readonly parameters: Parameters;
}

/** Parameters of a density of a variable. */
export const parametersOf = ({ parameters }: Pick<Density, 'parameters'>, start: DensityStart): Parameters =>
  typeof parameters === 'function' ? parameters(start) : parameters;

/** Abilities of a density: log densities of new rows, their moments, draws of them, the next rows of a sequence, draws from its prior, and a field over the rows. */
export type DensityAbility = 'rows' | 'moments' | 'sample' | 'next' | 'draws' | 'field';

/**
 * The log density of n rows: a scalar, or one number per row.
 *
 * @param of - name of the density's owner, for errors
 * @throws InvalidInputError for anything else, such as one number per column
 */
export function checkedTerm(term: unknown, rows: number, of: string): Scalar | Tensor1D {
  const isTensor = term instanceof tf.Tensor;
  if (isTensor && (term.rank === 0 || (term.rank === 1 && term.size === rows))) return term as Scalar | Tensor1D;
  throw new InvalidInputError(
    `The log density of ${of} must be a scalar, or one number for each of ${rows} rows, but ` +
      `${isTensor ? `a tensor of shape [${term.shape}]` : describe(term)} was returned. Sum it over its columns: op.sum(entries, 1).`,
  );
}

/** The same for independent rows. */
export function checkedRowTerms(term: unknown, rows: number, of: string): Tensor1D {
  const own = checkedTerm(term, rows, of);
  if (own.rank === 1) return own as Tensor1D;
  throw new InvalidInputError(
    `The log density of ${of} must be one number for each of ${rows} rows, but one of all together was returned. Sum it over its columns: op.sum(entries, 1).`,
  );
}

/** A component with a density: processes, likelihoods and priors of latents. */
export interface HasDensity {
  readonly density: Density;
}

/** Accepted where a density is expected. */
export type DensityLike = Density | HasDensity;

/**
 * The density of an argument.
 *
 * @throws InvalidInputError unless it is a density or a component that has one
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
