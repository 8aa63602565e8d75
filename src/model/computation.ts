import type { Matrix } from '../core/matrix.ts';
import { completed, type ProgressiveWork } from '../core/progressiveWork.ts';
import type { Model, ParameterValues } from './model.ts';
import type { SolverMemory, Step } from './solver.ts';

/** The solution of a model that is computed directly, without a search over the values of its terms. */
export interface Embedding {
  /** N×q */
  readonly latents: Matrix;
  /** Eigenvalues of the matrix whose eigenvectors are the latents, q entries; for spectral models. */
  readonly eigenvalues?: Float64Array;
  /** Further quantities that the model's posterior depends on, by path. */
  readonly parameters?: ParameterValues;
  /** The objective that the solution maximizes. */
  readonly objective: number;
  /** Terms of the objective by name, which sum to it. */
  readonly terms: Readonly<Record<string, number>>;
  /** A sentence about the solution. */
  readonly message: string;
  /** Optimality of a solution that is not in closed form. */
  readonly optimality?: Optimality;
}

/** Optimality conditions of a solution. */
export interface Optimality {
  /** Largest relative violation. */
  readonly kktResidual: number;
  /** Whether the violation is small enough. */
  readonly converged: boolean;
  /** Largest entry of the gradient. */
  readonly gradientNorm: number;
}

/** Progress of a computation, reported by its steps. */
export interface ComputationProgress {
  /** Work since the last step, measured in evaluations of the objective; default 0. */
  readonly evaluations?: number;
  /** The result if the computation stopped at this step; missing if there is none yet. */
  readonly embedding?: () => Embedding;
  /** Saved state, to resume with the same bits. */
  readonly memory?: SolverMemory;
}

/** A step of a computation: a pause, like a solver's, or an iteration with its objective and the largest entry of its gradient. */
export type ComputationStep = ComputationProgress &
  (
    | Extract<Step, { kind: 'pause' }>
    | { readonly kind: 'iteration'; readonly objective: number; readonly gradientNorm: number }
  );

/** A stepwise computation. After each step, the limits and the signal of a fit are checked and may end it. */
export type Computation = Generator<ComputationStep, Embedding, void>;

/** Context of a computation, in addition to the data. */
export interface ComputationContext {
  readonly seed: number;
  /** The requested bound on the violation of the optimality conditions. */
  readonly tolerance?: number | undefined;
  /** State left by an interrupted computation, to resume from. */
  readonly memory?: SolverMemory | undefined;
}

/** Work with pauses as a stage of a computation; `onProgress` reports its name. */
export function* stage<T>(name: string, work: ProgressiveWork<T>): Generator<ComputationStep, T, void> {
  yield { kind: 'pause', stage: name, part: 0 };
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      yield { kind: 'pause', stage: name, part: step.value };
    }
  } finally {
    // A computation that is ended frees the resources of its work.
    work.return(undefined as never);
  }
}

/** The solution of a computed model, without pauses. */
export function embeddingOf(model: Model, seed = 0): Embedding {
  const solved = model.solve!({ seed });
  return 'next' in solved ? completed(solved) : solved;
}
