import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { type EngineChoice, withEngine } from '../../../src/numerics/dense/index.ts';
import { type ElementaryFunctions, wasmElementaryFunctions } from '../../../src/numerics/wasm/index.ts';
import { doublesOf } from '../../../src/tensors/doubles.ts';
import { Float64Memory } from '../../../src/tensors/float64/index.ts';
import { withFloat64 } from '../../../src/tensors/float64/scope.ts';
import * as op from '../../../src/tensors/ops.ts';
import type { Tensor } from '../../../src/tensors/tensorflow.ts';

const { uniform } = seededRandom(1);
const points = Float64Array.from({ length: 4001 }, () => 20 * uniform());

/** What the compiled function makes of numbers in a memory of its own. */
function compiled(name: keyof ElementaryFunctions, x: Float64Array): Float64Array {
  const memory = new Float64Memory();
  const offset = memory.allocate(8 * x.length);
  memory.float64(offset, x.length).set(x);
  wasmElementaryFunctions(memory)[name](x.length, offset, offset);
  return memory.float64(offset, x.length).slice();
}

const apply = (operation: (x: Tensor) => Tensor, make: () => Tensor, engine: EngineChoice) =>
  withFloat64(({ memory64 }) => withEngine(memory64, engine, () => doublesOf(operation(make()))));

describe.each([
  ['exponential', op.exp, Math.exp, 1],
  ['logarithm', op.log, Math.log, 1],
  ['hyperbolicTangent', op.tanh, Math.tanh, 2],
] as const)('%s as an operation', (name, operation, f, limit) => {
  const x = points.map((value) => value / (name === 'hyperbolicTangent' ? 10 : 1));

  it('is the compiled one on the WebAssembly engine, and that of Math on the TypeScript one', () => {
    const [wasm, typescript] = [compiled(name, x), x.map(f)];
    expect(wasm).not.toEqual(typescript);
    expect(apply(operation, () => op.tensor(x), 'wasm')).toEqual(wasm);
    expect(apply(operation, () => op.tensor(x), 'typescript')).toEqual(typescript);
    expect(apply(operation, () => op.tensor([]), 'wasm')).toEqual(new Float64Array(0));
  });

  it('is the same to the last digits on both', () => {
    const [wasm, typescript] = (['wasm', 'typescript'] as const).map((engine) =>
      apply(operation, () => op.tensor(x), engine),
    ) as [Float64Array, Float64Array];
    // Math is within one unit in the last place itself.
    wasm.forEach((value, i) => {
      expect(Math.abs(value / typescript[i]! - 1)).toBeLessThanOrEqual((limit + 1) * Number.EPSILON);
    });
  });
});

it.each(['wasm', 'typescript'] as const)('exp takes whole numbers, %s', (engine) => {
  const values = apply(op.exp, () => tf.tensor1d([1, 2, 3, 7], 'int32'), engine);
  expect(values).toEqual(apply(op.exp, () => op.tensor([1, 2, 3, 7]), engine));
});

describe('the logistic function', () => {
  it('is made of the compiled exponential', () => {
    const exponentials = compiled(
      'exponential',
      points.map((x) => -x),
    );
    const expected = exponentials.map((e) => 1 / (1 + e));
    expect(apply(op.sigmoid, () => op.tensor(points), 'wasm')).toEqual(expected);
    expect(apply(op.sigmoid, () => op.tensor(points), 'typescript')).toEqual(points.map((x) => 1 / (1 + Math.exp(-x))));
  });
});
