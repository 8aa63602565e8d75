import type { Graph } from '../../../engine/graph/graph.ts';

/** The edges between some points, numbered anew; the points are whole components. */
export function subgraph({ size, sources, targets, weights }: Graph, points: Int32Array): Graph {
  const numbers = new Int32Array(size).fill(-1);
  points.forEach((i, number) => {
    numbers[i] = number;
  });
  const kept = Int32Array.from(sources.keys()).filter((e) => numbers[sources[e]!]! >= 0);
  return {
    size: points.length,
    sources: kept.map((e) => numbers[sources[e]!]!),
    targets: kept.map((e) => numbers[targets[e]!]!),
    weights: Float64Array.from(kept, (e) => weights[e]!),
  };
}
