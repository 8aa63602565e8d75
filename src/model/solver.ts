/** The value and gradient at a point the solver asked for; `value` is NaN where the objective is not finite. */
export interface Evaluation {
  readonly value: number;
  /** Valid until the next evaluation: copy what must last. */
  readonly gradient: Float64Array;
  /** The variables that the entries of the gradient belong to, where the objective sees some of them only; all of them unless given. */
  readonly places?: Int32Array | undefined;
  /** In answer to a step that asks for it. */
  readonly curvature?: Curvature;
}

/**
 * Second derivatives H of an objective at a point, or a positive semidefinite matrix in their place. It stays what it is
 * whatever is evaluated later.
 */
export interface Curvature {
  /** The quadratic model gᵀd + ½dᵀHd of the objective in steps of some variables. */
  quadratic(model: QuadraticModel): QuadraticDescent;
  /** H of all variables, n×n row by row, symmetric; the caller's own. */
  hessian(): Float64Array;
}

/** A quadratic subproblem: minimize gᵀd + ½dᵀHd over lower ≤ d ≤ upper, with d = 0 for all but the selected variables. */
export interface QuadraticModel {
  /** The variables that may move, ascending. */
  readonly variables: Int32Array;
  /** g, and the bounds of d, one of each of these. */
  readonly gradient: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Descent on a quadratic model, from d = 0. Variables are named by their places in `variables`. */
export interface QuadraticDescent {
  /** H_ii of each. */
  readonly diagonal: Float64Array;
  /** H·v for some of the variables, v = 0 at all others. */
  product(places: Int32Array, v: Float64Array): Float64Array;
  /** Writes the lower triangle of H among some to the rows of `target`; allocates nothing. */
  fill(places: Int32Array, target: Float64Array): void;
  /** g + H·d of some. */
  slopes(places: Int32Array): Float64Array;
  /** Takes d to other values at some, within the bounds. */
  move(places: Int32Array, d: Float64Array): void;
  /**
   * Takes each of some variables to its best value, one after the other.
   *
   * @returns the largest change times √H_ii, which is the same in whatever unit a variable is
   */
  sweep(places: Int32Array): number;
  /** d as it is now. */
  steps(): Float64Array;
}

/** A point with its value and gradient, in the solver's own (scaled) variables. */
export interface Iterate {
  readonly x: Float64Array;
  value: number;
  readonly gradient: Float64Array;
  /** The variables that its evaluation saw, where those are not all: the gradient is 0 at the others. */
  places?: Int32Array | undefined;
}

/** Closed box lower ≤ x ≤ upper; entries may be ±Infinity. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * What a solver says to whoever drives it: evaluate this point and send me the result; send me the curvature at the iterate; an
 * iteration is complete; or nothing but that here is a place to pause, in the middle of work of its own.
 * `comparable` is false for an iteration whose change in value says nothing about convergence, such as a rejected step;
 * `evaluations` counts further work of the solver since the last iteration, measured in evaluations (0). `stage` names the work that a
 * pause is in the middle of, and `part` says what part of it is done, from 0 to 1.
 */
export type Step =
  | { readonly kind: 'evaluate'; readonly point: Float64Array }
  | { readonly kind: 'curvature' }
  | { readonly kind: 'iteration'; readonly comparable: boolean; readonly evaluations?: number }
  | { readonly kind: 'pause'; readonly stage?: string; readonly part?: number };

/**
 * How a solver ended by itself: it can make no more progress, because it is there or because something is wrong. Its iterate is then the
 * result when it says that it converged.
 */
export interface Ending {
  readonly status: 'converged' | 'failed';
  readonly reason: string;
  /** Sentence that follows the reason in the message. */
  readonly advice?: string;
  /** The kind of test that was met, where it converged; default 'optimality'. */
  readonly test?: 'rounding' | 'epochs' | 'optimality';
}

/**
 * What ended a search: a test of convergence (the largest entry of the gradient; the relative decrease of the value; an improvement that is lost in
 * rounding; an average over epochs that no longer improves; the solver's own conditions of optimality), a limit, whoever stopped it, or a failure.
 */
export type EndingKind =
  | 'gradient'
  | 'relativeDecrease'
  | 'rounding'
  | 'epochs'
  | 'optimality'
  | 'maxIterations'
  | 'maxEvaluations'
  | 'maxSeconds'
  | 'stopped'
  | 'failed';

/** Everything a solver remembers between iterations besides its iterate: plain numbers and arrays of them. */
export type SolverMemory = Record<string, number | Float64Array>;

/** Steps of one run; the caller answers every `evaluate` and `curvature` through `next`. */
export type Steps = Generator<Step, Ending, Evaluation>;

/**
 * One run of a solver. `iterate` and `memory` change only right before an `iteration` step, so a copy taken between any
 * two steps is a state from which the run can be repeated exactly.
 */
export interface SolverRun {
  readonly iterate: Iterate;
  readonly memory: SolverMemory;
  readonly steps: Steps;
  /** A sentence about the run that is added to how it ended. */
  note?(): string;
}

/**
 * A minimization algorithm as pure numerics on Float64Array: it asks for evaluations, and never calls the objective.
 * Limits, termination tests, scaling and the best point so far belong to the driver.
 */
export interface Solver {
  readonly name: string;
  /** Whether it keeps to a box; a solver that does not is refused finite bounds. */
  readonly bounded: boolean;
  /** Whether it asks for the curvature of the objective. */
  readonly needsCurvature?: boolean;
  /** Whether values of different iterations cannot be compared, as with minibatches: the last point is then the result. */
  readonly stochastic: boolean;
  /** Whether it may be answered with the gradient in some of the variables, those of a batch. */
  readonly takesPlaces?: boolean;
  /** Options of a built-in solver: a worker makes it again from its name and these. */
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
