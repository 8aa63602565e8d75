import { Matrix } from '../../core/matrix.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import type { Graph } from './graph.ts';
import { shortestPaths } from './shortestPaths.ts';

/** Number of points whose paths are computed between pauses. */
const TOGETHER = 8;

/**
 * Lengths of the shortest paths between all points along the edges of a graph whose weights are lengths; Infinity if there is no path. Dijkstra's
 * algorithm with a heap from every point: O(N·E·log N), with pauses.
 *
 * @see Dijkstra 1959
 */
export function* geodesicDistances(graph: Graph): ProgressiveWork<Matrix> {
  const { size: N } = graph;
  const paths = shortestPaths(graph);
  const result = new Matrix(new Float64Array(N * N), N, N);
  const own = new Float64Array(1);
  for (let source = 0; source < N; source++) {
    paths(Int32Array.of(source), own, result.data.subarray(source * N, (source + 1) * N));
    if (source % TOGETHER === TOGETHER - 1) yield (source + 1) / N;
  }
  mirrorUpperTriangle(result);
  return result;
}

/** Rows and columns of a tile, which fits into the nearest cache. */
const TILE = 32;

/** Copies the upper triangle to the lower one, tile by tile, since sums along a path from its two ends differ by rounding. */
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
