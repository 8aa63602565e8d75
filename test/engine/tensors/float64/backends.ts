import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { seededRandom } from '../../../../src/core/random.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import type { NumericType } from '../../../../src/engine/tensors/float64/backend.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import type { Tensor } from '../../../../src/engine/tensors/tensorflow.ts';

/** Numbers with a shape and a type, outside any backend. */
export interface Numbers {
  readonly shape: number[];
  readonly dtype: NumericType;
  readonly values: number[];
}

/** Standard normal numbers of float32 precision; small integers for 'int32' (never 0), truth values for 'bool'. */
export function drawn(shape: number[], dtype: NumericType = 'float32', seed = 1): Numbers {
  const random = seededRandom(seed);
  const draw = {
    float32: () => Math.fround(random.normal()),
    int32: () => (random.integer(2) === 0 ? 1 : -1) * (1 + random.integer(6)),
    bool: () => random.integer(2),
  }[dtype];
  return { shape, dtype, values: Array.from({ length: tf.util.sizeFromShape(shape) }, draw) };
}

/** The same numbers after a function of each. */
export const mapped = (x: Numbers, f: (value: number, i: number) => number): Numbers => ({
  ...x,
  values: x.values.map(f),
});

/** A tensor on the active backend; 'float32' numbers as doubles, so that the float64 backend keeps them whole. */
export function tensorOf({ values, shape, dtype }: Numbers): Tensor {
  if (dtype !== 'float32') return tf.tensor(values, shape, dtype);
  return tf.engine().makeTensor(Float64Array.from(values) as never, shape, 'float32');
}

const numbersOf = (x: Tensor): Numbers => ({
  shape: x.shape,
  dtype: x.dtype as NumericType,
  values: Array.from(doublesOf(x)),
});

export type Operation = (...inputs: Tensor[]) => Tensor | Tensor[];

function results(operation: Operation, inputs: Numbers[]): Numbers[] {
  const made = operation(...inputs.map(tensorOf));
  return (Array.isArray(made) ? made : [made]).map(numbersOf);
}

/** What the stock backend answers; it is the active one in these tests. */
export function onCpu(operation: Operation, ...inputs: Numbers[]): Numbers[] {
  const active = tf.engine();
  active.startScope();
  try {
    const made = operation(...inputs.map(({ values, shape, dtype }) => tf.tensor(values, shape, dtype)));
    return (Array.isArray(made) ? made : [made]).map(numbersOf);
  } finally {
    active.endScope();
  }
}

/** What the float64 backend answers. */
export const onFloat64 = (operation: Operation, ...inputs: Numbers[]): Numbers[] =>
  withFloat64(() => results(operation, inputs));

/** The largest error allowed of a stock result: nothing, one rounding, or a chain of them. */
export const EXACT = 0;
export const FLOAT32 = 2 ** -20;

/** Shapes and types agree, and numbers as `expectNumbers` has it. */
export function expectClose(actual: Numbers[], expected: Numbers[], tolerance: number, floor = 0): void {
  const kind = ({ shape, dtype }: Numbers) => ({ shape, dtype });
  expect(actual.map(kind)).toEqual(expected.map(kind));
  for (const [k, { values }] of actual.entries()) expectNumbers(values, expected[k]!.values, tolerance, floor);
}

/**
 * Numbers agree within a tolerance relative to their size, or to `floor` where they are smaller (sums of numbers that cancel
 * are only as good as the largest of them); NaN and infinities stand where they are expected.
 */
export function expectNumbers(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  floor = 0,
): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    const close = Math.abs(a - e) <= tolerance * Math.max(floor, Math.abs(e));
    if (!close && !Object.is(a, e)) expect(a, `entry ${i}`).toBe(e);
  }
}
