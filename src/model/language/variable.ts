import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { type ScaleOption, scaleOption } from '../../core/observations.ts';
import {
  checkOptions,
  givenList,
  integerFromOne,
  isPart,
  isWhole,
  missingOption,
  type OptionsIn,
  readGiven,
  typed,
} from '../../core/options.ts';
import { isRowSource, type RowSource } from '../../core/rowMatrices.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Initialization } from '../initialization.ts';
import type { Choice, ChoiceSettings, Model, ParameterValues, TensorMap } from '../model.ts';
import { isParameter, type Parameter, type ParameterLike, positive } from '../parameter.ts';
import { ROW_CONSTRAINTS, type RowConstraint } from '../rowTransforms.ts';
import type { CompiledGraph, StartMaps } from './compiled.ts';
import type { correlatedRowsAt, PriorPrecision, precisionOf } from './correlatedRows.ts';
import { type Density, type DensityLike, densityOf, type RowsStart } from './density.ts';
import type { Node, VariableGraph } from './graph.ts';
import type { RowMap } from './mapped.ts';
import { isObservations, type Observations, readObservations } from './observations.ts';

/** Initial rows of a latent variable. */
export type LatentInit = 'pca' | 'tsne' | 'random' | MatrixLike | Initialization;

/** Posterior of a latent variable: points, or one Gaussian per row. */
export type LatentPosterior =
  | 'point'
  | { readonly kind: 'density'; readonly name: string; readonly parameters: Readonly<Record<string, Parameter>> }
  | EncodedRows
  | DistributedRows
  | PointRows;

/** Rows of a latent variable as a function of parameters and, for maps, of the observations. */
interface ParameterizedRows {
  readonly name: string;
  /** Its parameters below `latents`, initialized for the observations Y (N×D) and q dimensions. */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** Whether they are a function of the observations, which also applies to new observations. */
  readonly mapsObservations: boolean;
  /** Input of `apply` for observations Y (n×D) of a model with the observations `training` (N×D), independent of the parameters: one row per observation. */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  readonly toJSON: () => PosteriorJSON;
}

/**
 * Points that are fixed (`fixedAt(X)`) or a function of the observations (`backConstrained(map)`). Paths begin with `latents`, which is replaced by
 * the variable's name.
 */
export interface PointRows extends ParameterizedRows {
  readonly kind: 'latents';
  /** Initial values that a map of the observations is fitted to; fixed latents have none. */
  readonly init?: LatentInit;
  /** The same with different initial values. */
  readonly from: (init: Matrix) => PointRows;
  /** The n×q latents of the observations with these features. */
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
  /** Latents of new complete rows Y (n×D), n×q, from the latents (N×q) of the points, if no search by the densities of the observations is needed. */
  readonly place?: (Y: Matrix, latents: Matrix) => Promise<Matrix>;
}

/** Plain JSON with the `name` of the factory that reads it. */
export type PosteriorJSON = { readonly name: string } & { readonly [key: string]: unknown };

/**
 * Gaussian rows with free parameters (`gaussianLatents()`), or as a function of the observations (`encoded(map)`). Paths begin with `latents`, which
 * is replaced by the variable's name.
 */
export interface DistributedRows extends ParameterizedRows {
  readonly kind: 'latentDistribution';
  /** The same with different initial values. */
  readonly from: (init: Matrix) => DistributedRows;
  /** Initial means, or the target that a map is fitted to: see `initialLatents` of `latentfield/latents`. */
  readonly init: Exclude<LatentInit, 'tsne' | 'random'>;
  /** Paths of the parameters with one row per point. */
  readonly pointwise: readonly string[];
  /** For correlated rows: reads the precision from the density of their variable. */
  readonly precisionFrom?: typeof precisionOf;
  /** Correlated rows at plain values. */
  readonly correlatedAt?: typeof correlatedRowsAt;
  /** Means and variances for the observations with these features, which free Gaussian rows do not need. Correlated rows require the precision of their variable's density. */
  readonly apply: (p: TensorMap, features: Tensor2D, prior?: PriorPrecision) => GaussianRows;
}

