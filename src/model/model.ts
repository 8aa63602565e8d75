import type { Matrix } from '../core/matrix.ts';
import type { FittedTable } from '../core/namedTable.ts';
import type { ProgressiveWork } from '../core/progressiveWork.ts';
import type { Random } from '../core/random.ts';
import type { RowSource } from '../core/rowMatrices.ts';
import type { Scalar, Tensor } from '../engine/tensors/tensorflow.ts';
import type { AnyAbilities } from './abilities.ts';
import type { Approximation, Measured } from './approximation.ts';
import type { Computation, ComputationContext, Embedding } from './computation.ts';
import type { Parameter, ParameterValue } from './parameter.ts';
import type { LatentMoments, Posterior } from './posterior.ts';
import type { Curvature, Solver } from './solver.ts';

/** Tensors of natural values: by path for a whole model, by name for one component. */
export type TensorMap = Readonly<Record<string, Tensor>>;

/** Natural values by path, as in arguments and results. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** Context of an evaluation for the terms of a model. */
export interface TermContext {
  /** Random numbers of this iteration, the same in each of its evaluations, so that a solver sees one function. */
  readonly random: Random;
  /** Iteration of a stochastic solver, from 0; 0 for other solvers. */
  readonly iteration: number;
  /** The rows of the observations in this evaluation, if not all, and N divided by their number. */
  readonly batch?: Batch;
  /** Called with the jitter that a factorization needed (absolute, added to the diagonal), and the mean square of the data of a log density. */
  onJitter(jitter: number, meanSquare?: number): void;
  /** Called with the rank of a pivoted Cholesky approximation that replaced a full covariance: see `FitDiagnostics.covarianceRank`. */
  onRank?(rank: number): void;
  /** Called with an approximation in the evaluation, and with a function that measures its error. */
  onApproximation?(approximation: Approximation, measure?: Measured): void;
}

/** Some of the points. */
export interface Batch {
  readonly rows: Int32Array;
  /** Factor from a sum over these rows to an estimate of the sum over all rows. */
  readonly scale: number;
  /** Their observations in the model's units, B×D, if these are read in blocks of rows. */
  readonly observations?: Matrix;
}

/**
 * A model prepared for evaluation: its parameters, its terms, and the constants they need, which are stored as tensors of the float64 backend until
 * `dispose`. Made inside `withFloat64`.
 */
export interface Assembly {
  /** All free and fixed parameters by path; iteration order is the order of the solver's variables. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Log densities by name at natural values by path, as scalar tensors that sum to the objective. */
  terms(values: TensorMap, context: TermContext): Readonly<Record<string, Scalar>>;
  /** Number of observed entries. */
  readonly observed?: number;
  /** Parameters that a search from the model's start fixes during its first iterations, at most a fifth of them. */
  readonly held?: { readonly paths: readonly string[]; readonly iterations: number };
  /**
   * Paths of the parameters with one row per point. In a batch, `terms` receives only the rows of the batch, and a solver may leave the others
   * unchanged.
   */
  readonly pointwise?: readonly string[];
  /** The curvature of the negative log density in the natural values of the free parameters, if the model defines it. */
  curvature?(values: ParameterValues, layout: FreeEntries): Curvature | undefined;
  /** Findings about a result at these values, if the model has any. */
  findings?(values: ParameterValues): Findings | undefined;
  dispose(): void;
}

/** Positions of the entries of the free parameters in one vector. */
export interface FreeEntries {
  /** Total number of entries. */
  readonly size: number;
  /** Index of the first entry of each free parameter, by path. */
  readonly starts: ReadonlyMap<string, number>;
  /** Entries of the natural value of each, by path, in the same form as the values: long lists take time to make. */
  readonly natural: ReadonlyMap<string, Float64Array>;
}

/** Findings about a result, in addition to how its search ended. */
export interface Findings {
  /** One or several sentences. */
  readonly message: string;
  /** Largest relative violation of the optimality conditions; missing for a closed form. */
  readonly kktResidual?: number;
  /** True if the optimum is degenerate. */
  readonly isDegenerate?: boolean;
}

/** Names of the {@link StartKind}s. */
export const START_KINDS = ['model', 'pca', 'isomap', 'eigenmaps', 'tsne', 'random'] as const;

/** Starting point of the latents of a model: its default, an embedding of the observations, or random values. */
export type StartKind = (typeof START_KINDS)[number];

/** Whether `fit` searches for the maximum of a model by a solver, or the model computes it. */
export type Solved = 'searched' | 'byItself';

