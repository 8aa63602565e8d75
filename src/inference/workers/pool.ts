import { isNode, nodeModule } from '../../core/nodeModule.ts';
import { atMostProcessors } from '../../core/processors.ts';

/**
 * Workers of your own for the starts of a fit: for models with kernels, priors or other parts of your own, or where a bundler
 * needs to see the worker's file. The file calls `serveFits` of `latentfield/workers`.
 *
 * @example
 * ```ts
 * // worker.js
 * import { serveFits } from 'latentfield/workers';
 * import { cauchy } from './cauchy.js';
 * serveFits({ kernels: { cauchy } });
 *
 * // page.js
 * const start = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
 * await fit(model, { restarts: 7, workers: { count: 4, start } });
 * ```
 */
export interface WorkerPool {
  /** How many, at least 1. */
  readonly count: number;
  /** Starts one: a `Worker` of the browser, or of node:worker_threads. */
  readonly start: () => WorkerLike;
}

/** What is used of a Web Worker, or of a thread of Node. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'> | NodeThread;

/** What is used of a thread of node:worker_threads. */
export interface NodeThread {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  terminate(): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
}

/** Who gets the messages of a worker. */
export interface Listener {
  message(data: unknown): void;
  /** Called when the worker could not start, or came to an end by itself. */
  lost(reason: string): void;
}

/** As many workers as asked for, one for each processor at most, which know the parts that come with the library. */
export async function builtInPool(wanted: number): Promise<WorkerPool> {
  const count = await atMostProcessors(wanted);
  if (!isNode()) {
    return {
      count,
      start: () => new Worker(new URL('../../workers/fitWorker.js', import.meta.url), { type: 'module' }),
    };
  }
  const threads = await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.');
  // A thread cannot read TypeScript: run from its sources, the library starts the worker that was built from them.
  const built = import.meta.url.endsWith('.ts') ? '../../../dist/workers/fitWorker.js' : '../../workers/fitWorker.js';
  return { count, start: () => new threads.Worker(new URL(built, import.meta.url)) };
}

/** Listens to a worker of either kind. */
export function listen(worker: WorkerLike, { message, lost }: Listener): void {
  if ('on' in worker) {
    worker.on('message', message);
    worker.on('error', (error) => lost(error.message));
    worker.on('exit', (code) => lost(`it ended with exit code ${code}`));
    return;
  }
  worker.addEventListener('message', ({ data }) => message(data));
  worker.addEventListener('error', ({ message: reason }) => lost(reason || notLoaded()));
  worker.addEventListener('messageerror', () => lost('a message of it could not be read'));
}

/** Browsers do not say what is wrong. */
const notLoaded = () =>
  `its file, workers/fitWorker.js, could not be loaded beside ${import.meta.url}. If it was moved, start workers of your own: ` +
  "() => new Worker(url, { type: 'module' }), with the url of latentfield/worker.js. A content security policy must allow it (worker-src)";
