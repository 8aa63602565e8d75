import { seededRandom } from '../../core/random.ts';
import type { Batch } from '../../model/model.ts';

/** Keeps the orders of rows apart from what else a seed decides. */
const STREAM = 104_729;

/**
 * The batches of a fit: evaluation e sees the e-th batch. Every epoch goes through all rows once, in an order that the seed and its number
 * decide, so that a fit that was interrupted goes on with the same ones.
 *
 * @param points - N
 * @param batchSize - 1 … N; the last batch of an epoch may be smaller
 */
export function batches(points: number, batchSize: number, seed: number): (evaluation: number) => Batch {
  const perEpoch = batchesOf(points, batchSize);
  let known: { readonly epoch: number; readonly order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  return (evaluation) => {
    const epoch = Math.floor(evaluation / perEpoch);
    if (known.epoch !== epoch) known = { epoch, order: shuffled(points, seed + STREAM * (epoch + 1)) };
    const start = (evaluation % perEpoch) * batchSize;
    const rows = known.order.slice(start, start + batchSize);
    return { rows, scale: points / rows.length };
  };
}

/** How many batches an epoch has. */
export const batchesOf = (points: number, batchSize: number) => Math.ceil(points / batchSize);

/** Fisher and Yates. */
function shuffled(count: number, seed: number): Int32Array {
  const random = seededRandom(seed);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
