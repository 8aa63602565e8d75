import { expect } from 'vitest';

/** Entries of nested arrays of numbers, in order. */
export function flat(values: unknown): number[] {
  if (typeof values === 'number') return [values];
  if (values instanceof Float64Array) return Array.from(values);
  if (Array.isArray(values)) return values.flatMap(flat);
  if (typeof values === 'object' && values !== null && 'data' in values) return flat(values.data);
  throw new TypeError(`not numbers: ${typeof values}`);
}

/** Expects every entry to be finite and within `tolerance` of the expected one, relative to the largest expected entry of all. */
export function expectClose(actual: unknown, expected: unknown, tolerance: number, what = ''): void {
  const got = flat(actual);
  const wanted = flat(expected);
  expect(got.length, `${what}: number of entries`).toBe(wanted.length);
  for (let i = 0; i < got.length; i++) {
    expect(Number.isFinite(got[i]), `${what}: entry ${i} is ${got[i]}, expected ${wanted[i]}`).toBe(true);
    expect(Number.isFinite(wanted[i]), `${what}: the expected entry ${i} is ${wanted[i]}`).toBe(true);
  }
  const scale = wanted.reduce((largest, entry) => Math.max(largest, Math.abs(entry)), 0) || 1;
  let worst = 0;
  let at = 0;
  for (let i = 0; i < got.length; i++) {
    const error = Math.abs(got[i]! - wanted[i]!);
    if (!(error <= worst)) {
      worst = error;
      at = i;
    }
  }
  expect(
    worst / scale,
    `${what}: entry ${at} is ${got[at]}, expected ${wanted[at]} (largest expected entry ${scale})`,
  ).toBeLessThanOrEqual(tolerance);
}
