import type { Matrix } from '../core/matrix.ts';
import type { FittedTable } from '../core/namedTable.ts';
import type { AnyAbilities, Mapped } from './abilities.ts';
import type { Approximation } from './approximation.ts';
import type { AnyPaths, Model, ModelJSON, ParameterValues } from './model.ts';
import type { ParameterJSON } from './parameterToJson.ts';
import type { EndingKind } from './solver.ts';

/** How a fit ended: see the message that comes with it. 'degenerate' is an optimum that means nothing, such as an empty graph. */
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
  /** Latent dimensions along which the rows hardly differ, or the mapping hardly varies; or more latent coordinates than observations that could determine them. */
  readonly code: 'unusedDimensions' | 'manyDimensions';
  /** The dimensions, from 0, that it is about. */
  readonly dimensions: readonly number[];
  /** A sentence that says how to go on. */
  readonly message: string;
}

export interface FitDiagnostics {
  /** Which linear algebra ran. */
  readonly engine: string;
  /** The BLAS that a native engine called: what it says about itself, and its file. */
  readonly engineLibrary?: string;
  /** Why 'auto' came to the TypeScript engine: what WebAssembly lacks here. */
  readonly engineReason?: string;
  /** How many threads it shared its work among, when it was asked for a number of them, or had started some by itself. */
  readonly threads?: number;
  /** Why there were fewer threads than asked for. */
  readonly threadsReason?: string;
  /** Evaluations of the log density, or as much work of a solver's own, from all starts. */
  readonly evaluations: number;
  /** Iterations of the solver, from the start that led to the result. */
  readonly iterations: number;
  /** Seconds of the fit, without those between the steps of `fitSteps`. */
  readonly seconds: number;
  /** The seed that it was made with; models in closed form take none. */
  readonly seed?: number;
  /** Rows of each batch, of a fit in batches. */
  readonly batchSize?: number;
  /** Jitter on the diagonal of the covariance at the result (absolute); 0 when none was needed. */
  readonly jitter: number;
  /**
   * Rank of the pivoted Cholesky approximation of k(X, X) that the log density at the result was computed with, the largest where there are several; absent where
   * all covariances were factored whole. See docs/project/engines.md.
   */
  readonly covarianceRank?: number;
  /**
   * Approximations behind the objective and the predictions, with their errors at the result; an empty list for an exact model. The message says them in words. Absent where the objective was not
   * evaluated, as at a draw.
   */
  readonly approximations?: readonly Approximation[];
  /** Warnings about the result, which the message says too; absent where there are none. */
  readonly warnings?: readonly FitWarning[];
  /** Largest entry of the gradient in the solver's variables at the result. */
  readonly gradientNorm: number;
  /** Which test or limit ended the search; absent where there was none, as for a solution in closed form. */
  readonly ending?: EndingKind;
  /** The test that a converged search met, with its numbers, as a clause. */
  readonly criterion?: string;
  /** Largest relative violation of the optimality conditions of a constraint layer: see `maxEntropy`. */
  readonly kktResidual?: number;
  /** The objective reached from each start, the model's own first, when there were restarts. */
  readonly restarts?: readonly number[];
}

/** Data of a fit beside its model: plain values. */
export interface FitOutcome {
  /** Natural values by path, the latents among them when they are free. */
  readonly values: ParameterValues;
  /** The maximized log density. */
  readonly objective: number;
  /** Each factor's part by name. */
  readonly terms: Readonly<Record<string, number>>;
  readonly trace: readonly TraceEntry[];
  readonly status: FitStatus;
  /** A sentence that says exactly how the fit ended. */
  readonly message: string;
  readonly diagnostics: FitDiagnostics;
}

/** Members of every fitted model. */
export interface FittedModel<P = AnyPaths> extends Omit<FitOutcome, 'values'> {
  /** The name of the model that was fitted. */
  readonly model: string;
  /** N×q */
  readonly latents: Matrix;
  /** The columns of the table that was fitted, and the ids and labels of its points, when `fit` was given it. */
  readonly table?: FittedTable;
  /** Natural values by path, without the latents. */
  readonly parameters: { readonly [Path in Exclude<keyof P, 'latents'>]: P[Path] };
  /** The fit as plain JSON, from which `loadFit` makes it again with the same predictions bit for bit. */
  toJSON(): FitJSON;
}

/** A fitted model and what it can do: of a model of which nothing more is known, each ability may be missing. */
export type Fit<P = AnyPaths, A = Partial<AnyAbilities>> = FittedModel<P> & A;

/** In types: a model whose variables are observed alone, so that its fits have no latents. */
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

/** A fit of which no more is known than that it was saved: of a model with a mapping, unless its type is given. */
export type LoadedFit = FittedModel & Mapped & Partial<Omit<AnyAbilities, keyof Mapped>>;

/**
 * A fit as plain JSON. Numbers that are not finite, which only fits that have failed hold, are 'NaN', 'Infinity' and '-Infinity'.
 *
 * Form 1, of before there were checksums, is read too.
 */
export interface FitJSON extends Omit<FitOutcome, 'values'> {
  readonly format: 'latentfield-fit';
  readonly version: 2;
  readonly model: ModelJSON;
  readonly values: Readonly<Record<string, ParameterJSON['initial']>>;
  readonly table?: FittedTable;
  /** Checksums of the parts by their paths: `model.kernel`, `values.latents`, `terms`. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Members of a saved fit that have a checksum for each member of their own. */
export const DIVIDED = ['model', 'values'] as const;
