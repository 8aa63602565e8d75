import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as own from '../../../src/core/elementary/index.ts';
import { Float64Memory } from '../../../src/engine/memory.ts';
import { wasmElementaryFunctions } from '../../../src/engine/wasm/wasmEngine.ts';

type Function = Exclude<keyof typeof own, 'square' | 'binaryExponent'>;

/** Arguments and the nearest double to the function's value, by mpmath 1.3 with 2600 bits. */
const reference: Record<Function, number[][]> = JSON.parse(
  readFileSync(new URL('reference.json', import.meta.url), 'utf8'),
);
const functions: Record<Function, (...x: number[]) => number> = { ...own };

/** How many doubles lie between two. */
function between(a: number, b: number): number {
  const [x, y] = [a, b].map((value) => {
    const bits = new BigInt64Array(Float64Array.of(value).buffer)[0]!;
    return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
  });
  return Math.abs(Number(x! - y!));
}

describe('functions by additions, multiplications, divisions and roots', () => {
  test.each(Object.entries(reference))('%s is within 2 doubles of the exact values', (name, rows) => {
    expect(rows.length).toBeGreaterThan(35);
    for (const row of rows) {
      const found = functions[name as Function](...row.slice(0, -1));
      expect(between(found, row.at(-1)!), `${name}(${row.slice(0, -1)}) = ${found}, not ${row.at(-1)}`).toBeLessThan(3);
    }
  });

  test('at zeros, infinities and beyond their ranges they have the values of Math', () => {
    const special = [0, -0, 1, -1, 2, -2, 0.5, 1e-320, -1e-320, 800, -800, 1e308, -1e308, Infinity, -Infinity, NaN];
    for (const name of Object.keys(reference) as Function[]) {
      for (const x of special) {
        const arguments_ = name === 'pow' || name === 'atan2' ? special.map((y) => [x, y]) : [[x]];
        for (const values of arguments_) {
          const host = (Math[name] as (...x: number[]) => number)(...values);
          const found = functions[name](...values);
          const what = `${name}(${values.map((value) => (Object.is(value, -0) ? '-0' : value))})`;
          if (Number.isFinite(host) && host !== 0) expect(between(found, host), what).toBeLessThan(5);
          else expect(found, what).toBe(host);
        }
      }
    }
  });

  test('exp, log and tanh have the bits of the compiled ones', () => {
    const memory = new Float64Memory();
    const compiled = wasmElementaryFunctions(memory);
    const n = 20_000;
    const at = memory.allocate(n);
    const arguments_ = {
      exponential: Float64Array.from({ length: n }, (_, i) => ((i * 7919) % n) * 0.0753 - 752),
      logarithm: Float64Array.from({ length: n }, (_, i) => 1e-3 * i * i * (1 + (i % 13))),
      hyperbolicTangent: Float64Array.from({ length: n }, (_, i) => (i - n / 2) * 0.00231),
    };
    const scalar = { exponential: own.exp, logarithm: own.log, hyperbolicTangent: own.tanh };
    for (const name of ['exponential', 'logarithm', 'hyperbolicTangent'] as const) {
      memory.float64(at, n).set(arguments_[name]);
      compiled[name](n, at, at);
      expect(Array.from(memory.float64(at, n)), name).toEqual(Array.from(arguments_[name], scalar[name]));
    }
  });

  test('binaryExponent is exact at powers of two and next to them', () => {
    for (let k = -1074; k <= 1023; k++) {
      expect(own.binaryExponent(2 ** k)).toBe(k);
      if (k > -1021) expect(own.binaryExponent(2 ** k * (1 - 2 ** -53))).toBe(k - 1);
    }
  });
});
