import { environmentVariable } from '../../core/environment.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { FitDiagnostics } from '../../model/fit.ts';
import type { EngineChoice } from '../../numerics/dense/index.ts';
import type { Threads } from '../../numerics/threads.ts';
import { chosenEngine } from './chosenEngine.ts';

const VARIABLE = 'LATENTFIELD_THREADS';

/** Threads at work in a fit. */
export interface FitThreads {
  run<T>(work: () => T): T;
  /** What the diagnostics say about them. */
  diagnostics(): Pick<FitDiagnostics, 'threads' | 'threadsReason'>;
  /** Ends those that the fit started itself. */
  release(): Promise<void>;
}

/** Nobody asked for threads. */
export const ONE_THREAD: FitThreads = Object.freeze<FitThreads>({
  run: (work) => work(),
  diagnostics: () => ({}),
  release: () => Promise.resolve(),
});

/** The threads that a fit was given, or as many as it was asked to start, by its options or by LATENTFIELD_THREADS. */
export async function fitThreads(
  given: number | Threads | undefined,
  engine: EngineChoice | undefined,
): Promise<FitThreads> {
  const wanted = given ?? environmentCount();
  if (wanted === undefined) return ONE_THREAD;
  if (chosenEngine(engine).engine === 'typescript') {
    const threadsReason = 'The TypeScript engine runs on one thread.';
    return { ...ONE_THREAD, diagnostics: () => ({ threads: 1, threadsReason }) };
  }
  // What starts them is loaded when it is asked for, as most pages have no use for it.
  const threads =
    typeof wanted === 'number' ? await (await import('../../numerics/threads.ts')).startThreads(wanted) : wanted;
  return {
    run: (work) => threads.run(work),
    diagnostics() {
      const { count, reason } = threads;
      return { threads: count, ...(reason === undefined ? {} : { threadsReason: reason }) };
    },
    release: () => (typeof wanted === 'number' ? threads.dispose() : Promise.resolve()),
  };
}

/** LATENTFIELD_THREADS where there is an environment. */
function environmentCount(): number | undefined {
  const named = environmentVariable(VARIABLE);
  if (named === undefined || named === '') return undefined;
  const count = Number(named);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidInputError(
    `The environment variable ${VARIABLE} must be a whole number of threads from 1, but it is '${named}'.`,
  );
}
