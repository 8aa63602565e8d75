import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { LatentFieldError } from '../../core/errors.ts';

/** Job in a queue: plain text, which the worker validates first. */
export interface QueuedJob {
  /** Unique id of letters, digits and hyphens. A job with an existing id is not added again. */
  readonly id: string;
  /** Request in `packed` form. */
  readonly body: string;
}

/** Job that waits until others, its children, have ended. */
export interface ParentJob extends QueuedJob {
  readonly children: readonly QueuedJob[];
}

/** Bytes under keys, visible to all machines, until they are removed or expire. */
export interface Blobs {
  /** Seconds after which bytes expire unless they are put again or renewed. */
  readonly seconds: number;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * @param most - maximum number of bytes; more are not fetched
   * @throws InvalidInputError if there are more
   */
  get(key: string, most?: number): Promise<Uint8Array | undefined>;
  /** Appends a part to the list under a key. */
  append(key: string, bytes: Uint8Array): Promise<void>;
  /** Parts of a list from an index on. */
  parts(key: string, from: number): Promise<Uint8Array[]>;
  /** Restarts the lifetime of the bytes under these keys. */
  renew(...keys: string[]): Promise<void>;
  remove(...keys: string[]): Promise<void>;
}

/** Listener for a coordinator's jobs; events may be repeated. */
export interface Watcher {
  /** Called when there are new parts, or a message from the worker. */
  advanced(id: string): void;
  completed(id: string): void;
  /** Called when the job was rejected, or its attempts are used up. */
  failed(id: string, reason: string): void;
  /** Called when the server can no longer be reached. */
  lost(reason: string): void;
}

