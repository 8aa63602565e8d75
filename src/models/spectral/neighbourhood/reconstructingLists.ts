import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, incidentEdges, pairKey } from '../../../engine/graph/graph.ts';
import { nearestLists } from './localReconstruction.ts';
import { lengthsOf, type NeighbourInput } from './neighbourLengths.ts';
import { type Disconnected, shownComponent } from './shownComponent.ts';

/** By which others each point that is shown is reconstructed. */
export interface ReconstructingLists {
  /** Numbers among the points that are shown, one list of each of them. */
  readonly lists: Int32Array[];
  readonly shown: Int32Array;
  /** A sentence about what was done to a graph that was not connected, after a space. */
  readonly note: string;
}

/**
 * The k nearest others of each point, or its neighbours in a graph from elsewhere; where that does not connect all points, both ends of the
 * shortest edges between components are added to each other's list, or the largest component alone is kept.
 */
export function* reconstructingLists(
  given: NeighbourInput,
  k: number,
  disconnected: Disconnected,
): ProgressiveWork<ReconstructingLists> {
  const lists = given.graph === undefined ? yield* nearestLists(given.points, k) : neighboursIn(given.graph);
  const N = lists.length;
  const ends = endsOf(lists);
  if (connectedComponents(ends).sizes.length === 1) return { lists, shown: Int32Array.from(lists.keys()), note: '' };
  const keys = Float64Array.from(ends.sources, (i, e) => pairKey(i, ends.targets[e]!, N));
  const near = { size: N, ...edgesOfPairs(keys, N, lengthsOf(given)) };
  const { graph, points: shown, note } = shownComponent(near, given, disconnected, 'lle');
  if (shown.length < N) {
    const place = new Map(Array.from(shown, (i, row) => [i, row]));
    return { lists: Array.from(shown, (i) => lists[i]!.map((j) => place.get(j)!)), shown, note };
  }
  const known = new Set(keys);
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e]!;
    if (known.has(pairKey(i, j, N))) return;
    lists[i] = Int32Array.from([...lists[i]!, j]);
    lists[j] = Int32Array.from([...lists[j]!, i]);
  });
  return { lists, shown, note };
}

/** From each point to those of its list. */
function endsOf(lists: readonly Int32Array[]): { size: number; sources: Int32Array; targets: Int32Array } {
  const count = lists.reduce((sum, own) => sum + own.length, 0);
  const sources = new Int32Array(count);
  const targets = new Int32Array(count);
  let e = 0;
  lists.forEach((own, i) => {
    targets.set(own, e);
    sources.fill(i, e, e + own.length);
    e += own.length;
  });
  return { size: lists.length, sources, targets };
}

function neighboursIn(graph: Graph): Int32Array[] {
  const { starts, others } = incidentEdges(graph);
  return Array.from({ length: graph.size }, (_, i) => others.slice(starts[i]!, starts[i + 1]!).sort());
}
