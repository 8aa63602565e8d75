import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import type { NumericType } from '../../../../src/engine/tensors/float64/backend.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, EXACT, expectClose, expectNumbers, FLOAT32, mapped, onCpu, onFloat64 } from './backends.ts';

interface Case {
  readonly name: string;
  readonly operation: (x: Tensor, axis?: number | number[], keepDims?: boolean) => Tensor;
  /** The reduction of all entries, in double precision. */
  readonly f: (values: number[]) => number;
  readonly dtypes: NumericType[];
  readonly exact?: boolean;
}

const add = (values: number[]) => values.reduce((total, v) => total + v, 0);
const cases: Case[] = [
  { name: 'Sum', operation: tf.sum, f: add, dtypes: ['float32', 'int32', 'bool'] },
  { name: 'Mean', operation: tf.mean, f: (v) => add(v) / v.length, dtypes: ['float32', 'int32', 'bool'] },
  { name: 'Max', operation: tf.max, f: (v) => Math.max(...v), dtypes: ['float32', 'int32', 'bool'], exact: true },
  { name: 'Min', operation: tf.min, f: (v) => Math.min(...v), dtypes: ['float32', 'int32', 'bool'], exact: true },
];

const axes: [number[], (number | number[] | undefined)[]][] = [
  [[], [undefined]],
  [[6], [undefined, 0, -1]],
  [[1], [0]],
  [[0], [0]],
  [
    [3, 4],
    [undefined, 0, 1, -1, [0, 1]],
  ],
  [
    [0, 3],
    [0, 1, undefined],
  ],
  [
    [2, 3, 4],
    [undefined, 0, 1, 2, [0, 1], [1, 2], [0, 2], [2, 0], [-1, -3]],
  ],
  [
    [2, 1, 3, 2],
    [1, [0, 2], [1, 3], [0, 3], [0, 1, 3]],
  ],
];

describe.each(cases)('$name', ({ operation, f, dtypes, exact = false }) => {
  test.each(dtypes)('agrees with the stock backend on %s along any axes', (dtype) => {
    for (const [shape, choices] of axes) {
      for (const axis of choices) {
        for (const keepDims of [false, true]) {
          const reduce = (x: Tensor) => operation(x, axis, keepDims);
          const x = drawn(shape, dtype);
          expectClose(onFloat64(reduce, x), onCpu(reduce, x), exact ? EXACT : FLOAT32, 1);
        }
      }
    }
  });

  test('is computed in double precision', () => {
    if (!dtypes.includes('float32')) return;
    const x = mapped(drawn([3, 40]), (v) => 1 + v / 11);
    const rows = [0, 1, 2].map((i) => f(x.values.slice(i * 40, (i + 1) * 40)));
    expectNumbers(onFloat64((t) => operation(t, 1), x)[0]!.values, rows, 1e-14);
    const columns = Array.from({ length: 40 }, (_, j) => f([0, 1, 2].map((i) => x.values[i * 40 + j]!)));
    expectNumbers(onFloat64((t) => operation(t, 0), x)[0]!.values, columns, 1e-14);
  });
});

test('extremes of numbers with NaN are NaN', () => {
  const x = { shape: [2, 3], dtype: 'float32' as const, values: [1, Number.NaN, 3, 4, 5, 6] };
  for (const operation of [tf.max, tf.min]) {
    const reduce = (t: Tensor) => operation(t, 1);
    expectClose(onFloat64(reduce, x), onCpu(reduce, x), EXACT);
    expect(onFloat64(reduce, x)[0]!.values[0]).toBeNaN();
  }
});
