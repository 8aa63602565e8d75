import { expect, it } from 'vitest';
import { minimised } from '../../src/inference/solvers/quadraticMinimum.ts';
import type { QuadraticDescent } from '../../src/inference/solvers/solver.ts';

/** min gᵀd + ½dᵀHd of a matrix in full; counts its sweeps. */
function descentOf(H: readonly number[][], gradient: Float64Array, lower: Float64Array, upper: Float64Array) {
  const d = new Float64Array(gradient.length);
  const slope = (i: number) => d.reduce((sum, entry, j) => sum + H[i]![j]! * entry, gradient[i]!);
  let sweeps = 0;
  const descent: QuadraticDescent = {
    diagonal: Float64Array.from(H, (row, i) => row[i]!),
    product: (places, v) =>
      Float64Array.from(places, (i) => v.reduce((sum, entry, k) => sum + H[i]![places[k]!]! * entry, 0)),
    fill(places, target) {
      for (const [a, i] of places.entries()) {
        for (const [b, j] of places.subarray(0, a + 1).entries()) target[a * places.length + b] = H[i]![j]!;
      }
    },
    slopes: (places) => Float64Array.from(places, slope),
    move(places, to) {
      for (const [k, i] of places.entries()) d[i] = to[k]!;
    },
    sweep(places) {
      sweeps++;
      let most = 0;
      for (const i of places) {
        const to = Math.max(lower[i]!, Math.min(upper[i]!, d[i]! - slope(i) / H[i]![i]!));
        most = Math.max(most, Math.abs(to - d[i]!) * Math.sqrt(H[i]![i]!));
        d[i] = to;
      }
      return most;
    },
    steps: () => d.slice(),
  };
  return { descent, slope, sweeps: () => sweeps };
}

it('the minimum of a quadratic model takes a few sweeps where coordinate descent alone would crawl', () => {
  // Nearly the same variable five times over, and a sixth that belongs to its bound.
  const H = Array.from({ length: 6 }, (_, i) =>
    Array.from({ length: 6 }, (_, j) => 1 + (i === j ? 1e-5 * (i + 1) : 0)),
  );
  const gradient = Float64Array.of(-1, -0.9999, -1.0001, -1, -0.9998, 3);
  const lower = new Float64Array(6).fill(-50);
  const upper = new Float64Array(6).fill(50);
  lower[5] = -0.5;
  const { descent, slope, sweeps } = descentOf(H, gradient, lower, upper);
  const run = minimised(descent, { variables: Int32Array.from([0, 1, 2, 3, 4, 5]), gradient, lower, upper }, 1e-9);
  while (!run.next().done);
  expect(descent.steps()[5]).toBe(-0.5);
  expect(slope(5)).toBeGreaterThan(0);
  for (let i = 0; i < 5; i++) expect(Math.abs(slope(i))).toBeLessThan(1e-8);
  expect(sweeps()).toBeLessThan(15);
});
