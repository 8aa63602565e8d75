import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { exp, log, tanh } from '../../../src/core/elementary/index.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { type EngineChoice, withEngine } from '../../../src/engine/dense/index.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';
import type { ElementaryFunctions } from '../../../src/engine/operations/linearAlgebra.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import type { Tensor } from '../../../src/engine/tensors/tensorflow.ts';
import { wasmElementaryFunctions } from '../../../src/engine/wasm/wasmEngine.ts';

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
  ['exponential', op.exp, exp],
  ['logarithm', op.log, log],
  ['hyperbolicTangent', op.tanh, tanh],
] as const)('%s as an operation', (name, operation, f) => {
  const x = points.map((value) => value / (name === 'hyperbolicTangent' ? 10 : 1));

  it('is the compiled one on the WebAssembly engine, and has the same bits on the TypeScript one', () => {
    const expected = compiled(name, x);
    expect(x.map(f)).toEqual(expected);
    expect(apply(operation, () => op.tensor(x), 'wasm')).toEqual(expected);
    expect(apply(operation, () => op.tensor(x), 'typescript')).toEqual(expected);
    expect(apply(operation, () => op.tensor([]), 'wasm')).toEqual(new Float64Array(0));
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
    expect(apply(op.sigmoid, () => op.tensor(points), 'typescript')).toEqual(expected);
  });
});
