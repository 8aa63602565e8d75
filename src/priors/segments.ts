import * as v from 'valibot';
import { log } from '../core/elementary/index.ts';
import { InvalidInputError } from '../core/errors.ts';
import { describe, Matrix } from '../core/matrix.ts';
import { checkOptions, listOf, type OptionsIn, readGiven } from '../core/options.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { medianOf } from '../engine/vectors.ts';
import type { TensorMap } from '../model/model.ts';

const row = 'first rows of sequences, whole numbers from 0 in ascending order';
const start = v.pipe(v.number(row), v.integer(row), v.minValue(0, row));

/** Options that divide the rows of X into sequences and define the density of their first rows. */
export const sequenceEntries = {
  /** First rows of the sequences; 0 is implied. */
  segments: v.optional(listOf(start, row), []),
  /** Whether the first row of each sequence has a standard normal density; default 'standardNormal'. */
  initial: v.optional(v.picklist(['standardNormal', 'none'], "'standardNormal' or 'none'"), 'standardNormal'),
};

/** The rows of X as sequences. */
export interface SequenceData extends Required<OptionsIn<typeof sequenceEntries>> {}

export interface SegmentsOptions extends OptionsIn<typeof segmentsSchema> {}

const segmentsSchema = v.strictObject({
  /** Longest step within a sequence, in the unit of the times; default 1.5 times the median step. */
  maxStep: v.optional(v.pipe(v.number('a number above 0'), v.gtValue(0, 'a number above 0'))),
});

/** A step longer than this many times the median step is a gap, by default. */
const GAP = 1.5;

/**
 * First rows of the sequences that gaps in time divide rows into: row 0, and each row i with t_i − t_{i−1} > m, with m 1.5 times the median step by
 * default. Passed to `dynamics` and `markov` as `segments`, they prevent steps across gaps.
 *
 * @param times - N times in ascending order, a list or N×1, such as `time` of `readTable` (dates in days)
 * @param options - `maxStep` m
 * @throws InvalidInputError for times that are not finite or do not ascend, with the row, and for an unknown option or one outside its range
 * @example
 * ```ts
 * dynamics({ segments: segmentsOf([1, 2, 3, 10, 11]) }); // sequences from rows 0 and 3
 * ```
 */
export function segmentsOf(times: ArrayLike<number> | Matrix, options: SegmentsOptions = {}): number[] {
  const { maxStep } = checkOptions(segmentsSchema, options, 'segmentsOf');
  const t = readGiven('The times given to segmentsOf', () => timesIn(times));
  const steps = Float64Array.from({ length: Math.max(0, t.length - 1) }, (_, i) => t[i + 1]! - t[i]!);
  const back = steps.findIndex((step) => !(step > 0));
  if (back >= 0) {
    throw new InvalidInputError(
      `The times of segmentsOf must ascend, but row index ${back + 1} has ${t[back + 1]} after ${t[back]}. ` +
        'Sort the rows by time and leave out those that repeat one, or give where sequences begin: dynamics({ segments: [0, 40] }), or the column that names them: `sequence`.',
    );
  }
  const longest = maxStep ?? GAP * medianOf(steps);
  return [0, ...Array.from(steps, (_, i) => i + 1).filter((i) => steps[i - 1]! > longest)];
}

function timesIn(times: unknown): Float64Array {
  const { data, columns } = times instanceof Matrix ? times : { data: times, columns: 1 };
  const isList = Array.isArray(data) || (ArrayBuffer.isView(data) && 'length' in data);
  if (!isList || columns !== 1 || (data as ArrayLike<unknown>).length === 0) {
    throw new InvalidInputError(
      `segmentsOf takes the times of N rows, a list of numbers or N×1, but ${describe(times)} was given.`,
    );
  }
  const wrong = Array.prototype.findIndex.call(data, (time: unknown) => !Number.isFinite(time));
  if (wrong >= 0) {
    throw new InvalidInputError(
      `The times of segmentsOf must be finite numbers, but row index ${wrong} is ${describe((data as ArrayLike<unknown>)[wrong])}.`,
    );
  }
  return Float64Array.from(data as ArrayLike<number>);
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
 * @throws InvalidInputError if a sequence starts beyond the last row, starts are not in order, or no row has a successor
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
      `${caller} needs a sequence of at least 2 rows, but each of the ${N} rows is a separate sequence.`,
    );
  }
  return { from: to.map((i) => i - 1), to, first: Int32Array.from(starts) };
}

/** Σ log N(x | 0, I) over the first rows of the sequences, or 0. */
export function initialDensity(X: Tensor2D, first: Int32Array, initial: SequenceData['initial']): Scalar {
  if (initial === 'none') return op.scalar(0);
  const rows = op.gather(X, first);
  return op.sub<Scalar>(op.mul(-0.5, op.sum(op.square(rows))), (rows.size * log(2 * Math.PI)) / 2);
}

/** Removes a prefix from the names of a part's tensors. */
export function withoutPrefix(p: TensorMap, prefix: string): TensorMap {
  return Object.fromEntries(
    Object.entries(p).flatMap(([name, tensor]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [],
    ),
  );
}
