import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import {
  checkOptions,
  functionOf,
  integerFromOne,
  numberAboveZero,
  type OptionsIn,
  typed,
} from '../../../core/options.ts';
import type { NodeThread } from '../../../inference/index.ts';
import { type Request, requestOf } from '../requests.ts';
import {
  checksumOf,
  FITS,
  keysOf,
  RefusedJob,
  ReturnedJob,
  type RunningJob,
  refusalKey,
  type ServeOptions,
  type Serving,
  SHARDS,
  type Transport,
  VERSION,
} from '../session.ts';
import { runShard } from './runShard.ts';
import { runCell, runRow, runStart } from './runTasks.ts';
import { CanceledJob, queueThreads, type ThreadPool, threadPool } from './threads.ts';

/** Options of {@link serveQueue}. */
export interface ServeQueueOptions extends OptionsIn<typeof schema> {}

const MOST_BYTES = 256 * 2 ** 20;

const schema = v.strictObject({
  /** Name of the queue; default 'fits'. */
  queue: v.optional(v.string('a text'), FITS),
  /** Number of simultaneous jobs, each in its own thread; default 1. */
  threads: v.optional(integerFromOne, 1),
  /** Maximum number of bytes that are fetched for a job; default 256 MB. */
  maxBytes: v.optional(numberAboveZero, MOST_BYTES),
  /** Folders and address prefixes of tables that sweeps may read; default none. */
  allow: v.optional(typed<readonly string[]>(), []),
  /** Path or address of a module that exports custom parts, which the threads load: see `readParts` of `latentfield/workers`. */
  parts: v.optional(typed<string | URL>()),
  /** Starts a thread whose file calls `serveQueueThread`; default a built-in one. */
  start: v.optional(functionOf<() => NodeThread>()),
  /** Called with events: rejected jobs, an unreachable server. */
  onMessage: v.optional(functionOf<(message: string) => void>()),
  /** Version that it reports, for tests; default the version of the library. */
  version: v.optional(v.string('a text'), VERSION),
});

/** Worker that serves a queue. */
export interface QueueServer {
  /** Resolves when the worker is closed. */
  readonly ended: Promise<void>;
  /** Stops accepting jobs; running ones return to the queue, to continue elsewhere from their last state. */
  close(): Promise<void>;
}

/** Shared context of a worker's jobs. */
export interface WorkerContext {
  readonly transport: Transport;
  readonly threads: ThreadPool;
  /** Data by key, fetched and verified, and cached for the next job that requests them unless they belong to a single job. */
  data(key: string, ofOneJob?: boolean): Promise<Uint8Array>;
  /** Reports problems outside of jobs. */
  readonly problem: (message: string) => void;
  readonly maxBytes: number;
  /** Folders and address prefixes of tables that may be read. */
  readonly readable: readonly string[];
}

/** Number of times a job of another version is returned before it is rejected: about a minute if only such workers serve it. */
const MOST_RETURNS = 200;

/**
 * Serves fits from a queue on this machine until it is closed.
 * No code from the queue is run: jobs are checked JSON, and custom parts come from the worker's threads. A malformed or too large job is rejected and
 * reported, and the worker continues; a job of another version returns to the queue, and is rejected after about 200 returns.
 *
 * @param transport - `redisTransport(…)` or `localTransport()`; the caller closes it
 * @param options - see {@link ServeQueueOptions}
 * @throws InvalidInputError for less than one thread
 * @example
 * ```ts
 * const worker = await serveQueue(await redisTransport({ connection: 'redis://localhost:6379' }), { threads: 2 });
 * process.on('SIGTERM', () => worker.close());
 * ```
 */
