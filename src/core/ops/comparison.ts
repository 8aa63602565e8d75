import { type Tensor, tf } from '../tensorflow.ts';
import { asTensor, type TensorOrNumber } from './creation.ts';

/** A comparison of two operands, of type 'bool'. Shapes broadcast; its gradient is zero. */
export type Comparison = <T extends Tensor = Tensor>(a: TensorOrNumber, b: TensorOrNumber) => T;

/** a = b. */
export const equal: Comparison = (a, b) => tf.equal(asTensor(a), asTensor(b));
/** a > b. */
export const greater: Comparison = (a, b) => tf.greater(asTensor(a), asTensor(b));
/** a ≥ b. */
export const greaterEqual: Comparison = (a, b) => tf.greaterEqual(asTensor(a), asTensor(b));
/** a < b. */
export const less: Comparison = (a, b) => tf.less(asTensor(a), asTensor(b));
/** a ≤ b. */
export const lessEqual: Comparison = (a, b) => tf.lessEqual(asTensor(a), asTensor(b));

/**
 * a where the condition holds, b elsewhere; shapes broadcast. The gradient goes to the one that was chosen only, but an
 * infinite derivative inside the other still makes NaN: keep arguments of log and sqrt away from 0 in both.
 *
 * @param condition - a tensor of type 'bool'
 * @example
 * ```ts
 * where(greater(x, 0), x, mul(x, 0.1));
 * ```
 */
export function where<T extends Tensor = Tensor>(condition: Tensor, a: TensorOrNumber, b: TensorOrNumber): T {
  return tf.where(condition, asTensor(a), asTensor(b)) as Tensor as T;
}
