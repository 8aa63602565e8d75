import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/index.ts';
import { backgroundOf, doubtOf, isFlat } from '../../web/playground/background.ts';

/** f(x) = (x₁, 2x₂, x₁·x₂, x₃): slopes (1, 0, x₂, 0) and (0, 2, x₁, 0) along the first two axes. */
const predict = (X: Matrix) => ({
  mean: Matrix.from(X.toArrays().map(([a = 0, b = 0, c = 0]) => [a, 2 * b, a * b, c])),
  variance: Matrix.from(X.toArrays().map(([a = 0, b = 0]) => [1 + a * a, 1 + b * b, 2, 3])),
});
const place = {
  x: [-1, 2],
  y: [0, 1.5],
  side: 12,
  middle: [0, 0, 0.5],
  axes: [0, 1],
  column: 2,
  spreads: [1, 2, 0.5, 0],
} as const;

describe('the background of a map', () => {
  it('is the deviation of a new row as a share of the spreads, the magnification of areas and the expected value in the middle of each cell', async () => {
    const found = (await backgroundOf(predict, place, new AbortController().signal))!;
    for (let i = 0; i < 12; i++) {
      for (let j = 0; j < 12; j++) {
        const [a, b] = [-1 + (3 * (j + 0.5)) / 12, (1.5 * (i + 0.5)) / 12];
        expect(found.deviation[12 * i + j]).toBeCloseTo(Math.sqrt((1 + a * a + (1 + b * b) / 4 + 8 + 3) / 4), 12);
        expect(found.value![12 * i + j]).toBeCloseTo(a * b, 12);
        // Differences of a product of the two are exact.
        const determinant = (1 + b * b) * (4 + a * a) - (a * b) ** 2;
        expect(found.magnification[12 * i + j]).toBeCloseTo(0.5 * Math.log(determinant), 10);
      }
    }
    // Of each column alone: the mean of 1 + a² over the cells is that over their middles.
    const middles = Array.from({ length: 12 }, (_, j) => -1 + (3 * (j + 0.5)) / 12);
    const mean = middles.reduce((sum, a) => sum + 1 + a * a, 0) / 12;
    expect(found.columns[0]).toBeCloseTo(Math.sqrt(mean), 12);
    expect(found.columns[2]).toBeCloseTo(Math.sqrt(2 / 0.25), 12);
    expect(isFlat(found)).toBe(false);
    expect(isFlat({ deviation: Float64Array.of(0.3, 0.3, 0.3) })).toBe(true);
  });

  it('is in doubt from 0 where rows are most certain to 1 where they are least', () => {
    const grid = { deviation: Float64Array.of(2, 0.5, 8, 4) } as Parameters<typeof doubtOf>[0];
    expect(Array.from(doubtOf(grid))).toEqual([0.2, 0, 1, 3.5 / 7.5]);
  });

  it('ends when it is aborted', async () => {
    const stop = new AbortController();
    const found = backgroundOf(predict, place, stop.signal);
    stop.abort();
    expect(await found).toBeUndefined();
  });
});
