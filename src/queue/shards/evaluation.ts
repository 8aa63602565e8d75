import * as v from 'valibot';
import { checkSaved } from '../../core/saved.ts';
import type { ShardPoint } from '../../mapping/variational/shards.ts';
import { packed, unpacked } from '../packed.ts';

const doubles = v.custom<Float64Array>((value) => value instanceof Float64Array, 'a list of doubles');
const schema = v.strictObject({
  at: v.array(
    v.pipe(
      v.strictObject({ shape: v.array(v.number()), data: doubles }),
      v.check(
        ({ shape, data }) => shape.reduce((size, length) => size * length, 1) === data.length,
        'as many numbers as the shape has entries',
      ),
    ),
  ),
  slopes: v.optional(doubles),
});

/** What a shard is asked: its sums at a point, or its gradients there. */
export interface Evaluation {
  readonly at: ShardPoint;
  readonly slopes?: Float64Array | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const evaluationBytes = (evaluation: Evaluation): Uint8Array => encoder.encode(packed(evaluation));

/** @throws InvalidInputError for anything else */
export const evaluationFrom = (bytes: Uint8Array): Evaluation =>
  checkSaved(schema, unpacked(decoder.decode(bytes)), 'evaluation');

export const answerBytes = (values: readonly Float64Array[]): Uint8Array => encoder.encode(packed(values));

export const answerFrom = (bytes: Uint8Array): Float64Array[] =>
  checkSaved(v.array(doubles), unpacked(decoder.decode(bytes)), 'answer');
