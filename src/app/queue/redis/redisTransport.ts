import { setTimeout } from 'node:timers/promises';
import type { FlowProducer, Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import * as v from 'valibot';
import { checkOptions, numberAboveZero, type OptionsIn } from '../../../core/options.ts';
import { tooLarge } from '../localTransport.ts';
import {
  type Blobs,
  type JobState,
  type QueuedJob,
  RefusedJob,
  ReturnedJob,
  type ServeOptions,
  type Serving,
  type Transport,
  type Watcher,
} from '../session.ts';
import { checkServer, failureOf, lasting, queuePackages, type ServerOptions, serverOptions } from './connection.ts';

/** Options of {@link redisTransport}. */
export interface RedisTransportOptions extends OptionsIn<typeof schema> {}

const schema = v.strictObject({
  /** redis://user:password@host:port/database, or rediss:// for TLS. It is never printed. */
  connection: v.string('the address of a server, such as redis://127.0.0.1:6379'),
  /** Prefix of all keys, for several sets of workers on one server; default 'latentfield'. */
  prefix: v.optional(v.string('a text'), 'latentfield'),
  /** Seconds without a sign of life after which a worker counts as lost; default 10. */
  lockSeconds: v.optional(numberAboveZero, 10),
  /** Lifetime of bytes in seconds after their coordinator is gone; default a day. A running coordinator renews what it needs. */
  keptSeconds: v.optional(numberAboveZero, 86_400),
});

/** Attempts at a job that fails for an external reason, and number of workers that it may lose. */
const ATTEMPTS = 3;
const MOST_LOST = 5;
/** Approximate number of events that a queue remembers. */
const MOST_EVENTS = 1000;
/** Lifetime of finished jobs in seconds, and their maximum number. The same number of failed jobs is kept as long as bytes are. */
const KEPT = { age: 3600, count: 1000 };
/** Milliseconds that a worker keeps a job before returning it, so that it does not circulate at once. */
const RETURNED = 200;

interface Body {
  readonly body: string;
}

/**
 * Jobs on a Redis server, by BullMQ.
 *
 * @throws InvalidInputError if the packages are not installed or the connection is malformed; LatentFieldError, within 5 seconds, if the server
 *   cannot be reached or rejects the password
 * @example
 * ```ts
 * const transport = await redisTransport({ connection: 'redis://127.0.0.1:6379' });
 * ```
 */
export async function redisTransport(options: RedisTransportOptions): Promise<Transport> {
  const { connection, prefix, lockSeconds, keptSeconds } = checkOptions(schema, options, 'redisTransport');
  const { bullmq, Redis } = await queuePackages();
  const server = serverOptions(connection);
  await checkServer(server);
  const redis = new Redis(lasting(server));
  // Callers that wait for an answer get the error from that.
  redis.on('error', () => undefined);
  const settings = { connection: lasting(server), prefix };
  const queues = new Map<string, Queue<Body>>();
  const queueOf = (name: string): Queue<Body> => {
    const known = queues.get(name) ?? newQueue(name);
    queues.set(name, known);
    return known;
  };
  const newQueue = (name: string) => {
    const queue = new bullmq.Queue<Body>(name, { ...settings, streams: { events: { maxLen: MOST_EVENTS } } });
    queue.on('error', () => undefined);
    return queue;
  };
  let flow: FlowProducer | undefined;
  const flows = () => {
    if (flow !== undefined) return flow;
    flow = new bullmq.FlowProducer(settings);
    flow.on('error', () => undefined);
    return flow;
  };
  const optionsOf = ({ id }: QueuedJob) => ({
    jobId: id,
    attempts: ATTEMPTS,
    removeOnComplete: KEPT,
    removeOnFail: { age: keptSeconds, count: KEPT.count },
  });

  const inboxes = redisInboxes(redis, prefix);
  return speaking(server, {
    blobs: speaking(server, redisBlobs(redis, prefix, keptSeconds)),
    ...inboxes,
    inbox: async (name) => speaking(server, await inboxes.inbox(name)),
    async add(name, jobs) {
      const alone = jobs.filter((job) => !('children' in job));
      await queueOf(name).addBulk(
        alone.map((job) => ({ name: 'job', data: { body: job.body }, opts: optionsOf(job) })),
      );
      for (const job of jobs) {
        if (!('children' in job)) continue;
        await flows().add({
          ...{ name: 'job', queueName: name, data: { body: job.body }, opts: optionsOf(job) },
          children: job.children.map((child) => ({
            ...{ name: 'job', queueName: name, data: { body: child.body } },
            opts: { ...optionsOf(child), ignoreDependencyOnFailure: true },
          })),
        });
      }
    },
    watch: (name, watcher) => watch(bullmq, name, settings, watcher),
    async stateOf(name, id): Promise<JobState> {
      const job = (await queueOf(name).getJob(id)) as Job | undefined;
      const state = await job?.getState();
      if (state === undefined || state === 'unknown') return { kind: 'unknown' };
      if (state === 'failed') return { kind: 'failed', reason: job?.failedReason ?? '' };
      return { kind: state === 'completed' || state === 'active' ? state : 'waiting' };
    },
    dead: async (name) =>
      (await queueOf(name).getFailed(0, KEPT.count - 1)).map(({ id, failedReason, finishedOn }) => ({
        ...{ id: id ?? '', reason: failedReason, at: finishedOn ?? 0 },
      })),
    async withdraw(name, id) {
      // A job that a worker has locked stays: a blob asks the worker to stop.
      await queueOf(name)
        .remove(id)
        .catch(() => undefined);
    },
    async workers(name) {
      // A server that takes no writes, such as one out of memory, shows its workers and gives them no jobs.
      await redis.set(`${prefix}:alive`, '', 'EX', keptSeconds);
      return queueOf(name).getWorkersCount();
    },
    waiting: (name) => queueOf(name).getWaitingCount(),
    serve: async (name, options) => serve(bullmq, name, { ...settings, lockSeconds }, options),
    async close() {
      await closed(Promise.all([...[...queues.values()].map((queue) => queue.close()), flow?.close()]));
      redis.disconnect();
    },
  });
}

/** Wraps functions so that they reject with errors of the library that name the server. */
function speaking<T extends object>(server: ServerOptions, functions: T): T {
  const spoken = Object.entries(functions).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call = async (...given: unknown[]) => {
      try {
        return await value(...given);
      } catch (error) {
        throw failureOf(server, error as Error);
      }
    };
    return [name, call];
  });
  return Object.fromEntries(spoken) as T;
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);

