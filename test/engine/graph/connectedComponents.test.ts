import { expect, it } from 'vitest';
import { connectedComponents } from '../../../src/engine/graph/connectedComponents.ts';

/** Edges of either direction, in any order, that join points late. */
const edges = [
  [6, 8],
  [1, 4],
  [8, 0],
  [4, 2],
  [5, 6],
  [2, 1],
] as const;

it('connected components are numbered in the order of their first points, with their sizes', () => {
  const { labels, sizes } = connectedComponents({
    size: 9,
    sources: Int32Array.from(edges, ([i]) => i),
    targets: Int32Array.from(edges, ([, j]) => j),
  });
  expect([...labels]).toEqual([0, 1, 1, 2, 1, 0, 0, 3, 0]);
  expect([...sizes]).toEqual([4, 3, 1, 1]);
});
