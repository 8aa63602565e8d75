import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { InvalidInputError } from '../../../../src/core/errors.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, expectClose, expectNumbers, FLOAT32, mapped, type Numbers, onCpu, onFloat64 } from './backends.ts';

const thirds = (x: Numbers) => mapped(x, (v) => v / 3);

/** Sums of products by the definition: over every value of every letter. */
function sumsOfProducts(equation: string, ...operands: Numbers[]): Numbers {
  const [left, result] = equation.split('->') as [string, string];
  const terms = left.split(',');
  const sizes: Record<string, number> = {};
  terms.forEach((term, t) => {
    [...term].forEach((letter, d) => {
      sizes[letter] = operands[t]!.shape[d]!;
    });
  });
  const letters = Object.keys(sizes);
  const shape = [...result].map((letter) => sizes[letter]!);
  const values = new Array<number>(shape.reduce((size, n) => size * n, 1)).fill(0);
  const at = (term: string, index: Record<string, number>) =>
    [...term].reduce((position, letter) => position * sizes[letter]! + index[letter]!, 0);
  const total = letters.reduce((count, letter) => count * sizes[letter]!, 1);
  for (let k = 0; k < total; k++) {
    const index: Record<string, number> = {};
    let rest = k;
    for (const letter of letters) {
      index[letter] = rest % sizes[letter]!;
      rest = Math.floor(rest / sizes[letter]!);
    }
    values[at(result, index)]! += terms.reduce(
      (product, term, t) => product * operands[t]!.values[at(term, index)]!,
      1,
    );
  }
  return { shape, dtype: 'float32', values };
}

describe('einsum', () => {
  const one = ['abc->cab', 'abc->b', 'abc->', 'abc->abc'];
  const two: [string, number[], number[]][] = [
    ['ij,jk->ik', [3, 4], [4, 5]],
    ['ij,jk->ki', [3, 4], [4, 5]],
    ['bij,bjk->bik', [2, 3, 4], [2, 4, 5]],
    ['bij,kjb->kbi', [2, 3, 4], [5, 4, 2]],
    ['ij,kl->k', [3, 4], [5, 2]],
    ['i,j->ij', [3], [4]],
    ['i,i->', [5], [5]],
    ['ij,ij->ij', [3, 4], [3, 4]],
    [',ij->ji', [], [3, 4]],
    ['ij,jk->ik', [3, 0], [0, 2]],
  ];

  test.each(one)('%s is the sum by its definition, in double precision', (equation) => {
    const x = thirds(drawn([2, 3, 4]));
    const actual = onFloat64((a) => tf.einsum(equation, a), x);
    expectClose(actual, [sumsOfProducts(equation, x)], 1e-15, 4);
  });

  test.each(two)('%s of [%s] and [%s] is the sum by its definition, in double precision', (equation, left, right) => {
    const [a, b] = [thirds(drawn(left)), thirds(drawn(right, 'float32', 2))];
    const actual = onFloat64((x, y) => tf.einsum(equation, x, y), a, b);
    expectClose(actual, [sumsOfProducts(equation, a, b)], 1e-15, 4);
  });

  test('of integers', () => {
    const [a, b] = [drawn([3, 4], 'int32'), drawn([4, 2], 'int32', 2)];
    const product = (x: Tensor, y: Tensor) => tf.einsum('ij,jk->ki', x, y);
    expectClose(onFloat64(product, a, b), [{ ...sumsOfProducts('ij,jk->ki', a, b), dtype: 'int32' }], 0);
  });

  test.each([
    ['i->ii', [[3]]],
    ['ii->i', [[3, 3]]],
    ['ij', [[3, 3]]],
    ['ij->ik', [[3, 3]]],
    ['...i->i', [[3]]],
    ['i,i,i->i', [[3], [3], [3]]],
  ])('refuses the equation %s, and leaves nothing behind', (equation, shapes) => {
    const before = withFloat64(({ memory64 }) => memory64.liveBlocks);
    const run = () => withFloat64(() => void tf.einsum(equation, ...shapes.map((shape) => tf.ones(shape))));
    expect(run).toThrow(InvalidInputError);
    expect(run).toThrow(`but '${equation}' was given`);
    expect(withFloat64(({ memory64 }) => memory64.liveBlocks)).toBe(before);
  });

  test('refuses tensors that do not fit', () => {
    const run = () => withFloat64(() => void tf.einsum('ij,jk->ik', tf.ones([2, 3]), tf.ones([2, 3])));
    expect(run).toThrow("'ij,jk->ik' does not fit tensors of shapes [2,3] and [2,3]");
  });
});

describe('the fused matrix product', () => {
  const activations = ['linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu', 'prelu'] as const;

  test.each(activations)(
    'with %s agrees with the stock backend, and with its parts in double precision',
    (activation) => {
      const dense = (a: Tensor, b: Tensor, bias: Tensor, alpha: Tensor) =>
        tf.fused.matMul({
          a,
          b,
          bias,
          activation,
          leakyreluAlpha: 0.25,
          ...(activation === 'prelu' ? { preluActivationWeights: alpha } : {}),
        });
      const inputs = [
        drawn([3, 4]),
        drawn([4, 2], 'float32', 2),
        drawn([2], 'float32', 3),
        drawn([1, 2], 'float32', 4),
      ];
      expectClose(onFloat64(dense, ...inputs), onCpu(dense, ...inputs), FLOAT32, 10);
      const inThirds = inputs.map(thirds);
      const parts: Record<(typeof activations)[number], (x: Tensor, alpha: Tensor) => Tensor> = {
        linear: (x) => x,
        relu: tf.relu,
        relu6: tf.relu6,
        elu: tf.elu,
        sigmoid: tf.sigmoid,
        leakyrelu: (x) => tf.leakyRelu(x, 0.25),
        prelu: (x, alpha) => tf.prelu(x, alpha),
      };
      const unfused = (a: Tensor, b: Tensor, bias: Tensor, alpha: Tensor) =>
        parts[activation](tf.add(tf.matMul(a, b), bias), alpha);
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
