import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { counted, countGiven } from '../../../core/wording.ts';
import { doublesOf } from '../doubles.ts';
import type { Scalar, Tensor, Tensor2D } from '../tensorflow.ts';
import { tensor } from './creation.ts';

/**
 * A reduction along one axis, several, or all of them.
 *
 * @param x - a numeric tensor of any shape
 * @param axis - one axis or several, from 0, or from −1 for the last one backwards; all of them when none is given
 * @param keepDims - whether reduced axes are kept, with size 1, instead of dropped (false)
 * @returns a tensor without the reduced axes, with a gradient in x
 * @throws Error of TensorFlow.js when there is no such axis
 */
export interface Reduction {
  (x: Tensor): Scalar;
  <T extends Tensor = Tensor>(x: Tensor, axis?: number | number[], keepDims?: boolean): T;
}

/**
 * The sum of the entries, Σ x_i.
 *
 * @example
 * ```ts
 * op.sum(op.tensor([[1, 2], [3, 4]]), 0); // [4, 6]
 * ```
 */
export const sum: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) =>
  tf.sum(x, axis, keepDims) as never;

/**
 * The mean of the entries, Σ x_i / n.
 *
 * @example
 * ```ts
 * op.mean(op.tensor([[1, 2], [3, 4]]), 1, true); // [[1.5], [3.5]]
 * ```
 */
export const mean: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) =>
  tf.mean(x, axis, keepDims) as never;

/**
 * The largest entry; entries that share it each receive the whole gradient.
 *
 * @example
 * ```ts
 * op.max(op.tensor([[1, 2], [3, 4]]), 0); // [3, 4]
 * ```
 */
export const max: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) =>
  tf.max(x, axis, keepDims) as never;

/**
 * The smallest entry; entries that share it each receive the whole gradient.
 *
 * @example
 * ```ts
 * op.min(op.tensor([[1, 2], [3, 4]])); // 1
 * ```
 */
export const min: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) =>
  tf.min(x, axis, keepDims) as never;

/**
 * log Σ exp x_i, without overflow. Its gradient is the softmax, exp x_i / Σ exp x_j.
 *
 * @example
 * ```ts
 * op.logSumExp(op.tensor([1000, 1000])); // 1000.6931471805599
 * ```
 */
export const logSumExp: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) =>
  tf.logSumExp(x, axis, keepDims) as never;

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
