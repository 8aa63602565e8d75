import { InvalidInputError } from '../core/errors.ts';
import { connectedComponents } from '../engine/graph/connectedComponents.ts';
import type { Graph } from '../engine/graph/graph.ts';

/** Expected squared distance of equal points in a draw of the field, relative to the shortest squared distance above 0: if it were smaller, rounding would hide the other weights. */
const TIED = 1e-4;

/** Equal points. */
export interface Ties {
  /** Points by group, each of at least two. */
  readonly groups: readonly (readonly number[])[];
  /** Group of each point. */
  readonly labels: Int32Array;
  /** The largest weight. */
  readonly upper: number;
}

/**
 * Points at distance 0, whose weight is unbounded if C = ∞. It is fixed at c/(10⁻⁴·φ), with φ the shortest squared distance above 0, so that the
 * points act as one node in the rest of the field. No other weight is near this bound: an edge's weight is at most c/φ_e. Undefined if no distance is
 * 0.
 *
 * @param copies - c
 * @throws InvalidInputError if all distances are 0
 */
export function tiesOf({ size, sources, targets }: Graph, distances: Float64Array, copies: number): Ties | undefined {
  if (!distances.includes(0)) return undefined;
  const zero = Int32Array.from(distances.keys()).filter((e) => distances[e] === 0);
  const shortest = distances.reduce((least, distance) => (distance > 0 ? Math.min(least, distance) : least), Infinity);
  if (shortest === Infinity) {
    throw new InvalidInputError('All points are the same (every distance is 0), so there is nothing to embed.');
  }
  const same = { size, sources: zero.map((e) => sources[e]!), targets: zero.map((e) => targets[e]!) };
  const { labels, sizes } = connectedComponents(same);
  const groups = Array.from(sizes, (): number[] => []);
  labels.forEach((label, i) => {
    groups[label]!.push(i);
  });
  return { groups: groups.filter((group) => group.length > 1), labels, upper: copies / (TIED * shortest) };
}

/** A sentence about equal points. */
export function tiesInWords({ groups }: Ties): string {
  const places = groups.map((group) => group.join(' = ')).slice(0, 3);
  const more = groups.length > places.length ? `; and ${groups.length - places.length} more groups` : '';
  return ` Equal points share one node of the graph: ${places.join('; ')}${more}.`;
}

/**
 * The edges without redundant ones: only the shortest edge between two groups of equal points, and within a group only edges that join its points
 * without a cycle. As the points of a group count as one node, the maximum determines only the sum of redundant weights.
 */
export function withoutRepeats(
  graph: Graph,
  distances: Float64Array,
): { readonly graph: Graph; readonly squaredDistances: Float64Array } {
  const ties = tiesOf(graph, distances, 1);
  if (ties === undefined) return { graph, squaredDistances: distances };
  const { size, sources, targets } = graph;
  const between = new Map<number, number>();
  const within: number[] = [];
  const joined = Int32Array.from(ties.labels.keys());
  const rootOf = (i: number): number => {
    while (joined[i] !== i) i = joined[i]!;
    return i;
  };
  sources.forEach((i, e) => {
    const [a, b] = [ties.labels[i]!, ties.labels[targets[e]!]!];
    if (a !== b) {
      const pair = Math.min(a, b) * size + Math.max(a, b);
      const other = between.get(pair);
      if (other === undefined || distances[e]! < distances[other]!) between.set(pair, e);
      return;
    }
    const [root, other] = [rootOf(i), rootOf(targets[e]!)];
    if (root === other || distances[e]! > 0) return;
    joined[other] = root;
    within.push(e);
  });
  const kept = Int32Array.from([...between.values(), ...within]).sort();
  return {
    graph: Object.freeze({
      size,
      sources: kept.map((e) => sources[e]!),
      targets: kept.map((e) => targets[e]!),
      weights: Float64Array.from(kept, (e) => graph.weights[e]!),
    }),
    squaredDistances: Float64Array.from(kept, (e) => distances[e]!),
  };
}
