import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { atan2, pow } from '../../../src/core/elementary/index.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import type { Tensor } from '../../../src/engine/tensors/tensorflow.ts';

const read = (make: () => Tensor) => withFloat64(() => ({ shape: make().shape, values: [...doublesOf(make())] }));
const values = (make: () => Tensor) => read(make).values;

describe('numbers stay exact', () => {
  const x = () => op.tensor([0.7, 1.3]);
  const binary: [string, (a: Tensor | number, b: Tensor | number) => Tensor, (a: number, b: number) => number][] = [
    ['add', op.add, (a, b) => a + b],
    ['sub', op.sub, (a, b) => a - b],
    ['mul', op.mul, (a, b) => a * b],
    ['div', op.div, (a, b) => a / b],
    ['pow', op.pow, pow],
    ['maximum', op.maximum, Math.max],
    ['minimum', op.minimum, Math.min],
    ['squaredDifference', op.squaredDifference, (a, b) => (a - b) * (a - b)],
    ['atan2', op.atan2, atan2],
    ['equal', op.equal, (a, b) => +(a === b)],
    ['greater', op.greater, (a, b) => +(a > b)],
    ['greaterEqual', op.greaterEqual, (a, b) => +(a >= b)],
    ['less', op.less, (a, b) => +(a < b)],
    ['lessEqual', op.lessEqual, (a, b) => +(a <= b)],
  ];
  test.each(binary)('in %s, on either side', (_, operation, f) => {
    expect(values(() => operation(x(), 0.7))).toEqual([f(0.7, 0.7), f(1.3, 0.7)]);
    expect(values(() => operation(0.7, x()))).toEqual([f(0.7, 0.7), f(0.7, 1.3)]);
    expect(read(() => operation(0.1, 0.7))).toEqual({ shape: [], values: [f(0.1, 0.7)] });
  });

  const unary: [string, (x: Tensor | number) => Tensor, (x: number) => number][] = [
    ['neg', op.neg, (v) => -v],
    ['abs', op.abs, Math.abs],
    ['sign', op.sign, Math.sign],
    ['exp', op.exp, Math.exp],
    ['expm1', op.expm1, Math.expm1],
    ['log', op.log, Math.log],
    ['log1p', op.log1p, Math.log1p],
    ['sqrt', op.sqrt, Math.sqrt],
    ['rsqrt', op.rsqrt, (v) => 1 / Math.sqrt(v)],
    ['square', op.square, (v) => v * v],
    ['reciprocal', op.reciprocal, (v) => 1 / v],
    ['sigmoid', op.sigmoid, (v) => 1 / (1 + Math.exp(-v))],
    ['softplus', op.softplus, (v) => v + Math.log1p(Math.exp(-v))],
    ['tanh', op.tanh, Math.tanh],
    ['relu', op.relu, (v) => Math.max(v, 0)],
    ['sin', op.sin, Math.sin],
    ['cos', op.cos, Math.cos],
    ['tan', op.tan, Math.tan],
    ['asin', op.asin, Math.asin],
    ['acos', op.acos, Math.acos],
    ['atan', op.atan, Math.atan],
    ['sinh', op.sinh, Math.sinh],
    ['cosh', op.cosh, Math.cosh],
    ['asinh', op.asinh, Math.asinh],
    ['acosh', (v) => op.acosh(op.add(v, 1)), (v) => Math.acosh(1 + v)],
    ['atanh', op.atanh, Math.atanh],
    // Abramowitz & Stegun, tables 7.1, 6.1 and 6.3, and closed forms.
    ['erf', op.erf, () => 0.1124629160182849],
    ['lgamma', op.lgamma, () => 2.252712651734206],
    ['digamma', op.digamma, () => -10.42375494041108],
  ];
  test.each(unary)('in %s', (_, operation, f) => {
    const [value] = values(() => operation(0.1));
    expect(Math.abs(value! / f(0.1) - 1)).toBeLessThan(5e-16);
  });

  test('in where and clip', () => {
    expect(values(() => op.where(op.greater(x(), 1), 0.1, x()))).toEqual([0.7, 0.1]);
    expect(values(() => op.clip(x(), 0.9, 1.1))).toEqual([0.9, 1.1]);
    expect(values(() => op.clipByValue(x(), 0.1, 0.1))).toEqual([0.1, 0.1]);
  });

  test('in tensors and scalars', () => {
    expect(read(() => op.scalar(0.1))).toEqual({ shape: [], values: [0.1] });
    expect(withFloat64(() => op.valueOf(op.scalar(Math.PI)))).toBe(Math.PI);
  });
});

