import { Matrix } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { projectedGaussians } from '../../../src/inference/places/gaussians.ts';
import { expectClose } from '../../tolerance.ts';

/**
 * The expectation of two wells of width 1 and of the depths 4 at −2 and 9 at 3 under a Gaussian of mean m and variance s, plus ½(log s − s):
 * ∑ h/√(1+s)·exp(−½(m−c)²/(1+s)) + ½(log s − s).
 */
function bound(m: number, s: number): number {
  const wells = [
    { center: -2, height: 4 },
    { center: 3, height: 9 },
  ].map(({ center, height }) => (height / Math.sqrt(1 + s)) * Math.exp((-0.5 * (m - center) ** 2) / (1 + s)));
  return wells.reduce((sum, own) => sum + own, 0) + 0.5 * (Math.log(s) - s);
}

const slope = (at: (step: number) => number) => (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;

const placedBound = (_: readonly number[], { mean, variance }: { mean: Matrix; variance: Matrix }) => {
  const each = (of: (m: number, s: number) => number) => mean.data.map((m, n) => of(m, variance.data[n]!));
  const column = (entries: Float64Array) => new Matrix(entries, mean.rows, 1);
  return {
    values: each(bound),
    mean: column(each((m, s) => slope((h) => bound(m + h, s)))),
    variance: column(each((m, s) => slope((h) => bound(m, s * (1 + h))) / s)),
  };
};

const settings = { maxIterations: 100, tolerance: 1e-8 };
const fitted = {
  mean: Matrix.from([[-2.3], [-1.8], [2.5], [-2]]),
  variance: Matrix.from([[0.2], [0.3], [0.2], [0.2]]),
};
const searchedFrom = (X: number[], training: number[][]) =>
  projectedGaussians(placedBound, fitted, { X: Matrix.from(X.map((x) => [x])), training }, settings, async () => {});

describe('the Gaussian of a new row', () => {
  it('has the greatest bound, though the likeliest point lies at another maximum', async () => {
    const { mean, variance } = await searchedFrom(
      [-2, 3],
      [
        [0, 1, 2, 3],
        [0, 1],
      ],
    );
    // The greatest over a grid, refined.
    let best = { m: 0, s: 1, value: Number.NEGATIVE_INFINITY };
    for (let m = 2.9; m <= 3.1; m += 1e-3) {
      for (let s = 0.05; s <= 0.3; s += 1e-3) if (bound(m, s) > best.value) best = { m, s, value: bound(m, s) };
    }
    for (const row of [0, 1]) {
      expect(Math.abs(mean.data[row]! - best.m)).toBeLessThan(2e-3);
      expect(Math.abs(variance.data[row]! - best.s)).toBeLessThan(2e-3);
      expect(bound(mean.data[row]!, variance.data[row]!)).toBeGreaterThanOrEqual(best.value);
    }
  });

  it('stays at the maximum next to the likeliest point where no training Gaussian leads to a greater bound', async () => {
    const { mean } = await searchedFrom([-2], [[0, 1, 3]]);
    const alone = await searchedFrom([-2], [[3]]);
    expect(Math.abs(mean.data[0]! + 2)).toBeLessThan(1e-2);
    expectClose(mean.data, alone.mean.data, 1e-6);
  });
});
