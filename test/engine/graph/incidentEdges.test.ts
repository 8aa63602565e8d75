import { expect, it } from 'vitest';
import { incidentEdges } from '../../../src/engine/graph/graph.ts';

it('lists the edges at each node in the order of their numbers, with their other ends', () => {
  // Node 3 has none.
  const { starts, edges, others } = incidentEdges({
    size: 5,
    sources: Int32Array.of(0, 0, 1, 2),
    targets: Int32Array.of(1, 2, 4, 4),
  });
  expect(Array.from(starts)).toEqual([0, 2, 4, 6, 6, 8]);
  expect(Array.from(edges)).toEqual([0, 1, 0, 2, 1, 3, 2, 3]);
  expect(Array.from(others)).toEqual([1, 2, 0, 4, 0, 4, 1, 2]);
});