/** Shapes of natural values by path, for an unknown model. */
export type AnyPaths = Readonly<Record<string, ParameterValue>>;

/** Settings for the choice of default options, in addition to the model. */
export interface ChoiceSettings {
  readonly seed: number;
  /** Aborting it ends the choice. */
  readonly signal?: AbortSignal;
  /** Time limit in seconds. */
  readonly maxSeconds?: number;
  /** Runs long work to its end, yielding to the event loop regularly; returns undefined if the time limit is exceeded. */
  readonly drive?: <T>(work: ProgressiveWork<T>) => Promise<T | undefined>;
}

/** A model with chosen options. */
export interface Choice {
  readonly model: Model;
  /** A sentence about the choice and the alternatives. */
  readonly message: string;
}

/** The suitable search for a model: defaults of `fit`. */
export interface Search {
  /** The solver, or a function that makes it at the start of a fit with a seed. */
  readonly solver?: Solver | ((seed: number) => Solver | Promise<Solver>);
  /** The solver's tolerance. */
  readonly tolerance?: number;
  /** Smallest gain of an iteration per observed entry for the solver to continue. */
  readonly relativeDecrease?: number;
  /** Largest number of iterations from each start of a fit without batches. */
  readonly maxIterations?: number;
  /** Number of iterations of a solver that follows a schedule to its end. */
  readonly rounds?: number;
}

/**
 * A description of a model: plain, frozen, nothing computed. It is the only interface between models and inference.
 *
 * In types, `P` are its natural values by path, `A` the abilities of its fits in addition to their outcome, and `S` whether `fit` searches for its
 * maximum or the model computes it.
 */
export interface Model<P = AnyPaths, A = Partial<AnyAbilities>, S extends Solved = Solved> {
  readonly name: string;
  /** In types only. */
  readonly '~paths'?: P;
  /** In types only. */
  readonly '~abilities'?: A;
  /** In types only. */
  readonly '~solved'?: S;
  /** The solution, or the steps to it, for a model whose solution is computed; such a model has no variables, and `assemble` throws. */
  solve?(context: ComputationContext): Embedding | Computation;
  /** @param options - `batched`: whether its terms will be evaluated for some of the rows at a time, for models with `points` */
  assemble(seed: number, options?: { readonly batched?: boolean }): Assembly;
  /** N, for models whose terms may be evaluated for some of the rows at a time. */
  readonly points?: number;
  /**
   * Loads an alternative start, for models with latents; returns a function that computes, inside `withFloat64`, natural values by path of the
   * parameters that depend on the initial latents.
   */
  startAt?(kind: Exclude<StartKind, 'model'>, seed: number): Promise<() => ParameterValues>;
  /** Default search of `fit`. */
  readonly search?: Search;
  posterior(values: ParameterValues): Posterior;
  /** The model that `fit` fits instead, for models that choose some of their options by preliminary fits. */
  choose?(given: ChoiceSettings): Promise<Choice>;
  /** True if `choose` only changes the start or the search, not the density: the model itself may then be sampled and evaluated. */
  readonly choosesStart?: boolean;
  /** Loads the function that computes findings about the result of a search by further evaluations; undefined if there are none. */
  findings?(values: ParameterValues, seed: number): Promise<(() => Findings | undefined) | undefined>;
  /** Sentences about the result at these values, appended to the message of a fit; each begins with a space. */
  note?(values: ParameterValues): string;
  /** For models whose observations are read in blocks of rows: members needed by fits in batches. */
  readonly sourced?: SourcedModel;
  /** Description of the table that the observations come from, stored in its fits. */
  readonly table?: FittedTable;
  /** The model as plain JSON, complete for `loadFit`. */
  toJSON(): ModelJSON;
}

/** A model whose observations are read in blocks of rows. */
export interface SourcedModel {
  /** The observations in the model's units. */
  readonly source: RowSource;
  /** Means and variances of the latents of observations in the model's units, B×q each. */
  latentsOf(values: ParameterValues, observations: Matrix): LatentMoments;
  /** The model with the latents of all points, as shown by its fits. */
  placed(latents: LatentMoments): Model;
}

/** Any model, with fits of any type. */
// biome-ignore lint/suspicious/noExplicitAny: of types that appear in optional members only, nothing else is above all.
export type AnyModel = Model<any, any, any>;

/** Plain JSON with `model`, the name of the factory that reads it. */
export type ModelJSON = { readonly model: string } & { readonly [key: string]: unknown };
