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
  /** Criterion that was met, with its numbers, as a clause. */
  readonly criterion?: string;
  /** Advice that follows the sentence. */
  readonly advice?: string;
}

/** Value and gradient norm at a point, as shown in messages. */
interface At {
  readonly value: number;
  /** Largest entry of the projected gradient. */
  readonly gradientNorm: number;
}

/**
 * End of a run that the solver ended.
 *
 * @param at - value and gradient norm at the end
 */
export function endOf({ status, reason, test = 'optimality', ...beside }: Ending, at: At): End {
  if (status === 'failed') return { status, ending: 'failed', how: `Failed: ${reason}`, ...beside };
  if (test !== 'rounding') return { status, ending: test, how: `Converged: ${reason}`, ...beside };
  return { status, ending: test, how: 'Converged', criterion: `${reason}${gradientLeft(at)}`, ...beside };
}

/** Gradient norm relative to its scale. */
const gradientLeft = ({ value, gradientNorm }: At): string =>
  `; the largest entry of the projected gradient is ${shortNumber(gradientNorm)}, ` +
  `${shortNumber(gradientNorm / Math.max(1, Math.abs(value)))} of the value's size`;

/** True if a point is stationary: no entry of x − P(x − g) exceeds the tolerance. */
export function testGradient(gradientNorm: number, { tolerance }: SolveSettings): End | undefined {
  if (gradientNorm > tolerance) return undefined;
  return {
    status: 'converged',
    ending: 'gradient',
    how: 'Converged',
    criterion: `the largest entry of the projected gradient, ${shortNumber(gradientNorm)}, is within the tolerance ${shortNumber(tolerance)}`,
  };
}

/** Values below this are close to the end of the range of doubles. */
const BOTTOM = -(2 ** 1014);

/** A value below −1e15 with a gradient above this fraction of it is not stationary: single steps are below its last digits. */
const DEEP = -1e15;
const STEEP = 1e-3;

/**
 * True if the value has reached the end of the range of doubles, or is so large that steps change only its rounding while the gradient is large: the
 * objective is then unbounded, regardless of why the run ended.
 */
export function withoutBound({ value, gradientNorm }: At, { status }: End): End | undefined {
  const isStuck = status === 'converged' && value < DEEP && gradientNorm > STEEP * Math.abs(value);
  if (value > BOTTOM && !isStuck) return undefined;
  const how = 'Failed: the objective has no bound. Give the variables bounds, or priors that keep them finite';
  return { status: 'failed', ending: 'failed', how };
}

/** Decrease of a value relative to a size; by default the size of the value, at least 1. */
export function relativeDecrease(value: number, previous: number, size?: number): number {
  return (previous - value) / (size ?? Math.max(Math.abs(previous), Math.abs(value), 1));
}

/**
 * True if the value no longer decreases enough. Two consecutive iterations are required, because a single decrease is often this small near a saddle
 * point, or after a change of the active bounds.
 *
 * @param decreases - relative decreases of the last two iterations, latest first
 * @param at - value and gradient norm of the last iterate
 */