/** Gaussian rows whose means and log variances a map computes from the observations. */
export interface EncodedRows {
  readonly kind: 'posterior';
  readonly encoder: RowMap;
}

/** Rows of a latent variable with known positions. */
export interface HeldRows {
  /** Row indices, from 0. */
  readonly rows: ArrayLike<number>;
  /** Their positions, one row each. */
  readonly at: MatrixLike;
  /** Strength of attraction to the positions; default the rows are fixed there. */
  readonly strength?: number | undefined;
}

const factorsOption = v.optional(typed<DensityLike | readonly DensityLike[]>());

/** Options of a latent variable. */
export interface LatentVariableOptions extends OptionsIn<typeof latentSchema> {}

export const latentSchema = v.strictObject({
  /** Number of its columns, from 1. */
  dim: integerFromOne,
  /** Density of its rows; default none. */
  density: v.optional(typed<DensityLike>()),
  /** Parent variables of this density. */
  given: v.optional(typed<Given>()),
  /** Further factors, whose log densities are added: improper priors, products. */
  factors: factorsOption,
  /**
   * Initial values: principal components of the observations (default), a t-SNE map of them ('tsne', computed by `fit` and scaled to a standard
   * deviation of 2 per column), random values, or a matrix.
   */
  init: v.optional(typed<LatentInit>()),
  /**
   * Type of posterior. Points: `'point'` (default), `fixedAt(X)`, or `backConstrained(map)`, a function of the observations. A Gaussian per row,
   * integrated out: `gaussian({ variance })`, `gaussianLatents()`, `encoded(map)`.
   */
  posterior: v.optional(typed<LatentPosterior>(), 'point'),
  /**
   * Constraint on its rows: `'positive'`, `'simplex'` (positive with sum 1) or `'ordered'` (increasing); default none. The search moves unconstrained
   * variables, and posterior samples include the Jacobian. Requires the posterior `'point'`.
   */
  transform: v.optional(v.picklist(ROW_CONSTRAINTS, ROW_CONSTRAINTS.map((one) => `'${one}'`).join(', '))),
  /**
   * Rows fixed at known positions, h×dim; with a `strength` s > 0 they are instead attracted to them by the term −s/2·‖x − at‖² in the log density.
   * Requires the posterior `'point'`.
   */
  held: v.optional(typed<HeldRows>()),
  /**
   * Its rows, unless it has one per point: a count, 'outputs' for one per column of the observations, or the name of a known variable, N×1 (a plate),
   * for one row per distinct value in ascending order, which selects the row of each point.
   */
  rows: v.optional(
    v.custom<number | string>(
      (value) => typeof value === 'string' || isWhole(1)(value),
      "a whole number from 1, 'outputs' or the name of a known variable",
    ),
  ),
});

/** Options of an observed variable. */
export interface ObservedOptions extends OptionsIn<typeof observedSchema> {}

const observedSchema = v.strictObject({
  /** Density of its rows. */
  density: typed<DensityLike>(),
  given: v.optional(typed<Given>()),
  factors: factorsOption,
  /** 'ignore' accepts missing entries (NaN), which are otherwise an error. */
  missing: missingOption,
  /** Whether column means are removed before fitting and added back by predictions; the default depends on the density. */
  center: v.optional(v.boolean('true or false')),
  /** Whether columns are divided by their standard deviations, undone by predictions; 'auto' does so if these differ by more than ten times. Default false. */
  scale: v.optional(scaleOption),
  /**
   * Weights of the rows, N numbers from 0: the log density of a row is multiplied by its weight, like repeated observations. For densities with
   * independent rows, and for processes with inducing inputs, whose bound includes them. New rows have weight 1.
   */
  weights: v.optional(typed<ArrayLike<number>>()),
});

/** Options of a computed variable. */
export interface MappedOptions extends OptionsIn<typeof mappedSchema> {}

