import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/index.ts';
import { backgroundOf, certaintyOf } from '../../web/playground/background.ts';

/** f(x) = (x₁, 2x₂, x₁·x₂, x₃): slopes (1, 0, x₂, 0) and (0, 2, x₁, 0) along the first two axes. */
const predict = (X: Matrix) => ({
  mean: Matrix.from(X.toArrays().map(([a = 0, b = 0, c = 0]) => [a, 2 * b, a * b, c])),
  variance: Matrix.from(X.toArrays().map(([a = 0, b = 0]) => [1 + a * a, 1 + b * b, 2, 3])),
});
const place = { x: [-1, 2], y: [0, 1.5], side: 13, middle: [0, 0, 0.5], axes: [0, 1] } as const;

describe('the background of a picture', () => {
  it('is the precision, and the magnification of areas, at the points of a grid', async () => {
    const found = (await backgroundOf(predict, place, new AbortController().signal))!;
    for (let i = 0; i < 13; i++) {
      for (let j = 0; j < 13; j++) {
        const [a, b] = [-1 + (3 * j) / 12, (1.5 * i) / 12];
        expect(found.precision[13 * i + j]).toBeCloseTo(-Math.log((1 + a * a + 1 + b * b + 5) / 4), 12);
        // Differences of a product of the two are exact.
        const determinant = (1 + b * b) * (4 + a * a) - (a * b) ** 2;
        expect(found.magnification[13 * i + j]).toBeCloseTo(0.5 * Math.log(determinant), 10);
      }
    }
  });

  it('is as certain as its variance is below the largest', () => {
    const precision = Float64Array.of(2, 0.5, 8, 4).map(Math.log);
    const certainty = certaintyOf(precision);
    for (const [i, expected] of [0.75, 0, 1 - 0.5 / 8, 1 - 0.5 / 4].entries())
      expect(certainty[i]).toBeCloseTo(expected, 14);
  });

  it('ends when it is aborted', async () => {
    const stop = new AbortController();
    const found = backgroundOf(predict, place, stop.signal);
    stop.abort();
    expect(await found).toBeUndefined();
  });
});
