import * as tf from '@tensorflow/tfjs-core';
import { InvalidInputError } from '../../../core/errors.ts';
import { counted, countGiven } from '../../../core/wording.ts';
import { doublesOf } from '../doubles.ts';
import type { Scalar, Tensor, Tensor2D } from '../tensorflow.ts';
import { asTensor, type TensorOrNumber, tensor } from './creation.ts';

/**
 * A comparison of two operands, entry by entry; comparisons with NaN are false.
 *
 * @param a - a tensor of any shape, or a number
 * @param b - the same; shapes broadcast
 * @returns a tensor of type 'bool' of the shape that both broadcast to, without gradient
 * @throws Error by TensorFlow.js if the shapes do not broadcast
 */
export type Comparison = <T extends Tensor = Tensor>(a: TensorOrNumber, b: TensorOrNumber) => T;

/**
 * a = b.
 *
 * @example
 * ```ts
 * op.equal(op.tensor([1, 2, 3]), 2); // [0, 1, 0]
 * ```
 */
export const equal: Comparison = (a, b) => tf.equal(asTensor(a), asTensor(b));

/**
 * a > b.
 *
 * @example
 * ```ts
 * op.greater(op.tensor([1, 2, 3]), 2); // [0, 0, 1]
 * ```
 */
export const greater: Comparison = (a, b) => tf.greater(asTensor(a), asTensor(b));

/**
 * a ≥ b.
 *
 * @example
 * ```ts
 * op.greaterEqual(op.tensor([1, 2, 3]), 2); // [0, 1, 1]
 * ```
 */
export const greaterEqual: Comparison = (a, b) => tf.greaterEqual(asTensor(a), asTensor(b));

/**
 * a < b.
 *
 * @example
 * ```ts
 * op.less(op.tensor([1, 2, 3]), 2); // [1, 0, 0]
 * ```
 */
export const less: Comparison = (a, b) => tf.less(asTensor(a), asTensor(b));

/**
 * a ≤ b.
 *
 * @example
 * ```ts
 * op.lessEqual(op.tensor([1, 2, 3]), 2); // [1, 1, 0]
 * ```
 */
export const lessEqual: Comparison = (a, b) => tf.lessEqual(asTensor(a), asTensor(b));

/**
 * a where the condition is true, b elsewhere; shapes broadcast. Only the selected entry receives the gradient, but an infinite derivative in the
 * other one still gives NaN: keep arguments of log and sqrt away from 0 in both.
 *
 * @param condition - a tensor of type 'bool'
 * @param a - a tensor or a number
 * @param b - a tensor or a number
 * @returns a tensor of the shape that all three broadcast to
 * @throws Error by TensorFlow.js if the shapes do not broadcast, or the condition does not have type 'bool'
 * @example
 * ```ts
 * const x = op.tensor([-2, 3]);
 * op.where(op.greater(x, 0), x, op.mul(x, 0.1)); // [-0.2, 3]
 * ```
 */
export function where<T extends Tensor = Tensor>(condition: Tensor, a: TensorOrNumber, b: TensorOrNumber): T {
  return tf.where(condition, asTensor(a), asTensor(b)) as Tensor as T;
}

/**
 * A reduction along one axis, several, or all of them.
 *
 * @param x - a numeric tensor of any shape
 * @param axis - one or several axes, from 0, or from −1 backwards from the last one; default all
 * @param keepDims - whether reduced axes are kept, with size 1, instead of dropped (false)
 * @returns a tensor without the reduced axes, with a gradient in x
 * @throws Error by TensorFlow.js if there is no such axis
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
export const logSumExp: Reduction = (x: Tensor, axis?: number | number[], keepDims?: boolean) => {
  const most = max<Tensor>(x, axis, true);
  const sums = tf.log(sum<Tensor>(tf.exp(tf.sub(x, most)), axis, keepDims));
  return tf.add(sums, tf.reshape(most, sums.shape)) as never;
};

/**
 * Sums of the rows of X that belong to the same segment: row s of the result is Σ x_i over the rows i with segments[i] = s. Rows with segment −1 are
 * ignored.
 *
 * @param X - n×q
 * @param segments - n whole numbers from −1 to count − 1
 * @param count - number of segments
 * @returns count×q
 * @throws InvalidInputError unless there is one segment per row
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
