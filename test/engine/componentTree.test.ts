import { epsilonGraph, type Graph, knnGraph, Matrix } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { componentTree, componentTreeOf, connectedComponents } from '../../src/engine/graph/connectedComponents.ts';

/** Kruskal 1956: the shortest pairs first, each that joins two parts. */
function kruskal(graph: Graph, points: number[][]): [number, number][] {
  const pairs = points.flatMap((a, i) =>
    points.slice(i + 1).map((b, k) => ({
      i,
      j: i + 1 + k,
      square: a.reduce((sum, entry, d) => sum + (entry - b[d]!) ** 2, 0),
    })),
  );
  pairs.sort((a, b) => a.square - b.square || a.i - b.i || a.j - b.j);
  const part = Array.from(connectedComponents(graph).labels);
  const chosen: [number, number][] = [];
  for (const { i, j } of pairs) {
    const [from, to] = [part[j]!, part[i]!];
    if (from === to) continue;
    chosen.push([i, j]);
    part.forEach((label, n) => {
      if (label === from) part[n] = to;
    });
  }
  return chosen.sort(([a, b], [c, d]) => a - c || b - d);
}

const cloud = (size: number, D: number, seed: number, spread = 1): number[][] => {
  const random = seededRandom(seed);
  return Array.from({ length: size }, () => Array.from({ length: D }, () => spread * random.uniform()));
};
/** Every tree of equally long edges is right; the first by (i, j) is chosen. */
const lattice = Array.from({ length: 64 }, (_, i) => [3 * (i % 8), 3 * Math.floor(i / 8)]);

describe('the shortest edges between components', () => {
  it.each<[string, number[][], (points: number[][]) => Graph]>([
    ['of single points', cloud(80, 2, 1), (points) => epsilonGraph(points, 1e-6)],
    ['of a sparse graph', cloud(200, 3, 2), (points) => knnGraph(points, 1)],
    ['of a lattice', lattice, (points) => epsilonGraph(points, 1)],
    [
      'of two clouds in many dimensions',
      [...cloud(60, 30, 3), ...cloud(40, 30, 4, 9)],
      (points) => knnGraph(points, 2),
    ],
    ['of points at the same places', [...cloud(20, 2, 5), ...cloud(20, 2, 5)], (points) => knnGraph(points, 1)],
  ])("%s are the edges of Kruskal's algorithm", (_, points, graphOf) => {
    const graph = graphOf(points);
    expect(connectedComponents(graph).sizes.length).toBeGreaterThan(1);
    const wanted = kruskal(graph, points);
    const found = componentTree(graph, Matrix.from(points));
    expect(Array.from(found.sources, (i, e) => [i, found.targets[e]])).toEqual(wanted);
    const distances = points.map((a) => points.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
    const again = componentTreeOf(graph, Matrix.from(distances));
    expect(again.sources.length).toBe(wanted.length);
  });

  it('are empty for a connected graph', () => {
    const points = cloud(30, 2, 6);
    expect(componentTree(knnGraph(points, 12), Matrix.from(points)).sources).toHaveLength(0);
  });
});
