import { Worker } from 'node:worker_threads';
import type { NodeThread } from '../../../inference/index.ts';

/** A thread that does the work of one job at a time. */
export interface HeldThread {
  /** What it has open, so that the next job of the same can go to it. */
  holds: string;
  /** Whether it has been given that. */
  isOpen: boolean;
  /** @param transfer - buffers that go over to the thread */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Who hears what it says; called with an Error when it comes to an end by itself. */
  listener: ((message: unknown) => void) | undefined;
}

/** The threads of a worker. */
export interface ThreadPool {
  /** One that holds this already, or else a new one. */
  take(holds: string): HeldThread;
  /** Keeps it for the next job. */
  giveBack(thread: HeldThread): void;
  /** Ends it. */
  drop(thread: HeldThread): void;
  close(): void;
}

/** A thread that knows the parts that come with the library. */
export function startQueueThread(): NodeThread {
  // A thread cannot read TypeScript: run from its sources, the library starts what was built from them.
  const built = import.meta.url.endsWith('.ts') ? '../../../../dist/app/queue/queueThread.js' : '../queueThread.js';
  return new Worker(new URL(built, import.meta.url));
}

/** @param most - how many are kept while they have nothing to do */
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
      // What one has open takes memory: no more are kept than can be at work.
      if (idle.length > most) drop(idle[0]!);
    },
    drop,
    close() {
      for (const held of [...threads.keys()]) drop(held);
    },
  };
}
