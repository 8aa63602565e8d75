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

/** Tensors of natural values: by path for a whole model, by name for one part. */
export type TensorMap = Readonly<Record<string, Tensor>>;

/** Natural values by path, as people give and read them. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** Context of an evaluation for the terms of a model. */
export interface TermContext {
  /** Random numbers of this iteration: the same in each evaluation of it, so that a solver sees one function. */
  readonly random: Random;
  /** Which iteration of a stochastic solver it is, from 0; 0 for all others. */
  readonly iteration: number;
  /** The rows of the observations that count, when not all do, and N divided by their number. */
  readonly batch?: Batch;
  /** Called with the jitter that a factorization needed (absolute, added to the diagonal), and the mean square of the data of a log density. */
  onJitter(jitter: number, meanSquare?: number): void;
  /** Called with the rank of a pivoted Cholesky approximation that took the place of a whole covariance: see `FitDiagnostics.covarianceRank`. */
  onRank?(rank: number): void;
  /** Called with what the evaluation approximates, and with what measures the error of that. */
  onApproximation?(approximation: Approximation, measure?: Measured): void;
}

/** Some of the points. */
export interface Batch {
  readonly rows: Int32Array;
  /** Factor by which a sum over these rows estimates the sum over all rows. */
  readonly scale: number;
  /** Their observations as the model sees them, B×D, where these are read some rows at a time. */
  readonly observations?: Matrix;
}

/**
 * A model made ready to be evaluated: its variables, its terms, and the constants they need, which are kept as tensors of
 * the float64 backend until `dispose`. Made inside `withFloat64`.
 */
export interface Assembly {
  /** Every variable and every held value by path; iteration order is the order of the solver's variables. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Log densities by name at natural values by path, as scalar tensors that add up to the objective. */
  terms(values: TensorMap, context: TermContext): Readonly<Record<string, Scalar>>;
  /** Parameters that a search from the model's start leaves where they are for its first iterations, a fifth of them at most. */
  readonly held?: { readonly paths: readonly string[]; readonly iterations: number };
  /**
   * Paths of the parameters that have one row a point. Where a batch counts, `terms` is given its rows of them only, and a solver may leave the
   * others where they are.
   */
  readonly pointwise?: readonly string[];
  /** The curvature of minus the log density in the natural values of the free parameters; for models that know it. */
  curvature?(values: ParameterValues, layout: FreeEntries): Curvature | undefined;
  /** Findings about a result at these values, for models that have any. */
  findings?(values: ParameterValues): Findings | undefined;
  dispose(): void;
}

/** Where the entries of the free parameters are, one parameter after the other. */
export interface FreeEntries {
  /** How many there are. */
  readonly size: number;
  /** The place of the first entry of each free parameter, by path. */
  readonly starts: ReadonlyMap<string, number>;
  /** The entries of the natural value of each, by path, as the values have them: lists of many take time to be made. */
  readonly natural: ReadonlyMap<string, Float64Array>;
}

/** Findings about a result beside how its search ended. */
export interface Findings {
  /** Sentences. */
  readonly message: string;
  /** Largest violation of the optimality conditions, relative; absent for a closed form. */
  readonly kktResidual?: number;
  /** Whether it is the optimum and yet means nothing. */
  readonly isDegenerate?: boolean;
}

/** Names of the {@link StartKind}s. */
export const START_KINDS = ['model', 'pca', 'isomap', 'eigenmaps', 'tsne', 'random'] as const;

/** Where the latents of a model may start: at its own start, at an embedding of the observations ('tsne'), or at random. */
export type StartKind = (typeof START_KINDS)[number];

/** Whether `fit` searches for the maximum of a model by a solver, or the model computes it by itself. */
export type Solved = 'searched' | 'byItself';

/** Shapes of natural values by path, of a model of which nothing more is known. */
export type AnyPaths = Readonly<Record<string, ParameterValue>>;