export async function serveQueue(transport: Transport, options: ServeQueueOptions = {}): Promise<QueueServer> {
  const given = checkOptions(schema, options, 'serveQueue');
  const { queue, threads: count, maxBytes, parts, version } = given;
  const { start = queueThreads(parts), onMessage = () => undefined } = given;
  const threads = threadPool(start, count);
  const data = fetched(transport, maxBytes);
  const context: WorkerContext = { transport, threads, maxBytes, readable: given.allow, data, problem: onMessage };
  let closed!: () => void;
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });

  /** Returns a job of another version to the queue, for a worker of that version, and rejects it after some returns, so that it does not circulate forever. */
  const returnOrRefuse = async (id: string, other: string): Promise<never> => {
    const why = `A job of latentfield ${other} was given back by a worker of version ${version}. Start workers of the coordinator's version.`;
    await transport.blobs.put(refusalKey(queue), new TextEncoder().encode(why));
    const { returns } = keysOf(id);
    await transport.blobs.append(returns, new Uint8Array(1));
    const count = (await transport.blobs.parts(returns, 0)).length;
    if (count === 1) onMessage(why);
    if (count < MOST_RETURNS) throw new ReturnedJob(why);
    await transport.blobs.remove(returns);
    throw new RefusedJob(`${why} It was given back ${count} times.`);
  };

  const run = async (job: RunningJob) => {
    try {
      const request = requestOf(job.body);
      if (request.version !== version) await returnOrRefuse(job.id, request.version);
      await handlers(request)(job, request as never, context);
    } catch (error) {
      // Nobody waits for it any longer.
      if (error instanceof CanceledJob) return;
      if (error instanceof RefusedJob) onMessage(`Job ${job.id} was refused: ${error.message}`);
      else if (!(error instanceof ReturnedJob)) onMessage(`Job ${job.id} failed: ${(error as Error).message}`);
      throw error;
    }
  };
  const serving: Serving = await transport.serve(queue, { concurrency: count, run, problem: onMessage });
  const shards = await serveShardQueue(transport, { concurrency: count, run, problem: onMessage });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([serving.close(), shards.close()]);
    threads.close();
    closed();
  };
  const once = () => {
    closing ??= close();
    return closing;
  };
  return { ended, close: once };
}

/** Milliseconds between checks for shards that wait for a worker, and number of checks before this one exceeds its share. */
const LOOK = 1000;
const PATIENCE = 2;

/** Serves shards: one per thread, and more if the shards of a lost worker are not accepted elsewhere. */
async function serveShardQueue(transport: Transport, { concurrency, run, problem }: ServeOptions) {
  let held = 0;
  let looks = 0;
  const counted = async (job: RunningJob) => {
    held++;
    try {
      await run(job);
    } finally {
      held--;
    }
  };
  const first = await transport.serve(SHARDS, { concurrency, run: counted, problem });
  const further: Serving[] = [];
  const look = async () => {
    const isFull = held >= concurrency + further.length;
    looks = isFull && (await transport.waiting(SHARDS).catch(() => 0)) > 0 ? looks + 1 : 0;
    if (looks >= PATIENCE) {
      looks = 0;
      further.push(await transport.serve(SHARDS, { concurrency: 1, run: counted, problem }));
    } else if (held === 0) await Promise.all(further.splice(0).map((serving) => serving.close()));
  };
  const timer = setInterval(() => {
    look().catch((error: Error) => problem(error.message));
  }, LOOK);
  return {
    async close() {
      clearInterval(timer);
      await Promise.all([first, ...further].map((serving) => serving.close()));
    },
  };
}

type Handler = (job: RunningJob, request: never, context: WorkerContext) => Promise<void>;

function handlers({ kind }: Request): Handler {
  if (kind === 'start') return runStart as Handler;
  if (kind === 'cell') return runCell as Handler;
  if (kind === 'shard') return runShard as Handler;
  if (kind === 'row') return runRow as Handler;
  throw new RefusedJob(`This queue has no jobs of the kind '${kind}'.`);
}

/** Fetches data once and caches the most recently requested. */
function fetched({ blobs }: Transport, maxBytes: number): WorkerContext['data'] {
  const known = new Map<string, Promise<Uint8Array>>();
  const MOST_KEPT = 4;
  const fetch = async (key: string) => {
    const bytes = await blobs.get(key, maxBytes).catch((error: unknown) => {
      if (error instanceof InvalidInputError) throw new RefusedJob(error.message);
      throw error;
    });
    if (bytes === undefined) throw new RefusedJob(`There is nothing under '${key}' any longer.`);
    if (key !== `data/${checksumOf(bytes)}`) {
      throw new RefusedJob(`The value under '${key}' was changed: its checksum differs.`);
    }
    return bytes;
  };
  return (key, ofOneJob = false) => {
    if (ofOneJob) return known.get(key) ?? fetch(key);
    const bytes = known.get(key) ?? fetch(key);
    known.delete(key);
    known.set(key, bytes);
    bytes.catch(() => known.delete(key));
    if (known.size > MOST_KEPT) known.delete(known.keys().next().value!);
    return bytes;
  };
}
