import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import type { TensorMap } from '../model/model.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor2D } from '../tensors/tensorflow.ts';

const row = 'first rows of sequences, whole numbers from 0 in ascending order';
const start = v.pipe(v.number(row), v.integer(row), v.minValue(0, row));

/** What priors on sequences know of the rows of X. */
export const sequenceEntries = {
  segments: v.optional(v.array(start, row), []),
  initial: v.optional(v.picklist(['standardNormal', 'none'], "'standardNormal' or 'none'"), 'standardNormal'),
};

/** The same of a saved prior, which says all. */
export const savedSequence = {
  segments: v.array(start),
  initial: v.picklist(['standardNormal', 'none']),
};

/** The rows of X as sequences. */
export interface SequenceData {
  /** First rows of the sequences; 0 is implied. */
  readonly segments: readonly number[];
  /** Whether the first row of each sequence has a standard normal density. */
  readonly initial: 'standardNormal' | 'none';
}

/** Rows with a successor, their successors, and the first rows of the sequences. */
export interface Transitions {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly first: Int32Array;
}

/**
 * Steps within the sequences of N rows.
 *
 * @throws InvalidInputError when a sequence starts beyond the last row, starts are not in order, or no row has a successor
 */
export function transitionsOf(segments: readonly number[], N: number, caller: string): Transitions {
  const starts = segments[0] === 0 ? [...segments] : [0, ...segments];
  starts.forEach((first, s) => {
    if (first < N && (s === 0 || first > starts[s - 1]!)) return;
    throw new InvalidInputError(
      `${caller} takes first rows of sequences in ascending order below ${N}, the number of points, but [${segments.join(', ')}] was given.`,
    );
  });
  const isFirst = new Set(starts);
  const to = Int32Array.from({ length: N }, (_, i) => i).filter((i) => !isFirst.has(i));
  if (to.length === 0) {
    throw new InvalidInputError(
      `${caller} needs a sequence of at least 2 rows, but each of the ${N} rows is a sequence of its own.`,
    );
  }
  return { from: to.map((i) => i - 1), to, first: Int32Array.from(starts) };
}

/** Σ log N(x | 0, I) over the first rows of the sequences, or 0. */
export function initialDensity(X: Tensor2D, first: Int32Array, { initial }: SequenceData): Scalar {
  if (initial === 'none') return op.scalar(0);
  const rows = op.gather(X, first);
  return op.sub<Scalar>(op.mul(-0.5, op.sum(op.square(rows))), (rows.size * log(2 * Math.PI)) / 2);
}

/** The tensors of a part under its own names, out of a map in which they carry a prefix. */
export function withoutPrefix(p: TensorMap, prefix: string): TensorMap {
  return Object.fromEntries(
    Object.entries(p).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  );
}
