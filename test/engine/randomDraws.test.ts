import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { gammaDraw, poissonDraw } from '../../src/engine/special/randomDraws.ts';

const N = 40_000;

/** How far the mean and variance of draws are from what they must be, in standard errors, for a distribution of this fourth central moment. */
function distances(draws: Float64Array, mean: number, variance: number, fourth: number): [number, number] {
  const average = draws.reduce((sum, entry) => sum + entry, 0) / N;
  const spread = draws.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / N;
  return [(average - mean) / Math.sqrt(variance / N), (spread - variance) / Math.sqrt((fourth - variance ** 2) / N)];
}

describe('draws', () => {
  it.each([0.3, 1, 4.5, 60])('of the gamma distribution of shape %d have mean and variance of its shape', (a) => {
    const random = seededRandom(5);
    const draws = Float64Array.from({ length: N }, () => gammaDraw(a, random));
    for (const distance of distances(draws, a, a, 3 * a * a + 6 * a)) expect(Math.abs(distance)).toBeLessThan(4);
  });

  it.each([0.2, 3, 9.99, 10, 47, 2000])('of the Poisson distribution of rate %d have mean and variance λ', (rate) => {
    const random = seededRandom(6);
    const draws = Float64Array.from({ length: N }, () => poissonDraw(rate, random));
    expect(draws.every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
    for (const distance of distances(draws, rate, rate, rate + 3 * rate * rate)) {
      expect(Math.abs(distance)).toBeLessThan(4);
    }
  });

  it('of the Poisson distribution are 0 at rate 0 and NaN where the rate overflows', () => {
    expect(poissonDraw(0, seededRandom(1))).toBe(0);
    expect(poissonDraw(Infinity, seededRandom(1))).toBeNaN();
  });
});
