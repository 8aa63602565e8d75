import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { writeAtomically } from '../io/index.ts';
import {
  type Blobs,
  type JobState,
  type ParentJob,
  type QueuedJob,
  RefusedJob,
  ReturnedJob,
  type RunningJob,
  type ServeOptions,
  type Serving,
  type Transport,
  type Watcher,
} from './session.ts';

interface Entry {
  readonly job: QueuedJob;
  /** Children that have not ended. */
  readonly open: Set<string>;
  state: JobState;
  attempts: number;
  /** Time at which it failed for good. */
  at?: number;
}

interface LocalQueue {
  readonly jobs: Map<string, Entry>;
  readonly watchers: Set<Watcher>;
  readonly servers: Set<Server>;
}

interface Server extends ServeOptions {
  readonly running: Set<Promise<void>>;
  readonly shutdown: AbortController;
}

/** Attempts at a job that fails for an external reason. */
const ATTEMPTS = 3;

/**
 * Queue inside this process, for fits, sweeps and shards without a server.
 *
 * @param blobs - storage of bytes; default in memory
 * @example
 * ```ts
 * const transport = localTransport();
 * ```
 */
export function localTransport(blobs: Blobs = localBlobs()): Transport {
  const queues = new Map<string, LocalQueue>();
  const queueOf = (name: string): LocalQueue => {
    const known = queues.get(name) ?? { jobs: new Map(), watchers: new Set(), servers: new Set() };
    queues.set(name, known);
    return known;
  };
  const notify = (queue: LocalQueue, what: (watcher: Watcher) => void) => {
    for (const watcher of queue.watchers) what(watcher);
  };

  const end = (queue: LocalQueue, entry: Entry, state: JobState) => {
    entry.state = state;
    if (state.kind === 'failed') entry.at = Date.now();
    notify(queue, (watcher) =>
      state.kind === 'failed' ? watcher.failed(entry.job.id, state.reason) : watcher.completed(entry.job.id),
    );
    for (const other of queue.jobs.values()) other.open.delete(entry.job.id);
  };

  const attempt = async (queue: LocalQueue, server: Server, entry: Entry) => {
    const { job } = entry;
    const running: RunningJob = {
      ...job,
      signal: server.shutdown.signal,
      advance: async () => notify(queue, (watcher) => watcher.advanced(job.id)),
    };
    try {
      await server.run(running);
      end(queue, entry, { kind: 'completed' });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof ReturnedJob) entry.state = { kind: 'waiting' };
      else if (error instanceof RefusedJob || ++entry.attempts >= ATTEMPTS)
        end(queue, entry, { kind: 'failed', reason });
      else entry.state = { kind: 'waiting' };
    }
  };

  const dispatch = (queue: LocalQueue) => {
    for (const server of queue.servers) {
      for (const entry of queue.jobs.values()) {
        if (server.shutdown.signal.aborted || server.running.size >= server.concurrency) break;
        if (entry.state.kind !== 'waiting' || entry.open.size > 0) continue;
        entry.state = { kind: 'active' };
        const run = attempt(queue, server, entry).finally(() => {
          server.running.delete(run);
          // In a separate turn, so that a worker that returns its jobs has left before they are distributed.
          setTimeout(() => dispatch(queue));
        });
        server.running.add(run);
      }
    }
  };

  return {
    blobs,
    ...localInboxes(),
    async add(name, jobs) {
      const queue = queueOf(name);
      const insert = (job: QueuedJob | ParentJob, children: readonly QueuedJob[]) => {
        if (queue.jobs.has(job.id)) return;
        const open = new Set(children.map(({ id }) => id));
        for (const id of open) if (isOver(queue.jobs.get(id))) open.delete(id);
        queue.jobs.set(job.id, { job, open, state: { kind: 'waiting' }, attempts: 0 });
      };
      for (const job of jobs) {
        const children = 'children' in job ? job.children : [];
        for (const child of children) insert(child, []);
        insert(job, children);
      }
      dispatch(queue);
    },
    async watch(name, watcher) {
      queueOf(name).watchers.add(watcher);
      return async () => {
        queueOf(name).watchers.delete(watcher);
      };
    },
    stateOf: async (name, id) => queueOf(name).jobs.get(id)?.state ?? { kind: 'unknown' },
    dead: async (name) =>
      [...queueOf(name).jobs.values()]
        .flatMap(({ job, state, at }) =>
          state.kind === 'failed' ? [{ id: job.id, reason: state.reason, at: at! }] : [],
        )
        .sort((a, b) => b.at - a.at),
    async withdraw(name, id) {
      const { jobs } = queueOf(name);
      if (jobs.get(id)?.state.kind !== 'active') jobs.delete(id);
    },
    workers: async (name) => queueOf(name).servers.size,
    waiting: async (name) => [...queueOf(name).jobs.values()].filter(({ state }) => state.kind === 'waiting').length,
    async serve(name, options): Promise<Serving> {
      const queue = queueOf(name);
      const server: Server = { ...options, running: new Set(), shutdown: new AbortController() };
      queue.servers.add(server);
      dispatch(queue);
      return {
        async close() {
          server.shutdown.abort();
          queue.servers.delete(server);
          await Promise.all(server.running);
        },
      };
    },
    close: async () => undefined,
  };
}

