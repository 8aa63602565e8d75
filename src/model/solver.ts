/** The value and gradient at a point requested by the solver; `value` is NaN if the objective is not finite. */
export interface Evaluation {
  readonly value: number;
  /** Valid until the next evaluation; copy it if it is needed longer. */
  readonly gradient: Float64Array;
  /** The variables that the entries of the gradient belong to, if the objective depends on some of them only; default all. */
  readonly places?: Int32Array | undefined;
  /** Set in response to a step that requests it. */
  readonly curvature?: Curvature;
}

/** Second derivatives H of an objective at a point, or a positive semidefinite approximation of them. Later evaluations do not change it. */
export interface Curvature {
  /** The quadratic model gᵀd + ½dᵀHd of the objective in steps of some variables. */
  quadratic(model: QuadraticModel): QuadraticDescent;
  /** H for all variables, n×n row by row, symmetric; a new array. */
  hessian(): Float64Array;
}

/** A quadratic subproblem: minimize gᵀd + ½dᵀHd over lower ≤ d ≤ upper, with d = 0 for all but the selected variables. */
export interface QuadraticModel {
  /** The variables that may move, ascending. */
  readonly variables: Int32Array;
  /** g, and the bounds of d, one per selected variable. */
  readonly gradient: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Descent on a quadratic model, from d = 0. Variables are identified by their positions in `variables`. */
export interface QuadraticDescent {
  /** H_ii for each variable. */
  readonly diagonal: Float64Array;
  /** H·v for some of the variables, v = 0 at all others. */
  product(places: Int32Array, v: Float64Array): Float64Array;
  /** Writes the lower triangle of H for some variables to the rows of `target`; allocates nothing. */
  fill(places: Int32Array, target: Float64Array): void;
  /** g + H·d for some variables. */
  slopes(places: Int32Array): Float64Array;
  /** Sets d to other values for some variables, within the bounds. */
  move(places: Int32Array, d: Float64Array): void;
  /**
   * Moves each of some variables to its optimal value, one after the other.
   *
   * @returns the largest change times √H_ii, which is independent of the variables' units
   */
  sweep(places: Int32Array): number;
  /** Current value of d. */
  steps(): Float64Array;
}

/** A point with its value and gradient, in the solver's (scaled) variables. */
export interface Iterate {
  readonly x: Float64Array;
  value: number;
  readonly gradient: Float64Array;
  /** The variables in its evaluation, if not all: the gradient is 0 in the others. */
  places?: Int32Array | undefined;
}

/** Closed box lower ≤ x ≤ upper; entries may be ±Infinity. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/**
 * Message from a solver to its driver: evaluate this point, or compute the curvature at the iterate, and send the result; an iteration is complete;
 * or a possible pause in the middle of work. `comparable` is false for an iteration whose change in value is irrelevant for convergence, such as a
 * rejected step. `evaluations` counts further work of the solver since the last iteration, measured in evaluations (0). `stage` is the name of the
 * work in progress at a pause, and `part` the completed fraction, from 0 to 1.
 */
export type Step =
  | { readonly kind: 'evaluate'; readonly point: Float64Array }
  | { readonly kind: 'curvature' }
  | { readonly kind: 'iteration'; readonly comparable: boolean; readonly evaluations?: number }
  | { readonly kind: 'pause'; readonly stage?: string; readonly part?: number };

/** Reason why a solver ended without being stopped: it converged, or it can make no more progress. Its iterate is the result if it converged. */
export interface Ending {
  readonly status: 'converged' | 'failed';
  readonly reason: string;
  /** Sentence appended to the reason in the message. */
  readonly advice?: string;
  /** The kind of test that was met, if it converged; default 'optimality'. */
  readonly test?: 'rounding' | 'epochs' | 'optimality';
}

/**
 * Reason for the end of a search: a test of convergence (the largest entry of the gradient; the relative decrease of the value; an improvement lost
 * in rounding; an average over epochs that no longer improves; the solver's optimality conditions), a limit, an interruption, or a failure.
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

/** State of a solver between iterations in addition to its iterate: plain numbers and arrays of numbers. */
export type SolverMemory = Record<string, number | Float64Array>;

/** Steps of one run; the caller answers every `evaluate` and `curvature` through `next`. */
export type Steps = Generator<Step, Ending, Evaluation>;

/**
 * One run of a solver. `iterate` and `memory` change only right before an `iteration` step, so that a copy taken between any two steps is sufficient
 * to repeat the run exactly from there.
 */
export interface SolverRun {
  readonly iterate: Iterate;
  readonly memory: SolverMemory;
  readonly steps: Steps;
  /** A sentence about the run, appended to the description of its end. */
  note?(): string;
}

/**
 * A minimization algorithm as pure numerics on Float64Array: it requests evaluations and never calls the objective. Limits, termination tests,
 * scaling and the best point so far belong to the driver.
 */
export interface Solver {
  readonly name: string;
  /** Whether it respects a box; other solvers refuse finite bounds. */
  readonly bounded: boolean;
  /** Whether it uses the curvature of the objective. */
  readonly needsCurvature?: boolean;
  /** Whether values of different iterations cannot be compared, as with minibatches: the result is then the last point. */
  readonly stochastic: boolean;
  /** Whether it accepts gradients in some of the variables only, those in a batch. */
  readonly takesPlaces?: boolean;
  /** Options of a built-in solver: with its name, they suffice to make it in a worker. */
  readonly options?: object;
  /**
   * Starts a run at `iterate`, or continues one from its saved memory.
   *
   * @param iterate - first point with its value and gradient; the run retains and updates it
   * @param box - bounds, infinite for solvers that are not `bounded`
   * @param memory - saved memory of an earlier run with the same options; the run retains and updates it
   * @throws InvalidInputError if the memory does not match this solver and its options
   */
  begin(iterate: Iterate, box: Box, memory?: SolverMemory): SolverRun;
}
