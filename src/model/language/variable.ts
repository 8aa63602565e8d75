import * as v from 'valibot';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { type ScaleOption, scaleOption } from '../../core/observations.ts';
import { givenList, isPart, namedOptions, readGiven } from '../../core/options.ts';
import { isRowSource, type RowSource } from '../../core/rowMatrices.ts';
import type { GaussianRows } from '../../engine/tensors/ops.ts';
import type { Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Initialization } from '../initialization.ts';
import type { Choice, ChoiceSettings, Model, ParameterValues, TensorMap } from '../model.ts';
import { isParameter, type Parameter, type ParameterLike, positive } from '../parameter.ts';
import type { CompiledGraph, StartMaps } from './compiled.ts';
import type { correlatedRowsAt, PriorPrecision, precisionOf } from './correlatedRows.ts';
import { type Density, type DensityLike, densityOf, type RowsStart } from './density.ts';
import type { Node, VariableGraph } from './graph.ts';
import type { RowMap } from './mapped.ts';
import { isObservations, type Observations, readObservations } from './observations.ts';

/** Where the rows of a latent variable start. */
export type LatentInit = 'pca' | 'tsne' | 'random' | MatrixLike | Initialization;

/** How a latent variable is inferred: as a point, or as a Gaussian a row. */
export type LatentPosterior =
  | 'point'
  | { readonly kind: 'likelihood'; readonly name: string; readonly parameters: Readonly<Record<string, Parameter>> }
  | EncodedRows
  | DistributedRows
  | PointRows;

/**
 * Points that are held (`fixedAt(X)`), or are a function of the observations (`backConstrained(map)`).
 * Paths begin with `latents`, which the variable's name takes the place of.
 */
export interface PointRows {
  readonly kind: 'latents';
  readonly name: string;
  /** Its parameters, under `latents` or `latents.<name>`, started for the observations Y (N×D) and q dimensions. */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** What a map of the observations is fitted to; latents that are held have none. */
  readonly init?: LatentInit;
  /** The same with another start. */
  readonly from: (init: Matrix) => PointRows;
  /** Whether they are a function of the observations, which new observations may be put through. */
  readonly mapsObservations: boolean;
  /** Input of `apply` for observations Y (n×D) of a model with the observations `training` (N×D), independent of the parameters: one row per observation. */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  /** The n×q latents of the observations with these features. */
  readonly apply: (p: TensorMap, features: Tensor2D) => Tensor2D;
  /** The n×q places of new complete rows Y (n×D) among the latents (N×q) of the points, for latents that are not searched by the densities of the observations. */
  readonly place?: (Y: Matrix, latents: Matrix) => Promise<Matrix>;
  readonly toJSON: () => PosteriorJSON;
}

/** Plain JSON with a `name` that says which factory reads it. */
export type PosteriorJSON = { readonly name: string } & { readonly [key: string]: unknown };

/**
 * Gaussian rows that are variables of their own (`gaussianLatents()`), or a function of the observations (`encoded(map)`). Paths begin with `latents`, which the
 * variable's name takes the place of.
 */
export interface DistributedRows {
  readonly kind: 'latentDistribution';
  readonly name: string;
  /** Its parameters under their paths, started for the observations Y (N×D) and q dimensions. */
  readonly parameters: (Y: Matrix, latentDim: number, seed: number) => Readonly<Record<string, Parameter>>;
  /** The same with another start. */
  readonly from: (init: Matrix) => DistributedRows;
  /** Where its means start, or what they are fitted to: see {@link initialLatents}. */
  readonly init: Exclude<LatentInit, 'tsne' | 'random'>;
  readonly mapsObservations: boolean;
  /** Input of `apply` for observations Y (n×D) of a model with the observations `training` (N×D), independent of the parameters: one row per observation. */
  readonly features: (Y: Matrix, training: Matrix) => Matrix;
  /** Paths of the parameters that have one row a point. */
  readonly pointwise: readonly string[];
  /** For correlated rows: reads the precision off the density of their variable. */
  readonly precisionFrom?: typeof precisionOf;
  /** Such rows at plain values. */
  readonly correlatedAt?: typeof correlatedRowsAt;
  /** Means and variances of the observations with these features; of variables of their own these are not asked for. Correlated rows take the precision of their variable's density. */
  readonly apply: (p: TensorMap, features: Tensor2D, prior?: PriorPrecision) => GaussianRows;
  readonly toJSON: () => PosteriorJSON;
}

