import * as tf from '@tensorflow/tfjs-core';
import type { Save } from '../linearAlgebra/operations/operation.ts';
import type { Tensor } from '../tensorflow.ts';

export type { Save } from '../linearAlgebra/operations/operation.ts';

/** A value, and the function that computes the gradients of the arguments. */
export interface WithGradient<T extends Tensor = Tensor> {
  readonly value: T;
  /** Computes ∂f/∂argument for each argument, in order and in its shape, from ∂f/∂value and the saved tensors. */
  readonly gradFunc: (dy: T, saved: Tensor[]) => Tensor | Tensor[];
}

/**
 * A function of tensors with a custom gradient, for when the automatic one is slow, loses digits, or is not wanted.
 *
 * @param f - from the arguments and `save` to `{ value, gradFunc }`; what `gradFunc` needs is given to `save`, once, and comes back as
 * `saved`. What happens inside is not differentiated
 * @returns a function of the arguments
 * @throws Error of TensorFlow.js when an argument is not a tensor, or a gradient is missing or of another shape than its argument
 * @example
 * ```ts
 * // x·log x, whose value and gradient are to be 0 at 0
 * const entropy = op.customGrad((x: op.Tensor, save: op.Save) => {
 *   save([x]);
 *   const value = op.where(op.greater(x, 0), op.mul(x, op.log(x)), 0);
 *   const gradFunc = (dy: op.Tensor, [at]: op.Tensor[]) =>
 *     op.mul(dy, op.where(op.greater(at, 0), op.add(1, op.log(at)), 0));
 *   return { value, gradFunc };
 * });
 * entropy(op.tensor([0, 1])); // [0, 0]
 * ```
 */
export function customGrad<Arguments extends Tensor[], T extends Tensor = Tensor>(
  f: (...args: [...Arguments, save: Save]) => WithGradient<T>,
): (...args: Arguments) => T {
  return tf.customGrad<T>(f as unknown as (...args: unknown[]) => { value: T; gradFunc: WithGradient<T>['gradFunc'] });
}
