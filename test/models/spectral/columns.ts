import type { Matrix } from 'latentfield';
import { expectClose } from '../../tolerance.ts';

/** Expects every column within `tolerance` of the expected one or its negative. */
export function expectColumns(
  actual: Matrix,
  expected: readonly (readonly number[])[],
  tolerance: number,
  what = '',
): void {
  for (let c = 0; c < actual.columns; c++) {
    const got = actual.column(c);
    const wanted = expected.map((row) => row[c]!);
    const agreement = got.reduce((sum, entry, i) => sum + entry * wanted[i]!, 0);
    expectClose(
      got.map((entry) => (agreement < 0 ? -entry : entry)),
      wanted,
      tolerance,
      `${what} column ${c}`,
    );
  }
}

/** Points on a rolled-up sheet, the same every time. */
export function swissRoll(size: number): number[][] {
  return Array.from({ length: size }, (_, i) => {
    const t = 1.5 * Math.PI * (1 + (2 * (i + 0.5)) / size);
    const height = 21 * ((i * 0.6180339887498949) % 1);
    return [t * Math.cos(t), height, t * Math.sin(t)];
  });
}
