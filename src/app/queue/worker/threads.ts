import { Worker } from 'node:worker_threads';
import { threadOptions } from '../../../core/host.ts';
import type { NodeThread } from '../../../inference/index.ts';
import { ReturnedJob, type RunningJob } from '../session.ts';
import type { WorkerContext } from './serveQueue.ts';

/** Thread that works on one job at a time. */
export interface HeldThread {
  /** Key of its open data, so that the next job with the same data can use it. */
  holds: string;
  /** True if it has received these data. */
  isOpen: boolean;
  /** @param transfer - buffers that are transferred to the thread */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Listener for its messages; called with an Error if it ends unexpectedly. */
  listener: ((message: unknown) => void) | undefined;
}

/** The threads of a worker. */
export interface ThreadPool {
  /** Thread that has these data open, or a new one. */
  take(holds: string): HeldThread;
  /** Keeps a thread for the next job. */
  giveBack(thread: HeldThread): void;
  /** Ends a thread. */
  drop(thread: HeldThread): void;
  close(): void;
}

/** Starts threads with the parts of a module, or only the built-in ones. */
export function queueThreads(parts: string | URL | undefined): () => NodeThread {
  // A thread cannot run TypeScript: when run from its sources, the library starts the built thread.
  const built = import.meta.url.endsWith('.ts') ? '../../../../dist/app/queue/queueThread.js' : '../queueThread.js';
  const workerData = parts === undefined ? undefined : { parts: String(parts) };
  return () => new Worker(new URL(built, import.meta.url), { workerData, ...threadOptions() });
}

/** @param most - maximum number of idle threads */
export function threadPool(start: () => NodeThread, most: number): ThreadPool {
  const idle: HeldThread[] = [];
  const threads = new Map<HeldThread, NodeThread>();
  const drop = (held: HeldThread) => {
    threads.get(held)?.terminate();
    threads.delete(held);
    const at = idle.indexOf(held);
    if (at >= 0) idle.splice(at, 1);
  };
  const begin = (holds: string): HeldThread => {
    const thread = start();
    const held: HeldThread = {
      holds,
      isOpen: false,
      post: (message, transfer) => thread.postMessage(message, transfer),
      listener: undefined,
    };
    threads.set(held, thread);
    thread.on('message', (message) => held.listener?.(message));
    const ended = (error: Error) => {
      held.listener?.(error);
      drop(held);
    };
    thread.on('error', ended);
    thread.on('exit', (code) => ended(new Error(`its thread ended with exit code ${code}`)));
    return held;
  };
  return {
    take(holds) {
      const at = idle.findIndex((held) => held.holds === holds);
      return at >= 0 ? idle.splice(at, 1)[0]! : begin(holds);
    },
    giveBack(held) {
      held.listener = undefined;
      if (!threads.has(held)) return;
      idle.push(held);
      // Open data take memory: no more threads are kept than can be at work.
      if (idle.length > most) drop(idle[0]!);
    },
    drop,
    close() {
      for (const held of [...threads.keys()]) drop(held);
    },
  };
}

/** Milliseconds between checks whether the job is canceled. */
const LOOK = 500;

/** Forwards the coordinator's messages and the worker's shutdown to a job; returns a function that ends the watch. */
export function watchOver(
  { signal }: RunningJob,
  blobs: WorkerContext['transport']['blobs'],
  key: string,
  thread: HeldThread,
  reject: (reason: Error) => void,
  onStop: () => void,
): () => void {
  let isStopped = false;
  const look = async () => {
    const bytes = await blobs.get(key).catch(() => undefined);
    if (bytes === undefined || isStopped) return;
    isStopped = true;
    const said = new TextDecoder().decode(bytes);
    if (said !== 'drop') {
      thread.post({ kind: 'stop', by: said });
      onStop();
      return;
    }
    ended();
    reject(new CanceledJob());
  };
  const timer = setInterval(look, LOOK);
  const shutdown = () => {
    ended();
    reject(new ReturnedJob('The worker shuts down.'));
  };
  const ended = () => {
    clearInterval(timer);
    signal.removeEventListener('abort', shutdown);
  };
  signal.addEventListener('abort', shutdown);
  if (signal.aborted) shutdown();
  void look();
  return ended;
}

/** Thrown when the job is no longer needed. */
export class CanceledJob extends Error {}
