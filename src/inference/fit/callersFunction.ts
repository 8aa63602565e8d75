import { LatentFieldError, OptimizationError } from '../../core/errors.ts';

/** Milliseconds that a caller's function has left after the fit was stopped. */
const MOST_AFTER_STOP = 2000;

/** Result of a function that the fit no longer waits for. */
export const UNFINISHED = Symbol('unfinished');

/**
 * Wraps a caller's function for a fit: it is awaited, but no longer than two seconds after the fit was stopped, so that a function that hangs cannot
 * exceed a limit. After that it is not called again.
 *
 * @param name - name of its option
 * @param signal - signal that stops the fit
 * @returns a function that resolves to the caller's value, or to {@link UNFINISHED}; it throws an OptimizationError if the caller's function throws
 * or rejects, with the error as its cause
 */
export function callersFunction<A extends unknown[]>(
  name: string,
  given: (...args: A) => unknown,
  signal: AbortSignal | undefined,
): (...args: A) => Promise<unknown> {
  let hangs = false;
  return async (...args) => {
    if (hangs) return UNFINISHED;
    try {
      const value = await withinGracePeriod(given(...args), signal);
      hangs = value === UNFINISHED;
      return value;
    } catch (cause) {
      if (cause instanceof LatentFieldError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new OptimizationError(`The function given as ${name} failed, which ended the fit: ${why}`, { cause });
    }
  };
}

async function withinGracePeriod(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal === undefined || typeof (value as PromiseLike<unknown> | null)?.then !== 'function') return value;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begin = () => {};
  const waited = new Promise((resolve) => {
    begin = () => {
      timer = setTimeout(() => resolve(UNFINISHED), MOST_AFTER_STOP);
    };
  });
  if (signal.aborted) begin();
  signal.addEventListener('abort', begin);
  try {
    return await Promise.race([value, waited]);
  } finally {
    signal.removeEventListener('abort', begin);
    clearTimeout(timer);
  }
}
