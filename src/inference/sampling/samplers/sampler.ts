import type { Random } from '../../../core/random.ts';

/** A point of the unconstrained variables, with the log density and its gradient there. */
export interface Position {
  readonly x: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
}

/** A log density and its gradient at x; the value is −Infinity where there is no density. */
export type SampledDensity = (x: Float64Array) => Pick<Position, 'value' | 'gradient'>;

/** Statistics of one transition. */
export interface TransitionStatistics {
  /** Mean probability of acceptance of the points that were tried, in [0, 1]. */
  readonly acceptance: number;
  /** Doublings of the trajectory; 0 for samplers without. */
  readonly depth: number;
  /** Evaluations of the log density. */
  readonly evaluations: number;
  /** 1 where the numerical trajectory left the true one, 0 elsewhere. */
  readonly divergent: number;
  /** The Hamiltonian at the new point; minus the log density for samplers without momenta. */
  readonly energy: number;
  /** Size of a leapfrog step; NaN for samplers without. */
  readonly stepSize: number;
}

export interface Transition {
  readonly position: Position;
  readonly statistics: TransitionStatistics;
}

/** State adapted by a sampler in its warm-up, by name: plain numbers, so that a checkpoint holds it. */
export type SamplerMemory = Readonly<Record<string, number | Float64Array>>;

/** Initial state of a sampler. */
export interface SamplerStart {
  readonly density: SampledDensity;
  readonly position: Position;
  /** Transitions in which it may adapt; those after it leave it as it is. */
  readonly warmup: number;
  /** Random numbers for the choice of a first step. */
  readonly random: Random;
  /** Covariance of the variables that is known beforehand, n×n row by row; that of independent standard normals where there is none. */
  readonly covariance?: Float64Array | undefined;
  /** Its adapted state when it was interrupted. */
  readonly memory?: SamplerMemory | undefined;
}

/** A sampler at work on one chain. */
export interface SamplerRun {
  /**
   * The next point of the chain.
   *
   * @param random - the random numbers of this transition
   * @param iteration - its number, from 0; below `warmup` it may adapt
   */
  transition(position: Position, random: Random, iteration: number): Transition;
  memory(): SamplerMemory;
}

/**
 * A way to draw from a log density, as plain arithmetic on doubles: it leaves the density invariant once its warm-up is over. A chain is determined
 * by its start and its random numbers.
 */
export interface Sampler {
  readonly name: string;
  /** Plain options, by which a worker makes the sampler again. */
  readonly options?: object;
  begin(start: SamplerStart): SamplerRun;
}
