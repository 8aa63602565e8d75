import { doublesOf } from '../matrix.ts';
import { type Tensor, type Tensor2D, tf } from '../tensorflow.ts';
import { tensor } from './creation.ts';

/**
 * K + v·I without forming I.
 *
 * @param K - n×n
 * @param v - a scalar
 * @returns n×n, with gradients in both
 */
export const addDiagonal = tf.customGrad((...args: unknown[]) => {
  const [K] = args as [Tensor2D, Tensor];
  const [n] = K.shape;
  const sum = doublesOf(K);
  const [value] = doublesOf(args[1] as Tensor);
  for (let i = 0; i < n; i++) sum[i * n + i]! += value!;
  return {
    value: tensor(sum, [n, n]),
    gradFunc: (dy: Tensor) => {
      const weights = doublesOf(dy);
      let trace = 0;
      for (let i = 0; i < n; i++) trace += weights[i * n + i]!;
      return [dy, tensor(Float64Array.of(trace), [])];
    },
  };
}) as unknown as (K: Tensor2D, v: Tensor) => Tensor2D;
