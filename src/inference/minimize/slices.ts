import type { FitProblem } from '../fit/fitProblem.ts';
import type { Progress, Solution } from './solution.ts';

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
