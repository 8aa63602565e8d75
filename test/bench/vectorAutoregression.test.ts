import { describe, expect, it } from 'vitest';
// @ts-expect-error: without types
import { varForecast } from '../../bench/reproductions/vectorAutoregression.mjs';
import { seededRandom } from '../../src/index.ts';

const average = (list: readonly number[]) => list.reduce((sum, x) => sum + x / list.length, 0);

describe('the vector autoregression that forecasts are compared with', () => {
  it('is, for one column, the regression on the row before', () => {
    const random = seededRandom(1);
    const y = [0];
    for (let t = 1; t < 60; t++) y.push(0.7 * y[t - 1]! + 1 + random.normal());
    const [before, after] = [y.slice(0, -1), y.slice(1)];
    const [mx, my] = [average(before), average(after)];
    const slope =
      average(before.map((x, t) => (x - mx) * (after[t]! - my))) / average(before.map((x) => (x - mx) ** 2));
    const constant = my - slope * mx;
    const noise = after.reduce((sum, x, t) => sum + (x - constant - slope * before[t]!) ** 2, 0) / (59 - 2);
    const { order, mean, variance } = varForecast(
      y.map((x) => [x]),
      5,
      { most: 1 },
    );
    expect(order).toBe(1);
    let expected = y.at(-1)!;
    for (let h = 0; h < 5; h++) {
      expected = constant + slope * expected;
      expect(mean[h][0]).toBeCloseTo(expected, 10);
      expect(variance[h][0]).toBeCloseTo((noise * (1 - slope ** (2 * h + 2))) / (1 - slope ** 2), 10);
    }
  });

  it('finds the order, and its intervals of 90 % contain .9 of the next rows', () => {
    const random = seededRandom(2);
    const within: number[] = [];
    const orders: number[] = [];
    for (let series = 0; series < 100; series++) {
      const rows = [[0, 0].map(() => random.normal()), [0, 0].map(() => random.normal())];
      for (let t = 2; t < 320; t++) {
        const [[a, b], [c]] = [rows[t - 1] as [number, number], rows[t - 2] as [number, number]];
        rows.push([0.4 * a + 0.2 * b - 0.4 * c + random.normal(), 0.5 * b - 0.3 * a + 0.5 * random.normal() + 1]);
      }
      const { order, mean, variance } = varForecast(rows.slice(0, 300), 20);
      orders.push(order);
      for (const [h, row] of rows.slice(300).entries())
        for (const j of [0, 1])
          within.push(Math.abs(row[j]! - mean[h][j]) <= 1.6448536269514722 * Math.sqrt(variance[h][j]) ? 1 : 0);
    }
    expect(orders.filter((order) => order === 2).length).toBeGreaterThanOrEqual(95);
    // Entries of a series go together: the standard error over series is about .008.
    expect(Math.abs(average(within) - 0.9)).toBeLessThan(0.025);
  });
});
