import { expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';

it('seeds have separate streams, 1 and 11 and 111 too', () => {
  const seeds = Array.from({ length: 12_000 }, (_, i) => i - 1000);
  const firsts = seeds.map((seed) => {
    const random = seededRandom(seed);
    return `${random.uniform()} ${random.uniform()}`;
  });
  expect(new Set(firsts).size).toBe(seeds.length);
});

it('a seed has the same stream every time, uniform on [0, 1)', () => {
  const draw = () => {
    const random = seededRandom(11);
    return Array.from({ length: 4000 }, () => random.uniform());
  };
  const numbers = draw();
  expect(draw()).toEqual(numbers);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  // Four standard deviations of the mean of 4000 uniform numbers.
  expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * 4000));
});

it('normal numbers have mean 0 and variance 1, whole ones are below their limit', () => {
  const random = seededRandom(7);
  const normals = Array.from({ length: 4000 }, () => random.normal());
  const mean = normals.reduce((sum, x) => sum + x, 0) / normals.length;
  const variance = normals.reduce((sum, x) => sum + (x - mean) ** 2, 0) / normals.length;
  expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(4000));
  expect(Math.abs(variance - 1)).toBeLessThan(4 * Math.sqrt(2 / 4000));
  const counts = [0, 0, 0];
  for (let k = 0; k < 3000; k++) counts[random.integer(3)]!++;
  expect(counts.every((count) => Math.abs(count - 1000) < 4 * Math.sqrt(3000 * (2 / 9)))).toBe(true);
});
