import { expect, it } from 'vitest';
import { minimized } from '../../src/inference/solvers/boundedNewton.ts';
import type { QuadraticDescent } from '../../src/model/solver.ts';

/** min gᵀd + ½dᵀHd of a matrix in full; counts its sweeps. */
function descentOf(H: readonly number[][], gradient: Float64Array, lower: Float64Array, upper: Float64Array) {
  const d = new Float64Array(gradient.length);
  const others = H.map((row) => Array.from(row.keys()).filter((j) => row[j] !== 0));
  const slope = (i: number) => others[i]!.reduce((sum, j) => sum + H[i]![j]! * d[j]!, gradient[i]!);
  let sweeps = 0;
  const descent: QuadraticDescent = {
    diagonal: Float64Array.from(H, (row, i) => row[i]!),
    product(places, v) {
      const all = new Float64Array(d.length);
      for (const [k, i] of places.entries()) all[i] = v[k]!;
      return Float64Array.from(places, (i) => others[i]!.reduce((sum, j) => sum + H[i]![j]! * all[j]!, 0));
    },
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
  const run = minimized(descent, { variables: Int32Array.from([0, 1, 2, 3, 4, 5]), gradient, lower, upper }, 1e-9);
  while (!run.next().done);
  expect(descent.steps()[5]).toBe(-0.5);
  expect(slope(5)).toBeGreaterThan(0);
  for (let i = 0; i < 5; i++) expect(Math.abs(slope(i))).toBeLessThan(1e-8);
  expect(sweeps()).toBeLessThan(15);
});

it('takes a factor where conjugate gradients would take hundreds of products', () => {
  const n = 1100;
  const H = Array.from({ length: n }, (_, i) => {
    const row = new Array<number>(n).fill(0);
    row[i] = 2;
    if (i > 0) row[i - 1] = -1;
    if (i < n - 1) row[i + 1] = -1;
    return row;
  });
  const gradient = new Float64Array(n).fill(-1);
  const lower = new Float64Array(n).fill(-1e9);
  const upper = new Float64Array(n).fill(1e9);
  const { descent, slope, sweeps } = descentOf(H, gradient, lower, upper);
  let products = 0;
  const counted = {
    ...descent,
    product: (places: Int32Array, v: Float64Array) => {
      products++;
      return descent.product(places, v);
    },
  };
  const run = minimized(counted, { variables: Int32Array.from(gradient.keys()), gradient, lower, upper }, 1e-6);
  while (!run.next().done);
  for (const i of [0, 500, n - 1]) expect(Math.abs(slope(i))).toBeLessThan(1e-5);
  expect(products).toBeLessThan(120);
  expect(sweeps()).toBeLessThan(6);
});
