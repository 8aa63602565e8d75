import type { Matrix } from '../core/matrix.ts';
import type { FittedTable } from '../core/namedTable.ts';
import type { AnyAbilities, Mapped } from './abilities.ts';
import type { Approximation } from './approximation.ts';
import type { AnyPaths, Model, ModelJSON, ParameterValues } from './model.ts';
import type { ParameterJSON } from './parameterToJson.ts';
import type { EndingKind } from './solver.ts';

/** Outcome of a fit; `message` explains it. 'degenerate' is a meaningless optimum, such as an empty graph, or one that does not exist, as for points that shrink while the weights of their map grow. */
export type FitStatus = 'converged' | 'degenerate' | 'maxIterations' | 'stopped' | 'failed';

/** The state of a fit after an iteration. */
export interface TraceEntry {
  readonly iteration: number;
  readonly evaluations: number;
  /** The best log density so far. */
  readonly objective: number;
  /** Largest entry of the gradient in the solver's variables. */
  readonly gradientNorm: number;
}

/** A warning about the result of a fit. */
export interface FitWarning {
  /** 'unusedDimensions': latent dimensions along which the rows or the mapping hardly vary; 'manyDimensions': more latent coordinates than observations to determine them. */
  readonly code: 'unusedDimensions' | 'manyDimensions';
  /** The dimensions concerned, from 0. */
  readonly dimensions: readonly number[];
  /** A sentence with a remedy. */
  readonly message: string;
}

export interface FitDiagnostics {
  /** Name of the linear algebra engine. */
  readonly engine: string;
  /** Version and file of the BLAS called by a native engine. */
  readonly engineLibrary?: string;
  /** Reason why 'auto' chose the TypeScript engine. */
  readonly engineReason?: string;
  /** Number of threads that shared the work, if a number was requested or threads were started automatically. */
  readonly threads?: number;
  /** Reason why there were fewer threads than requested. */
  readonly threadsReason?: string;
  /** Evaluations of the log density, or an equal amount of a solver's work, over all starts. */
  readonly evaluations: number;
  /** Iterations of the solver from the best start. */
  readonly iterations: number;
  /** Duration of the fit in seconds, without the time between steps of `fitSteps`. */
  readonly seconds: number;
  /** Seed of the fit; missing for models in closed form. */
  readonly seed?: number;
  /** Rows per batch, for a fit in batches. */
  readonly batchSize?: number;
  /** Jitter on the diagonal of the covariance at the result (absolute); 0 if none was needed. */
  readonly jitter: number;
  /**
   * Rank of the pivoted Cholesky approximation of k(X, X) used in the log density at the result, the largest if there are several; missing if all
   * covariances were factored in full. See docs/project/engines.md.
   */
  readonly covarianceRank?: number;
  /**
   * Approximations of the objective and the predictions, with their errors at the result; empty for an exact model. The message describes them in
   * words. Missing if the objective was not evaluated, as at a posterior sample.
   */
  readonly approximations?: readonly Approximation[];
  /** Warnings about the result, which are also in the message; missing if there are none. */
  readonly warnings?: readonly FitWarning[];
  /** Largest entry of the gradient in the solver's variables at the result. */
  readonly gradientNorm: number;
  /** Test or limit that ended the search; missing if there was none, as for a solution in closed form. */
  readonly ending?: EndingKind;
  /** The convergence test that was met, with its numbers, as a clause. */
  readonly criterion?: string;
  /** Largest relative violation of the optimality conditions of a constraint layer: see `maxEntropy`. */
  readonly kktResidual?: number;
  /** The objective reached from each start, the model's default start first, if there were restarts. */
  readonly restarts?: readonly number[];
}

/** Data of a fit in addition to its model, as plain values. */
export interface FitOutcome {
  /** Natural values by path, including free latents. */
  readonly values: ParameterValues;
  /** The maximized log density. */
  readonly objective: number;
  /** Value of each term by name. */
  readonly terms: Readonly<Record<string, number>>;
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  /** A sentence about how the fit ended. */
  readonly message: string;
  readonly diagnostics: FitDiagnostics;
}

/** Members of every fitted model. */
export interface FittedModel<P = AnyPaths> extends Omit<FitOutcome, 'values'> {
  /** Name of the fitted model. */
  readonly model: string;
  /** N×q */
  readonly latents: Matrix;
  /** The columns of the fitted table, and the ids and labels of its points, if `fit` was called with a table. */
  readonly table?: FittedTable;
  /** Natural values by path, without the latents. */
  readonly parameters: { readonly [Path in Exclude<keyof P, 'latents'>]: P[Path] };
  /** The fit as plain JSON. `loadFit` restores it, with the same predictions bit for bit. */
  toJSON(): FitJSON;
}

/** A fitted model and its abilities; for an unknown model, each ability may be missing. */
export type Fit<P = AnyPaths, A = Partial<AnyAbilities>> = FittedModel<P> & A;

/** In types: a model without latent variables, whose fits have no latents. */
export interface WithoutLatents {
  readonly '~withoutLatents': true;
}

/** The fits of a model: `FitOf<ReturnType<typeof gplvm>>`. */
export type FitOf<M> =
  M extends Model<infer P, infer A, infer _>
    ? A extends WithoutLatents
      ? Omit<Fit<P, A>, 'latents' | '~withoutLatents'>
      : Fit<P, A>
    : never;

/** A loaded fit of unknown type: of a model with a mapping, unless a type is specified. */
export type LoadedFit = FittedModel & Mapped & Partial<Omit<AnyAbilities, keyof Mapped>>;

/** A fit as plain JSON. Numbers that are not finite, which occur only in failed fits, are 'NaN', 'Infinity' and '-Infinity'. */
export interface FitJSON extends Omit<FitOutcome, 'values'> {
  readonly format: 'latentfield-fit';
  readonly version: 2;
  readonly model: ModelJSON;
  readonly values: Readonly<Record<string, ParameterJSON['initial']>>;
  readonly table?: FittedTable;
  /** Checksums of the parts by their paths: `model.kernel`, `values.latents`, `terms`. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Members of a saved fit with separate checksums for each of their members. */
export const DIVIDED = ['model', 'values'] as const;
