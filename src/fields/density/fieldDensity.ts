import * as tf from '@tensorflow/tfjs-core';
import { doublesOf } from '../../tensors/doubles.ts';
import type { Save } from '../../tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D } from '../../tensors/tensorflow.ts';
import type { FieldFactor } from './fieldFactor.ts';

/**
 * log|L(w) + λI| of a graph as a function of its weights; the gradient is R_e = U_ii + U_jj − 2U_ij, U the inverse, of which the
 * diagonal and the entries at the edges are all that is needed.
 *
 * @param weights - one of each edge, ≥ 0
 * @param factor - of the graph
 * @param base - λ > 0
 * @throws NumericalError when the precision has no factor in double precision
 */
export function fieldLogDeterminant(weights: Tensor1D, factor: FieldFactor, base: number): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const [w, save] = args as [Tensor, Save];
    const { logDeterminant, resistances } = factor.evaluate(doublesOf(w), base);
    save([op.tensor(resistances)]);
    const gradFunc = (dy: Tensor, [R]: Tensor[]) => op.mul(R!, dy);
    return { value: op.scalar(logDeterminant), gradFunc };
  })(weights) as Scalar;
}

/** c/2·log|L(w) + λI| − ½·Σ_e w_e·φ_e. */
export function fieldDensity(
  weights: Tensor1D,
  squaredDistances: Tensor1D,
  factor: FieldFactor,
  base: number,
  copies: number,
): Scalar {
  const logDeterminant = fieldLogDeterminant(weights, factor, base);
  const cost = op.sum(op.mul(weights, squaredDistances));
  return op.sub(op.mul(copies / 2, logDeterminant), op.mul(0.5, cost)) as Scalar;
}
