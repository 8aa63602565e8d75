import { Matrix } from '../../../core/matrix.ts';
import type { Graph } from '../../../numerics/graph/graph.ts';
import { incidentEdges } from '../../../numerics/graph/incidentEdges.ts';
import { pointQueue } from './pointQueue.ts';

/**
 * Lengths of the shortest paths between all points along the edges of a graph, whose weights are their lengths; Infinity where there
 * is no path. Dijkstra's algorithm with a heap from every point: O(N·E·log N).
 *
 * @see Dijkstra 1959
 */
export function geodesicDistances(graph: Graph): Matrix {
  const { size: N, weights } = graph;
  const { starts, edges, others: neighbours } = incidentEdges(graph);
  const lengths = Float64Array.from(edges, (e) => weights[e]!);
  const result = new Matrix(new Float64Array(N * N), N, N);
  const distances = new Float64Array(N);
  const queue = pointQueue(N);
  for (let source = 0; source < N; source++) {
    distances.fill(Infinity);
    distances[source] = 0;
    queue.offer(source, 0);
    for (let i = queue.take(); i >= 0; i = queue.take()) {
      const reached = distances[i]!;
      const end = starts[i + 1]!;
      for (let p = starts[i]!; p < end; p++) {
        const j = neighbours[p]!;
        const through = reached + lengths[p]!;
        if (through >= distances[j]!) continue;
        distances[j] = through;
        queue.offer(j, through);
      }
    }
    result.data.set(distances, source * N);
  }
  mirrorUpperTriangle(result);
  return result;
}

/** Rows and columns of a tile, which fits into the nearest cache. */
const TILE = 32;

/** The lower triangle from the upper one, since sums of one path from its two ends differ by rounding; tile by tile. */
function mirrorUpperTriangle({ data, rows: N }: Matrix): void {
  for (let top = 0; top < N; top += TILE) {
    const bottom = Math.min(N, top + TILE);
    for (let left = 0; left <= top; left += TILE) {
      const right = left + TILE;
      for (let i = top; i < bottom; i++) {
        for (let j = left; j < Math.min(i, right); j++) data[i * N + j] = data[j * N + i]!;
      }
    }
  }
}
