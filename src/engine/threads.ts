import { atMostProcessors, isNode, nodeModule, processors } from '../core/host.ts';
import { checkGiven, isWhole } from '../core/options.ts';
import { sharedMemory } from './memory.ts';
import { alone, startTeam, type Threads } from './wasm/team.ts';

export type { Threads };

/**
 * Starts threads for the WebAssembly engine: threads of Node, or Web Workers. Products, Cholesky factors, triangular solutions,
 * inverses and RBF covariances of some hundred rows and more are shared among them, and so is the search for nearest neighbors in many dimensions,
 * with the same bits as on one thread. Other work is not shared. Pass the threads to `fit` as its option `threads`, or run other work with them.
 *
 * While threads exist, all tensors of the library are in shared memory; they are copied there at the start, and back at the end. If shared memory is
 * not available, as on a page that is not cross-origin isolated, everything runs on the calling thread, and `reason` explains why.
 *
 * @param count - number of threads including the calling one, from 1; limited to the number of processors (at least two), which `reason` then
 *   mentions
 * @throws InvalidInputError unless `count` is a whole number from 1
 * @example
 * ```ts
 * const threads = await startThreads(4);
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { threads });
 * const { mean } = threads.run(() => result.predict(X));
 * await threads.dispose();
 * ```
 */
export async function startThreads(count: number): Promise<Threads> {
  checkGiven(count, 'startThreads', 'a whole number of threads from 1', isWhole(1));
  const capped = await atMostProcessors(count);
  const threads = await startTeam(sharedMemory(), capped);
  if (capped === count || threads.reason !== undefined) return threads;
  const reason = `${count} threads were requested, but this machine has processors for ${capped}.`;
  return { ...threads, reason };
}

/** Default limit on the number of threads of a fit; more have not been measured. */
const MOST = 4;

/** Starts a thread per processor, up to the default limit. Worker threads of Node start none, since several of them usually share the processors. */
export async function startFreeThreads(): Promise<Threads> {
  if (!(await isMainThread())) return alone(undefined);
  return startTeam(sharedMemory(), Math.min(MOST, await processors()));
}

/** Whether this is the main thread of Node; true for any thread of a browser. */
export async function isMainThread(): Promise<boolean> {
  if (!isNode()) return true;
  return (await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.')).isMainThread;
}
