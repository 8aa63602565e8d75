import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';
import type { ElementaryFunctions } from '../../../src/engine/operations/linearAlgebra.ts';
import { typescriptElementaryFunctions } from '../../../src/engine/typescript/typescriptEngine.ts';
import { wasmElementaryFunctions } from '../../../src/engine/wasm/wasmEngine.ts';

import reference from '../../reference/elementaryFunctions.json' with { type: 'json' };

type Name = keyof ElementaryFunctions;
type Row = [x: number, nearest: number, rest: number];
const tables: Record<Name, Row[]> = {
  exponential: reference.exp as Row[],
  logarithm: reference.log as Row[],
  hyperbolicTangent: reference.tanh as Row[],
};
const engines = { wasm: wasmElementaryFunctions, typescript: typescriptElementaryFunctions };

function apply(engine: keyof typeof engines, name: Name, x: readonly number[], inPlace = false): number[] {
  const memory = new Float64Memory();
  memory.detachViews = true;
  const functions = engines[engine](memory);
  const [from, other] = [memory.allocate(8 * x.length + 8), memory.allocate(8 * x.length + 8)];
  const to = inPlace ? from : other;
  memory.float64(from, x.length).set(x);
  memory.float64(to, x.length + 1)[x.length] = 42;
  functions[name](x.length, from, to);
  expect(memory.float64(to, x.length + 1)[x.length]).toBe(42);
  return Array.from(memory.float64(to, x.length));
}

/** Distance of neighboring doubles at x. */
function unitInLastPlace(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const exponent = view.getUint16(0) >> 4;
  return exponent <= 53 ? Number.MIN_VALUE * 2 ** Math.max(0, exponent - 1) : 2 ** (exponent - 1075);
}

describe.each([
  ['exponential', 1],
  ['logarithm', 1],
  ['hyperbolicTangent', 2],
] as const)('%s', (name, limit) => {
  const rows = tables[name];
  const points = rows.map(([x]) => x);

  it(`is within ${limit} ulp of 60-digit values over its whole range`, () => {
    const values = apply('wasm', name, points);
    rows.forEach(([x, nearest, rest], i) => {
      const error = Math.abs((values[i]! - nearest) / unitInLastPlace(nearest) - rest);
      expect(error, `${name}(${x})`).toBeLessThan(limit);
    });
  });

  it('agrees with its TypeScript version', () => {
    const values = apply('wasm', name, points);
    apply('typescript', name, points).forEach((expected, i) => {
      const gap = Math.abs(values[i]! - expected);
      expect(gap, `${name}(${points[i]})`).toBeLessThanOrEqual(4 * unitInLastPlace(expected));
    });
  });

  it('gives the same bits in place, alone, in pairs and across blocks', () => {
    const { uniform } = seededRandom(1);
    const many = Array.from({ length: 600 }, (_, i) => (i % 97 === 50 ? points[i % points.length]! : 0.1 + uniform()));
    const values = apply('wasm', name, many);
    expect(apply('wasm', name, many, true)).toEqual(values);
    expect(many.flatMap((x) => apply('wasm', name, [x]))).toEqual(values);
    for (const length of [0, 1, 2, 3, 5, 255, 256, 257]) {
      expect(apply('wasm', name, many.slice(0, length))).toEqual(values.slice(0, length));
    }
  });
});

describe.each(['wasm', 'typescript'] as const)('special values, %s', (engine) => {
  const { NaN: nan, POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: minusInfinity, MIN_VALUE: tiny } = Number;

  // Beside ordinary numbers, so that both members of a pair are tried with and without a special one.
  function expectValues(name: Name, cases: readonly (readonly [number, number])[]) {
    const x = cases.map(([argument]) => argument);
    const expected = cases.map(([, value]) => value);
    expect(apply(engine, name, x)).toEqual(expected);
    const ordinary = apply(engine, name, [0.5])[0]!;
    expect(
      apply(
        engine,
        name,
        x.flatMap((argument) => [0.5, argument]),
      ),
    ).toEqual(expected.flatMap((value) => [ordinary, value]));
    expect(
      apply(
        engine,
        name,
        x.flatMap((argument) => [argument, 0.5]),
      ),
    ).toEqual(expected.flatMap((value) => [value, ordinary]));
  }

  it('exp', () => {
    expectValues('exponential', [
      [0, 1],
      [-0, 1],
      [tiny, 1],
      [-tiny, 1],
      [nan, nan],
      [infinity, infinity],
      [minusInfinity, 0],
      [709.79, infinity],
      [-745.14, 0],
      [-745.13, tiny],
      [1e300, infinity],
      [-1e300, 0],
    ]);
  });

  it('log', () => {
    expectValues('logarithm', [
      [1, 0],
      [0, minusInfinity],
      [-0, minusInfinity],
      [-1, nan],
      [-tiny, nan],
      [minusInfinity, nan],
      [nan, nan],
      [infinity, infinity],
      [tiny, -744.4400719213812],
      [Number.MAX_VALUE, 709.782712893384],
    ]);
  });

  it('tanh', () => {
    expectValues('hyperbolicTangent', [
      [0, 0],
      [-0, -0],
      [tiny, tiny],
      [-tiny, -tiny],
      [1e-310, 1e-310],
      [30, 1],
      [-30, -1],
      [infinity, 1],
      [minusInfinity, -1],
      [nan, nan],
    ]);
  });
});
