/** A job in a queue: plain text, which the worker checks before it does anything with it. */
export interface QueuedJob {
  /** Unique id of letters, digits and hyphens. A job with an existing id is not added again. */
  readonly id: string;
  /** The `packed` request. */
  readonly body: string;
}

/** A job that waits until others, its children, have ended. */
export interface ParentJob extends QueuedJob {
  readonly children: readonly QueuedJob[];
}

/** Bytes under keys, visible to all machines, until they are removed or expire. */
export interface Blobs {
  /** Seconds after which bytes expire unless they are put again or renewed. */
  readonly seconds: number;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * @param most - largest number of bytes; more are not fetched
   * @throws InvalidInputError if there are more
   */
  get(key: string, most?: number): Promise<Uint8Array | undefined>;
  /** Appends a part to the list under a key. */
  append(key: string, bytes: Uint8Array): Promise<void>;
  /** The parts of a list from an index on. */
  parts(key: string, from: number): Promise<Uint8Array[]>;
  /** Restarts the lifetime of the bytes under these keys. */
  renew(...keys: string[]): Promise<void>;
  remove(...keys: string[]): Promise<void>;
}

/** Listener for a coordinator's jobs; events may be repeated. */
export interface Watcher {
  /** There are new parts, or a message of the worker. */
  advanced(id: string): void;
  completed(id: string): void;
  /** The job was refused, or its attempts are used up. */
  failed(id: string, reason: string): void;
  /** The server can no longer be reached. */
  lost(reason: string): void;
}

/** State of a job. */
export type JobState =
  | { readonly kind: 'waiting' | 'active' | 'completed' | 'unknown' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A failed job: it was refused, its attempts are used up, or it has lost too many workers. */
export interface DeadJob {
  readonly id: string;
  readonly reason: string;
  /** Time of the failure, in milliseconds since 1970. */
  readonly at: number;
}

/** A job that a worker runs. */
export interface RunningJob extends QueuedJob {
  /** Tells the coordinator that there is something new, and the queue that the worker is alive. */
  advance(): Promise<void>;
  /** Aborted when the worker shuts down: the job then throws {@link ReturnedJob}. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  /** Number of simultaneous jobs. */
  readonly concurrency: number;
  /** Runs a job. It throws {@link RefusedJob} or {@link ReturnedJob}, or anything else to have it tried again. */
  run(job: RunningJob): Promise<void>;
  /** Reports problems outside of jobs, such as a lost connection. */
  problem(message: string): void;
}

/** A worker that serves a queue. */
export interface Serving {
  /** Takes no more jobs, aborts the signals of running ones and waits for them. */
  close(): Promise<void>;
}

/** Messages to one reader, each delivered once, in the order in which they were sent. */
export interface Inbox {
  /** The next message; undefined if none arrives within this number of seconds. */
  receive(seconds: number): Promise<Uint8Array | undefined>;
  /** Removes the inbox with its messages; a pending `receive` gets undefined. */
  close(): Promise<void>;
}

/**
 * Carries jobs between a coordinator and workers: everything that fits, sweeps and shards need of a queue, and all that another kind of queue must
 * implement.
 */
export interface Transport {
  readonly blobs: Blobs;
  add(queue: string, jobs: readonly (QueuedJob | ParentJob)[]): Promise<void>;
  /** Reports on the jobs of a queue until the returned function is called. */
  watch(queue: string, watcher: Watcher): Promise<() => Promise<void>>;
  stateOf(queue: string, id: string): Promise<JobState>;
  /** Failed jobs, the latest first. They are listed until they are withdrawn or expire like bytes. */
  dead(queue: string): Promise<readonly DeadJob[]>;
  /** Takes a job out of the queue unless a worker runs it; a blob under `cancel/…` asks a running one to stop. */
  withdraw(queue: string, id: string): Promise<void>;
  /** Number of workers that serve a queue. */
  workers(queue: string): Promise<number>;
  /** Number of jobs that wait for a worker. */
  waiting(queue: string): Promise<number>;
  serve(queue: string, options: ServeOptions): Promise<Serving>;
  /** Opens an inbox; anyone who knows its name may send to it, even before it is opened. */
  inbox(name: string): Promise<Inbox>;
  /** Sends a message, which expires after a day without a reader. A message can be lost with the server: senders that need an answer ask again. */
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
