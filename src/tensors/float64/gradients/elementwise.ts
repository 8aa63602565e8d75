import * as tf from '@tensorflow/tfjs-core';
import { exactScalar } from '../../doubles.ts';
import type { Tensor } from '../../tensorflow.ts';
import { SELU_SCALE, SELU_SCALE_ALPHA } from '../operations/activation.ts';
import { addGradient, replaceGradient } from './gradient.ts';

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/** Gradients of functions of one number: the stock ones with their constants in full precision, and those of the gamma family. */
export function registerElementwiseGradients(): void {
  // erf′(x) = 2/√π · e^(−x²)
  replaceGradient('Erf', ['x'], (dy, [x]) => ({
    x: () => tf.mul(dy, tf.mul(tf.exp(tf.neg(tf.square(x!))), exactScalar(TWO_OVER_ROOT_PI))),
  }));

  replaceGradient<{ alpha: number }>('LeakyRelu', ['x'], (dy, [x], { alpha }) => ({
    x: () => tf.where(tf.greater(x!, 0), dy, tf.mul(dy, exactScalar(alpha))),
  }));

  replaceGradient('Selu', ['x'], (dy, [x]) => ({
    x: () => {
      const above = tf.mul(dy, exactScalar(SELU_SCALE));
      const below = tf.mul(tf.mul(dy, exactScalar(SELU_SCALE_ALPHA)), tf.exp(x!));
      return tf.where(tf.greater(x!, 0), above, below);
    },
  }));

  replaceGradient<{ clipValueMin: number; clipValueMax: number }>('ClipByValue', ['x'], (dy, [x], attributes) => ({
    x: () => {
      const { clipValueMin, clipValueMax } = attributes;
      const inside = tf.logicalAnd(
        tf.greaterEqual(x!, exactScalar(clipValueMin)),
        tf.lessEqual(x!, exactScalar(clipValueMax)),
      );
      return tf.where(inside, dy, tf.zerosLike(dy));
    },
  }));

  // The stock gradient is −1 at 0; the symmetric choice is 0, so that a distance of a point to itself pulls nowhere.
  replaceGradient('Abs', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, tf.sign(x!)) }));

  addGradient('Lgamma', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, run('Digamma', x!)) }));
  addGradient('Digamma', ['x'], (dy, [x]) => ({ x: () => tf.mul(dy, run('Trigamma', x!)) }));
}

const run = (kernelName: string, x: Tensor): Tensor => tf.engine().runKernel(kernelName, { x }) as Tensor;
