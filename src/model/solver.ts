/** The value and gradient at a point the solver asked for; `value` is NaN where the objective is not finite. */
export interface Evaluation {
  readonly value: number;
  /** Valid until the next evaluation: copy what must last. */
  readonly gradient: Float64Array;
}

/** A point with its value and gradient, in the solver's own (scaled) variables. */
export interface Iterate {
  readonly x: Float64Array;
  value: number;
  readonly gradient: Float64Array;
}

/** Closed box lower ≤ x ≤ upper; entries may be ±Infinity. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * What a solver says to whoever drives it: evaluate this point and send me the result, or an iteration is complete.
 * `comparable` is false for an iteration whose change in value says nothing about convergence, such as a rejected step.
 */
export type Step =
  | { readonly kind: 'evaluate'; readonly point: Float64Array }
  | { readonly kind: 'iteration'; readonly comparable: boolean };

/** How a solver ended by itself: it can make no more progress, because it is there or because something is wrong. */
export interface Ending {
  readonly status: 'converged' | 'failed';
  readonly reason: string;
}

/** Everything a solver remembers between iterations besides its iterate: plain numbers and arrays of them. */
export type SolverMemory = Record<string, number | Float64Array>;

/** Steps of one run; the caller answers every `evaluate` through `next`. */
export type Steps = Generator<Step, Ending, Evaluation>;

/**
 * One run of a solver. `iterate` and `memory` change only right before an `iteration` step, so a copy taken between any
 * two steps is a state from which the run can be repeated exactly.
 */
export interface SolverRun {
  readonly iterate: Iterate;
  readonly memory: SolverMemory;
  readonly steps: Steps;
  /** What there is to say about the run beside how it ended, as a sentence. */
  note?(): string;
}

/**
 * A minimisation algorithm as pure numerics on Float64Array: it asks for evaluations, and never calls the objective.
 * Limits, termination tests, scaling and the best point so far belong to the driver.
 */
export interface Solver {
  readonly name: string;
  /** Whether it keeps to a box; a solver that does not is refused finite bounds. */
  readonly bounded: boolean;
  /** Whether values of different iterations cannot be compared, as with minibatches: the last point is then the result. */
  readonly stochastic: boolean;
  /** What a built-in solver was made with: a worker makes it again from its name and these. */
  readonly options?: object;
  /**
   * Starts a run at `iterate`, or continues one from the memory it left.
   *
   * @param iterate - first point with its value and gradient; the run keeps and updates it
   * @param box - bounds, infinite for solvers that are not `bounded`
   * @param memory - what an earlier run with the same options remembered; the run keeps and updates it
   * @throws InvalidInputError when the memory is not one this solver with these options could have left
   */
  begin(iterate: Iterate, box: Box, memory?: SolverMemory): SolverRun;
}
