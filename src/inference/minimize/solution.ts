import { InvalidInputError } from '../../core/errors.ts';
import { describe } from '../../core/matrix.ts';
import { isCount, isFiniteArray } from '../../core/plainNumbers.ts';
import { shortNumber } from '../../core/wording.ts';
import type { Box, Ending, EndingKind, Iterate, SolverMemory } from '../../model/solver.ts';
import type { SolveSettings } from './solveOptions.ts';

/** End of a run: a status, the test or limit, and a sentence without its full stop. */
export interface End {
  readonly status: Status;
  readonly ending: EndingKind;
  readonly how: string;
  /** The numbers that met the test, as a clause. */
  readonly criterion?: string;
  /** Advice that follows the sentence. */
  readonly advice?: string;
}

/** Value and gradient of a point, as messages give them. */
interface At {
  readonly value: number;
  /** Largest entry of the projected gradient. */
  readonly gradientNorm: number;
}

/**
 * End of a run whose solver ended by itself.
 *
 * @param at - where it ended
 */
export function endOf({ status, reason, test = 'optimality', ...beside }: Ending, at: At): End {
  if (status === 'failed') return { status, ending: 'failed', how: `Failed: ${reason}`, ...beside };
  if (test !== 'rounding') return { status, ending: test, how: `Converged: ${reason}`, ...beside };
  return { status, ending: test, how: 'Converged', criterion: `${reason}${gradientLeft(at)}`, ...beside };
}

/** The gradient beside its scale. */
const gradientLeft = ({ value, gradientNorm }: At): string =>
  `; the largest entry of the projected gradient is ${shortNumber(gradientNorm)}, ` +
  `${shortNumber(gradientNorm / Math.max(1, Math.abs(value)))} of the value's size`;

/** Whether a point is stationary: no entry of x − P(x − g) exceeds the tolerance. */
export function testGradient(gradientNorm: number, { tolerance }: SolveSettings): End | undefined {
  if (gradientNorm > tolerance) return undefined;
  return {
    status: 'converged',
    ending: 'gradient',
    how: 'Converged',
    criterion: `the largest entry of the projected gradient, ${shortNumber(gradientNorm)}, is within the tolerance ${shortNumber(tolerance)}`,
  };
}

/** Below this a value is one of the last that doubles hold. */
const BOTTOM = -(2 ** 1014);

/** A value below −1e15 with a gradient of this part of its size is not stationary: single steps are below its last digits. */
const DEEP = -1e15;
const STEEP = 1e-3;

/**
 * Whether the value has gone as far as numbers go, or is so large that it no longer changes by rounding while its gradient is large: then there is nothing
 * that it converges to, whatever else ended the run.
 */
export function withoutBound({ value, gradientNorm }: At, { status }: End): End | undefined {
  const isStuck = status === 'converged' && value < DEEP && gradientNorm > STEEP * Math.abs(value);
  if (value > BOTTOM && !isStuck) return undefined;
  const how = 'Failed: the objective has no bound. Give the variables bounds, or priors that keep them finite';
  return { status: 'failed', ending: 'failed', how };
}

/** Part of its size, at least 1, by which a value has fallen. */
export function relativeDecrease(value: number, previous: number): number {
  return (previous - value) / Math.max(Math.abs(previous), Math.abs(value), 1);
}

/**
 * Whether the value falls too little to go on: two iterations in a row, because a single one is often that small on the
 * way past a saddle point, or after a change of the active bounds.
 *
 * @param decreases - relative decreases of the last two iterations, the newest first
 * @param at - the last iterate
 */
