import { expect, test } from 'vitest';
import { Matrix } from '../../src/core/matrix.ts';
import { seededRandom } from '../../src/core/random.ts';
import { completeGraph } from '../../src/engine/graph/index.ts';
import { edgeDistances } from '../../src/fields/density/edgeSquaredDistances.ts';

test.each([
  [2, 1],
  [64, 3],
  [131, 40],
])('squared distances of all pairs of %i points in %i columns have the bits of the edges one by one', (N, q) => {
  const random = seededRandom(1);
  const points = new Matrix(
    Float64Array.from({ length: N * q }, () => 1e3 * random.normal()),
    N,
    q,
  );
  const { sources, targets } = completeGraph(N);
  const all = edgeDistances(points, completeGraph(N));
  expect(all).toEqual(edgeDistances(points, { sources, targets }));
  const e = all.length - 1;
  const last = points.row(sources[e]!).reduce((sum, entry, d) => sum + (entry - points.at(targets[e]!, d)) ** 2, 0);
  expect(all[e]).toBe(last);
});
