import type { SolverState } from './solverState.ts';

/**
 * How a minimisation ended: a termination test was met; a limit on iterations or evaluations was reached; the caller (an
 * AbortSignal, a callback, a limit in seconds) stopped it; or the solver could not go on.
 */
export type Status = 'converged' | 'maxIterations' | 'stopped' | 'failed';

/** What {@link minimize} returns. */
export interface Solution {
  /**
   * The best point evaluated (the last one of a stochastic solver), within the bounds. Where the gradient's test ended the run, a
   * point that meets it: the last iterate, if the best one does not.
   */
  readonly x: Float64Array;
  /** The objective there; always finite. */
  readonly value: number;
  /** Its gradient there; always finite. */
  readonly gradient: Float64Array;
  readonly status: Status;
  /** One sentence that says exactly how it ended. */
  readonly message: string;
  /** Number of evaluations of the objective, those of the runs resumed from included. */
  readonly evaluations: number;
  /** Number of iterations, those of the runs resumed from included. */
  readonly iterations: number;
  /** To be given as the option `state` in order to go on from here. */
  readonly state: SolverState;
}

/** Where a minimisation stands after an evaluation. */
export interface Progress {
  readonly iterations: number;
  readonly evaluations: number;
  /** Least value so far (the last one of a stochastic solver). */
  readonly value: number;
  /** Largest entry of the scaled projected gradient at that point. */
  readonly gradientNorm: number;
  /** A copy of that point, made when it is asked for. */
  readonly x: Float64Array;
  /** A copy of the state to resume from, made when it is asked for. */
  readonly state: SolverState;
}
