import { InvalidInputError } from '../../core/errors.ts';
import { environmentVariable } from '../../core/host.ts';
import { type Watch, watched } from '../../core/progressiveWork.ts';
import { type EngineChoice, type EngineReport, engineReport, withEngine } from '../../engine/dense/index.ts';
import { sharedMemory } from '../../engine/memory.ts';
import { withFloat64 } from '../../engine/tensors/float64/scope.ts';
import type { Threads } from '../../engine/threads.ts';
import { shareableMultiplications } from '../../engine/wasm/instance.ts';
import type { FitDiagnostics } from '../../model/fit.ts';

const VARIABLE = 'LATENTFIELD_THREADS';

/**
 * Shareable multiplications per piece of work above which the fit waits for threads to start: a second thread saves ten milliseconds of each such
 * piece, and a start costs fifty, by bench/threads.mjs. Other long work, such as a solver in TypeScript, does not benefit.
 */
const WAITS = 2e8;
/** Shareable multiplications before 'auto' starts threads, or before a requested number starts: a shorter fit gains less than a start costs. */
const PAYS = 2e9;
const PAYS_WHEN_ASKED_FOR = 1e9;

type Report = Pick<FitDiagnostics, 'threads' | 'threadsReason'>;

/** Threads of a fit. */
export interface FitThreads {
  run<T>(work: () => T): T;
  /** Diagnostics of the threads. */
  diagnostics(): Report;
  /** Waits for threads that are starting, if the last piece of work had enough for them to share. */
  join(): Promise<void>;
  /** Starts a requested number of threads and waits for them: the cost of a computation is not known beforehand. */
  joinAtOnce(): Promise<void>;
  /** Ends the threads that the fit started and waits for them, except for those that are still starting. */
  release(): Promise<void>;
}

/** Single thread, if no threads were requested. */
export const ONE_THREAD: FitThreads = Object.freeze<FitThreads>({
  run: (work) => work(),
  diagnostics: () => ({}),
  join: () => Promise.resolve(),
  joinAtOnce: () => Promise.resolve(),
  release: () => Promise.resolve(),
});

/**
 * Threads for a fit: those passed, or those to start once they pay off, by its options or by LATENTFIELD_THREADS. The fit continues without threads
 * that are still starting.
 */
export function fitThreads(given: number | 'auto' | Threads | undefined, engine: EngineChoice | undefined): FitThreads {
  const wanted = given ?? environmentCount() ?? 'auto';
  const ran = chosenEngine(engine).engine;
  if (wanted === 'auto') return ran.startsWith('wasm') ? startedOnceTheyPay() : ONE_THREAD;
  if (ran === 'typescript') {
    const threadsReason = 'The TypeScript engine runs on one thread.';
    return { ...ONE_THREAD, diagnostics: () => ({ threads: 1, threadsReason }) };
  }
  if (typeof wanted === 'number') return startedWhenAskedFor(wanted, ran === 'native' ? TOO_LITTLE_BESIDE : TOO_SHORT);
  return { ...ONE_THREAD, run: (work) => wanted.run(work), diagnostics: () => reportOf(wanted) };
}

/** A requested number of threads, which the diagnostics report even if only one is available. */
function startedWhenAskedFor(count: number, whyNone: string): FitThreads {
  if (count === 1) return { ...ONE_THREAD, diagnostics: () => ({ threads: 1 }) };
  const threads = startedOnce(PAYS_WHEN_ASKED_FOR, (start) => start.startThreads(count));
  return {
    ...threads,
    diagnostics: () => threads.report() ?? { threads: 1, threadsReason: whyNone },
    joinAtOnce: () => threads.started(),
  };
}

const TOO_SHORT = 'The fit had too little to share: to start other threads takes longer than they would save.';
const TOO_LITTLE_BESIDE = 'The native library has its own threads. The fit had too little other work to share.';

/** Automatic threads; failures are not reported. */
function startedOnceTheyPay(): FitThreads {
  const threads = startedOnce(PAYS, (start) => start.startFreeThreads());
  return {
    ...threads,
    diagnostics() {
      const { threads: count = 1, ...reason } = threads.report() ?? {};
      return count > 1 ? { threads: count, ...reason } : {};
    },
  };
}

type Starters = Pick<typeof import('../../engine/threads.ts'), 'startFreeThreads' | 'startThreads'>;

/** Threads that start in the background after enough shareable work, and are used once they are ready. */
function startedOnce(pays: number, begin: (from: Starters) => Promise<Threads>) {
  const memory = sharedMemory();
  let starting: Promise<void> | undefined;
  let joined: Threads | undefined;
  /** Shareable multiplications of the last piece of work, and in total. */
  let shareable = 0;
  let done = 0;
  let isOver = false;
  async function start(): Promise<void> {
    try {
      // Their code is loaded on request, as most pages have no use for it.
      joined = await begin(await import('../../later.ts'));
    } catch (cause) {
      joined = { ...ONE_THREAD, ...notLoaded(cause), dispose: () => Promise.resolve() };
    }
    if (isOver) await joined.dispose();
  }
  const started = () => (starting ??= start());
  return {
    started,
    run<T>(work: () => T): T {
      const before = shareableMultiplications(memory);
      try {
        return joined === undefined ? work() : joined.run(work);
      } finally {
        shareable = shareableMultiplications(memory) - before;
        done += shareable;
        if (done >= pays && !isOver) void started();
      }
    },
    report: (): Report | undefined => joined && reportOf(joined),
    async join() {
      if (joined === undefined && shareable >= WAITS) await starting;
    },
    joinAtOnce: () => Promise.resolve(),
    /** Ends threads that are still starting as soon as they have started: the fit has finished without them. */
    async release() {
      isOver = true;
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

/** Value of LATENTFIELD_THREADS, if there is an environment. */
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

/** Runs numerics on the float64 backend with this engine and these threads; `watch` follows the progress of long work. */
export function computeWith(
  engine: EngineChoice | undefined,
  threads: FitThreads,
  watch?: Watch,
): <T>(work: () => T) => T {
  return (work) =>
    watched(watch, () => withFloat64(({ memory64 }) => withEngine(memory64, engine, () => threads.run(work))));
}

/** Linear algebra engine that a choice resolves to, with its report. */
export function chosenEngine(engine: EngineChoice | undefined): EngineReport {
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => engineReport(memory64)));
}
