import { parentPort } from 'node:worker_threads';
import type { OwnParts } from '../../models/ownParts.ts';
import { serveFits } from '../workers/index.ts';
import { serveShards } from './shards/serveShards.ts';
import { serveCells } from './sweep/fitCell.ts';

/**
 * Turns the calling thread into a thread of a queue's worker: the only statement its file needs.
 *
 * @param own - factories of custom models, kernels, priors and other parts, by name
 * @throws InvalidInputError unless it is called in a thread of Node
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