describe('tensor', () => {
  test('takes numbers in every form', () => {
    const expected = { shape: [2, 2], values: [0.1, 0.2, 0.3, 0.4] };
    expect(
      read(() =>
        op.tensor([
          [0.1, 0.2],
          [0.3, 0.4],
        ]),
      ),
    ).toEqual(expected);
    expect(read(() => op.tensor([0.1, 0.2, 0.3, 0.4], [2, 2]))).toEqual(expected);
    expect(read(() => op.tensor(Float64Array.of(0.1, 0.2, 0.3, 0.4), [2, 2]))).toEqual(expected);
    expect(read(() => op.tensor([Float64Array.of(0.1, 0.2), Float64Array.of(0.3, 0.4)]))).toEqual(expected);
    expect(
      read(() =>
        op.tensor(
          Matrix.from([
            [0.1, 0.2],
            [0.3, 0.4],
          ]),
        ),
      ),
    ).toEqual(expected);
    expect(read(() => op.tensor(0.1))).toEqual({ shape: [], values: [0.1] });
    expect(read(() => op.tensor([]))).toEqual({ shape: [0], values: [] });
    expect(read(() => op.tensor([[[1], [2]]]))).toEqual({ shape: [1, 2, 1], values: [1, 2] });
  });

  test('copies what it takes', () => {
    const given = Float64Array.of(1, 2);
    withFloat64(() => {
      const x = op.tensor(given);
      given.fill(9);
      expect([...doublesOf(x)]).toEqual([1, 2]);
    });
  });

  test('explains invalid arguments', () => {
    const making = (given: unknown, shape?: number[]) => () => op.tensor(given as op.NestedNumbers, shape);
    expect(making([[1, 2], [3]])).toThrow('[1] has shape [1] and [0] has [2]');
    expect(making([1, ['a']])).toThrow("the string 'a' was given at [1][0]");
    expect(making([1, 2, 3], [2, 2])).toThrow('takes 4 numbers, but 3 numbers were given');
    expect(making(null)).toThrow(InvalidInputError);
  });
});

describe('reductions, shapes and matrices', () => {
  const A = () =>
    op.tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  test('reduce along axes', () => {
    expect(values(() => op.sum(A()))).toEqual([21]);
    expect(read(() => op.sum(A(), 0, true))).toEqual({ shape: [1, 2], values: [9, 12] });
    expect(values(() => op.mean(A(), 1))).toEqual([1.5, 3.5, 5.5]);
    expect(values(() => op.max(A(), 0))).toEqual([5, 6]);
    expect(values(() => op.min(A(), [0, 1]))).toEqual([1]);
    expect(values(() => op.logSumExp(op.tensor([1000, 1000])))).toEqual([1000 + Math.log(2)]);
    expect(values(() => op.logSumExp(A(), 1))[0]).toBeCloseTo(Math.log(Math.exp(1) + Math.exp(2)), 14);
  });

  test('rearrange', () => {
    expect(read(() => op.transpose(A()))).toEqual({ shape: [2, 3], values: [1, 3, 5, 2, 4, 6] });
    expect(read(() => op.reshape(A(), [2, -1])).shape).toEqual([2, 3]);
    expect(read(() => op.expandDims(A(), 1)).shape).toEqual([3, 1, 2]);
    expect(read(() => op.expandDims(A())).shape).toEqual([1, 3, 2]);
    expect(read(() => op.squeeze(op.expandDims(A(), 1), [1])).shape).toEqual([3, 2]);
    expect(values(() => op.concat([A(), A()], 1))).toEqual([1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]);
    expect(read(() => op.stack([A(), A()])).shape).toEqual([2, 3, 2]);
    expect(read(() => op.slice(A(), [1, 0], [2, 1]))).toEqual({ shape: [2, 1], values: [3, 5] });
    expect(values(() => op.slice(A(), 2))).toEqual([5, 6]);
    expect(read(() => op.gather(A(), [2, 0]))).toEqual({ shape: [2, 2], values: [5, 6, 1, 2] });
    expect(values(() => op.gather(A(), Int32Array.of(1), 1))).toEqual([2, 4, 6]);
    expect(values(() => op.gather(A(), tf.tensor1d([1], 'int32')))).toEqual([3, 4]);
    expect(read(() => op.tile(A(), [1, 2])).shape).toEqual([3, 4]);
  });

  test('multiply and take diagonals', () => {
    expect(values(() => op.matMul(A(), A(), true))).toEqual([35, 44, 44, 56]);
    expect(values(() => op.matMul(A(), A(), false, true))).toEqual([5, 11, 17, 11, 25, 39, 17, 39, 61]);
    expect(read(() => op.eye(2))).toEqual({ shape: [2, 2], values: [1, 0, 0, 1] });
    expect(values(() => op.diag(op.tensor([0.1, 0.2])))).toEqual([0.1, 0, 0, 0.2]);
    const B = () =>
      op.tensor([
        [0.1, 2],
        [3, 0.4],
      ]);
    expect(read(() => op.diagPart(B()))).toEqual({ shape: [2], values: [0.1, 0.4] });
    expect(values(() => op.trace(B()))).toEqual([0.5]);
    expect(() => withFloat64(() => void op.diagPart(A()))).toThrow('shape [3,2]');
    expect(() => withFloat64(() => op.valueOf(A()))).toThrow('shape is [3,2]');
  });

  test('fill', () => {
    expect(read(() => op.zeros([2]))).toEqual({ shape: [2], values: [0, 0] });
    expect(read(() => op.ones([1, 2]))).toEqual({ shape: [1, 2], values: [1, 1] });
    expect(values(() => op.zerosLike(A()))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(values(() => op.onesLike(A()))).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

test('the same operations run on the stock backend in its precision', async () => {
  await tf.setBackend('cpu');
  const before = tf.memory().numTensors;
  const made = tf.engine().tidy(() => {
    const x = op.tensor([0.1, 0.2]);
    return [...doublesOf(op.mul(x, 0.3)), op.valueOf(op.trace(op.diag(x))), op.valueOf(op.scalar(0.1))] as never;
  }) as unknown as number[];
  const [a, b, c] = [0.1, 0.2, 0.3].map(Math.fround) as [number, number, number];
  expect(made).toEqual([Math.fround(a * c), Math.fround(b * c), Math.fround(a + b), a]);
  expect(tf.memory().numTensors).toBe(before);
});
