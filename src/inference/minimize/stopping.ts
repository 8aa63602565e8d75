/** What may end a fit early. */
export interface Stopping {
  /** Its reason says who stopped the fit. */
  readonly signal: AbortSignal;
  by(who: string): void;
  /** Holds the clock: what a caller does between two steps is not the fit's time. */
  hold(): void;
  /** Lets the clock go on. */
  goOn(): void;
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

/** A signal that the caller's, the clock or the fit itself may set off. */
export function stopping(given: AbortSignal | undefined, maxSeconds = Number.POSITIVE_INFINITY): Stopping {
  const controller = new AbortController();
  const by = (who: string) => controller.abort(who);
  const abort = () => by(stoppedBy(given!));
  if (given?.aborted) abort();
  given?.addEventListener('abort', abort);

  let left = 1000 * maxSeconds;
  let [since, held] = [performance.now(), 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const spend = () => {
    const now = performance.now();
    left -= now - since;
    since = now;
  };
  const wait = () => {
    if (left <= 0) by(`the limit of maxSeconds = ${maxSeconds}`);
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
    get held() {
      return held;
    },
    release() {
      given?.removeEventListener('abort', abort);
      clearTimeout(timer);
    },
  };
}
