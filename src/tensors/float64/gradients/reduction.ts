import * as tf from '@tensorflow/tfjs-core';
import { exactScalar } from '../../doubles.ts';
import { engine, type Tensor } from '../../tensorflow.ts';
import { FLOAT64 } from '../backend.ts';
import { adjustGradient, replaceGradient } from './gradient.ts';

interface ReductionAttributes {
  readonly axis?: number | number[];
}

/** Gradients of sums, means, products and running sums. */
export function registerReductionGradients(): void {
  replaceGradient<ReductionAttributes>('Sum', ['x'], (dy, [x], { axis }) => ({ x: () => spread(dy, x!, axis) }));

  // The stock gradient divides by a literal, which float32 rounds from 2²⁴ on.
  replaceGradient<ReductionAttributes>('Mean', ['x'], (dy, [x], { axis }) => ({
    x: () => spread(tf.div(dy, exactScalar(x!.size / Math.max(1, dy.size))), x!, axis),
  }));

  // The stock gradient takes axes as they come: negative or unsorted ones go wrong.
  adjustGradient<ReductionAttributes>('Prod', (stock, saved, { axis }) =>
    stock({ axis: tf.util.parseAxisParam(axis!, saved[0]!.shape).sort((p, q) => p - q) }),
  );

  // The stock gradient transposes once too often when the axis is not the last.
  replaceGradient<{ axis: number; exclusive: boolean; reverse: boolean }>('Cumsum', ['x'], (dy, _, attributes) => ({
    x: () => tf.cumsum(dy, attributes.axis, attributes.exclusive, !attributes.reverse),
  }));
}

/** Repeats the gradient of a reduction over the entries of x that went into it. */
function spread(dy: Tensor, x: Tensor, axis: number | number[] | undefined): Tensor {
  const inputShape = x.shape.slice();
  for (const reduced of tf.util.parseAxisParam(axis!, x.shape)) inputShape[reduced] = 1;
  const input = tf.reshape(dy, inputShape);
  if (engine().backendName !== FLOAT64) return tf.broadcastTo(input, x.shape);
  return tf.engine().runKernel('BroadcastTo', { x: input }, { shape: x.shape, inputShape }) as Tensor;
}
