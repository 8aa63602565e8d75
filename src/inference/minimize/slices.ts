import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkFunction, checkGiven, namedOptions } from '../../core/options.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { joinedRows, rowsBetween } from '../../core/rowMatrices.ts';
import type { FitProblem } from '../fit/fitProblem.ts';
import type { Progress, Solution } from './solution.ts';

export interface SliceOptions {
  /** Signal that aborts the work, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Target milliseconds of one part of the rows, so that a slice of 40 ms ends before 50 ms. */
const PART = 8;

/** Number of rows computed together: parts of this size have the same bits as the whole. */
export const TOGETHER = 4;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * Predictions at many latent points, computed in slices of rows: the work yields to the event loop every 40 ms, so that a page stays responsive, and
 * can be aborted. The result has the same bits as `predict` (on a native engine the last digits may differ). The prediction at four points, and the
 * preparation of a fit for all of its predictions (an N×N factorization, which takes seconds for thousands of points), are not divided.
 *
 * @param predict - predictions at n latent points, independent of each other: an object whose matrices have n rows, such as `(X) => result.predict(X)`
 * @param X - n×q latent points
 * @param options - `signal`
 * @returns the result of `predict(X)`
 * @throws InvalidInputError if X is not a matrix; any error of `predict`; the reason of the signal, once it is aborted
 * @example
 * ```ts
 * const { signal } = new AbortController();
 * const { mean, variance } = await predictInSlices((X) => result.predict(X), result.latents, { signal });
 * ```
 */
export async function predictInSlices<P extends object>(
  predict: (X: Matrix) => P,
  X: MatrixLike,
  options?: SliceOptions,
): Promise<P> {
  checkFunction(predict, 'predictInSlices', 'a prediction, such as (X) => result.predict(X)');
  const { signal } = namedOptions(options, 'predictInSlices', ['signal']);
  const at = Matrix.from(X, 'X');
  const slice = slices();
  const parts: P[] = [];
  let count = TOGETHER;
  let from = 0;
  do {
    signal?.throwIfAborted();
    const to = Math.min(from + count, at.rows);
    const began = performance.now();
    parts.push(
      checkGiven(predict(rowsBetween(at, from, to)), 'predictInSlices', 'a prediction that gives an object', isObject),
    );
    const taken = performance.now() - began;
    if (taken < PART / 2) count *= 2;
    else if (taken > PART) count = TOGETHER * Math.max(1, Math.floor(((to - from) * PART) / taken / TOGETHER));
    from = to;
    if (slice.isOver()) await slice.leave();
  } while (from < at.rows);
  return stacked(parts);
}

/** Concatenates the matrices of all parts by rows; other members are taken from the first part. */
function stacked<P extends object>(parts: readonly P[]): P {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  const whole = Object.entries(first).map(([name, value]) => {
    if (!(value instanceof Matrix)) return [name, value];
    return [name, joinedRows(parts.map((part) => part[name as keyof P] as Matrix))];
  });
  return Object.fromEntries(whole) as P;
}

/** Work yields to the event loop after this many milliseconds. */
const SLICE = 40;

/** Long work on a thread that other code needs too, such as a page. */
interface Slices {
  /** True if it is time to yield to the event loop. */
  isOver(): boolean;
  /** Yields to the event loop, and begins the next slice. */
  leave(): Promise<void>;
}

interface Host {
  readonly setImmediate?: (then: () => void) => unknown;
  readonly scheduler?: { postTask?(then: () => void): Promise<unknown> };
}

/** Continues after all other pending work has had its turn. A timer, the fallback of other hosts, waits 1 ms in Node and 4 ms in pages. */
function nextTurn(then: () => void): void {
  const { setImmediate, scheduler } = globalThis as Host;
  if (setImmediate !== undefined) setImmediate(then);
  else if (scheduler?.postTask !== undefined) void scheduler.postTask(then);
  else setTimeout(then);
}

/** Slices of 40 ms, starting now. */
export function slices(): Slices {
  let ends = performance.now() + SLICE;
  return {
    isOver: () => performance.now() > ends,
    async leave() {
      await new Promise<void>(nextTurn);
      ends = performance.now() + SLICE;
    },
  };
}

/** Runs the generator of `solve` to its end on a problem's backend, yielding to the event loop every 40 ms. */
export async function solveInSlices(
  { compute }: FitProblem,
  run: Generator<Progress, Solution, void>,
): Promise<Solution> {
  const slice = slices();
  for (;;) {
    const step = compute(() => run.next());
    if (step.done) return step.value;
    if (slice.isOver()) await slice.leave();
  }
}

/** Runs work to its end, yielding to the event loop every 40 ms; undefined if a limit of seconds passes first. */
export async function inSlices<T>(
  work: ProgressiveWork<T>,
  { signal, maxSeconds }: SliceOptions & { readonly maxSeconds: number },
): Promise<T | undefined> {
  const ends = performance.now() + 1000 * maxSeconds;
  const slice = slices();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = work.next();
      if (step.done) return step.value;
      if (performance.now() > ends) return undefined;
      if (slice.isOver()) await slice.leave();
    }
  } finally {
    work.return(undefined as never);
  }
}