export function testDecreases(
  decreases: Float64Array,
  { relativeDecrease: least }: SolveSettings,
  at: At,
): End | undefined {
  if (!decreases.every((decrease) => decrease <= least)) return undefined;
  return {
    status: 'converged',
    ending: 'relativeDecrease',
    how: 'Converged',
    criterion:
      `each of the last two iterations improved the value by at most relativeDecrease = ${shortNumber(least)} of its size, ` +
      `the last one by ${shortNumber(decreases[0]!)}${gradientLeft(at)}`,
  };
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/** Tells the caller's callback; it may ask to stop. */
export function reportTo({ onProgress }: SolveSettings, progress: Progress): End | undefined {
  const answer = onProgress?.(progress);
  if (isPromise(answer)) {
    answer.then(undefined, () => undefined);
    throw new InvalidInputError(
      'onProgress of minimize must give its answer at once, but it gave a promise: minimize runs to its end without a pause.',
    );
  }
  if (answer !== false) return undefined;
  return { status: 'stopped', ending: 'stopped', how: 'Stopped by onProgress, which returned false' };
}

const HIGHER = 'Raise the limit, or go on with this result as start.';

/**
 * Whether a run has come to its limit of iterations.
 *
 * @param unit - the limit as the caller counts it
 */
export function limitOf(
  iterations: number,
  { maxIterations }: Pick<SolveSettings, 'maxIterations'>,
  unit = `maxIterations = ${maxIterations}`,
): End | undefined {
  if (iterations < maxIterations) return undefined;
  const how = `Reached the limit of ${unit} before converging`;
  return { status: 'maxIterations', ending: 'maxIterations', how, advice: HIGHER };
}

/** Returns the end of a run that may not evaluate again: by the signal, or a limit on evaluations or time. */
export function interruptionOf(
  evaluations: number,
  began: number,
  settings: Pick<SolveSettings, 'signal' | 'maxEvaluations' | 'maxSeconds'>,
): End | undefined {
  const { signal, maxEvaluations, maxSeconds } = settings;
  if (signal?.aborted) return { status: 'stopped', ending: 'stopped', how: `Stopped by ${stoppedBy(signal)}` };
  if (evaluations >= maxEvaluations) {
    const how = `Reached the limit of maxEvaluations = ${maxEvaluations} before converging`;
    return { status: 'maxIterations', ending: 'maxEvaluations', how, advice: HIGHER };
  }
  if (performance.now() - began >= maxSeconds * 1000) {
    return { status: 'stopped', ending: 'maxSeconds', how: `Stopped at the limit of maxSeconds = ${maxSeconds}` };
  }
  return undefined;
}

/** The end as a message: a sentence with what was counted in brackets, and what follows it. */
export const messageOf = ({ how, advice }: End, counts: string, note?: string): string =>
  [`${how} (${counts}).`, ...(advice === undefined ? [] : [advice]), ...(note === undefined ? [] : [note])].join(' ');

/** Signal and clock that may end a fit early. */
export interface Stopping {
  /** Its reason says who stopped the fit. */
  readonly signal: AbortSignal;
  by(who: string): void;
  /** True if the limit of seconds stopped it. */
  readonly isExpired: boolean;
  /** Stops the fit now if this many milliseconds of work would exceed its limit of seconds. A tenth is kept in reserve, as work may take longer than before. */
  reserve(milliseconds: number): void;
  /** Holds the clock: what a caller does between two steps is not the fit's time. */
  hold(): void;
  /** Lets the clock go on. */
  goOn(): void;
  /** Milliseconds that are left. */
  readonly left: number;
  /** For how many milliseconds it was held. */
  readonly held: number;
  /** Lets go of the caller's signal and of the clock. */
  release(): void;
}

/** Who set a signal off, as text for a sentence. */
export function stoppedBy({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'the abort signal';
}

/** The longest delay that a timer takes, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * A signal that the caller's, the clock or the fit itself may set off.
 *
 * @param secondsLeft - of `maxSeconds`, which messages name
 */
export function stopping(
  given: AbortSignal | undefined,
  maxSeconds = Number.POSITIVE_INFINITY,
  secondsLeft = maxSeconds,
): Stopping {
  const controller = new AbortController();
  const by = (who: string) => controller.abort(who);
  let isExpired = false;
  const expire = () => {
    isExpired ||= !controller.signal.aborted;
    by(`the limit of maxSeconds = ${maxSeconds}`);
  };
  const abort = () => by(stoppedBy(given!));
  if (given?.aborted) abort();
  given?.addEventListener('abort', abort);

  let left = 1000 * secondsLeft;
  let [since, held] = [performance.now(), 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leftNow = () => left - (performance.now() - since);
  const spend = () => {
    const now = performance.now();
    left -= now - since;
    since = now;
  };
  const wait = () => {
    if (left <= 0) expire();
    else if (Number.isFinite(left)) timer = setTimeout(passed, Math.min(left, LONGEST_DELAY));
  };
  const passed = () => {
    spend();
    wait();
  };
  wait();

  return {
    signal: controller.signal,
    by,
    get isExpired() {
      return isExpired;
    },
    reserve(milliseconds) {
      if (!controller.signal.aborted && leftNow() < milliseconds) expire();
    },
    hold() {
      clearTimeout(timer);
      spend();
    },
    goOn() {
      const now = performance.now();
      held += now - since;
      since = now;
      wait();
    },
    get left() {
      return leftNow();
    },
    get held() {
      return held;
    },
    release() {
      given?.removeEventListener('abort', abort);
      clearTimeout(timer);
    },
  };
}

/**
 * Status of a minimization: a termination test was met; a limit on iterations or evaluations was reached; the caller (an
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
  /** Sentences that say how it ended, and what to do about it. */
  readonly message: string;
  /** The test that a converged search met, with its numbers, as a clause. */
  readonly criterion?: string;
  /** Number of evaluations of the objective, those of the runs resumed from included. */
  readonly evaluations: number;
  /** Number of iterations, those of the runs resumed from included. */
  readonly iterations: number;
  /** To be given as the option `state` in order to go on from here. */
  readonly state: SolverState;
}

/** Where a minimization stands after an evaluation. */
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
 * Everything a minimization needs to go on exactly as if it had not been interrupted: plain numbers and Float64Arrays.
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
