/** What may end a fit early. */
export interface Stopping {
  /** Its reason says who stopped the fit. */
  readonly signal: AbortSignal;
  by(who: string): void;
  /** Lets go of the caller's signal and of the clock. */
  release(): void;
}

/** Who set a signal off, as text for a sentence. */
export function stoppedBy({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'the abort signal';
}

/** The longest delay that a timer takes, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** A signal that the caller's, the clock or the fit itself may set off. */
export function stopping(given: AbortSignal | undefined, maxSeconds = Number.POSITIVE_INFINITY): Stopping {
  const controller = new AbortController();
  const by = (who: string) => controller.abort(who);
  const abort = () => by(stoppedBy(given!));
  if (given?.aborted) abort();
  given?.addEventListener('abort', abort);

  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (milliseconds: number) => {
    if (milliseconds <= 0) by(`the limit of maxSeconds = ${maxSeconds}`);
    else timer = setTimeout(() => wait(milliseconds - LONGEST_DELAY), Math.min(milliseconds, LONGEST_DELAY));
  };
  if (Number.isFinite(maxSeconds)) wait(1000 * maxSeconds);

  return {
    signal: controller.signal,
    by,
    release() {
      given?.removeEventListener('abort', abort);
      clearTimeout(timer);
    },
  };
}
