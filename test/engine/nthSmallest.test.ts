import { expect, it } from 'vitest';
import { nthSmallest } from '../../src/engine/vectors.ts';
import { seededRandom } from '../../src/index.ts';

it('is what sorting finds, at every place, with equal entries too', () => {
  const random = seededRandom(1);
  for (const length of [1, 2, 3, 10, 57]) {
    for (const levels of [1, 3, 1000]) {
      const entries = Float64Array.from({ length }, () => random.integer(levels) - 1);
      const sorted = entries.slice().sort();
      for (let n = 0; n < length; n++) expect(nthSmallest(entries.slice(), n)).toBe(sorted[n]);
    }
  }
});

it('takes entries in order, in reverse and infinite ones', () => {
  expect(
    nthSmallest(
      Float64Array.from({ length: 1000 }, (_, i) => i),
      700,
    ),
  ).toBe(700);
  expect(
    nthSmallest(
      Float64Array.from({ length: 1000 }, (_, i) => -i),
      0,
    ),
  ).toBe(-999);
  expect(nthSmallest(Float64Array.of(Infinity, 1, -Infinity, 2), 2)).toBe(2);
});