export function testDecreases(
  decreases: Float64Array,
  { relativeDecrease: least, size }: SolveSettings,
  at: At,
): End | undefined {
  if (!decreases.every((decrease) => decrease <= least)) return undefined;
  return {
    status: 'converged',
    ending: 'relativeDecrease',
    how: 'Converged',
    criterion:
      `each of the last two iterations improved the value by at most relativeDecrease = ${shortNumber(least)} of ${size === undefined ? 'its size' : `size = ${shortNumber(size)}`}, ` +
      `the last one by ${shortNumber(decreases[0]!)} of it${gradientLeft(at)}`,
  };
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/** Reports to the caller's callback, which may request to stop. */
export function reportTo({ onProgress }: SolveSettings, progress: Progress): End | undefined {
  const answer = onProgress?.(progress);
  if (isPromise(answer)) {
    answer.then(undefined, () => undefined);
    throw new InvalidInputError('onProgress of minimize must return at once, but it returned a promise.');
  }
  if (answer !== false) return undefined;
  return { status: 'stopped', ending: 'stopped', how: 'Stopped by onProgress, which returned false' };
}

const HIGHER = 'Raise the limit, or continue with `start`.';

/**
 * True if a run has reached its limit of iterations.
 *
 * @param unit - the limit in the caller's units
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

/** End of a run that may not evaluate again, because of the signal or a limit on evaluations or time. */
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

/** Message of an end: a sentence with counts in parentheses, followed by advice. */
export const messageOf = ({ how, advice }: End, counts: string, note?: string): string =>
  [`${how} (${counts}).`, ...(advice === undefined ? [] : [advice]), ...(note === undefined ? [] : [note])].join(' ');

/** Signal and clock that may end a fit early. */
export interface Stopping {
  /** Signal whose reason names who stopped the fit. */
  readonly signal: AbortSignal;
  by(who: string): void;
  /** True if the limit of seconds stopped it. */
  readonly isExpired: boolean;
  /**
   * Stops the fit now if this many milliseconds of work would exceed its limit of seconds. A tenth of the limit is kept in reserve, since work may
   * take longer than estimated.
   */
  reserve(milliseconds: number): void;
  /** Pauses the clock: the caller's time between two steps does not count. */
  hold(): void;
  /** Resumes the clock. */
  goOn(): void;
  /** Remaining milliseconds. */
  readonly left: number;
  /** Milliseconds while the clock was paused. */
  readonly held: number;
  /** Releases the caller's signal and the clock. */
  release(): void;
}

/** Source of an abort as text for a sentence. */
export function stoppedBy({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'the abort signal';
}

/** Longest delay of a timer, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/**
 * Signal that is aborted by the caller's signal, the clock or the fit itself.
 *
 * @param secondsLeft - remaining seconds of `maxSeconds`, the option that messages name
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
 * Status of a minimization: a convergence test was met; a limit on iterations or evaluations was reached; the caller (an AbortSignal, a callback, a
 * limit in seconds) stopped it; or the solver could not continue.
 */
export type Status = 'converged' | 'maxIterations' | 'stopped' | 'failed';

/** Result of {@link minimize}. */
export interface Solution {
  /**
   * Best point evaluated (the last one for a stochastic solver), within the bounds. If the gradient test ended the run, a point that meets it: the
   * last iterate if the best one does not.
   */
  readonly x: Float64Array;
  /** Objective at that point; always finite. */
  readonly value: number;
  /** Gradient at that point; always finite. */
  readonly gradient: Float64Array;
  readonly status: Status;
  /** Test or limit that ended the run. */
  readonly ending: EndingKind;
  /** Message on how the run ended, with advice. */
  readonly message: string;
  /** Convergence test that was met, with its numbers, as a clause. */
  readonly criterion?: string;
  /** Number of evaluations of the objective, including resumed runs. */
  readonly evaluations: number;
  /** Number of iterations, including resumed runs. */
  readonly iterations: number;
  /** State to pass as the option `state` in order to continue. */
  readonly state: SolverState;
}

/** Progress of a minimization after an evaluation. */
export interface Progress {
  readonly iterations: number;
  readonly evaluations: number;
  /** Least value so far (the last one for a stochastic solver). */
  readonly value: number;
  /** Largest entry of the scaled projected gradient at that point. */
  readonly gradientNorm: number;
  /** True if the next step is an evaluation of the objective. */
  readonly isEvaluated?: boolean;
  /** Copy of that point, made on first access. */
  readonly x: Float64Array;
  /** Copy of the state to resume from, made on first access. */
  readonly state: SolverState;
}

/**
 * State for resuming a minimization exactly as if it had not been interrupted: plain numbers and Float64Arrays.
 * Points are in the solver's variables z = x / scale.
 */
export interface SolverState {
  readonly solver: string;
  readonly iterations: number;
  readonly evaluations: number;
  /** Relative decreases of the value in the last two iterations, latest first; initially Infinity. */
  readonly decreases: Float64Array;
  readonly scale: Float64Array;
  readonly iterate: Readonly<Iterate>;
  readonly best: Readonly<Iterate>;
  readonly memory: SolverMemory;
}

/** Deep copy of an iterate. */
export function copyIterate({ x, value, gradient }: Readonly<Iterate>): Iterate {
  return { x: x.slice(), value, gradient: gradient.slice() };
}

/** Deep copy of a solver's memory. */
export function copyMemory(memory: Readonly<SolverMemory>): SolverMemory {
  return Object.fromEntries(
    Object.entries(memory).map(([name, value]) => [name, typeof value === 'number' ? value : value.slice()]),
  );
}

/**
 * Rejects a state that is damaged, or does not belong to this solver, scaling, box and number of variables. The solver checks the rest of its memory
 * when it begins.
 *
 * @param box - box in z
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