/** Gaussian rows whose means and log variances a map computes from the observations. */
export interface EncodedRows {
  readonly kind: 'posterior';
  readonly encoder: RowMap;
}

/** Options of a latent variable. */
export interface LatentVariableOptions {
  /** Number of its columns, from 1. */
  readonly dim: number;
  /** How its rows are distributed, exactly one density; default none. */
  readonly density?: DensityLike | undefined;
  /** The variables that this density is given. */
  readonly given?: Given | undefined;
  /** Further factors, whose log densities are added: improper priors, products. */
  readonly factors?: DensityLike | readonly DensityLike[] | undefined;
  /**
   * Where it starts: at principal components of the observations (unless given), at a t-SNE map of them ('tsne', which `fit` makes first, at a deviation of 2 a
   * column), at random, or at a matrix.
   */
  readonly init?: LatentInit | undefined;
  /**
   * How it is inferred: `'point'` (unless given), `fixedAt(X)`, `backConstrained(map)`: a function of the observations; or `gaussian({ variance })`,
   * `gaussianLatents()`, `encoded(map)`: a Gaussian a row, integrated out.
   */
  readonly posterior?: LatentPosterior | undefined;
  /**
   * Its rows where it has not one a point: a count, 'outputs' for one a column of the observations, or the name of a known variable N×1 (a plate): one row a value of that, in
   * ascending order, of which each point is given its own.
   */
  readonly rows?: number | string | undefined;
}

/** Options of an observed variable. */
export interface ObservedOptions {
  /** How its rows are distributed. */
  readonly density: DensityLike;
  readonly given?: Given | undefined;
  readonly factors?: DensityLike | readonly DensityLike[] | undefined;
  /** 'ignore' takes missing entries (NaN); they are an error otherwise. */
  readonly missing?: 'ignore' | undefined;
  /** Whether column means are removed before fitting and put back by predictions; as the density has it unless given. */
  readonly center?: boolean | undefined;
  /** Whether columns are divided by their standard deviations, undone by predictions; 'auto' does so if these differ by more than ten times. Off unless turned on. */
  readonly scale?: ScaleOption | undefined;
  /**
   * How much each row counts, N numbers from 0: its log density is multiplied with it, as if it had been seen so often. For densities under which rows are independent,
   * and for processes with inducing inputs, in whose bound they are. New rows count once.
   */
  readonly weights?: ArrayLike<number> | undefined;
}

/** Options of a computed variable. */
export interface MappedOptions {
  readonly factors?: DensityLike | readonly DensityLike[] | undefined;
  /**
   * Number of its columns, for maps whose parameters need it. Unless given, those of the observations whose likelihood it is given to, once for each of its functions; 2 otherwise, under densities
   * of your own too.
   */
  readonly dim?: number | undefined;
}

/** Prefix of the names of parameters of points. */
export const POINTS = 'latents';
/** The key of a variable's points among the parts of a model: its density has the name itself. */
export const pointsOf = (name: string) => `${name} points`;

/** Places the parameters of variables, and holds what has been placed so far. */
export interface Placing {
  readonly model: CompiledGraph;
  /** The parameters of the model so far, by path. */
  readonly parameters: Record<string, Parameter>;
  /** Paths of those that have one row a point. */
  readonly pointwise: string[];
  /** Maps at which variables of init 'tsne' start, by their names. */
  readonly maps: StartMaps | undefined;
  readonly seed: number;
  readonly observations: () => Matrix;
  /** The functions behind them, from which latents start. */
  readonly functions: () => Matrix;
  /** Where variables start, by their names. */
  readonly starts: ReadonlyMap<string, () => Matrix>;
  /** Where Gaussian rows start, by the names of their variables. */
  readonly spreads: Map<string, () => RowsStart>;
  readonly rowCount: (variable: Variable) => number;
  /** Remembers a part's parameters under a key, and where they are by their own names. */
  readonly place: (part: string, own: Readonly<Record<string, Parameter>>, pathOf?: (name: string) => string) => void;
  /** Where a part's parameters start, by their paths. */
  readonly initialOf: (part: string) => ParameterValues;
}