export const mappedSchema = v.strictObject({
  factors: factorsOption,
  /**
   * Number of its columns, for maps whose parameters need it. Default for an input of a built-in likelihood: the columns of the observations times
   * the number of functions per column; otherwise 2, also for custom densities.
   */
  dim: v.optional(integerFromOne),
});

/** Prefix of the names of points' parameters. */
export const POINTS = 'latents';
/** Key of a variable's points among the components of a model; its density has the variable's name as key. */
export const pointsOf = (name: string) => `${name} points`;

/** Registry of the variables' parameters. */
export interface ParameterRegistry {
  readonly model: CompiledGraph;
  /** The parameters of the model so far, by path. */
  readonly parameters: Record<string, Parameter>;
  /** Paths of the parameters with one row per point. */
  readonly pointwise: string[];
  /** Initial maps of variables with init 'tsne', by name. */
  readonly maps: StartMaps | undefined;
  readonly seed: number;
  readonly observations: () => Matrix;
  /** The underlying functions, used to initialize latents. */
  readonly functions: () => Matrix;
  /** Initial values of variables, by name. */
  readonly starts: ReadonlyMap<string, () => Matrix>;
  /** Initial Gaussian rows, by the names of their variables. */
  readonly spreads: Map<string, () => RowsStart>;
  readonly rowCount: (variable: Variable) => number;
  /** Registers a component's parameters under a key, with their paths by the component's names. */
  readonly register: (
    part: string,
    own: Readonly<Record<string, Parameter>>,
    pathOf?: (name: string) => string,
  ) => void;
  /** Initial values of a component's parameters, by path. */
  readonly initialOf: (part: string) => ParameterValues;
}

/** Initialization of latent variables. Part of the variables, so that pages of models without latents do not load its code. */
export interface LatentStarts {
  /** Registers the parameters of the posterior, and returns its initial rows. */
  readonly begin: (node: Node<LatentVariable>, registry: ParameterRegistry) => () => Matrix;
  /** Observations for initializing latents, without the part explained by known variables. */
  readonly observations: (graph: VariableGraph, seen: ReadonlyMap<string, Observations>) => Matrix;
  /** Chooses initial values before the fit, if variables start at maps; undefined otherwise. */
  readonly choose: (
    graph: VariableGraph,
    seen: ReadonlyMap<string, Observations>,
    of: { readonly startedAt: (maps: StartMaps) => Model; readonly densityAt: (model: Model, seed: number) => number },
    model: Model,
  ) => ((settings: ChoiceSettings) => Promise<Choice>) | undefined;
  /** Note about perturbed initial latents. */
  readonly note: (variable: LatentVariable) => string;
}

/** Registers the parameters of a variable's map, and returns its initial value. */
export type MappedStart = (node: Node<MappedVariable>, registry: ParameterRegistry) => Matrix;

interface Common {
  readonly kind: 'variable';
  /** The parent variables, in order. */
  readonly given: readonly Variable[];
  readonly factors: readonly Density[];
}

/** Rows other than one per point: a count, 'outputs', or the name of a known variable. */
type PlateRows = number | string | undefined;

/** A variable whose value is inferred. */
export interface LatentVariable<D = unknown, F = unknown, R extends PlateRows = PlateRows> extends Common {
  /** In types only: its density, and its factors. */
  readonly '~density'?: D;
  readonly '~factors'?: F;
  readonly role: 'latent';
  readonly dim: number;
  readonly density: Density | undefined;
  readonly init: LatentInit;
  /** Gaussian rows: their initial variance, or the component that computes them; points other than free ones; undefined for free points. */
  readonly posterior: { readonly variance: Parameter } | EncodedRows | DistributedRows | PointRows | undefined;
  readonly transform: RowConstraint | undefined;
  /** Rows that start or stay at known positions. */
  readonly held: CheckedHeldRows | undefined;
  readonly rows: R;
  /** Its initialization. @internal */
  readonly '~starts': LatentStarts;
}

