import type { Matrix } from '../core/matrix.ts';
import { completed, type ProgressiveWork } from '../core/progressiveWork.ts';
import type { Model, ParameterValues } from './model.ts';
import type { SolverMemory, Step } from './solver.ts';

/** The solution of a model that is computed, not searched for among values of its terms. */
export interface Embedding {
  /** N×q */
  readonly latents: Matrix;
  /** Eigenvalues of the matrix whose eigenvectors the latents are, q entries; for spectral models. */
  readonly eigenvalues?: Float64Array;
  /** Further quantities that the model's posterior depends on, by path. */
  readonly parameters?: ParameterValues;
  /** The objective that the solution maximizes. */
  readonly objective: number;
  /** Its parts by name; they add up to it. */
  readonly terms: Readonly<Record<string, number>>;
  /** A sentence that says what there is to know about it. */
  readonly message: string;
  /** How near the optimum it is, for a solution that is not in closed form. */
  readonly optimality?: Optimality;
}

/** How well a solution meets its optimality conditions. */
export interface Optimality {
  /** Largest violation, relative. */
  readonly kktResidual: number;
  /** Whether that is as small as it has to be. */
  readonly converged: boolean;
  /** Largest entry of the gradient. */
  readonly gradientNorm: number;
}

/** Progress of a computation, reported by its steps. */
export interface Standing {
  /** Work since the last step, measured in evaluations of the objective; default 0. */
  readonly evaluations?: number;
  /** The result, were the computation to end there; one that has none yet leaves it out. */
  readonly embedding?: () => Embedding;
  /** State from which it resumes with the same bits. */
  readonly memory?: SolverMemory;
}

/** A step of a computation: a pause, as a solver makes, or an iteration with the objective there and the largest entry of its gradient. */
export type ComputationStep = Standing &
  (
    | Extract<Step, { kind: 'pause' }>
    | { readonly kind: 'iteration'; readonly objective: number; readonly gradientNorm: number }
  );

/** A computation step by step. The limits and the signal of a fit are looked at after each, and may end it there. */
export type Computation = Generator<ComputationStep, Embedding, void>;

/** Context of a computation beside the data. */
export interface ComputationContext {
  readonly seed: number;
  /** The largest violation of the optimality conditions that was asked for. */
  readonly tolerance?: number | undefined;
  /** State left by an interrupted computation, to resume from. */
  readonly memory?: SolverMemory | undefined;
}

/** Work in parts as a stage of a computation, under the name that `onProgress` reports. */
export function* stage<T>(name: string, work: ProgressiveWork<T>): Generator<ComputationStep, T, void> {
  yield { kind: 'pause', stage: name, part: 0 };
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      yield { kind: 'pause', stage: name, part: step.value };
    }
  } finally {
    // A computation that is ended gives back what its work holds.
    work.return(undefined as never);
  }
}

/** The solution of a model that computes it, at once. */
export function embeddingOf(model: Model, seed = 0): Embedding {
  const solved = model.solve!({ seed });
  return 'next' in solved ? completed(solved) : solved;
}
