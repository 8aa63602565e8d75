import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import type { Box, EndingKind, Iterate, SolverMemory } from '../../model/solver.ts';

/**
 * Status of a minimisation: a termination test was met; a limit on iterations or evaluations was reached; the caller (an
 * AbortSignal, a callback, a limit in seconds) stopped it; or the solver could not go on.
 */
export type Status = 'converged' | 'maxIterations' | 'stopped' | 'failed';

/** Result of {@link minimize}. */
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
  /** Which test or limit ended it. */
  readonly ending: EndingKind;
  /** Sentences that say exactly how it ended, and what to do about it. */
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
  /** True if the next thing that is done is an evaluation of the objective. */
  readonly isEvaluated?: boolean;
  /** A copy of that point, made when it is asked for. */
  readonly x: Float64Array;
  /** A copy of the state to resume from, made when it is asked for. */
  readonly state: SolverState;
}

/**
 * Everything a minimisation needs to go on exactly as if it had not been interrupted: plain numbers and Float64Arrays.
 * Points are in the solver's variables z = x / scale.
 */
export interface SolverState {
  readonly solver: string;
  readonly iterations: number;
  readonly evaluations: number;
  /** Relative decreases of the value in the last two iterations, the newest first; Infinity before there are any. */
  readonly decreases: Float64Array;
  readonly scale: Float64Array;
  readonly iterate: Readonly<Iterate>;
  readonly best: Readonly<Iterate>;
  readonly memory: SolverMemory;
}

/** A copy of an iterate that shares nothing with it. */
export function copyIterate({ x, value, gradient }: Readonly<Iterate>): Iterate {
  return { x: x.slice(), value, gradient: gradient.slice() };
}

/** A copy of a solver's memory that shares nothing with it. */
export function copyMemory(memory: Readonly<SolverMemory>): SolverMemory {
  return Object.fromEntries(
    Object.entries(memory).map(([name, value]) => [name, typeof value === 'number' ? value : value.slice()]),
  );
}

/**
 * Refuses a state that is damaged, or does not belong to this solver, scaling, box and number of variables. What the solver remembers
 * beside its iterate is its own to check, when it begins.
 *
 * @param box - in z
 * @throws InvalidInputError
 */
export function checkState(state: SolverState, solver: string, scale: Float64Array, box: Box): void {
  const size = scale.length;
  const isIterate = (iterate: Readonly<Iterate> | undefined) =>
    isFiniteArray(iterate?.x, size) && isFiniteArray(iterate.gradient, size) && Number.isFinite(iterate.value);
  if (typeof state !== 'object' || state === null || typeof state.solver !== 'string') {
    throw new InvalidInputError(
      `The option state must be the state of an earlier Solution, but ${describe(state)} was given.`,
    );
  }
  if (state.solver !== solver) {
    throw new InvalidInputError(
      `The state was left by ${state.solver}, but ${solver} is to resume it: use ${state.solver}.`,
    );
  }
  if (!isIterate(state.iterate) || !isIterate(state.best)) {
    throw new InvalidInputError(
      `The state given to ${solver} is not one of ${size} variables. Resume with the problem that it was saved from.`,
    );
  }
  const damaged = Object.entries({
    iterations: isCount(state.iterations),
    evaluations: isCount(state.evaluations, 1),
    decreases: areDecreases(state.decreases),
    memory: isMemory(state.memory),
  }).find(([, isRight]) => !isRight);
  if (damaged !== undefined) {
    throw new InvalidInputError(
      `The state given to ${solver} is damaged: its '${damaged[0]}' is not what a solver leaves. Resume with a state as it was saved.`,
    );
  }
  if (state.scale?.length !== size || state.scale.some((entry, i) => entry !== scale[i])) {
    throw new InvalidInputError(
      'The state was saved with another scale. Resume with the scale that it was saved with.',
    );
  }
  for (const { x } of [state.iterate, state.best]) {
    const outside = x.findIndex((z, i) => !(z >= box.lower[i]! && z <= box.upper[i]!));
    if (outside < 0) continue;
    throw new InvalidInputError(
      `The state was saved with other bounds: its variable ${outside} is outside. Resume with the bounds that it was saved with.`,
    );
  }
}

function areDecreases(given: unknown): boolean {
  return given instanceof Float64Array && given.length === 2 && !given.some(Number.isNaN);
}

function isMemory(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  return Object.values(given).every((entry) => typeof entry === 'number' || entry instanceof Float64Array);
}