/** How latent variables start. It comes with them, so that pages of models without one leave its code out. */
export interface LatentStarts {
  /** Places what the rows are inferred by, and returns where they start. */
  readonly place: (node: Node<LatentVariable>, placing: Placing) => () => Matrix;
  /** The observations from which latents start, without what known variables explain of them. */
  readonly observations: (graph: VariableGraph, seen: ReadonlyMap<string, Observations>) => Matrix;
  /** Makes a start before the fit, where variables start at maps; undefined where none does. */
  readonly choose: (
    graph: VariableGraph,
    seen: ReadonlyMap<string, Observations>,
    of: { readonly startedAt: (maps: StartMaps) => Model; readonly densityAt: (model: Model, seed: number) => number },
    model: Model,
  ) => ((settings: ChoiceSettings) => Promise<Choice>) | undefined;
  /** A sentence about a given start that was spread. */
  readonly note: (variable: LatentVariable) => string;
}

/** Places the parameters of the map of a variable, and returns the value where they start. */
export type MappedStart = (node: Node<MappedVariable>, placing: Placing) => Matrix;

interface Common {
  readonly kind: 'variable';
  /** The variables that it is given, in their order. */
  readonly given: readonly Variable[];
  readonly factors: readonly Density[];
}

/** Rows that are not one a point: a count, 'outputs', or the name of a known variable. */
type PlateRows = number | string | undefined;

/** A value that is inferred. */
export interface LatentVariable<D = unknown, F = unknown, R extends PlateRows = PlateRows> extends Common {
  /** In types only: its density, and its factors. */
  readonly '~density'?: D;
  readonly '~factors'?: F;
  readonly role: 'latent';
  readonly dim: number;
  readonly density: Density | undefined;
  readonly init: LatentInit;
  /** Gaussian rows: the variance at which they start, or what computes them; points that are not its own values; undefined for those that are. */
  readonly posterior: { readonly variance: Parameter } | EncodedRows | DistributedRows | PointRows | undefined;
  readonly rows: R;
  /** How it starts, which comes with it. @internal */
  readonly '~starts': LatentStarts;
}

/** A value that was measured. */
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
  /** Where rows are read from some at a time; the data are what is kept of it, no rows before it is read. */
  readonly stream: RowSource | undefined;
  /** The data as they were read before, if they were. */
  readonly observations: Observations | undefined;
  /** The known variable that holds the same rows, if it was given in the place of data. */
  readonly source: S;
  readonly density: Density;
  readonly missing: 'ignore' | undefined;
  readonly center: boolean;
  readonly scale: ScaleOption;
  /** N numbers from 0, where rows do not count alike. */
  readonly weights: Float64Array | undefined;
}

/** A value that is given, for new rows too: a covariate, a time, a label. */
export interface KnownVariable extends Common {
  readonly role: 'known';
  readonly data: Matrix;
  /** What known variables leave of observations, where latent variables start beside them, which comes with it (`BesideKnown`). */
  readonly '~beside': unknown;
}

/** Observations side by side without what known variables explain of them. */
export type BesideKnown = (graph: VariableGraph, observations: Matrix) => Matrix;

/** A value that is computed from others. */
export interface MappedVariable<F = unknown> extends Common {
  /** In types only: its factors. */
  readonly '~factors'?: F;
  readonly role: 'mapped';
  readonly map: RowMap;
  readonly dim: number | undefined;
  /** What places the parameters of its map, and returns its value where they start, which comes with it. @internal */
  readonly '~starts': MappedStart;
}

/** A value that is read off a learned field after the fit: coordinates of its points. */
export interface EmbeddedVariable<D = unknown> extends Common {
  /** In types only: the density that is the field, where no variable has it. */
  readonly '~density'?: D;
  readonly role: 'embedded';
  /** The field, where it is not the density of the variable that this one is given. */
  readonly density: Density | undefined;
  readonly dim: number;
  readonly by: FieldReading;
}

/** A value of a model: one row a point. */
export type Variable = LatentVariable | ObservedVariable | KnownVariable | MappedVariable | EmbeddedVariable;

/** True for Gaussian rows that are integrated out. */
export const isGaussian = ({ posterior }: LatentVariable): boolean =>
  posterior !== undefined && !('kind' in posterior && posterior.kind === 'latents');

/** Points that are not the variable's own values. */
export const pointRows = (variable: Variable): PointRows | undefined =>
  variable.role === 'latent' &&
  variable.posterior !== undefined &&
  'kind' in variable.posterior &&
  variable.posterior.kind === 'latents'
    ? variable.posterior
    : undefined;

