import * as tf from '@tensorflow/tfjs-core';
import { doublesOf } from '../doubles.ts';
import { scalarOperand } from '../linearAlgebra/operands.ts';
import type { Scalar, Tensor } from '../tensorflow.ts';
import { scalar } from './creation.ts';

/**
 * a + b of two scalars, at a fraction of the cost of `add`, whose gradient allows for broadcasting.
 *
 * @param a - a scalar
 * @param b - a scalar
 * @returns a scalar, with gradients in both
 * @throws InvalidInputError when a or b is not one number
 * @example
 * ```ts
 * op.addScalars(op.scalar(1), op.scalar(2)); // 3
 * ```
 */
export function addScalars(a: Tensor, b: Tensor): Scalar {
  return sum(scalarOperand(a, 'addScalars', 'a'), scalarOperand(b, 'addScalars', 'b'));
}

const sum = tf.customGrad((...args: unknown[]) => {
  const [a, b] = args as [Tensor, Tensor];
  const value = scalar(doublesOf(a)[0]! + doublesOf(b)[0]!);
  return { value, gradFunc: (dy: Tensor) => [dy, dy.clone()] };
}) as unknown as (a: Tensor, b: Tensor) => Scalar;
