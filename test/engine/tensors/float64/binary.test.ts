import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import type { NumericType } from '../../../../src/engine/tensors/float64/backend.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, EXACT, expectClose, expectNumbers, FLOAT32, mapped, onCpu, onFloat64 } from './backends.ts';

interface Case {
  readonly name: string;
  readonly f: (a: number, b: number) => number;
  readonly exact?: boolean;
  readonly dtypes?: NumericType[];
  /** Bring standard normal operands into the domain. */
  readonly first?: (x: number) => number;
}

// Registered when they are first asked for.
withFloat64(() => op.pow(op.atan2(1, 2), 2));

const numeric: NumericType[] = ['float32', 'int32'];
const everyType: NumericType[] = ['float32', 'int32', 'bool'];

const cases: Case[] = [
  { name: 'Add', f: (a, b) => a + b, dtypes: everyType },
  { name: 'Sub', f: (a, b) => a - b, dtypes: numeric },
  { name: 'Multiply', f: (a, b) => a * b, dtypes: everyType },
  { name: 'RealDiv', f: (a, b) => a / b, dtypes: numeric },
  { name: 'Pow', f: (a, b) => a ** b, first: Math.abs, dtypes: numeric },
  { name: 'Maximum', f: Math.max, exact: true, dtypes: everyType },
  { name: 'Minimum', f: Math.min, exact: true, dtypes: everyType },
  { name: 'SquaredDifference', f: (a, b) => (a - b) * (a - b), dtypes: numeric },
  { name: 'Atan2', f: Math.atan2 },
  { name: 'Equal', f: (a, b) => +(a === b), exact: true, dtypes: everyType },
  { name: 'Greater', f: (a, b) => +(a > b), exact: true, dtypes: everyType },
  { name: 'GreaterEqual', f: (a, b) => +(a >= b), exact: true, dtypes: everyType },
  { name: 'Less', f: (a, b) => +(a < b), exact: true, dtypes: everyType },
  { name: 'LessEqual', f: (a, b) => +(a <= b), exact: true, dtypes: everyType },
];

const shapes: [number[], number[]][] = [
  [[], []],
  [[4], []],
  [[], [2, 3]],
  [[1], [2, 3]],
  [
    [2, 3],
    [1, 1, 1],
  ],
  [[5], [5]],
  [[2, 3], [3]],
  [[3], [2, 3]],
  [
    [2, 1],
    [1, 3],
  ],
  [
    [2, 3],
    [2, 1],
  ],
  [
    [2, 1, 3],
    [4, 1],
  ],
  [
    [4, 1],
    [2, 1, 3],
  ],
  [
    [2, 3, 4],
    [2, 1, 4],
  ],
  [
    [2, 1, 3, 1],
    [1, 4, 1, 2],
  ],
  [
    [2, 2, 3, 2],
    [2, 2, 3, 2],
  ],
  [[0], []],
  [[0, 3], [3]],
  [
    [2, 0],
    [2, 1],
  ],
  [
    [2, 1, 0],
    [3, 1],
  ],
];

describe.each(cases)('$name', ({ name, f, exact = false, dtypes = ['float32'], first = (x) => x }) => {
  const operation = (a: Tensor, b: Tensor) => tf.engine().runKernel(name, { a, b }) as Tensor;

  test.each(dtypes)('agrees with the stock backend on %s, broadcast', (dtype) => {
    for (const [left, right] of shapes) {
      const [a, b] = [mapped(drawn(left, dtype), first), drawn(right, dtype, 2)];
      expectClose(onFloat64(operation, a, b), onCpu(operation, a, b), exact ? EXACT : FLOAT32);
    }
  });

  test('agrees with the stock backend on special values', () => {
    const type = dtypes[0]!;
    const numbers = [0, -0, 1, -1, 2, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const values = type === 'bool' ? [0, 1] : numbers;
    const column = { shape: [values.length, 1], dtype: type, values };
    const row = { ...column, shape: [values.length] };
    expectClose(onFloat64(operation, column, row), onCpu(operation, column, row), FLOAT32);
  });

  test('is computed in double precision', () => {
    const type = dtypes.includes('float32') ? 'float32' : 'bool';
    const scale = (x: number) => (type === 'bool' ? x : first(x / 1.1));
    const [a, b] = [mapped(drawn([6, 5], type), scale), mapped(drawn([6, 5], type, 3), scale)];
    const expected = a.values.map((x, i) => f(x, b.values[i]!));
    expectNumbers(onFloat64(operation, a, b)[0]!.values, expected, exact ? EXACT : 1e-15);
  });
});

test('shapes that do not broadcast are refused', () => {
  expect(() => withFloat64(() => tf.add(tf.zeros([2, 3]), tf.zeros([2])))).toThrow(/broadcast/);
});