/** Rows of a latent variable with known positions, checked and copied. */
export interface CheckedHeldRows {
  readonly rows: readonly number[];
  readonly at: Matrix;
  readonly isFixed: boolean;
}

/** A variable whose value is measured. */
export interface ObservedVariable<
  D = unknown,
  F = unknown,
  S extends KnownVariable | undefined = KnownVariable | undefined,
> extends Common {
  /** In types only: its density, and its factors. */
  readonly '~density'?: D;
  readonly '~factors'?: F;
  readonly role: 'observed';
  readonly data: Matrix;
  /** Source of rows that are read in batches; the data then contain a sample, and no rows are available earlier. */
  readonly stream: RowSource | undefined;
  /** The data as returned by `readObservations`, if they were. */
  readonly observations: Observations | undefined;
  /** The known variable with the same rows, if one was passed as data. */
  readonly source: S;
  readonly density: Density;
  readonly missing: 'ignore' | undefined;
  readonly center: boolean;
  readonly scale: ScaleOption;
  /** N weights from 0, unless all rows have weight 1. */
  readonly weights: Float64Array | undefined;
}

/** A variable whose value is known, also for new rows: a covariate, a time, a label. */
export interface KnownVariable extends Common {
  readonly role: 'known';
  readonly data: Matrix;
  /** Removes the part explained by known variables from the observations for initializing latents (`BesideKnown`). */
  readonly '~beside': unknown;
}

/** Observations side by side, without the part explained by known variables. */
export type BesideKnown = (graph: VariableGraph, observations: Matrix) => Matrix;

/** A variable computed from others. */
export interface MappedVariable<F = unknown> extends Common {
  /** In types only: its factors. */
  readonly '~factors'?: F;
  readonly role: 'mapped';
  readonly map: RowMap;
  readonly dim: number | undefined;
  /** Registers the parameters of its map, and returns its initial value. @internal */
  readonly '~starts': MappedStart;
}

/** Coordinates of points, computed from a learned field after the fit. */
export interface EmbeddedVariable<D = unknown> extends Common {
  /** In types only: the density that is the field, if no variable has it. */
  readonly '~density'?: D;
  readonly role: 'embedded';
  /** The field, unless it is the density of the parent variable. */
  readonly density: Density | undefined;
  readonly dim: number;
  readonly by: FieldReading;
}

/** A variable of a model, by default with one row per point. */
export type Variable = LatentVariable | ObservedVariable | KnownVariable | MappedVariable | EmbeddedVariable;

/** True for Gaussian rows that are integrated out. */
export const isGaussian = ({ posterior }: LatentVariable): boolean =>
  posterior !== undefined && !('kind' in posterior && posterior.kind === 'latents');

/** Posterior of points that are not free. */
export const pointRows = (variable: Variable): PointRows | undefined =>
  variable.role === 'latent' &&
  variable.posterior !== undefined &&
  'kind' in variable.posterior &&
  variable.posterior.kind === 'latents'
    ? variable.posterior
    : undefined;

/** Posterior of Gaussian rows that is a latent distribution. */
export const distributedRows = (variable: Variable): DistributedRows | undefined =>
  variable.role === 'latent' &&
  variable.posterior !== undefined &&
  'kind' in variable.posterior &&
  variable.posterior.kind === 'latentDistribution'
    ? variable.posterior
    : undefined;

/** True for a latent variable that is computed from the observations. */
export const isEncoded = (variable: Variable): boolean =>
  (variable.role === 'latent' && variable.posterior !== undefined && 'encoder' in variable.posterior) ||
  (pointRows(variable) ?? distributedRows(variable))?.mapsObservations === true;

/** One variable, or several in order. */
export type Given = Variable | readonly Variable[];

const isVariable = (value: unknown): value is Variable =>
  isPart(value, 'variable', []) && Array.isArray((value as Variable).given);

