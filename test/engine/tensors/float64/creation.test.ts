import * as tf from '@tensorflow/tfjs-core';
import { test } from 'vitest';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { EXACT, expectClose, onCpu, onFloat64 } from './backends.ts';

const makers: [string, () => Tensor, number][] = [
  ['zeros', () => tf.zeros([2, 3]), EXACT],
  ['ones of nothing', () => tf.ones([0, 3]), EXACT],
  ['onesLike', () => tf.onesLike(tf.zeros([2, 1])), EXACT],
  ['zerosLike', () => tf.zerosLike(tf.ones([2, 1])), EXACT],
];

test.each(makers)('%s agrees with the stock backend', (_, make, tolerance) => {
  expectClose(onFloat64(make), onCpu(make), tolerance);
});
