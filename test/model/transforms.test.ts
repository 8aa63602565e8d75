import { describe, expect, it } from 'vitest';
import { bounded, positive, real } from '../../src/index.ts';
import { box } from '../../src/model/index.ts';
import { type Parameter, transformOf } from '../../src/model/parameter.ts';

const parameters: Record<string, readonly [Parameter, readonly number[]]> = {
  'real(0)': [real(0), [-3, 0, 0.7, 40]],
  'positive(1)': [positive(1), [-9, -0.3, 0, 2]],
  "positive(1, { transform: 'softplus' })": [positive(1, { transform: 'softplus' }), [-9, -0.3, 0, 5, 19, 28, 40]],
  'bounded(0, 2)': [bounded(0, 2), [-4, -0.3, 0, 1, 3]],
  'bounded(-3, 5)': [bounded(-3, 5), [-4, -0.3, 0, 1, 3]],
  'box(0, 2, 1)': [box(0, 2, 1), [0, 0.3, 2]],
};

describe.each(Object.entries(parameters))('the transform of %s', (_, [parameter, points]) => {
  const { toNatural, toUnconstrained, pullBack } = transformOf(parameter);
  const natural = (u: number) => toNatural(Float64Array.of(u))[0]!;

  it('pulls gradients back by its own slope, as central differences of sixth order find it', () => {
    for (const u of points) {
      const h = 5e-3;
      const odd = (k: number) => natural(u + k * h) - natural(u - k * h);
      const slope = (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
      const pulled = pullBack(Float64Array.of(1.7), toNatural(Float64Array.of(u)), Float64Array.of(u))[0]!;
      expect(Math.abs(pulled - 1.7 * slope), `at ${u}`).toBeLessThanOrEqual(1e-11 * Math.abs(1.7 * slope) + 1e-14);
    }
  });

  it('reports how it changes volumes, and the slope of that change', () => {
    for (const u of points) {
      const at = (x: number) => transformOf(parameter).logJacobian!(Float64Array.of(x));
      const slope = pullBack(Float64Array.of(1), toNatural(Float64Array.of(u)), Float64Array.of(u))[0]!;
      expect(Math.abs(at(u).value - Math.log(slope)), `at ${u}`).toBeLessThan(1e-13 * Math.max(1, Math.abs(u)));
      const h = 5e-3;
      const odd = (k: number) => at(u + k * h).value - at(u - k * h).value;
      expect(Math.abs(at(u).gradient[0]! - (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h)), `at ${u}`).toBeLessThan(
        1e-9,
      );
    }
  });

  it('and its inverse undo each other', () => {
    for (const u of points) {
      const back = toUnconstrained(toNatural(Float64Array.of(u)))[0]!;
      expect(Math.abs(back - u), `at ${u}`).toBeLessThanOrEqual(1e-13 * Math.max(1, Math.abs(u)));
    }
  });
});

describe('softplus', () => {
  const { toNatural, toUnconstrained } = transformOf(positive(1, { transform: 'softplus' }));

  // exp(−21), by which both are away from the identity, is 2·10⁵ units in the last place of 21.
  it.each([21, 24, 28])('is not yet the identity at %i', (u) => {
    const ulp = 4e-15;
    expect(Math.abs(toNatural(Float64Array.of(u))[0]! - u - Math.exp(-u))).toBeLessThanOrEqual(ulp);
    expect(Math.abs(u - toUnconstrained(Float64Array.of(u))[0]! - Math.exp(-u))).toBeLessThanOrEqual(ulp);
    expect(Math.exp(-u)).toBeGreaterThan(20 * ulp);
  });
});
