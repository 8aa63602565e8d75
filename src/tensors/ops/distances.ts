import * as tf from '@tensorflow/tfjs-core';
import type { Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../tensorflow.ts';
import { squaredDistances } from './squaredDistances.ts';

/**
 * Euclidean distances between the rows of A (n×q) and B (m×q), by direct differences. The gradient in the points is the unit vector
 * between them, and 0 for coincident points, where there is none: nothing turns into NaN. Pass the same tensor twice for the
 * distances within one set.
 *
 * @param A - n×q
 * @param B - m×q
 * @returns n×m
 * @throws InvalidInputError when A and B are not matrices with the same number of columns
 * @example
 * ```ts
 * op.distances(op.tensor([[0, 0]]), op.tensor([[3, 4], [0, 1]])); // [[5, 1]]
 * ```
 */
export function distances(A: Tensor2D, B: Tensor2D): Tensor2D {
  return root(squaredDistances(A, B));
}

/** √s, with gradient 0 where s = 0. */
const root = tf.customGrad((...args: unknown[]) => {
  const [s, save] = args as [Tensor2D, Save];
  const r = tf.sqrt(s);
  save([r]);
  const gradFunc = (dy: Tensor, [value]: Tensor[]) => {
    const apart = tf.greater(value!, 0);
    const slope = tf.div(0.5, tf.where(apart, value!, tf.onesLike(value!)));
    return tf.mul(dy, tf.where(apart, slope, tf.zerosLike(slope)));
  };
  return { value: r, gradFunc };
}) as (s: Tensor2D) => Tensor2D;
