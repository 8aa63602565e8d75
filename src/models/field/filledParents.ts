import { type Graph, incidentEdges } from '../../engine/graph/graph.ts';
import { minimumDegreeOrder } from '../../engine/sparse/minimumDegree.ts';

/** An order of points that leaves little fill in a Cholesky factor on their graph. */
export function fillReducingOrder(graph: Graph): readonly number[] {
  const { starts, others } = incidentEdges(graph);
  return Array.from(minimumDegreeOrder({ size: graph.size, starts, neighbours: others }));
}

/**
 * The pattern of a sparse Cholesky factor on a graph: for every point its neighbours among those that come after it in the order, and
 * the fill, which joins later neighbours of an earlier point. Each list is ascending.
 *
 * @see Lawrence 2012, §2.7.4, and the program that goes with it; George & Liu 1981, ch. 5
 */
export function filledParents(graph: Graph, order: readonly number[]): Int32Array[] {
  const { starts, others } = incidentEdges(graph);
  const places = new Int32Array(order.length);
  order.forEach((i, place) => {
    places[i] = place;
  });
  const later = Array.from({ length: graph.size }, (_, i) => {
    const joined = others.subarray(starts[i]!, starts[i + 1]!);
    return new Set(joined.filter((j) => places[j]! > places[i]!));
  });
  for (const i of order) {
    // The first of them to come takes over the others, and hands them on in its turn.
    const [first, ...rest] = Array.from(later[i]!).sort((a, b) => places[a]! - places[b]!);
    for (const j of rest) later[first!]!.add(j);
  }
  return later.map((list) => Int32Array.from(list).sort());
}
