import * as tf from '@tensorflow/tfjs-core';
import type { Tensor } from '../tensorflow.ts';
import { asTensor, type TensorOrNumber } from './creation.ts';

/**
 * A comparison of two operands, entry by entry; a comparison with NaN does not hold.
 *
 * @param a - a tensor of any shape, or a number
 * @param b - the same; shapes broadcast
 * @returns a tensor of type 'bool' of the shape that both broadcast to, with no gradient
 * @throws Error of TensorFlow.js when the shapes do not broadcast
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
 * a where the condition holds, b elsewhere; shapes broadcast. The gradient goes to the one that was chosen only, but an
 * infinite derivative inside the other still makes NaN: keep arguments of log and sqrt away from 0 in both.
 *
 * @param condition - a tensor of type 'bool'
 * @param a - a tensor or a number
 * @param b - a tensor or a number
 * @returns a tensor of the shape that all three broadcast to
 * @throws Error of TensorFlow.js when the shapes do not broadcast, or the condition is not of type 'bool'
 * @example
 * ```ts
 * const x = op.tensor([-2, 3]);
 * op.where(op.greater(x, 0), x, op.mul(x, 0.1)); // [-0.2, 3]
 * ```
 */
export function where<T extends Tensor = Tensor>(condition: Tensor, a: TensorOrNumber, b: TensorOrNumber): T {
  return tf.where(condition, asTensor(a), asTensor(b)) as Tensor as T;
}
