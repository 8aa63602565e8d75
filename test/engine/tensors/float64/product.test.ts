import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, expectClose, expectNumbers, FLOAT32, mapped, onCpu, onFloat64 } from './backends.ts';

const flags = [false, true];
const flipped = (shape: number[], flip: boolean) =>
  flip ? [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!] : shape;

describe('matMul', () => {
  const shapes: [number[], number[]][] = [
    [
      [3, 4],
      [4, 2],
    ],
    [
      [1, 1],
      [1, 1],
    ],
    [
      [70, 33],
      [33, 41],
    ],
    [
      [3, 0],
      [0, 2],
    ],
    [
      [0, 3],
      [3, 2],
    ],
    [
      [2, 3, 4],
      [2, 4, 5],
    ],
    [
      [2, 3, 4],
      [4, 5],
    ],
    [
      [3, 4],
      [3, 4, 2],
    ],
  ];

  test.each(['float32', 'int32'] as const)('agrees with the stock backend on %s', (dtype) => {
    for (const [left, right] of shapes) {
      for (const ta of flags) {
        for (const tb of flags) {
          const multiply = (a: Tensor, b: Tensor) => tf.matMul(a, b, ta, tb);
          const [a, b] = [drawn(flipped(left, ta), dtype), drawn(flipped(right, tb), dtype, 2)];
          expectClose(onFloat64(multiply, a, b), onCpu(multiply, a, b), FLOAT32, 10);
        }
      }
    }
  });

  test('broadcasts batches as repeating the matrices does', () => {
    // The stock backend takes batches by remainder, which is wrong when both operands repeat.
    const [a, b] = [drawn([2, 1, 3, 4]), drawn([1, 3, 4, 2], 'float32', 2)];
    const broadcast = onFloat64((x, y) => tf.matMul(x, y), a, b);
    const repeated = onFloat64((x, y) => tf.matMul(tf.tile(x, [1, 3, 1, 1]), tf.tile(y, [2, 1, 1, 1])), a, b);
    expectClose(broadcast, repeated, 0);
  });

  test('is computed in double precision', () => {
    const [a, b] = [mapped(drawn([9, 40]), (v) => v / 11), mapped(drawn([40, 7], 'float32', 2), (v) => v / 13)];
    const expected = Array.from({ length: 63 }, (_, e) => {
      const [i, j] = [Math.floor(e / 7), e % 7];
      return Array.from({ length: 40 }, (_, k) => a.values[i * 40 + k]! * b.values[k * 7 + j]!).reduce(
        (s, v) => s + v,
        0,
      );
    });
    expectNumbers(onFloat64((x, y) => tf.matMul(x, y), a, b)[0]!.values, expected, 1e-15, 1);
  });

  test('matrices that do not fit are refused', () => {
    const product = () => tf.engine().runKernel('BatchMatMul', { a: tf.zeros([2, 3]), b: tf.zeros([2, 3]) });
    expect(() => withFloat64(() => void product())).toThrow('the first has 3 columns and the second 2 rows');
  });
});
