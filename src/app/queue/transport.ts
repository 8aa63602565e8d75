/** A job as it lies in a queue: plain text, which the worker checks before it does anything with it. */
export interface QueuedJob {
  /** Unique; letters, digits and hyphens. A job whose id is there already is not added again. */
  readonly id: string;
  /** What `packed` made of the request. */
  readonly body: string;
}

/** A job that waits until others, its children, have come to an end. */
export interface ParentJob extends QueuedJob {
  readonly children: readonly QueuedJob[];
}

/** Bytes under keys, which all machines see, until they are removed or forgotten. */
export interface Blobs {
  /** Seconds after which what was neither put nor renewed is forgotten. */
  readonly seconds: number;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * @param most - bytes at most; larger ones are not fetched
   * @throws InvalidInputError when there are more
   */
  get(key: string, most?: number): Promise<Uint8Array | undefined>;
  /** Adds a part to the list under a key. */
  append(key: string, bytes: Uint8Array): Promise<void>;
  /** The parts of a list from a number on. */
  parts(key: string, from: number): Promise<Uint8Array[]>;
  /** Keeps what is under keys for as long as if it had been put now. */
  renew(...keys: string[]): Promise<void>;
  remove(...keys: string[]): Promise<void>;
}

/** What becomes of jobs, as reported to their coordinator, perhaps more than once. */
export interface Watcher {
  /** There are new parts, or a message of the worker. */
  advanced(id: string): void;
  completed(id: string): void;
  /** It was refused, or its attempts are used up. */
  failed(id: string, reason: string): void;
  /** The server cannot be reached any longer. */
  lost(reason: string): void;
}

/** How a job stands. */
export type JobState =
  | { readonly kind: 'waiting' | 'active' | 'completed' | 'unknown' }
  | { readonly kind: 'failed'; readonly reason: string };

/** A job that was given up: it was refused, its attempts are used up, or it has lost too many workers. */
export interface DeadJob {
  readonly id: string;
  readonly reason: string;
  /** When it was given up, in milliseconds since 1970. */
  readonly at: number;
}

/** What a worker knows of the job it runs. */
export interface RunningJob extends QueuedJob {
  /** Tells the coordinator that there is something new, and the queue that the worker is alive. */
  advance(): Promise<void>;
  /** Aborted when the worker shuts down: the job then throws {@link ReturnedJob}. */
  readonly signal: AbortSignal;
}

export interface ServeOptions {
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Does a job; throws {@link RefusedJob} or {@link ReturnedJob}, or anything else to have it tried again. */
  run(job: RunningJob): Promise<void>;
  /** Says what went wrong beside the jobs, such as a connection that was lost. */
  problem(message: string): void;
}

/** A worker at a queue. */
export interface Serving {
  /** Takes no more jobs, and waits for those that run, whose signals it aborts. */
  close(): Promise<void>;
}

/** Messages that one reader takes, each once, in the order in which they were sent. */
export interface Inbox {
  /** The next message, or undefined when none came within so many seconds. */
  receive(seconds: number): Promise<Uint8Array | undefined>;
  /** Forgets it, with what is in it; who waits for a message hears that there is none. */
  close(): Promise<void>;
}

/**
 * What carries jobs between a coordinator and workers. What fits, sweeps and shards ask of a queue, and all that another queue has to offer.
 */
export interface Transport {
  readonly blobs: Blobs;
  add(queue: string, jobs: readonly (QueuedJob | ParentJob)[]): Promise<void>;
  /** Says what becomes of the jobs of a queue, until the function it resolves to is called. */
  watch(queue: string, watcher: Watcher): Promise<() => Promise<void>>;
  stateOf(queue: string, id: string): Promise<JobState>;
  /** Jobs that were given up, the latest first. They are listed until they are withdrawn, or forgotten as bytes are. */
  dead(queue: string): Promise<readonly DeadJob[]>;
  /** Takes a job out of the queue that no worker is at; a blob under `cancel/…` asks one that runs to stop. */
  withdraw(queue: string, id: string): Promise<void>;
  /** How many workers serve a queue. */
  workers(queue: string): Promise<number>;
  /** How many jobs wait for a worker. */
  waiting(queue: string): Promise<number>;
  serve(queue: string, options: ServeOptions): Promise<Serving>;
  /** Opens an inbox; whoever knows its name may send to it, before it is opened too. */
  inbox(name: string): Promise<Inbox>;
  /** Sends a message, which is forgotten after a day without a reader. A message can be lost with the server: who must know asks again. */
  send(inbox: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Thrown for a job that no worker could do: it is reported and never tried again. */
export class RefusedJob extends Error {
  override readonly name = 'RefusedJob';
}

/** Thrown for a job that another worker is to do. */
export class ReturnedJob extends Error {
  override readonly name = 'ReturnedJob';
}
