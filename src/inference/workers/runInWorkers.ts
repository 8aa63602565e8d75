import { errorFrom, InvalidInputError, LatentFieldError, NumericalError } from '../../core/errors.ts';
import { processors } from '../../core/host.ts';
import { findNative } from '../../engine/native/index.ts';
import type { FitProblem } from '../fit/fitProblem.ts';
import { isStillToRun, type RunEvent, type RunSettings, type Start } from '../fit/run.ts';
import { solverToJSON } from '../solvers/json.ts';
import { type Failure, type Job, type Reply, type Request, revived } from './messages.ts';
import { listen, poolOf, type WorkerLike, type Workers } from './pool.ts';

/** Worker that ended unexpectedly, or could not start. */
interface LostWorker {
  readonly kind: 'lost';
  readonly reason: string;
}

/**
 * Runs the solver from every start, shared among workers; a worker that has finished a start begins the next. The result of a start depends only on
 * the start, so that the number of workers changes the order of events but no bit of the result. If a worker is lost, its start is repeated once in
 * another one.
 *
 * @throws InvalidInputError if a worker cannot rebuild the model or the solver, LatentFieldError if a start loses two workers
 */
export async function* runInWorkers(
  problem: FitProblem,
  starts: readonly Start[],
  settings: RunSettings,
  signal: AbortSignal,
  workers: Workers,
): AsyncGenerator<RunEvent, void, void> {
  const pool = await poolOf(workers);
  const count = Math.min(pool.count, starts.length);
  const giveBack = await shareNativeThreads(problem, count);
  const replies = queue<{ worker: WorkerLike; reply: Reply | LostWorker }>();
  const started: WorkerLike[] = [];
  const send = (worker: WorkerLike, request: Request) => worker.postMessage(request);
  const stop = () => {
    for (const worker of started) send(worker, { kind: 'stop', by: String(signal.reason) });
  };
  signal.addEventListener('abort', stop);
  try {
    const job = jobOf(problem, settings);
    const waiting = [...starts];
    const nextStart = () => {
      const at = waiting.findIndex((start) => isStillToRun(start, signal));
      return at < 0 ? undefined : waiting.splice(at, 1)[0];
    };
    const busy = new Map<WorkerLike, Start>();
    const begin = (start: Start) => {
      const worker = pool.start();
      started.push(worker);
      busy.set(worker, start);
      const listener = {
        message: (data: unknown) => replies.add({ worker, reply: data as Reply }),
        lost: (reason: string) => replies.add({ worker, reply: { kind: 'lost', reason: reason.replace(/\.$/, '') } }),
      };
      listen(worker, listener, pool.url);
      send(worker, { kind: 'open', job });
      if (signal.aborted) stop();
      send(worker, { kind: 'run', start });
    };
    for (let next = nextStart(); next !== undefined; next = started.length < count ? nextStart() : undefined)
      begin(next);
    const lostOnce = new Set<Start>();
    while (busy.size > 0) {
      const { worker, reply } = await replies.next();
      const start = busy.get(worker);
      // Messages that a worker sends after its last start change nothing.
      if (start === undefined) continue;
      if (reply.kind === 'failed') throw errorOf(reply);
      if (reply.kind === 'lost') {
        if (lostOnce.has(start)) throw new LatentFieldError(`A worker of the fit was lost: ${reply.reason}.`);
        lostOnce.add(start);
        busy.delete(worker);
        if (!isStillToRun(start, signal)) continue;
        begin(start);
        yield { kind: 'again', start: start.number, why: reply.reason };
        continue;
      }
      if (reply.kind === 'end') {
        const next = nextStart();
        if (next === undefined) busy.delete(worker);
        else {
          busy.set(worker, next);
          send(worker, { kind: 'run', start: next });
        }
      }
      yield revived(reply);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await Promise.all(started.map((worker) => worker.terminate()));
    giveBack();
  }
}

function jobOf(problem: FitProblem, { solver, ...settings }: RunSettings): Job {
  const { model, seed, chosenEngine, start, compute, objective } = problem;
  let value = Number.NaN;
  try {
    value = compute(() => objective(start).value);
  } catch (error) {
    if (!(error instanceof NumericalError)) throw error;
  }
  return {
    model: JSON.stringify(model.toJSON()),
    seed,
    // The one that runs here: a worker might choose another.
    engine: chosenEngine.engine,
    solver: solver && solverToJSON(solver),
    settings,
    start,
    value,
  };
}

function errorOf(failure: Failure): LatentFieldError {
  if (failure.stage === 'open') {
    return new InvalidInputError(
      `The model cannot be rebuilt in a worker: ${failure.message} Leave the option workers out, or give it { count, parts }, the module of your parts, ` +
        'or workers whose file calls serveFits.',
    );
  }
  return errorFrom(failure, 'A worker');
}

/** Queue that accepts items at any time and hands them out in order to waiting consumers. */
function queue<T>() {
  const items: T[] = [];
  let wake: (() => void) | undefined;
  return {
    add(item: T) {
      items.push(item);
      wake?.();
    },
    async next(): Promise<T> {
      while (items.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return items.shift()!;
    },
  };
}

/**
 * Limits the native library's threads so that `workers` concurrent calls share the processors: its number of threads applies to the whole process,
 * and by default it uses all processors for every call.
 *
 * @returns a function that restores the number; it does nothing on other engines, or if the library does not report its number of threads
 */
export async function shareNativeThreads(
  { chosenEngine }: Pick<FitProblem, 'chosenEngine'>,
  workers: number,
): Promise<() => void> {
  const found = chosenEngine.engine === 'native' ? findNative() : undefined;
  if (found === undefined || 'reason' in found || found.threads === undefined) return () => undefined;
  const before = found.threads;
  const share = Math.max(1, Math.floor((await processors()) / workers));
  if (share >= before) return () => undefined;
  findNative({ threads: share });
  return () => void findNative({ threads: before });
}
