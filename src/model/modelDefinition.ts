import type { Matrix } from '../core/matrix.ts';
import type { Scalar, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';
import type { FieldLearning, GraphLearning, Placing, Predicting, Reconstructing, Spectral } from './abilities.ts';
import type { ComputationContext, ComputationStep, Embedding } from './computation.ts';
import type { DefinedMoments } from './definedMapping.ts';
import type {
  Assembly,
  Findings,
  FreeEntries,
  ModelJSON,
  ParameterValues,
  Search,
  StartKind,
  TermContext,
} from './model.ts';
import type { Parts, ValuesOf } from './part.ts';
import type {
  AnyPosterior,
  FieldPosterior,
  GraphPosterior,
  MappedPosterior,
  PlacedPosterior,
  Posterior,
  SpectralPosterior,
} from './posterior.ts';
import type { Curvature } from './solver.ts';

/** What a model's functions may know beside values and data. */
export interface ModelContext<P extends Parts, C> extends TermContext {
  readonly parts: P;
  /** What `constants` made of the data. */
  readonly constants: C;
  /** The latents at these values, N×q, computed once. */
  readonly latents: Tensor2D;
  /** Where parts keep what they need again at the same values, such as a factor; in predictions only. */
  readonly memory?: Map<object, unknown>;
}

/** A log density of some of what a model says, a scalar. */
export type Term<Data, P extends Parts, C> = (v: ValuesOf<P>, data: Data, context: ModelContext<P, C>) => Scalar;

/** Log densities by name; or a function that computes all of them together, by name. */
export type Terms<Data, P extends Parts, C> =
  | Readonly<Record<string, Term<Data, P, C>>>
  | ((v: ValuesOf<P>, data: Data, context: ModelContext<P, C>) => Readonly<Record<string, Scalar>>);

/** What parts may know beside the data. */
export interface PartsOptions {
  /** Whether the terms will be asked for some of the points at a time, for models with `points`. */
  readonly batched: boolean;
}

/** How the data of a model are written and read; `own` are the factories that `loadFit` was given. */
export interface DataFormat<Data> {
  toJSON(data: Data): unknown;
  fromJSON(json: unknown, own: never): Data;
}

/** Moments of observations at latents X (n×q). */
export type Moments<Data, P extends Parts, C> = (
  v: ValuesOf<P>,
  X: Tensor2D,
  data: Data,
  context: ModelContext<P, C>,
) => DefinedMoments;

/** The moments of what is observed, or of each view by its name. */
export type Predictions<Data, P extends Parts, C, View extends string = string> =
  | Moments<Data, P, C>
  | Readonly<Record<View, Moments<Data, P, C>>>;

/** What every model is whose terms are evaluated. `v` holds tensors of natural values, by part and parameter. */
export interface TermsDefinition<Data, P extends Parts, C = undefined> {
  /** What its fits and files call it. */
  readonly name: string;
  /** Its parameters and parts by name; called when the model is assembled. Their paths are `name` and `name.parameter`. */
  readonly parts: (data: Data, seed: number, options: PartsOptions) => P;
  /** Constants that the terms need: tensors in what it returns are kept until the model is disposed of, and `dispose()` is called. */
  readonly constants?: (data: Data, parts: P) => C;
  /** Log densities that add up to the objective. */
  readonly terms: Terms<Data, P, C>;
  /**
   * Moments of the observations at latents X (n×q): from it follow `predict`, `project`, `reconstruct`, `sample` and `impute` of fits. Where several
   * things are observed of each point, such a function for each by its name: `{ pose, picture }`.
   */
  readonly predict?: Predictions<Data, P, C>;
  /** log p(x) of each row of latents X (n×q), n entries, by which new observations are placed too. */
  readonly pointLogDensity?: (v: ValuesOf<P>, X: Tensor2D, data: Data, context: ModelContext<P, C>) => Tensor1D;
  /** How data that are not plain values, lists and matrices are written and read. */
  readonly data?: DataFormat<Data>;
  /** The search that suits the model, where `fit` is not told. */
  readonly search?: (data: Data) => Search;
  /** The curvature of minus the log density in the natural values of the free parameters, for solvers that ask for it. */
  readonly curvature?: (
    values: ParameterValues,
    data: Data,
    constants: C,
    entries: FreeEntries,
  ) => Curvature | undefined;
  /** What there is to say about a result, such as how well its optimality conditions hold. */
  readonly findings?: (values: ParameterValues, data: Data, constants: C) => Findings;
  /** What the model writes about itself, where it is not the form that `restore` reads. */
  readonly toJSON?: (data: Data) => ModelJSON;
  /** N, for models whose terms may be asked for some of the points at a time, those of `context.batch`. */
  readonly points?: (data: Data) => number;
  /** Paths of parameters with one row a point, for models with `points`: terms of a batch are given its rows of them only. */
  readonly pointwise?: (data: Data, parts: P) => readonly string[];
  /** Parameters that a fit holds where they start for so many iterations, if any. */
  readonly held?: (data: Data, parts: P) => Assembly['held'];
  /** Sentences about the result at these values, which end the message of a fit; each begins with a space. */
  readonly note?: (data: Data, values: ParameterValues) => string;
  /** What gives natural values, by path, of what depends on where the latents start, for restarts that begin elsewhere. */
  readonly startAt?: (kind: Exclude<StartKind, 'model'>, data: Data, seed: number) => Promise<() => ParameterValues>;
}

/** Latents at some values, N×q. */
export type LatentsOf<Data, P extends Parts, C> = (
  v: ValuesOf<P>,
  data: Data,
  context: Omit<ModelContext<P, C>, 'latents'>,
) => Tensor2D;

/** What a model is whose latents are tensors. */
export interface ModelDefinition<Data, P extends Parts, C = undefined> extends TermsDefinition<Data, P, C> {
  /** N×q */
  readonly latents: LatentsOf<Data, P, C>;
  /** All that fits can do, from plain numbers, in the place of what follows from `latents` and `predict`. */
  readonly posterior?: (values: ParameterValues, data: Data) => AnyPosterior;
}

/** What a model is that says itself, from plain numbers, what its fits can do. */
export interface PosteriorDefinition<Data, P extends Parts, C = undefined, Q extends Posterior = Posterior>
  extends TermsDefinition<Data, P, C> {
  /** N×q, where terms ask for them. */
  readonly latents?: LatentsOf<Data, P, C>;
  /** The latents, and all else that fits can do. */
  readonly posterior: (values: ParameterValues, data: Data) => Q;
}

/** A definition with latents, a posterior, or both. */
export type AnyDefinition<Data, P extends Parts, C> = ModelDefinition<Data, P, C> | PosteriorDefinition<Data, P, C>;

/** A solution that was computed, or that a file holds. */
export interface Found {
  /** N×q */
  readonly latents: Matrix;
  /** q entries; none where the solution has none. */
  readonly eigenvalues: Float64Array;
  /** What else the solution has, by path. */
  readonly parameters: ParameterValues;
}

/** What a model is whose solution is computed, such as eigenvectors. */
export interface ComputedDefinition<
  Data,
  E extends Embedding = Embedding,
  Q extends Partial<AnyPosterior> = Partial<AnyPosterior>,
> {
  /** What its fits and files call it. */
  readonly name: string;
  /**
   * The solution, at once or as a generator that pauses: limits and the signal of a fit end it there, and `onProgress` reports its stages.
   */
  readonly solve: (data: Data, context: ComputationContext) => E | Generator<ComputationStep, E, void>;
  /** What fits can do beside showing their latents and eigenvalues. */
  readonly posterior?: (found: Found, data: Data) => Q;
  /** How data that are not plain values, lists and matrices are written and read. */
  readonly data?: DataFormat<Data>;
  /** What the model writes about itself, where it is not the form that `restore` reads. */
  readonly toJSON?: (data: Data) => ModelJSON;
}

/** What fits can do for what their posterior has. */
export type AbilitiesWith<Q> = (Q extends Having<PlacedPosterior> ? Placing : unknown) &
  (Q extends Having<MappedPosterior> ? Predicting : unknown) &
  (Q extends Having<MappedPosterior & PlacedPosterior> ? Reconstructing : unknown) &
  (Q extends Having<GraphPosterior> ? GraphLearning : unknown) &
  (Q extends Having<FieldPosterior> ? FieldLearning : unknown) &
  (Q extends Having<SpectralPosterior> ? Spectral : unknown);

/** The members of a posterior beside the latents, which a solution may hold. */
type Having<Q extends Posterior> = Omit<Q, 'latents'>;
