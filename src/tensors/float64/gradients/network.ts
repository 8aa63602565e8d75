import * as tf from '@tensorflow/tfjs-core';
import { exactScalar } from '../../doubles.ts';
import type { Tensor } from '../../tensorflow.ts';
import { einsumTerms } from '../operations/einsum.ts';
import { addGradient, replaceGradient, unbroadcast } from './gradient.ts';

/** Gradients that networks of layers need: of sums of products over named axes, and of batch normalisation. */
export function registerNetworkGradients(): void {
  // Each operand receives the same sum with its place and that of the result exchanged.
  addGradient<{ equation: string }>('Einsum', 'all', (dy, saved, { equation }) => {
    const { operands, result } = einsumTerms(equation);
    const gradients = saved.map((x, t) => () => {
      const letters = operands[t]!;
      const others = operands.filter((_, other) => other !== t);
      const arriving = [result, ...others];
      const given = [dy, ...saved.filter((_, other) => other !== t)];
      // A letter of this operand alone was summed over: its gradient is the same all along that axis.
      const reached = [...letters].filter((letter) => arriving.some((term) => term.includes(letter)));
      const sum = tf.einsum(`${arriving.join(',')}->${reached.join('')}`, ...given);
      const shape = [...letters].map((letter, d) => (reached.includes(letter) ? x.shape[d]! : 1));
      return tf.broadcastTo(tf.reshape(sum, shape), x.shape);
    });
    return Object.fromEntries(gradients.map((gradient, t) => [t, gradient]));
  });

  // The stock gradient rounds ε to float32.
  replaceGradient<{ varianceEpsilon: number }>(
    'FusedBatchNorm',
    ['x', 'mean', 'variance', 'scale'],
    (dy, saved, { varianceEpsilon }) => {
      const [x, mean, variance, scale] = saved as [Tensor, Tensor, Tensor, Tensor?];
      const inverse = tf.rsqrt(tf.add(variance, exactScalar(varianceEpsilon)));
      const scaled = tf.mul(scale === undefined ? dy : tf.mul(dy, scale), inverse);
      const standardized = tf.mul(tf.sub(x, mean), inverse);
      return {
        x: () => scaled,
        mean: () => unbroadcast(tf.neg(scaled), mean.shape),
        variance: () => unbroadcast(tf.mul(tf.mul(scaled, standardized), tf.mul(inverse, -0.5)), variance.shape),
        scale: () => unbroadcast(tf.mul(dy, standardized), mean.shape),
        offset: () => unbroadcast(dy, mean.shape),
      };
    },
  );
}
