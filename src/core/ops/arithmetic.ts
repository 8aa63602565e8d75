import { type Tensor, tf } from '../tensorflow.ts';
import { asTensor, type TensorOrNumber } from './creation.ts';

/**
 * Arithmetic of two operands. Shapes broadcast; a number counts as a scalar and keeps every digit on the float64 backend.
 */
export type Binary = <T extends Tensor = Tensor>(a: TensorOrNumber, b: TensorOrNumber) => T;

/** a + b. */
export const add: Binary = (a, b) => tf.add(asTensor(a), asTensor(b));
/** a − b. */
export const sub: Binary = (a, b) => tf.sub(asTensor(a), asTensor(b));
/** a·b, entry by entry. */
export const mul: Binary = (a, b) => tf.mul(asTensor(a), asTensor(b));
/** a / b. */
export const div: Binary = (a, b) => tf.div(asTensor(a), asTensor(b));
/** a to the power b. NaN for a negative a and a b that is not an integer. */
export const pow: Binary = (a, b) => tf.pow(asTensor(a), asTensor(b));
/** The larger of a and b, entry by entry; where they are equal, a receives the gradient. */
export const maximum: Binary = (a, b) => tf.maximum(asTensor(a), asTensor(b));
/** The smaller of a and b, entry by entry; where they are equal, a receives the gradient. */
export const minimum: Binary = (a, b) => tf.minimum(asTensor(a), asTensor(b));
/** (a − b)². */
export const squaredDifference: Binary = (a, b) => tf.squaredDifference(asTensor(a), asTensor(b));
/** The angle of the point (b, a), in (−π, π]. */
export const atan2: Binary = (a, b) => tf.atan2(asTensor(a), asTensor(b));
