import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix } from '../../core/matrix.ts';
import { seededRandom, shuffled } from '../../core/random.ts';
import { readRows } from '../../core/rowMatrices.ts';
import type { Batch, SourcedModel } from '../../model/model.ts';
import type { LogDensity } from '../../model/objective.ts';

/** Stream number that separates row orders from other random draws of a seed. */
const STREAM = 104_729;

/**
 * Batches of a fit: evaluation e uses the e-th batch. Every epoch visits all rows once, in an order that is determined by the seed and the epoch
 * number, so that an interrupted fit resumes with the same batches.
 *
 * @param points - N
 * @param batchSize - 1 … N; the last batch of an epoch may be smaller
 */
export function batches(points: number, batchSize: number, seed: number): (evaluation: number) => Batch {
  const perEpoch = batchesOf(points, batchSize);
  let known: { readonly epoch: number; readonly order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  return (evaluation) => {
    const epoch = Math.floor(evaluation / perEpoch);
    if (known.epoch !== epoch) known = { epoch, order: shuffled(points, seededRandom(seed + STREAM * (epoch + 1))) };
    const start = (evaluation % perEpoch) * batchSize;
    const rows = known.order.slice(start, start + batchSize);
    return { rows, scale: points / rows.length };
  };
}

/** Number of batches per epoch. */
export const batchesOf = (points: number, batchSize: number) => Math.ceil(points / batchSize);

/** Log density of all rows from the estimates of an epoch's batches; the last batch may be smaller. */
export function averageDensity(parts: readonly LogDensity[], points: number, batchSize: number): LogDensity {
  const shareOf = (k: number) => Math.min(batchSize, points - k * batchSize) / points;
  const average = (of: (part: LogDensity) => number) => parts.reduce((sum, part, k) => sum + shareOf(k) * of(part), 0);
  return {
    value: average(({ value }) => value),
    terms: Object.fromEntries(Object.keys(parts[0]!.terms).map((name) => [name, average(({ terms }) => terms[name]!)])),
    gradients: [],
    jitter: parts.reduce((most, { jitter }) => Math.max(most, jitter), 0),
    approximations: parts[0]!.approximations ?? [],
  };
}

/** Reads the rows of batches before they are evaluated. */
export function rowsRead({ source }: SourcedModel, batchAt: (evaluation: number) => Batch) {
  const read = new Map<number, Matrix>();
  return {
    ready: async (evaluation: number) => {
      read.set(evaluation, await readRows(source, batchAt(evaluation).rows));
    },
    of: (evaluation: number): Pick<Batch, 'observations'> => {
      const observations = read.get(evaluation);
      read.delete(evaluation);
      if (observations !== undefined) return { observations };
      throw new InvalidInputError(
        'The observations of this model are read in blocks of rows, which only the solver adam() supports. Leave solver out.',
      );
    },
  };
}
