import type { Matrix } from '../../../core/matrix.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import { nearestNeighbours } from '../../../engine/neighbours/index.ts';

/**
 * Which edges join points of which each is one of the k nearest of the other.
 *
 * @param shown - the point of each node of the graph
 */
export function mutualEdges(
  points: Matrix,
  k: number,
  { sources, targets }: Pick<Graph, 'sources' | 'targets'>,
  shown: ArrayLike<number>,
): boolean[] {
  const { indices } = nearestNeighbours(points, k);
  const has = (i: number, j: number) => indices.subarray(i * k, (i + 1) * k).includes(j);
  return Array.from(sources, (source, e) => {
    const [i, j] = [shown[source]!, shown[targets[e]!]!];
    return has(i, j) && has(j, i);
  });
}