const isOver = (entry: Entry | undefined) => entry?.state.kind === 'completed' || entry?.state.kind === 'failed';

/** Inboxes in the memory of this process. */
function localInboxes(): Pick<Transport, 'inbox' | 'send'> {
  const lists = new Map<string, Uint8Array[]>();
  const readers = new Map<string, (message: Uint8Array | undefined) => void>();
  return {
    async send(name, bytes) {
      const reader = readers.get(name);
      if (reader !== undefined) reader(bytes);
      else lists.set(name, [...(lists.get(name) ?? []), bytes]);
    },
    inbox: async (name) => ({
      async receive(seconds) {
        const first = lists.get(name)?.shift();
        if (first !== undefined) return first;
        return new Promise((resolve) => {
          const read = (message: Uint8Array | undefined) => {
            clearTimeout(timer);
            readers.delete(name);
            resolve(message);
          };
          const timer = setTimeout(read, 1000 * seconds, undefined);
          readers.set(name, read);
        });
      },
      async close() {
        readers.get(name)?.(undefined);
        lists.delete(name);
      },
    }),
  };
}

/** Blobs in the memory of this process. */
function localBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  const lists = new Map<string, Uint8Array[]>();
  return {
    seconds: Number.POSITIVE_INFINITY,
    renew: async () => undefined,
    async put(key, bytes) {
      blobs.set(key, bytes);
    },
    async get(key, most = Number.POSITIVE_INFINITY) {
      const bytes = blobs.get(key);
      if (bytes !== undefined && bytes.length > most) throw tooLarge(key, bytes.length, most);
      return bytes;
    },
    async append(key, bytes) {
      const list = lists.get(key) ?? [];
      list.push(bytes);
      lists.set(key, list);
    },
    parts: async (key, from) => lists.get(key)?.slice(from) ?? [],
    async remove(...keys) {
      for (const key of keys) {
        blobs.delete(key);
        lists.delete(key);
      }
    },
  };
}

export function tooLarge(key: string, bytes: number, most: number): InvalidInputError {
  return new InvalidInputError(
    `The value under '${key}' has ${bytes} bytes, but this worker accepts at most ${most}. Raise its \`maxBytes\`, or send less.`,
  );
}

/**
 * Blobs with the states of fits as files in a folder, so that they outlive the process, and all others in memory.
 *
 * @param folder - created if necessary
 */
export async function fileBlobs(folder: string): Promise<Blobs> {
  await mkdir(folder, { recursive: true });
  const memory = localBlobs();
  const fileOf = (key: string) => {
    const id = /^state\/([\w-]+)$/.exec(key)?.[1];
    return id === undefined ? undefined : join(folder, `${id}.json`);
  };
  return {
    ...memory,
    async put(key, bytes) {
      const file = fileOf(key);
      if (file === undefined) await memory.put(key, bytes);
      else await writeAtomically(file, bytes);
    },
    async get(key, most) {
      const file = fileOf(key);
      if (file === undefined) return memory.get(key, most);
      return readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
    },
    async remove(...keys) {
      await memory.remove(...keys);
      for (const file of keys.map(fileOf)) if (file !== undefined) await rm(file, { force: true });
    },
  };
}
