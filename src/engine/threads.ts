export type { Threads } from './wasm/team.ts';

import { InvalidInputError } from '../core/errors.ts';
import { atMostProcessors, isNode, nodeModule, processors } from '../core/host.ts';
import { sharedMemory } from './memory.ts';
import { alone, startTeam, type Threads } from './wasm/team.ts';

/**
 * Starts threads for the WebAssembly engine: threads of Node, or Web Workers. Products, Cholesky factors, triangular solutions,
 * inverses and RBF covariances of some hundred rows and more are shared among them, and the search of nearest neighbors in many dimensions, with the
 * same bits as on one thread; nothing else is. Give them to `fit` with its option `threads`, or run other work with them.
 *
 * While there are threads, all tensors of the library are in memory that they can share; they are copied there, and back in the end.
 * Where there is no such memory, as on a page that is not cross-origin isolated, everything runs on the calling thread, and `reason`
 * says why.
 *
 * @param count - the calling thread counted, a whole number from 1; at most as many are started as there are processors, two where there is one,
 * and `reason` says so
 * @throws InvalidInputError when `count` is something else
 * @example
 * ```ts
 * const threads = await startThreads(4);
 * const result = await fit(gplvm(Y, { latentDim: 2 }), { threads });
 * const { mean } = threads.run(() => result.predict(X));
 * await threads.dispose();
 * ```
 */
export async function startThreads(count: number): Promise<Threads> {
  if (!Number.isInteger(count) || count < 1) {
    throw new InvalidInputError(`startThreads takes a whole number of threads from 1, but ${count} was given.`);
  }
  const capped = await atMostProcessors(count);
  const threads = await startTeam(sharedMemory(), capped);
  if (capped === count || threads.reason !== undefined) return threads;
  const reason = `${count} threads were asked for, but this machine has processors for ${capped}.`;
  return { ...threads, reason };
}

/** Default limit on the number of threads of a fit; the gain from more was not measured. */
const MOST = 4;

/** Starts a thread per processor, up to the default limit. A worker thread of Node starts none, since several of them usually share the processors. */
export async function startFreeThreads(): Promise<Threads> {
  if (!(await isMainThread())) return alone(undefined);
  return startTeam(sharedMemory(), Math.min(MOST, await processors()));
}

/** Whether this is the main thread of Node; in a browser, whatever thread it is. */
export async function isMainThread(): Promise<boolean> {
  if (!isNode()) return true;
  return (await nodeModule<typeof import('node:worker_threads')>('node:worker_threads', 'Not in Node.')).isMainThread;
}