/** Gaussian rows that say themselves what they are. */
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
 * @param data - N×D, rows are points; what `readObservations` returned, which says how they are standardized; a known variable, for observations that other variables are
 * computed from; or a source of rows (`await rowsOf(file)`), of which a fit
 * with `batchSize` holds a batch, 2048 rows from which it starts, and the latents: for one latent variable that an encoder computes
 * @param options - see {@link ObservedOptions}
 * @throws InvalidInputError for an unknown option, data that are not a matrix, or what is not a density
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
  const own = namedOptions<ObservedOptions>(options, 'observed', [
    'density',
    'given',
    'factors',
    'missing',
    'center',
    'scale',
    'weights',
  ]);
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
  if (missing !== undefined && missing !== 'ignore') {
    throw new InvalidInputError(
      `Option 'missing' of observed is 'ignore' or left out, but ${describe(missing)} was given.`,
    );
  }
  if (!v.is(scaleOption, scale)) {
    throw new InvalidInputError(
      `Option 'scale' of observed is true, false or 'auto', but ${describe(scale)} was given.`,
    );
  }
  const isStream = source === undefined && isRowSource(data);
  const read = early ?? (isStream ? readObservations(data, { missing, center, scale }) : undefined);
  const rows = source?.data ?? read?.raw ?? Matrix.from(data as MatrixLike, 'The data of observed');
  if (read?.stream !== undefined && weights !== undefined) {
    throw new InvalidInputError(
      `Rows that are read from a source take no option 'weights' of observed. Leave it out, or give a matrix.`,
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
  const weights = Float64Array.from(givenList(given, "Option 'weights' of observed", 'a list of numbers, one a row'));
  if (weights.length !== rows) {
    throw new InvalidInputError(
      `Option 'weights' of observed holds one number a row, but there are ${rows} rows and ${weights.length} numbers.`,
    );
  }
  const odd = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (odd < 0) return weights;
  throw new InvalidInputError(
    `Option 'weights' of observed holds numbers from 0, but that of row ${odd} is ${weights[odd]}.`,
  );
}

/** How coordinates are read off a field: by eigenvectors of its covariance, or of its precision. */
export type FieldReading = 'kernelPca' | 'eigenmap';

/** Options of coordinates computed from a field. */
export interface EmbeddedOptions {
  /** Number of coordinates, from 1. */
  readonly dim: number;
  /**
   * 'kernelPca' (unless given): the top eigenvectors of HUH, U the field's covariance and H = I − 11ᵀ/N, each times the root of its eigenvalue; 'eigenmap': columns
   * f_2 … f_{dim+1} of Q·f = μ·diag(Q)·f, Q the field's precision, of fᵀdiag(Q)f = 1 and μ ascending.
   */
  readonly by?: FieldReading | undefined;
}

/**
 * Coordinates of points that are read off a random field over them after the fit, N×dim; `fit.latents` where no variable is latent.
 *
 * @param of - the variable whose density is the field; or the field itself, where all that it expects is given and no rows have it for a density
 * @param options - see {@link EmbeddedOptions}
 * @throws InvalidInputError for an unknown option, a dimension that is not a whole number from 1, and, when the model is made, a density that is no field, or one
 * that speaks of rows where there are none
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
  const own = namedOptions<EmbeddedOptions>(options, 'embedded', ['dim', 'by']);
  const { dim, by = 'kernelPca' } = own;
  if (!Number.isInteger(dim) || dim < 1) {
    throw new InvalidInputError(`embedded takes a whole number of dimensions from 1, but ${describe(dim)} was given.`);
  }
  if (by !== 'kernelPca' && by !== 'eigenmap') {
    throw new InvalidInputError(`Option 'by' of embedded is 'kernelPca' or 'eigenmap', but ${describe(by)} was given.`);
  }
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

/** Parameters that several parts of a model may use. */
const sharedParameters = new WeakSet<Parameter>();

/**
 * A parameter that several parts of a model use, under one path: the name under which the model's variables return it.
 *
 * @param parameter - a free parameter, such as `positive(1)`, or a number for a positive one
 * @throws InvalidInputError for one that is held, which needs no sharing
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
  if (!own.free)
    throw new InvalidInputError('shared takes a free parameter; one that is held can be given to each part.');
  sharedParameters.add(own);
  return own;
}

/** The known variable, by name, of whose values a latent variable has one row each. */
export const indexOf = (variable: Variable): string | undefined =>
  variable.role === 'latent' && typeof variable.rows === 'string' && variable.rows !== 'outputs'
    ? variable.rows
    : undefined;

export const isShared = (parameter: Parameter) => sharedParameters.has(parameter);
export { isVariable };
