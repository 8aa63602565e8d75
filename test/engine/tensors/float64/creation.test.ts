import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { EXACT, expectClose, FLOAT32, onCpu, onFloat64 } from './backends.ts';

const makers: [string, () => Tensor, number][] = [
  ['zeros', () => tf.zeros([2, 3]), EXACT],
  ['ones of nothing', () => tf.ones([0, 3]), EXACT],
  ['fill', () => tf.fill([2, 2], 0.1), FLOAT32],
  ['fill with integers', () => tf.fill([3], 7, 'int32'), EXACT],
  ['fill with truth', () => tf.fill([3], 1, 'bool'), EXACT],
  ['range', () => tf.range(0, 5), EXACT],
  ['range in steps', () => tf.range(1, 2, 0.3), FLOAT32],
  ['range of integers', () => tf.range(3, 12, 4, 'int32'), EXACT],
  ['range downwards', () => tf.range(5, 1), EXACT],
  ['range downwards in steps', () => tf.range(5, 1, -1.5), EXACT],
  ['range of nothing', () => tf.range(2, 2), EXACT],
  ['range the wrong way', () => tf.range(1, 5, -1), EXACT],
  ['range too far the other way', () => tf.range(5, 1, 2), EXACT],
  ['linspace', () => tf.linspace(-1, 2, 7), FLOAT32],
  ['linspace of one', () => tf.linspace(3, 4, 1), EXACT],
  ['oneHot', () => tf.oneHot(tf.tensor1d([0, 2, -1, 5], 'int32'), 3), EXACT],
  ['oneHot of a matrix', () => tf.oneHot(tf.tensor2d([[0, 1]], [1, 2], 'int32'), 2, 4, -1), EXACT],
  ['eye', () => tf.eye(3, 4), EXACT],
];

test.each(makers)('%s agrees with the stock backend', (_, make, tolerance) => {
  expectClose(onFloat64(make), onCpu(make), tolerance);
});

test('numbers of attributes keep every digit', () => {
  const made = (make: () => Tensor) => withFloat64(() => Array.from(doublesOf(make())));
  expect(made(() => tf.fill([2], 0.1))).toEqual([0.1, 0.1]);
  expect(made(() => tf.range(0, 1, 0.1))[7]).toBe(7 * 0.1);
  expect(made(() => tf.linspace(0, 1 / 3, 4))).toEqual([0, 1 / 9, 2 * (1 / 9), 1 / 3]);
  expect(made(() => tf.oneHot(tf.tensor1d([1], 'int32'), 2, 0.1, 0.2, 'float32'))).toEqual([0.2, 0.1]);
});
