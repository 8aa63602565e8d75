import type { Random } from '../../../core/random.ts';

/** Point of the unconstrained variables, with the log density and its gradient. */
export interface Position {
  readonly x: Float64Array;
  readonly value: number;
  readonly gradient: Float64Array;
}

/** Log density and its gradient at x; the value is −Infinity where the density is undefined. */
export type SampledDensity = (x: Float64Array) => Pick<Position, 'value' | 'gradient'>;

/** Statistics of one transition. */
export interface TransitionStatistics {
  /** Mean acceptance probability of the points that were tried, in [0, 1]. */
  readonly acceptance: number;
  /** Doublings of the trajectory; 0 for samplers without trajectories. */
  readonly depth: number;
  /** Evaluations of the log density. */
  readonly evaluations: number;
  /** 1 if the numerical trajectory diverged, 0 otherwise. */
  readonly divergent: number;
  /** Hamiltonian at the new point; the negative log density for samplers without momenta. */
  readonly energy: number;
  /** Leapfrog step size; NaN for samplers without one. */
  readonly stepSize: number;
}

export interface Transition {
  readonly position: Position;
  readonly statistics: TransitionStatistics;
}

/** State that a sampler adapts during its warm-up, by name: plain numbers that fit into a checkpoint. */
export type SamplerMemory = Readonly<Record<string, number | Float64Array>>;

/** Initial state of a sampler. */
export interface SamplerStart {
  readonly density: SampledDensity;
  readonly position: Position;
  /** Number of transitions during which it may adapt. */
  readonly warmup: number;
  /** Random numbers for the choice of the first step size. */
  readonly random: Random;
  /** Known covariance of the variables, n×n row by row; default the identity. */
  readonly covariance?: Float64Array | undefined;
  /** Adapted state at the time of an interruption. */
  readonly memory?: SamplerMemory | undefined;
}

/** Sampler running on one chain. */
export interface SamplerRun {
  /**
   * Makes a transition to the next point of the chain.
   *
   * @param random - random numbers for this transition
   * @param iteration - number of the transition, from 0; below `warmup` the sampler may adapt
   */
  transition(position: Position, random: Random, iteration: number): Transition;
  memory(): SamplerMemory;
}

/**
 * Sampler for a log density, in plain arithmetic on doubles: it leaves the density invariant once its warm-up is over. A chain is determined by its
 * start and its random numbers.
 */
export interface Sampler {
  readonly name: string;
  /** Plain options, which a worker can restore the sampler from. */
  readonly options?: object;
  begin(start: SamplerStart): SamplerRun;
}
