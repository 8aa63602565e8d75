import { expect, it } from 'vitest';
import { NumericalError } from '../../../src/core/errors.ts';
import { patternOfGraph } from '../../../src/engine/sparse/index.ts';
import { numbersFor, panelStarts } from '../../../src/engine/sparse/symbolicFactor.ts';
import { starGraph } from './graphs.ts';

it('a factor of more numbers than indices reach is refused by its points, edges and fill', () => {
  const points = 50_000;
  const { pattern } = patternOfGraph(starGraph(points));
  // With the center of the star first all others are joined, and the factor is one dense block.
  const tree = { count: 1, starts: Int32Array.of(0, points) };
  const starts = () => panelStarts(tree, Int32Array.of(0, 0), pattern);
  expect(starts).toThrow(NumericalError);
  expect(starts).toThrow(/50000 points and 49999 edges.*: 2500000000 numbers \(18\.6 GiB\)/);
});

it('memory that cannot be allocated is an error that names its purpose', () => {
  const what = { size: 1000, entries: new Int32Array(4000) };
  expect(numbersFor(10, what)).toEqual(new Float64Array(10));
  expect(() => numbersFor(2 ** 45, what)).toThrow(NumericalError);
  expect(() => numbersFor(2 ** 45, what)).toThrow(/1000 points and 3000 edges.*35184372088832 numbers/);
});
