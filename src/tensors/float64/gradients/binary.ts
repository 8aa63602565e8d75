import * as tf from '@tensorflow/tfjs-core';
import { adjustGradient, replaceGradient, unbroadcast } from './gradient.ts';

/** Gradients that the stock ones get wrong, or throw at, when one operand is broadcast. */
export function registerBinaryGradients(): void {
  replaceGradient('SquaredDifference', ['a', 'b'], (dy, [a, b]) => {
    const half = () => tf.mul(dy, tf.mul(tf.sub(a!, b!), 2));
    return { a: () => unbroadcast(half(), a!.shape), b: () => unbroadcast(tf.neg(half()), b!.shape) };
  });

  // Where a = b, a receives all of it.
  replaceGradient('Maximum', ['a', 'b'], (dy, [a, b]) => ({
    a: () => unbroadcast(tf.mul(dy, tf.cast(tf.greaterEqual(a!, b!), 'float32')), a!.shape),
    b: () => unbroadcast(tf.mul(dy, tf.cast(tf.less(a!, b!), 'float32')), b!.shape),
  }));
  replaceGradient('Minimum', ['a', 'b'], (dy, [a, b]) => ({
    a: () => unbroadcast(tf.mul(dy, tf.cast(tf.lessEqual(a!, b!), 'float32')), a!.shape),
    b: () => unbroadcast(tf.mul(dy, tf.cast(tf.greater(a!, b!), 'float32')), b!.shape),
  }));

  adjustGradient('BatchMatMul', (stock, [a, b], attributes) => {
    const product = stock(attributes);
    return { a: () => unbroadcast(product.a!(), a!.shape), b: () => unbroadcast(product.b!(), b!.shape) };
  });
}
