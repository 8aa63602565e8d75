import * as tf from '@tensorflow/tfjs-core';
import { doublesOf } from '../../tensors/doubles.ts';
import type { Save } from '../../tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D } from '../../tensors/tensorflow.ts';

/** The value of a density at its maximum over weights, and these. */
interface Maximum {
  readonly value: number;
  readonly weights: Float64Array;
}

/**
 * max_w c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e as a function of φ; the gradient is −w/2 at the maximum: what φ changes of w changes the value in the second
 * order only.
 *
 * @param squaredDistances - φ, one of each edge
 * @param maximum - over the weights, for these distances
 * @see Danskin, The Theory of Max-Min (1967), on the envelope theorem
 */
export function profiledDensity(squaredDistances: Tensor1D, maximum: (phi: Float64Array) => Maximum): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const [phi, save] = args as [Tensor, Save];
    const { value, weights } = maximum(doublesOf(phi).slice());
    save([op.tensor(weights)]);
    const gradFunc = (dy: Tensor, [w]: Tensor[]) => op.mul(op.mul(-0.5, w!), dy);
    return { value: op.scalar(value), gradFunc };
  })(squaredDistances) as Scalar;
}
