import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import type { NumericType } from '../../../../src/engine/tensors/float64/backend.ts';
import { registerNetworkOperations } from '../../../../src/engine/tensors/float64/network.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';
import { drawn, EXACT, expectClose, expectNumbers, FLOAT32, mapped, onCpu, onFloat64 } from './backends.ts';

interface Case {
  readonly name: string;
  readonly operation: (x: Tensor) => Tensor;
  /** The function in double precision. */
  readonly f: (x: number) => number;
  /** Brings a standard normal number into the domain. */
  readonly domain?: (x: number) => number;
  readonly exact?: boolean;
  readonly dtypes?: NumericType[];
  readonly special?: number[];
}

// Registered when they are first asked for.
registerNetworkOperations();
withFloat64(() => op.sin(op.erf(1)));

const run =
  (kernel: string, attributes = {}) =>
  (x: Tensor) =>
    tf.engine().runKernel(kernel, { x }, attributes) as Tensor;
const positive = (x: number) => Math.abs(x) + 2 ** -6;
const unit = (x: number) => Math.fround(Math.tanh(x));
const extremes = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 80, -80];
const everyType: NumericType[] = ['float32', 'int32', 'bool'];
const SELU = [1.0507009873554805, 1.7580993408473766] as const;

const cases: Case[] = [
  { name: 'Neg', operation: run('Neg'), f: (x) => -x, exact: true, dtypes: ['float32', 'int32'], special: extremes },
  { name: 'Abs', operation: run('Abs'), f: Math.abs, exact: true, dtypes: ['float32', 'int32'], special: extremes },
  {
    name: 'Sign',
    operation: run('Sign'),
    f: (x) => Math.sign(x) || 0,
    exact: true,
    dtypes: everyType,
    special: extremes,
  },
  { name: 'Exp', operation: run('Exp'), f: Math.exp, dtypes: everyType, special: extremes.slice(0, 5) },
  { name: 'Expm1', operation: run('Expm1'), f: Math.expm1, special: [2 ** -30, ...extremes.slice(0, 5)] },
  { name: 'Log', operation: run('Log'), f: Math.log, domain: positive, special: extremes },
  { name: 'Log1p', operation: run('Log1p'), f: Math.log1p, domain: positive, special: [-1, -2, 2 ** -30, ...extremes] },
  { name: 'Sqrt', operation: run('Sqrt'), f: Math.sqrt, domain: positive, special: extremes },
  { name: 'Rsqrt', operation: run('Rsqrt'), f: (x) => 1 / Math.sqrt(x), domain: positive, special: extremes },
  { name: 'Square', operation: run('Square'), f: (x) => x * x, dtypes: ['float32', 'int32'], special: extremes },
  { name: 'Reciprocal', operation: run('Reciprocal'), f: (x) => 1 / x, domain: positive, special: extremes },
  { name: 'Sigmoid', operation: run('Sigmoid'), f: (x) => 1 / (1 + Math.exp(-x)), special: extremes },
  {
    name: 'Softplus',
    operation: run('Softplus'),
    f: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
    special: [80, -80],
  },
  {
    name: 'Relu',
    operation: run('Relu'),
    f: (x) => Math.max(0, x),
    exact: true,
    dtypes: ['float32', 'int32'],
    special: extremes,
  },
  {
    name: 'Relu6',
    operation: run('Relu6'),
    f: (x) => Math.min(6, Math.max(0, x)),
    exact: true,
    dtypes: ['float32', 'int32'],
    special: extremes,
  },
  {
    name: 'LeakyRelu',
    operation: run('LeakyRelu', { alpha: 0.1 }),
    f: (x) => (x < 0 ? 0.1 * x : x),
    dtypes: ['float32', 'int32'],
    special: extremes,
  },
  { name: 'Elu', operation: run('Elu'), f: (x) => (x >= 0 ? x : Math.expm1(x)), special: extremes },
  {
    name: 'Selu',
    operation: run('Selu'),
    f: (x) => (x >= 0 ? SELU[0] * x : SELU[1] * Math.expm1(x)),
    special: extremes,
  },
  {
    name: 'ClipByValue',
    operation: run('ClipByValue', { clipValueMin: -0.3, clipValueMax: 0.7 }),
    f: (x) => Math.min(Math.max(x, -0.3), 0.7),
    special: extremes,
  },
  { name: 'Erf', operation: run('Erf'), f: erfBySeries, domain: unit },
  ...(['sin', 'cos', 'tan', 'atan', 'sinh', 'cosh', 'tanh', 'asinh'] as const).map((name) => ({
    name: name[0]!.toUpperCase() + name.slice(1),
    operation: run(name[0]!.toUpperCase() + name.slice(1)),
    f: Math[name],
    special: [0, Number.NaN],
  })),
  ...(['asin', 'acos', 'atanh'] as const).map((name) => ({
    name: name[0]!.toUpperCase() + name.slice(1),
    operation: run(name[0]!.toUpperCase() + name.slice(1)),
    f: Math[name],
    domain: unit,
    special: [0, 1, -1, 2, Number.NaN],
  })),
  { name: 'Acosh', operation: run('Acosh'), f: Math.acosh, domain: (x) => 1 + x * x, special: [1, 0] },
  { name: 'ZerosLike', operation: run('ZerosLike'), f: () => 0, exact: true, dtypes: everyType },
  { name: 'OnesLike', operation: run('OnesLike'), f: () => 1, exact: true, dtypes: everyType },
];

/** 2/√π·Σ (−1)ⁿ x^(2n+1)/(n!(2n+1)), summed to the end: good to the last digit while |x| is below 1. */
function erfBySeries(x: number): number {
  let sum = 0;
  for (let n = 0, term = x; n < 80; n++, term *= (-x * x) / n) sum += term / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const shapes = [[], [5], [0], [2, 3], [3, 0, 2], [2, 1, 3], [2, 3, 1, 2]];

describe.each(cases)(
  '$name',
  ({ operation, f, domain = (x) => x, exact = false, dtypes = ['float32'], special = [] }) => {
    test.each(dtypes)('agrees with the stock backend on %s of every rank', (dtype) => {
      for (const shape of shapes) {
        const x = drawn(shape, dtype);
        const input = dtype === 'float32' ? mapped(x, (v) => Math.fround(domain(v))) : x;
        expectClose(onFloat64(operation, input), onCpu(operation, input), exact ? EXACT : FLOAT32);
      }
    });

    test('agrees with the stock backend on special values', () => {
      const input = { shape: [special.length], dtype: 'float32' as const, values: special };
      expectClose(onFloat64(operation, input), onCpu(operation, input), FLOAT32);
    });

    test('is computed in double precision', () => {
      const floats = dtypes.includes('float32') ? drawn([50]) : drawn([50], 'bool');
      const input = mapped(floats, (v) => (floats.dtype === 'bool' ? v : domain(v / 1.1)));
      const [result] = onFloat64(operation, input);
      expectNumbers(result!.values, input.values.map(f), exact ? EXACT : 1e-15);
    });
  },
);

test('Cast converts between all types as the stock backend does', () => {
  for (const from of everyType) {
    for (const to of everyType) {
      const x = mapped(drawn([3, 4], from), (v) => (from === 'float32' ? Math.fround(3 * v) : v));
      const operation = (t: Tensor) => tf.cast(t, to);
      expectClose(onFloat64(operation, x), onCpu(operation, x), EXACT);
      expect(onFloat64(operation, drawn([0, 2], from))[0]!.shape).toEqual([0, 2]);
    }
  }
});