/** Milliseconds after which a connection counts as closed, since a connection to an unreachable server never reports it. */
const CLOSING = 2000;

async function closed(closing: Promise<unknown>): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([closing.catch(() => undefined), pause(CLOSING, isOver.signal)]);
  isOver.abort();
}

interface Settings {
  readonly connection: ServerOptions;
  readonly prefix: string;
}

async function watch(
  bullmq: typeof import('bullmq'),
  name: string,
  settings: Settings,
  watcher: Watcher,
): Promise<() => Promise<void>> {
  const events = new bullmq.QueueEvents(name, settings);
  events.on('error', () => undefined);
  events.on('progress', ({ jobId }) => watcher.advanced(jobId));
  events.on('completed', ({ jobId }) => watcher.completed(jobId));
  events.on('failed', ({ jobId, failedReason }) => watcher.failed(jobId, failedReason));
  await events.waitUntilReady();
  return async () => {
    await closed(events.close());
  };
}

async function serve(
  { Worker, UnrecoverableError, WaitingError }: typeof import('bullmq'),
  name: string,
  { lockSeconds, connection, prefix }: Settings & { readonly lockSeconds: number },
  { concurrency, run, problem }: ServeOptions,
): Promise<Serving> {
  const shutdown = new AbortController();
  const worker = new Worker<Body>(
    name,
    async (job, token) => {
      let steps = 0;
      try {
        await run({
          id: job.id ?? '',
          body: typeof job.data?.body === 'string' ? job.data.body : '',
          signal: shutdown.signal,
          advance: () => job.updateProgress(++steps),
        });
      } catch (error) {
        if (error instanceof RefusedJob) throw new UnrecoverableError(error.message);
        if (!(error instanceof ReturnedJob)) throw error;
        // Not as a delayed job, whose time would depend on the clocks of two machines.
        if (!shutdown.signal.aborted) await pause(RETURNED, shutdown.signal);
        await job.moveToWait(token);
        throw new WaitingError();
      }
    },
    {
      ...{ connection, prefix, concurrency },
      lockDuration: 1000 * lockSeconds,
      stalledInterval: 500 * lockSeconds,
      maxStalledCount: MOST_LOST,
    },
  );
  let isAway = false;
  worker.on('ready', () => {
    isAway = false;
  });
  worker.on('error', (error) => {
    // Each attempt to reconnect would report the same error.
    if (!isAway && !shutdown.signal.aborted) problem(`${failureOf(connection, error).message} It is tried again.`);
    isAway = true;
  });
  await worker.waitUntilReady();
  return {
    async close() {
      shutdown.abort();
      await worker.close();
    },
  };
}

/** Blobs under Redis keys: inside a job they would be JSON, five times as large. */
function redisBlobs(redis: Redis, prefix: string, seconds: number): Blobs {
  const named = (key: string) => `${prefix}:blobs:${key}`;
  return {
    seconds,
    async put(key, bytes) {
      await redis.set(named(key), Buffer.from(bytes), 'EX', seconds);
    },
    async get(key, most = Number.POSITIVE_INFINITY) {
      const length = await redis.strlen(named(key));
      if (length > most) throw tooLarge(key, length, most);
      return (await redis.getBuffer(named(key))) ?? undefined;
    },
    async append(key, bytes) {
      await redis.multi().rpush(named(key), Buffer.from(bytes)).expire(named(key), seconds).exec();
    },
    parts: (key, from) => redis.lrangeBuffer(named(key), from, -1),
    async renew(...keys) {
      await Promise.all(keys.map((key) => redis.expire(named(key), seconds)));
    },
    async remove(...keys) {
      if (keys.length > 0) await redis.del(...keys.map(named));
    },
  };
}

/** Lifetime of unread messages in seconds. */
const MESSAGE_SECONDS = 86_400;

/** Inboxes as Redis lists, each with a connection that waits for the next message. */
function redisInboxes(redis: Redis, prefix: string): Pick<Transport, 'inbox' | 'send'> {
  const named = (name: string) => `${prefix}:inbox:${name}`;
  return {
    async send(name, bytes) {
      const { buffer, byteOffset, byteLength } = bytes;
      const message = Buffer.from(buffer, byteOffset, byteLength);
      await redis.multi().rpush(named(name), message).expire(named(name), MESSAGE_SECONDS).exec();
    },
    async inbox(name) {
      const reader = redis.duplicate();
      reader.on('error', () => undefined);
      let isClosed = false;
      return {
        async receive(seconds) {
          try {
            return (await reader.blpopBuffer(named(name), seconds))?.[1];
          } catch (error) {
            if (isClosed) return undefined;
            throw error;
          }
        },
        async close() {
          isClosed = true;
          reader.disconnect();
          await redis.del(named(name));
        },
      };
    },
  };
}
