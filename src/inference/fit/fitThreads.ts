import { environmentVariable } from '../../core/environment.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { FitDiagnostics } from '../../model/fit.ts';
import type { EngineChoice } from '../../numerics/dense/index.ts';
import { sharedMemory } from '../../numerics/memory.ts';
import type { Threads } from '../../numerics/threads.ts';
import { shareableMultiplications } from '../../numerics/wasm/index.ts';
import { chosenEngine } from './chosenEngine.ts';

const VARIABLE = 'LATENTFIELD_THREADS';

/**
 * Multiplications that threads could have shared in a piece of work, from which the fit waits for a start: a second thread saves ten milliseconds
 * of each such piece, and a start takes fifty, by bench/threads.mjs. Other long work, as that of a solver in TypeScript, gains nothing by it.
 */
const WAITS = 2e8;
/** Multiplications that threads could have shared before 'auto' starts them: a fit that is over sooner gains less than a start takes. */
const PAYS = 2e9;

type Report = Pick<FitDiagnostics, 'threads' | 'threadsReason'>;

/** Threads at work in a fit. */
export interface FitThreads {
  run<T>(work: () => T): T;
  /** What the diagnostics say about them. */
  diagnostics(): Report;
  /** Waits for those that are starting, with `always`, or where the last piece of work had enough for them to share. */
  join(always?: boolean): Promise<void>;
  /** Ends those that the fit started itself. */
  release(): Promise<void>;
}

/** Nobody asked for threads. */
export const ONE_THREAD: FitThreads = Object.freeze<FitThreads>({
  run: (work) => work(),
  diagnostics: () => ({}),
  join: () => Promise.resolve(),
  release: () => Promise.resolve(),
});

/**
 * The threads that a fit was given, or as many as it is to start, by its options or by LATENTFIELD_THREADS: a number at once, 'auto'
 * once they pay. The fit begins without those that are still starting.
 */
export function fitThreads(given: number | 'auto' | Threads | undefined, engine: EngineChoice | undefined): FitThreads {
  const wanted = given ?? environmentCount() ?? 'auto';
  const ran = chosenEngine(engine).engine;
  if (wanted === 'auto') return ran.startsWith('wasm') ? startedOnceTheyPay() : ONE_THREAD;
  if (ran === 'typescript') {
    const threadsReason = 'The TypeScript engine runs on one thread.';
    return { ...ONE_THREAD, diagnostics: () => ({ threads: 1, threadsReason }) };
  }
  if (typeof wanted === 'number') return startedAtOnce(wanted);
  return { ...ONE_THREAD, run: (work) => wanted.run(work), diagnostics: () => reportOf(wanted) };
}

function startedAtOnce(count: number): FitThreads {
  const threads = startedMeanwhile((start) => start.startThreads(count));
  threads.start();
  return { ...threads, diagnostics: threads.report };
}

function startedOnceTheyPay(): FitThreads {
  const threads = startedMeanwhile((start) => start.startFreeThreads());
  let done = 0;
  return {
    ...threads,
    run(work) {
      try {
        return threads.run(work);
      } finally {
        done += threads.shareable();
        if (done >= PAYS) threads.start();
      }
    },
    // Nobody asked for a number of them.
    diagnostics() {
      const { threads: count = 1, ...reason } = threads.report();
      return count > 1 ? { threads: count, ...reason } : {};
    },
  };
}

/** Threads that start in the background, and work from when they are there. */
function startedMeanwhile(begin: (from: typeof import('../../numerics/threads.ts')) => Promise<Threads>) {
  let starting: Promise<void> | undefined;
  let joined: Threads | undefined;
  const memory = sharedMemory();
  let shareable = 0;
  async function started(): Promise<void> {
    try {
      // What starts them is loaded when they are asked for, as most pages have no use for it.
      joined = await begin(await import('../../numerics/threads.ts'));
    } catch (cause) {
      joined = { ...ONE_THREAD, ...notLoaded(cause), dispose: () => Promise.resolve() };
    }
  }
  return {
    start() {
      starting ??= started();
    },
    run<T>(work: () => T): T {
      const before = shareableMultiplications(memory);
      try {
        return joined === undefined ? work() : joined.run(work);
      } finally {
        shareable = shareableMultiplications(memory) - before;
      }
    },
    /** Multiplications of the last piece of work that threads could have shared. */
    shareable: () => shareable,
    report: (): Report => (joined === undefined ? {} : reportOf(joined)),
    async join(always = false) {
      if (joined === undefined && (always || shareable >= WAITS)) await starting;
    },
    async release() {
      await starting;
      await joined?.dispose();
    },
  };
}

const notLoaded = (cause: unknown) => ({
  count: 1,
  reason: `What starts threads could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
});

const reportOf = ({ count, reason }: Pick<Threads, 'count' | 'reason'>): Report => ({
  threads: count,
  ...(reason === undefined ? {} : { threadsReason: reason }),
});

/** LATENTFIELD_THREADS where there is an environment. */
function environmentCount(): number | 'auto' | undefined {
  const named = environmentVariable(VARIABLE);
  if (named === undefined || named === '') return undefined;
  const count = Number(named);
  if (named === 'auto') return named;
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidInputError(
    `The environment variable ${VARIABLE} must be a whole number of threads from 1 or 'auto', but it is '${named}'.`,
  );
}
