import * as tf from '@tensorflow/tfjs-core';
import {
  type MatrixKernel,
  registerOnce,
  runKernel,
  type Save,
} from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';

/**
 * Runs an operation on the moments of functions that are n×D each. Its outputs are its value and the slopes of each entry in the mean and in the variance.
 *
 * @param spread - gradients in the value as gradients of the entries of the moments; default the same
 */
export function ofMoments<A extends object>(
  kernel: MatrixKernel<A>,
  mean: Tensor2D,
  variance: Tensor2D,
  attributes: A,
  spread: (dy: Tensor2D) => Tensor = (dy) => dy,
): Tensor2D {
  registerOnce(kernel);
  return tf.customGrad((...args: unknown[]) => {
    const [m, v, save] = args as [Tensor, Tensor, Save];
    const [value, ...slopes] = runKernel(kernel.name, { mean: m, variance: v }, attributes) as [Tensor, Tensor, Tensor];
    save(slopes);
    const gradFunc = (dy: Tensor, saved: Tensor[]) => {
      const each = spread(dy as Tensor2D);
      return saved.map((slope) => tf.mul(slope, each));
    };
    return { value, gradFunc };
  })(mean, variance) as Tensor2D;
}