export function givenOf(given: Given | undefined, caller: string): readonly Variable[] {
  const place = `Option 'given' of ${caller}`;
  const read = (): readonly Variable[] =>
    Array.isArray(given) ? [...(given as readonly Variable[])] : [given as Variable];
  const list = given === undefined ? [] : readGiven(place, read);
  const other = list.find((each) => !readGiven(place, () => isVariable(each)));
  if (other === undefined) return Object.freeze([...list]);
  throw new InvalidInputError(
    `Option 'given' of ${caller} takes variables, such as latent({ dim: 2 }), but ${describe(other)} was given.`,
  );
}

export function factorsOf(factors: LatentVariableOptions['factors'], caller: string): readonly Density[] {
  const list = factors === undefined ? [] : Array.isArray(factors) ? factors : [factors];
  return Object.freeze(list.map((factor) => densityOf(factor, `A factor of ${caller}`)));
}

/**
 * An observed variable.
 *
 * @param data - N×D, rows are points; the result of `readObservations`, which includes their standardization; a known variable, for observations that
 *   other variables are computed from; or a source of rows (`await rowsOf(file)`) for a fit with `batchSize` and one latent variable computed by an
 *   encoder. Such a fit keeps a batch, a sample of 2048 rows for initialization, and the latents in memory
 * @param options - see {@link ObservedOptions}
 * @throws InvalidInputError for an unknown option, data that are not a matrix, or an invalid density
 * @example
 * ```ts
 * const z = latent({ dim: 2, density: standardNormal() });
 * const y = observed(Y, { density: gaussianProcess({ kernel: rbf() }), given: z });
 * ```
 */
export function observed<
  D extends DensityLike,
  const F = undefined,
  Y extends MatrixLike | Observations | KnownVariable | RowSource = MatrixLike,
>(
  data: Y,
  options: ObservedOptions & { readonly density: D; readonly factors?: F },
): ObservedVariable<D, F, Y extends KnownVariable ? Y : undefined> {
  const own = checkOptions(observedSchema, options, 'observed');
  const { given, factors, weights } = own;
  const density = densityOf(own.density, "Option 'density' of observed");
  const source = isVariable(data) ? data : undefined;
  const early = isObservations(data) ? data : undefined;
  const fixedBefore = early && (['missing', 'center', 'scale'] as const).find((key) => own[key] !== undefined);
  if (fixedBefore !== undefined) {
    throw new InvalidInputError(
      `Option '${fixedBefore}' of observed is for data that are not read yet. Give it to readObservations.`,
    );
  }
  const { missing, center = density.centered, scale = false } = early ?? own;
  const isStream = source === undefined && isRowSource(data);
  const read = early ?? (isStream ? readObservations(data, { missing, center, scale }) : undefined);
  const rows = source?.data ?? read?.raw ?? Matrix.from(data as MatrixLike, 'The data of observed');
  if (read?.stream !== undefined && weights !== undefined) {
    throw new InvalidInputError(
      `Rows that are read from a source have no option 'weights'. Omit it, or pass a matrix.`,
    );
  }
  type Source = Y extends KnownVariable ? Y : undefined;
  return Object.freeze<ObservedVariable<D, F, Source>>({
    kind: 'variable',
    role: 'observed',
    data: rows,
    observations: read,
    stream: read?.stream,
    source: source as Source,
    density,
    given: givenOf(given, 'observed'),
    factors: factorsOf(factors, 'observed'),
    missing,
    center,
    scale,
    weights: weights === undefined ? undefined : weightsOf(weights, rows.rows),
  });
}

function weightsOf(given: ArrayLike<number>, rows: number): Float64Array {
  const list = givenList(given, 'rowWeights', 'a list of numbers, one per row');
  // null and '' would become 0.
  const weights = Float64Array.from(list, (weight) => (typeof weight === 'number' ? weight : Number.NaN));
  if (weights.length !== rows) {
    throw new InvalidInputError(`There are ${rows} rows, but ${weights.length} row weights. Give one per row.`);
  }
  const odd = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (odd >= 0) {
    throw new InvalidInputError(`Row weights are numbers from 0, but row index ${odd} has ${describe(list[odd])}.`);
  }
  if (weights.some((weight) => weight > 0)) return weights;
  throw new InvalidInputError('All row weights are 0. Give some rows a positive one.');
}

