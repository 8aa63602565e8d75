import { parentPort } from 'node:worker_threads';
import type { OwnParts } from '../../models/ownParts.ts';
import { serveFits } from '../workers/index.ts';
import { serveShards } from './shards/serveShards.ts';
import { serveCells } from './sweep/serveCells.ts';

/**
 * Makes a thread of a queue's worker out of the thread that calls it: the one line of its file.
 *
 * @param own - factories of models, kernels, priors and other parts that do not come with the library, by name
 * @throws InvalidInputError when it is not called in a thread of Node
 * @example
 * ```ts
 * serveQueueThread({ kernels: { cauchy } });
 * ```
 */
export async function serveQueueThread(own: OwnParts = {}): Promise<void> {
  await serveFits(own);
  serveCells(parentPort!, own);
  serveShards(parentPort!, own);
}
