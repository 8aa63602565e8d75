import { describe, expect, it } from 'vitest';
import { gaussHermite } from '../../../src/engine/special/gaussHermite.ts';

describe('Gauss–Hermite quadrature', () => {
  it.each([1, 2, 3, 5, 20, 31, 64])('with %i nodes has the moments of a standard normal up to degree 2n − 1', (n) => {
    const { nodes, weights } = gaussHermite(n);
    for (let degree = 0, moment = 1; degree <= Math.min(2 * n - 1, 40); degree += 2) {
      const sum = (odd: number) => nodes.reduce((total, x, k) => total + weights[k]! * x ** (degree + odd), 0);
      expect(Math.abs(sum(0) / moment - 1)).toBeLessThan(1e-12);
      expect(Math.abs(sum(1))).toBeLessThan(1e-12 * moment * 8);
      moment *= degree + 1;
    }
  });

  it('has ascending nodes, symmetric about 0', () => {
    const { nodes } = gaussHermite(100);
    for (let k = 1; k < 100; k++) expect(nodes[k]!).toBeGreaterThan(nodes[k - 1]!);
    expect(Array.from(nodes)).toEqual(Array.from(nodes, (_, k) => -nodes[99 - k]!));
  });

  it('has the published nodes for n = 3: 0 and ±√3, with weights 2/3 and 1/6', () => {
    const { nodes, weights } = gaussHermite(3);
    expect(nodes[2]).toBeCloseTo(Math.sqrt(3), 14);
    expect(weights[1]).toBeCloseTo(2 / 3, 14);
    expect(weights[0]).toBeCloseTo(1 / 6, 14);
  });

  it('states how many nodes there may be', () => {
    expect(() => gaussHermite(0)).toThrow(/1 to 100 nodes/);
    expect(() => gaussHermite(2.5)).toThrow(/1 to 100 nodes/);
  });
});