/** What the choice of default options depends on beside the model. */
export interface ChoiceSettings {
  readonly seed: number;
  /** Aborting it ends the choice. */
  readonly signal?: AbortSignal;
  /** Seconds that it may take. */
  readonly maxSeconds?: number;
  /** Drives long work to its end, leaving the thread to others now and then; gives undefined where the seconds pass before. */
  readonly drive?: <T>(work: ProgressiveWork<T>) => Promise<T | undefined>;
}

/** A model whose options are chosen. */
export interface Choice {
  readonly model: Model;
  /** A sentence that says what was chosen, and from what. */
  readonly message: string;
}

/** The search that suits a model: what `fit` takes for what it is not given. */
export interface Search {
  /** The solver, or what gives it when a fit with a seed begins. */
  readonly solver?: Solver | ((seed: number) => Solver | Promise<Solver>);
  /** The solver's tolerance. */
  readonly tolerance?: number;
  /** The part of the objective that an iteration must gain for the solver to go on. */
  readonly relativeDecrease?: number;
  /** Most iterations from each start of a fit without batches. */
  readonly maxIterations?: number;
}

/**
 * A description of a model: plain, frozen, nothing computed. Inference sees a model through this only.
 *
 * In types, `P` are its natural values by path, `A` is what its fits can do beside showing their outcome, and `S` whether `fit` searches for
 * its maximum or it finds it by itself.
 */
export interface Model<P = AnyPaths, A = Partial<AnyAbilities>, S extends Solved = Solved> {
  readonly name: string;
  /** In types only. */
  readonly '~paths'?: P;
  /** In types only. */
  readonly '~abilities'?: A;
  /** In types only. */
  readonly '~solved'?: S;
  /** The solution, or the steps to it, for a model whose solution is computed; it has no variables then, and `assemble` throws. */
  solve?(context: ComputationContext): Embedding | Computation;
  /**
   * @param options - `batched`: whether its terms will be asked for some of the rows at a time, for models that have `points`
   */
  assemble(seed: number, options?: { readonly batched?: boolean }): Assembly;
  /** N, for models whose terms may be asked for some of the rows at a time. */
  readonly points?: number;
  /**
   * Loads what another start than the model's own takes, for models with latents; gives what computes, inside `withFloat64`, natural values
   * by path of what depends on where the latents start.
   */
  startAt?(kind: Exclude<StartKind, 'model'>, seed: number): Promise<() => ParameterValues>;
  /** How it is searched for where `fit` is not told. */
  readonly search?: Search;
  posterior(values: ParameterValues): Posterior;
  /** The model that `fit` fits in the place of this one, for models that choose some of their options by fits of their own. */
  choose?(given: ChoiceSettings): Promise<Choice>;
  /** True if `choose` gives this very density from another start, or another search: the model itself may then be drawn from and taken at given values. */
  readonly choosesStart?: boolean;
  /** Sentences about the result at these values, which end the message of a fit; each begins with a space. */
  note?(values: ParameterValues): string;
  /** For models whose observations are read some rows at a time: what fits in batches need of it. */
  readonly sourced?: SourcedModel;
  /** Record, kept by its fits, of the table that the observations come from. */
  readonly table?: FittedTable;
  /** Everything `loadFit` needs to make the model again, as plain JSON. */
  toJSON(): ModelJSON;
}

/** A model whose observations are read some rows at a time. */
export interface SourcedModel {
  /** The observations as the model sees them. */
  readonly source: RowSource;
  /** Means and variances of the latents of observations, as the model sees them, B×q each. */
  latentsOf(values: ParameterValues, observations: Matrix): LatentMoments;
  /** The model with the latents of all points, which its fits show. */
  placed(latents: LatentMoments): Model;
}

/** Any model, whatever its type says of its fits. */
// biome-ignore lint/suspicious/noExplicitAny: of types that appear in optional members only, nothing else is above all.
export type AnyModel = Model<any, any, any>;

/** Plain JSON with a `model` that says which factory reads it. */
export type ModelJSON = { readonly model: string } & { readonly [key: string]: unknown };
