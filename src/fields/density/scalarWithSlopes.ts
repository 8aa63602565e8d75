import * as tf from '@tensorflow/tfjs-core';
import { doublesOf } from '../../engine/tensors/doubles.ts';
import type { Save } from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Scalar, Tensor } from '../../engine/tensors/tensorflow.ts';

/** A scalar function of tensors that is computed in plain numbers, with its slopes in each of them. */
export function scalarWithSlopes(
  tensors: readonly Tensor[],
  evaluate: (...numbers: Float64Array[]) => { readonly value: number; readonly slopes: readonly Float64Array[] },
): Scalar {
  return tf.customGrad((...args: unknown[]) => {
    const save = args.pop() as Save;
    const { value, slopes } = evaluate(...(args as Tensor[]).map((own) => doublesOf(own).slice()));
    save(slopes.map((slope) => op.tensor(slope)));
    const gradFunc = (dy: Tensor, saved: Tensor[]) => saved.map((slope) => op.mul(slope, dy));
    return { value: op.scalar(value), gradFunc };
  })(...tensors) as Scalar;
}
