import { expect, it } from 'vitest';
import { tabulatedPower } from '../../../src/engine/neighborEmbedding/descents.ts';

it.each([0.3, 0.895, 1.5, 2])('x to the power %d is within 3e-7 of itself at squared distances of all sizes', (b) => {
  const powerOf = tabulatedPower(b);
  let worst = 0;
  for (let k = 0; k < 20_000; k++) {
    const x = 10 ** (-30 + k * 0.003);
    worst = Math.max(worst, Math.abs(powerOf(x) / x ** b - 1));
  }
  expect(worst).toBeLessThan(3e-7);
  for (const x of [2 ** -40, 0.5, 1, 1.25, 4096]) expect(powerOf(x) / x ** b).toBeCloseTo(1, 14);
});

it('x to the power b grows with x across the parts', () => {
  const powerOf = tabulatedPower(0.895);
  const at = Array.from({ length: 5000 }, (_, k) => powerOf(0.999 + k * 1e-6));
  at.slice(1).forEach((value, k) => {
    expect(value).toBeGreaterThan(at[k]!);
  });
});
