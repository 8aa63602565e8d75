import * as tf from '@tensorflow/tfjs-core';
import { counted, countGiven } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { doublesOf } from '../doubles.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';
import { tensor } from './creation.ts';

/**
 * Sums of the rows of X that belong to the same segment: row s of the result is Σ x_i over the rows i with segments[i] = s. Rows of
 * segment −1 belong to none.
 *
 * @param X - n×q
 * @param segments - n whole numbers from −1 to count − 1
 * @param count - number of segments
 * @returns count×q
 * @throws InvalidInputError when there is not one segment a row
 * @example
 * ```ts
 * op.segmentSum(op.tensor([[1], [2], [4]]), Int32Array.of(0, 1, 0), 2); // [[5], [2]]
 * ```
 */
export function segmentSum(X: Tensor2D, segments: Int32Array, count: number): Tensor2D {
  const [n, q] = X.shape;
  const odd = segments.findIndex((s) => s < -1 || s >= count);
  if (segments.length !== n || odd >= 0) {
    const wrong = segments.length === n ? `segment ${odd} is ${segments[odd]}` : countGiven(segments.length, 'segment');
    throw new InvalidInputError(
      `segmentSum takes one segment from −1 to ${count - 1} for each of the ${counted(n, 'row')}, but ${wrong}.`,
    );
  }
  return tf.customGrad((...args: unknown[]) => {
    const rows = doublesOf(args[0] as Tensor2D);
    const sums = new Float64Array(count * q);
    segments.forEach((s, i) => {
      if (s >= 0) for (let d = 0; d < q; d++) sums[s * q + d]! += rows[i * q + d]!;
    });
    const gradFunc = (dy: Tensor) => {
      const weights = doublesOf(dy);
      const gradient = new Float64Array(n * q);
      segments.forEach((s, i) => {
        if (s >= 0) for (let d = 0; d < q; d++) gradient[i * q + d] = weights[s * q + d]!;
      });
      return tensor(gradient, [n, q]);
    };
    return { value: tensor(sums, [count, q]), gradFunc };
  })(X) as Tensor2D;
}
