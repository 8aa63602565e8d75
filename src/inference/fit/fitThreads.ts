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
 * Multiplications that threads could have shared in a piece of work, from which the fit waits for a start: a second thread saves ten milliseconds
 * of each such piece, and a start takes fifty, by bench/threads.mjs. Other long work, as that of a solver in TypeScript, gains nothing by it.
 */
const WAITS = 2e8;
/**
 * Multiplications that threads could have shared before 'auto' starts them, and before a number of them starts that was asked for: a fit that is
 * over sooner gains less than a start takes.
 */
const PAYS = 2e9;
const PAYS_WHEN_ASKED_FOR = 1e9;

type Report = Pick<FitDiagnostics, 'threads' | 'threadsReason'>;

/** Threads at work in a fit. */
export interface FitThreads {
  run<T>(work: () => T): T;
  /** Members of the diagnostics about threads. */
  diagnostics(): Report;
  /** Waits for those that are starting, where the last piece of work had enough for them to share. */
  join(): Promise<void>;
  /** Starts a number of them that was asked for, and waits for them: of a computation it is not known what it takes. */
  joinAtOnce(): Promise<void>;
  /** Ends those that the fit started itself, and waits until they have, but for those that are still starting. */
  release(): Promise<void>;
}

/** Nobody asked for threads. */
export const ONE_THREAD: FitThreads = Object.freeze<FitThreads>({
  run: (work) => work(),
  diagnostics: () => ({}),
  join: () => Promise.resolve(),
  joinAtOnce: () => Promise.resolve(),
  release: () => Promise.resolve(),
});

/**
 * The threads that a fit was given, or as many as it is to start once they pay, by its options or by LATENTFIELD_THREADS. The fit goes on
 * without those that are still starting.
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

/** A given number of threads, which the diagnostics report even if there is only this one. */
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
const TOO_LITTLE_BESIDE = 'The native library has threads of its own. Beside it, the fit had too little to share.';

/** Nobody asked for a number of them, nor hears why there are none. */
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

/** Threads that start in the background once a fit has had so much to share, and work from when they are there. */
function startedOnce(pays: number, begin: (from: Starters) => Promise<Threads>) {
  const memory = sharedMemory();
  let starting: Promise<void> | undefined;
  let joined: Threads | undefined;
  /** Multiplications of the last piece of work that threads could have shared, and of all. */
  let shareable = 0;
  let done = 0;
  let isOver = false;
  async function start(): Promise<void> {
    try {
      // What starts them is loaded when they are asked for, as most pages have no use for it.
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
    /** Threads that have not started yet end as soon as they have: the fit is over without them. */
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

/** Runs numerics on the float64 backend, with this engine and these threads; `watch` sees how far long work is. */
export function computeWith(
  engine: EngineChoice | undefined,
  threads: FitThreads,
  watch?: Watch,
): <T>(work: () => T) => T {
  return (work) =>
    watched(watch, () => withFloat64(({ memory64 }) => withEngine(memory64, engine, () => threads.run(work))));
}

/** The linear algebra engine that a choice comes to, and what there is to know about it. */
export function chosenEngine(engine: EngineChoice | undefined): EngineReport {
  return withFloat64(({ memory64 }) => withEngine(memory64, engine, () => engineReport(memory64)));
}
