import type { Graph } from './graph.ts';
import { incidentEdges } from './incidentEdges.ts';
import { pointQueue } from './pointQueue.ts';

/** Computes N lengths of shortest paths from the nearest of several initial points with given lengths. */
export type ShortestPaths = (reached: Int32Array, lengths: Float64Array, distances: Float64Array) => void;

/**
 * Shortest paths along the edges of a graph whose weights are lengths; Infinity if there is no path. Dijkstra's algorithm with a heap: O(E·log N) per
 * call.
 *
 * @see Dijkstra 1959
 */
export function shortestPaths(graph: Graph): ShortestPaths {
  const { size: N, weights } = graph;
  const { starts, edges, others: neighbours } = incidentEdges(graph);
  const lengths = Float64Array.from(edges, (e) => weights[e]!);
  const queue = pointQueue(N);
  return (from, already, distances) => {
    distances.fill(Infinity);
    for (let a = 0; a < from.length; a++) {
      if (already[a]! >= distances[from[a]!]!) continue;
      distances[from[a]!] = already[a]!;
      queue.offer(from[a]!, already[a]!);
    }
    for (let i = queue.take(); i >= 0; i = queue.take()) {
      const soFar = distances[i]!;
      const end = starts[i + 1]!;
      for (let p = starts[i]!; p < end; p++) {
        const j = neighbours[p]!;
        const through = soFar + lengths[p]!;
        if (through >= distances[j]!) continue;
        distances[j] = through;
        queue.offer(j, through);
      }
    }
  };
}
