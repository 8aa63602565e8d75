import { knnGraph, seededRandom } from 'latentfield';
import { expect, it } from 'vitest';
import { completed } from '../../../src/core/progressiveWork.ts';
import { geodesicDistances } from '../../../src/engine/graph/shortestPaths.ts';
import { expectClose } from '../../tolerance.ts';
import { floydWarshall } from './floydWarshall.ts';

it('agree with Floyd and Warshall, Infinity between components, and exactly symmetric', () => {
  const { uniform } = seededRandom(5);
  const points = Array.from({ length: 90 }, (_, i) => [uniform() + (i < 70 ? 0 : 100), uniform()]);
  const graph = knnGraph(points, 4);
  // Lengths of 0 and equal ones among them.
  const weights = graph.weights.map((_, e) => (e % 11 === 0 ? 0 : e % 5 === 0 ? 0.5 : uniform()));
  const edges = Array.from(graph.sources, (i, e) => [i, graph.targets[e]!, weights[e]!] as const);
  const wanted = floydWarshall(points.length, edges);
  const found = completed(geodesicDistances({ ...graph, weights }));
  for (let i = 0; i < points.length; i++) {
    for (let j = 0; j < points.length; j++) {
      expect(found.at(i, j)).toBe(found.at(j, i));
      if (wanted[i]![j] === Infinity) expect(found.at(i, j)).toBe(Infinity);
      else expectClose(found.at(i, j), wanted[i]![j]!, 1e-14);
    }
  }
  expect(wanted[0]![89]).toBe(Infinity);
});
