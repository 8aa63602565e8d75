import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-cpu';
import { expect, test } from 'vitest';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';

const REPLACED = ['Erf', 'ClipByValue', 'SquaredDifference', 'Maximum', 'Minimum', 'Tile', 'Select'];
const REDUCTIONS = [
  'Sum',
  'Mean',
  'GreaterEqual',
  'Concat',
  'Pack',
  'SplitV',
  'Slice',
  'GatherV2',
  'Max',
  'Transpose',
  'BatchMatMul',
  'Softplus',
];
const x = [-1.5, -0.25, 0, 0.75];

// One gradient of TensorFlow.js is left, as of a caller who loaded some of it; the others are as where nobody did.
for (const name of [...REPLACED, ...REDUCTIONS]) tf.unregisterGradient(name);
const onFloat64 = withFloat64(() => {
  const t = op.tensor(x);
  return Array.from(valueAndGradients(() => tf.sum(tf.abs(t)), [t]).gradients[0]!);
});
await tf.setBackend('cpu');
const onCpu = (f: (t: Tensor) => Tensor) => Array.from(tf.grad(f)(tf.tensor1d(x)).dataSync());

test('a gradient that a caller registered answers on another backend as before', () => {
  expect(onFloat64).toEqual([-1, -1, 0, 1]);
  expect(onCpu(tf.abs)).toEqual([-1, -1, -1, 1]);
});

test('the gradient of the library is used where nobody registered one', () => {
  const slopes = tf.mul(tf.exp(tf.neg(tf.square(tf.tensor1d(x)))), 2 / Math.sqrt(Math.PI));
  expect(onCpu(op.erf)).toEqual(Array.from(slopes.dataSync()));
  expect(onCpu((v) => tf.clipByValue(v, -1, 0.5))).toEqual([0, 1, 1, 0]);
  expect(onCpu((v) => tf.squaredDifference(v, 1))).toEqual([-5, -2.5, -2, -0.5]);
  expect(onCpu((v) => tf.maximum(v, -0.25))).toEqual([0, 1, 1, 1]);
  expect(onCpu((v) => tf.minimum(v, -0.5))).toEqual([1, 0, 0, 0]);
  expect(onCpu((v) => tf.where(tf.greaterEqual(v, 0), tf.square(v), v))).toEqual([1, 1, 0, 1.5]);
  expect(onCpu((v) => tf.mul(tf.sum(tf.reshape(v, [2, 2]), 0), [1, 2]))).toEqual([1, 2, 1, 2]);
  expect(onCpu((v) => tf.mul(tf.mean(tf.reshape(v, [2, 2]), 1, true), [[1], [2]]))).toEqual([0.5, 0.5, 1, 1]);
  expect(onCpu((v) => tf.mul(tf.tile(v, [2]), [1, 2, 3, 4, 10, 20, 30, 40]))).toEqual([11, 22, 33, 44]);
  const square = (v: Tensor) => tf.reshape(v, [2, 2]);
  expect(onCpu((v) => tf.mul(tf.concat([v, tf.slice(v, [1], [2])]), [1, 2, 3, 4, 10, 20]))).toEqual([1, 12, 23, 4]);
  expect(
    onCpu((v) =>
      tf.mul(tf.stack([v, v], 1), [
        [1, 10],
        [2, 20],
        [3, 30],
        [4, 40],
      ]),
    ),
  ).toEqual([11, 22, 33, 44]);
  expect(onCpu((v) => tf.mul(tf.split(v, 2)[1]!, [5, 6]))).toEqual([0, 0, 5, 6]);
  expect(
    onCpu((v) =>
      tf.mul(tf.gather(square(v), [1, 0, 1], 1), [
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ),
  ).toEqual([2, 4, 5, 10]);
  expect(onCpu((v) => tf.max(square(v), 0))).toEqual([0, 0, 1, 1]);
  expect(
    onCpu((v) =>
      tf.matMul(
        tf.transpose(square(v)),
        tf.tensor([
          [1, 2],
          [3, 4],
        ]),
      ),
    ),
  ).toEqual([3, 3, 7, 7]);
});
