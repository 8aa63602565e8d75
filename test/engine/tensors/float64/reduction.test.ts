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
  { name: 'Prod', operation: tf.prod, f: (v) => v.reduce((p, x) => p * x, 1), dtypes: ['float32', 'int32', 'bool'] },
  { name: 'Max', operation: tf.max, f: (v) => Math.max(...v), dtypes: ['float32', 'int32', 'bool'], exact: true },
  { name: 'Min', operation: tf.min, f: (v) => Math.min(...v), dtypes: ['float32', 'int32', 'bool'], exact: true },
  { name: 'All', operation: tf.all, f: (v) => +v.every((x) => x), dtypes: ['bool'], exact: true },
  { name: 'Any', operation: tf.any, f: (v) => +v.some((x) => x), dtypes: ['bool'], exact: true },
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

describe.each([tf.argMax, tf.argMin])('%o', (operation) => {
  test('agrees with the stock backend, the first of equals included', () => {
    for (const [shape, choices] of axes) {
      for (const axis of choices.filter((a) => typeof a === 'number')) {
        for (const dtype of ['float32', 'int32'] as const) {
          const reduce = (t: Tensor) => operation(t, axis);
          expectClose(onFloat64(reduce, drawn(shape, dtype)), onCpu(reduce, drawn(shape, dtype)), EXACT);
        }
      }
    }
  });

  test('never picks NaN', () => {
    const values = [2, Number.NaN, 5, 1, Number.NaN, 1];
    const x = { shape: [6], dtype: 'float32' as const, values };
    expectClose(
      onFloat64((t) => operation(t, 0), x),
      onCpu((t) => operation(t, 0), x),
      EXACT,
    );
  });
});

describe.each([
  ['cumsum', tf.cumsum, (total: number, v: number) => total + v, 0],
  ['cumprod', tf.cumprod, (total: number, v: number) => total * v, 1],
] as const)('%s', (_, operation, accumulate, start) => {
  test.each(['float32', 'int32'] as const)('agrees with the stock backend on %s', (dtype) => {
    for (const [shape, axis] of [
      [[5], 0],
      [[3, 4], 0],
      [[3, 4], 1],
      [[2, 3, 4], 1],
      [[2, 3, 2, 2], 2],
      [[0, 3], 1],
    ] as const) {
      for (const exclusive of [false, true]) {
        for (const reverse of [false, true]) {
          const run = (x: Tensor) => operation(x, axis, exclusive, reverse);
          const x = drawn([...shape], dtype);
          expectClose(onFloat64(run, x), onCpu(run, x), FLOAT32, 1);
        }
      }
    }
  });

  test('is computed in double precision', () => {
    const x = mapped(drawn([20]), (v) => 1 + v / 11);
    let total: number = start;
    const expected = x.values.map((v) => {
      total = accumulate(total, v);
      return total;
    });
    expectNumbers(onFloat64((t) => operation(t), x)[0]!.values, expected, 1e-14);
  });
});