/** Method of computing coordinates from a field: by eigenvectors of its covariance, or of its precision. */
export type FieldReading = 'kernelPca' | 'eigenmap';

/** Options of coordinates computed from a field. */
export interface EmbeddedOptions extends OptionsIn<typeof embeddedSchema> {}

const embeddedSchema = v.strictObject({
  /** Number of coordinates, from 1. */
  dim: integerFromOne,
  /**
   * 'kernelPca' (default): the top eigenvectors of HUH, each times the square root of its eigenvalue, with U the field's covariance and H = I −
   * 11ᵀ/N; 'eigenmap': columns f_2 … f_{dim+1} in Q·f = μ·diag(Q)·f, with Q the field's precision, fᵀdiag(Q)f = 1 and μ ascending.
   */
  by: v.optional(v.picklist(['kernelPca', 'eigenmap'], "'kernelPca' or 'eigenmap'"), 'kernelPca'),
});

/**
 * Coordinates of points, computed from a random field over them after the fit, N×dim; shown as `fit.latents` if no variable is latent.
 *
 * @param of - the variable whose density is the field; or a field without rows, whose expected statistics are all specified
 * @param options - see {@link EmbeddedOptions}
 * @throws InvalidInputError for an unknown option, a dimension that is not a whole number from 1, and, when the model is made, a density that is not
 *   a field, or a field that needs rows but has none
 * @example
 * ```ts
 * const y = observed(Y, { density: maxEntropy({ base: 0.1, expect: { near: squaredDifferences(knnGraph(Y, 6)) } }) });
 * const x = embedded(y, { dim: 2 });
 *
 * const given = squaredDifferences(knnGraph(Y, 6), knnGraph(Y, 6).sources.map(() => 1));
 * const z = embedded(maxEntropy({ base: 0.1, copies: 2, expect: { near: given } }), { dim: 2 });
 * ```
 */
export function embedded<D extends DensityLike = never>(
  of: Variable | D,
  options: EmbeddedOptions,
): EmbeddedVariable<D> {
  const { dim, by } = checkOptions(embeddedSchema, options, 'embedded');
  const variable = isVariable(of) ? of : undefined;
  return Object.freeze<EmbeddedVariable<D>>({
    kind: 'variable',
    role: 'embedded',
    given: givenOf(variable, 'embedded'),
    density: variable === undefined ? densityOf(of, 'What embedded is read off') : undefined,
    factors: Object.freeze([]),
    dim,
    by,
  });
}

/** Parameters that several components of a model may use. */
const sharedParameters = new WeakSet<Parameter>();

/**
 * A parameter that several components of a model use. Its path is its name in the object returned by the model's `variables`.
 *
 * @param parameter - a free parameter, such as `positive(1)`, or a number for a positive one
 * @throws InvalidInputError for a fixed parameter, which needs no sharing
 * @example
 * ```ts
 * const lengthscale = shared(positive(1));
 * const z = latent({ dim: 2, density: standardNormal() });
 * const a = observed(Y, { density: gaussianProcess({ kernel: rbf({ lengthscale }) }), given: z });
 * const b = observed(pixels, { density: gaussianProcess({ kernel: rbf({ lengthscale }) }), given: z });
 * ```
 */
export function shared(parameter: ParameterLike): Parameter {
  const own: Parameter = isParameter(parameter) ? Object.freeze({ ...parameter }) : positive(parameter);
  if (!own.free) throw new InvalidInputError('shared takes a free parameter; a fixed one can be passed to each part.');
  sharedParameters.add(own);
  return own;
}

/** Name of the known variable whose values correspond to the rows of a latent variable, if any. */
export const indexOf = (variable: Variable): string | undefined =>
  variable.role === 'latent' && typeof variable.rows === 'string' && variable.rows !== 'outputs'
    ? variable.rows
    : undefined;

export const isShared = (parameter: Parameter) => sharedParameters.has(parameter);
export { isVariable };
