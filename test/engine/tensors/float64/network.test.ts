import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { registerNetworkOperations } from '../../../../src/engine/tensors/float64/network.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, expectClose, expectNumbers, FLOAT32, mapped, type Numbers, onCpu, onFloat64 } from './backends.ts';

const thirds = (x: Numbers) => mapped(x, (v) => v / 3);

registerNetworkOperations();

describe('the fused matrix product', () => {
  const activations = ['linear', 'relu', 'relu6', 'elu', 'sigmoid'] as const;

  test.each(activations)(
    'with %s agrees with the stock backend, and with its parts in double precision',
    (activation) => {
      const dense = (a: Tensor, b: Tensor, bias: Tensor) => tf.fused.matMul({ a, b, bias, activation });
      const inputs = [drawn([3, 4]), drawn([4, 2], 'float32', 2), drawn([2], 'float32', 3)];
      expectClose(onFloat64(dense, ...inputs), onCpu(dense, ...inputs), FLOAT32, 10);
      const inThirds = inputs.map(thirds);
      const parts: Record<(typeof activations)[number], (x: Tensor) => Tensor> = {
        linear: (x) => x,
        relu: tf.relu,
        relu6: tf.relu6,
        elu: tf.elu,
        sigmoid: tf.sigmoid,
      };
      const unfused = (a: Tensor, b: Tensor, bias: Tensor) => parts[activation](tf.add(tf.matMul(a, b), bias));
      expectClose(onFloat64(dense, ...inThirds), onFloat64(unfused, ...inThirds), 0);
    },
  );

  test('refuses an activation that it does not know', () => {
    const [a, b] = [tf.ones([2, 2]), tf.ones([2, 2])];
    const run = () => withFloat64(() => void tf.engine().runKernel('_FusedMatMul', { a, b }, { activation: 'swish' }));
    expect(run).toThrow("but 'swish' was given");
  });
});

describe('batch normalization', () => {
  const normalize = (x: Tensor, mean: Tensor, variance: Tensor, offset: Tensor, scale: Tensor) =>
    tf.batchNorm(x, mean, variance, offset, scale, 1e-3);
  const inputs = [[4, 3], [3], [3], [3], [3]].map((shape, k) =>
    mapped(drawn(shape, 'float32', k + 1), (v) => (k === 2 ? 0.5 + Math.abs(v) : v)),
  );

  test('agrees with the stock backend', () => {
    expectClose(onFloat64(normalize, ...inputs), onCpu(normalize, ...inputs), FLOAT32, 10);
  });

  test('keeps every digit of ε and of the rest', () => {
    const [x, mean, variance, offset, scale] = inputs.map(thirds) as [Numbers, Numbers, Numbers, Numbers, Numbers];
    const expected = x.values.map((v, i) => {
      const j = i % 3;
      const standardized = (v - mean.values[j]!) / Math.sqrt(variance.values[j]! + 1e-3);
      return standardized * scale.values[j]! + offset.values[j]!;
    });
    const [actual] = onFloat64(normalize, x, mean, variance, offset, scale);
    expectNumbers(actual!.values, expected, 1e-15, 1);
  });
});

describe('softmax', () => {
  const logSoftmax = (x: Tensor) =>
    tf.getBackend() === 'float64'
      ? (tf.engine().runKernel('LogSoftmax', { logits: x }, { axis: -1 }) as Tensor)
      : tf.logSoftmax(x);

  test('and its logarithm agree with the stock backend', () => {
    for (const shape of [[5], [3, 4], [2, 3, 4], [2, 2, 1, 3], [0, 3]]) {
      expectClose(
        onFloat64((x) => tf.softmax(x), drawn(shape)),
        onCpu((x) => tf.softmax(x), drawn(shape)),
        FLOAT32,
      );
      expectClose(onFloat64(logSoftmax, drawn(shape)), onCpu(logSoftmax, drawn(shape)), FLOAT32);
    }
  });

  test('are computed in double precision and do not overflow', () => {
    const x = mapped(drawn([6]), (v) => 1000 + v / 11);
    const total = x.values.reduce((sum, v) => sum + Math.exp(v - 1000), 0);
    const expected = x.values.map((v) => Math.exp(v - 1000) / total);
    expectNumbers(onFloat64((t) => tf.softmax(t), x)[0]!.values, expected, 1e-14);
    expectNumbers(onFloat64(logSoftmax, x)[0]!.values, expected.map(Math.log), 1e-13);
  });

  test('look at no other row', () => {
    const rows = [0, 2000, -2000, -2001];
    const logits = mapped(drawn([2, 2]), (_, i) => rows[i]!);
    const far = Math.log1p(Math.exp(-1));
    expectNumbers(onFloat64(logSoftmax, logits)[0]!.values, [-2000, 0, -far, -1 - far], 1e-13);
    const second = [1 / (1 + Math.exp(-1)), 1 / (1 + Math.exp(1))];
    expectNumbers(onFloat64((t) => tf.softmax(t), logits)[0]!.values, [0, 1, ...second], 1e-14);
  });
});

test('prelu agrees with the stock backend', () => {
  const prelu = (x: Tensor, alpha: Tensor) => tf.prelu(x, alpha);
  const inputs = [drawn([3, 4]), drawn([4], 'float32', 2)];
  expectClose(onFloat64(prelu, ...inputs), onCpu(prelu, ...inputs), FLOAT32);
});

test('unstack keeps every digit', () => {
  const x = thirds(drawn([2, 3, 2]));
  const unstacked = onFloat64((t) => tf.unstack(t, -1), x);
  const expected = [0, 1].map((k) => ({ ...x, shape: [2, 3], values: x.values.filter((_, i) => i % 2 === k) }));
  expectClose(unstacked, expected, 0);
});
