import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkFunction, checkGiven, namedOptions } from '../../core/options.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { FitProblem } from '../fit/fitProblem.ts';
import type { Progress, Solution } from './solution.ts';

export interface SliceOptions {
  /** Aborting it rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Predicting some rows takes about this many milliseconds: then a slice of 40 ends before 50. */
const PART = 8;

/** Number of rows computed together: parts of this size have the bits of the whole. */
export const TOGETHER = 4;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * Predictions at many latent points, some rows at a time: the event loop gets its turn every 40 ms, so that a page stays responsive, and they can be
 * aborted. The bits are those of `predict` at once (on a native engine the last digits may differ). What cannot be divided is the prediction at four
 * points, and what a fit prepares once for all of its predictions (a factorization of N×N, which takes seconds where there are thousands of points).
 *
 * @param predict - predictions at n latent points, each row by itself: an object whose matrices have n rows, such as `(X) => result.predict(X)`
 * @param X - n×q latent points
 * @param options - `signal`
 * @returns what `predict(X)` returns
 * @throws InvalidInputError when X is no matrix; whatever `predict` throws; the reason of the signal, once it is aborted
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

const rowsBetween = ({ data, columns }: Matrix, from: number, to: number): Matrix =>
  new Matrix(data.slice(from * columns, to * columns), to - from, columns);

/** Matrices one below the other; whatever else there is is that of the first part. */
function stacked<P extends object>(parts: readonly P[]): P {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  const whole = Object.entries(first).map(([name, value]) => {
    if (!(value instanceof Matrix)) return [name, value];
    const matrices = parts.map((part) => part[name as keyof P] as Matrix);
    const result = Matrix.zeros(
      matrices.reduce((sum, { rows }) => sum + rows, 0),
      value.columns,
    );
    let at = 0;
    for (const { data } of matrices) {
      result.data.set(data, at);
      at += data.length;
    }
    return [name, result];
  });
  return Object.fromEntries(whole) as P;
}

/** Work yields to the event loop after this many milliseconds. */
const SLICE = 40;

/** Long work on a thread that others need too, such as that of a page. */
interface Slices {
  /** Whether it is time to yield to the event loop. */
  isOver(): boolean;
  /** Yields to the event loop, and begins the next slice. */
  leave(): Promise<void>;
}

interface Host {
  readonly setImmediate?: (then: () => void) => unknown;
  readonly scheduler?: { postTask?(then: () => void): Promise<unknown> };
}

/** Goes on when all else that waits has had its turn. A timer, which hosts of neither other kind have, waits 1 ms in Node and 4 in pages. */
function nextTurn(then: () => void): void {
  const { setImmediate, scheduler } = globalThis as Host;
  if (setImmediate !== undefined) setImmediate(then);
  else if (scheduler?.postTask !== undefined) void scheduler.postTask(then);
  else setTimeout(then);
}

/** Slices of 40 ms, the first of which begins now. */
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

/** Drives what `solve` returns to its end on a problem's own backend, leaving the thread every 40 ms. */
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

/** Drives work to its end, leaving the thread every 40 ms; undefined where a limit of seconds passes before. */
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