/** State of a job. */
export type JobState =
  | { readonly kind: 'waiting' | 'active' | 'completed' | 'unknown' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Failed job: it was rejected, its attempts are used up, or it has lost too many workers. */
export interface DeadJob {
  readonly id: string;
  readonly reason: string;
  /** Time of the failure, in milliseconds since 1970. */
  readonly at: number;
}

/** Job that a worker runs. */
export interface RunningJob extends QueuedJob {
  /** Notifies the coordinator of new data, and the queue that the worker is alive. */
  advance(): Promise<void>;
  /** Aborted when the worker shuts down: the job then throws {@link ReturnedJob}. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  /** Number of simultaneous jobs. */
  readonly concurrency: number;
  /** Runs a job. It throws {@link RefusedJob} or {@link ReturnedJob}; after any other error the job is retried. */
  run(job: RunningJob): Promise<void>;
  /** Reports problems outside of jobs, such as a lost connection. */
  problem(message: string): void;
}

/** Worker that serves a queue. */
export interface Serving {
  /** Stops accepting jobs, aborts the signals of running ones and waits for them. */
  close(): Promise<void>;
}

/** Messages to one reader, each delivered once, in order. */
export interface Inbox {
  /** Next message; undefined if none arrives within this number of seconds. */
  receive(seconds: number): Promise<Uint8Array | undefined>;
  /** Removes the inbox with its messages; a pending `receive` resolves to undefined. */
  close(): Promise<void>;
}

/** Carries jobs between a coordinator and workers: the complete interface that fits, sweeps and shards need, and that another kind of queue must implement. */
export interface Transport {
  readonly blobs: Blobs;
  add(queue: string, jobs: readonly (QueuedJob | ParentJob)[]): Promise<void>;
  /** Reports on the jobs of a queue until the returned function is called. */
  watch(queue: string, watcher: Watcher): Promise<() => Promise<void>>;
  stateOf(queue: string, id: string): Promise<JobState>;
  /** Failed jobs, latest first. They are listed until they are withdrawn or expire like bytes. */
  dead(queue: string): Promise<readonly DeadJob[]>;
  /** Removes the job from the queue unless a worker runs it; a blob under `cancel/…` requests that a running one stop. */
  withdraw(queue: string, id: string): Promise<void>;
  /** Number of workers that serve a queue. */
  workers(queue: string): Promise<number>;
  /** Number of jobs that wait for a worker. */
  waiting(queue: string): Promise<number>;
  serve(queue: string, options: ServeOptions): Promise<Serving>;
  /** Opens an inbox; anyone who knows its name may send to it, even before it is opened. */
  inbox(name: string): Promise<Inbox>;
  /** Sends a message, which expires after a day without a reader. A message can be lost with the server: senders that need an answer must ask again. */
  send(inbox: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Thrown for a job that no worker can do: it is reported and never tried again. */
export class RefusedJob extends Error {
  override readonly name = 'RefusedJob';
}

/** Thrown for a job that another worker should do. */
export class ReturnedJob extends Error {
  override readonly name = 'ReturnedJob';
}

/** Blob keys of a job. */
export const keysOf = (id: string) => ({
  /** Events so far, in parts. */
  events: `events/${id}`,
  /** State to resume the job from. */
  state: `state/${id}`,
  /** Result of the job. */
  result: `result/${id}`,
  /** One part for each time that a worker of another version returned the job. */
  returns: `returns/${id}`,
  /** Written by the coordinator: 'stop' with the reason, or 'drop'. */
  cancel: `cancel/${id}`,
});

/** Last rejection by a worker, for a coordinator that waits in vain. */
export const refusalKey = (queue: string) => `refusal/${queue}`;

/** Key of data: their SHA-256, which allows received data to be verified. */
export function dataKey(bytes: Uint8Array): string {
  return `data/${checksumOf(bytes)}`;
}

export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Default queue of fits and sweeps. */
export const FITS = 'fits';

/** Queue of shards. Each shard stays with its worker for the whole fit. */
export const SHARDS = 'shards';

/** Version of the library, and of the messages between its coordinators and workers. */
export const VERSION = (createRequire(import.meta.url)('../../../package.json') as { version: string }).version;

/** Milliseconds between polls of awaited jobs: events can be missed while a server is away. */
const LOOK = 1000;
/** Fraction of their lifetime after which bytes are renewed. */
const RENEWED = 1 / 8;

/** Listener that waits for a job. */
interface Awaited {
  /** Looks at the job's state; true once it has ended. Calls do not overlap. */
  look(): Promise<boolean>;
  /** Called if the job will never end. */
  fail(reason: Error): void;
}

/** Coordinator's end of a queue. */
export interface Session {
  readonly transport: Transport;
  /** Adds jobs and waits for some of them, or of their children. */
  add(
    jobs: readonly (QueuedJob | ParentJob)[],
    ids: readonly string[],
    awaited: (id: string) => Awaited,
  ): Promise<void>;
  /** Waits for a job that is already in the queue. */
  wait(id: string, awaited: Awaited): void;
  /** Stops waiting for a job. */
  leave(id: string): void;
  /** Keeps bytes that workers may request again, while the session is open. */
  keep(key: string): void;
  close(): Promise<void>;
}

/**
 * Opens a coordinator's end of a queue, which receives the queue's events and also polls every second.
 *
 * @param patience - seconds without any worker, or without the server, before it gives up
 */
export async function openSession(
  { queue, patience }: { queue: string; patience: number },
  transport: Transport,
): Promise<Session> {
  const waiting = new Map<string, { awaited: Awaited; looking: Promise<unknown>; isQueued: boolean }>();
  const failAll = (error: Error) => {
    for (const [id, { awaited }] of [...waiting]) {
      waiting.delete(id);
      awaited.fail(error);
    }
  };
  const look = (id: string) => {
    const entry = waiting.get(id);
    if (entry === undefined || entry.isQueued) return;
    entry.isQueued = true;
    entry.looking = entry.looking.then(async () => {
      entry.isQueued = false;
      if (waiting.get(id) !== entry) return;
      try {
        if (!(await entry.awaited.look()) && !(await hasFailed(id, entry.awaited))) return;
        waiting.delete(id);
      } catch (error) {
        waiting.delete(id);
        entry.awaited.fail(error as Error);
      }
    });
  };
  const hasFailed = async (id: string, awaited: Awaited): Promise<boolean> => {
    const state = await transport.stateOf(queue, id);
    if (state.kind === 'failed') awaited.fail(new LatentFieldError(sentence(state.reason)));
    else if (state.kind === 'completed' || state.kind === 'unknown') {
      // It may have ended just now.
      if (await awaited.look()) return true;
      awaited.fail(new LatentFieldError(FORGOTTEN, { code: 'queueLost' }));
    }
    return state.kind === 'failed' || state.kind === 'completed' || state.kind === 'unknown';
  };

  const stopWatching = await transport.watch(queue, {
    advanced: look,
    completed: look,
    failed: look,
    lost: (reason) => failAll(new LatentFieldError(sentence(reason), { code: 'queueLost' })),
  });
  let alone = 0;
  let isLooking = false;
  let asked = 0;
  const all = async () => {
    if (isLooking && performance.now() - asked > 1000 * patience) {
      failAll(
        new LatentFieldError(
          `The server of the queue '${queue}' has not answered for ${patience} seconds. Is it running?`,
          {
            code: 'queueLost',
          },
        ),
      );
    }
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    asked = performance.now();
    try {
      alone = (await transport.workers(queue)) > 0 ? 0 : alone + LOOK / 1000;
      if (alone >= patience) {
        const refusal = await transport.blobs.get(refusalKey(queue));
        const last = refusal === undefined ? '' : ` The last error: ${new TextDecoder().decode(refusal)}`;
        failAll(
          new LatentFieldError(
            `No worker has served the queue '${queue}' for ${patience} seconds. Start one: latentfield worker --redis URL.${last}`,
            { code: 'queueLost' },
          ),
        );
      }
      for (const id of waiting.keys()) look(id);
    } catch (error) {
      failAll(new LatentFieldError(`The queue was lost: ${sentence((error as Error).message)}`, { code: 'queueLost' }));
    } finally {
      isLooking = false;
    }
  };
  const kept = new Set<string>();
  let renewed = performance.now();
  const renew = async () => {
    if (kept.size === 0 || performance.now() - renewed < 1000 * transport.blobs.seconds * RENEWED) return;
    renewed = performance.now();
    await transport.blobs.renew(...kept);
  };
  const timer = setInterval(() => {
    void all();
    // The next poll tries an unreachable server again.
    renew().catch(() => {
      renewed = Number.NEGATIVE_INFINITY;
    });
  }, LOOK);

  return {
    transport,
    async add(jobs, ids, awaited) {
      for (const id of ids) waiting.set(id, { awaited: awaited(id), looking: Promise.resolve(), isQueued: true });
      await transport.add(queue, jobs);
      for (const id of ids) {
        const entry = waiting.get(id);
        if (entry !== undefined) entry.isQueued = false;
        look(id);
      }
    },
    wait(id, awaited) {
      waiting.set(id, { awaited, looking: Promise.resolve(), isQueued: false });
      look(id);
    },
    keep: (key) => void kept.add(key),
    leave: (id) => void waiting.delete(id),
    async close() {
      clearInterval(timer);
      await stopWatching();
    },
  };
}

/** Reason of a job that a server no longer knows. */
const FORGOTTEN =
  'The server of the queue no longer has a job or its result: it was started again without its data (set appendonly yes), or it evicts keys ' +
  '(set maxmemory-policy noeviction). Run the same again; a sweep continues from the fits that are done.';

const sentence = (text: string) => `${text.replace(/\.$/, '')}.`;
