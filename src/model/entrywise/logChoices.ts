import * as tf from '@tensorflow/tfjs-core';
import { digamma, lgamma } from '../../engine/special/gamma.ts';
import {
  type MatrixKernel,
  registerOnce,
  runKernel,
  type Save,
} from '../../engine/tensors/linearAlgebra/operations/operation.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';

/** log Γ(y + r) − log Γ(r) − log y! of counts y, n×D, for sizes r, a scalar or one per column or entry. Counts repeat, and each is computed once a column. */
export function logChoices(y: Tensor2D, size: Tensor): Tensor2D {
  registerOnce(CHOICES);
  return tf.customGrad((...args: unknown[]) => {
    const [r, save] = args as [Tensor, Save];
    const [value, slopes] = runKernel(CHOICES.name, { y, size: r }) as [Tensor, Tensor];
    save([slopes]);
    const gradFunc = (dy: Tensor, [slope]: Tensor[]) =>
      tf.reshape(tf.sum(tf.mul(dy, slope!), tf.broadcast_util.getReductionAxes(r.shape, y.shape)), r.shape);
    return { value, gradFunc };
  })(size) as Tensor2D;
}

/** Counts below this are looked up. */
const MOST_KNOWN = 4096;

const CHOICES: MatrixKernel<object> = {
  name: 'latentfield.LogChoices',
  inputs: ['y', 'size'],
  outputs: ([y]) => [y!, y!],
  compute({ memory, inputs, outputs }, [shape, sizes]) {
    const [n, D] = shape as [number, number];
    const count = sizes!.reduce((product, length) => product * length, 1);
    const perEntry = count > 1 && count !== D;
    const [counts, values, slopes] = [inputs[0]!, ...outputs].map((offset) => memory.float64(offset, n * D)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const known = new Float64Array(2 * MOST_KNOWN);
    const all = memory.float64(inputs[1]!, count);
    for (let j = 0; j < D; j++) {
      let r = all[count === 1 ? 0 : j]!;
      let [logGamma, psi] = [lgamma(r), digamma(r)];
      known.fill(Number.NaN);
      for (let i = j; i < n * D; i += D) {
        if (perEntry && all[i] !== r) {
          r = all[i]!;
          [logGamma, psi] = [lgamma(r), digamma(r)];
          known.fill(Number.NaN);
        }
        const y = counts[i]!;
        const at = y >= 0 && y < MOST_KNOWN && Number.isInteger(y) ? 2 * y : -1;
        if (at < 0 || Number.isNaN(known[at]!)) {
          values[i] = lgamma(y + r) - (logGamma + lgamma(y + 1));
          slopes[i] = digamma(y + r) - psi;
          if (at < 0) continue;
          known[at] = values[i]!;
          known[at + 1] = slopes[i]!;
        }
        values[i] = known[at]!;
        slopes[i] = known[at + 1]!;
      }
    }
  },
};
