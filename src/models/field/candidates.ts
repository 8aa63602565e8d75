import { InvalidInputError } from '../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { componentTree } from '../../engine/graph/componentTree.ts';
import { connectedComponents, joiningPairs } from '../../engine/graph/connectedComponents.ts';
import { checkGraph, edgesOfPairs, type Graph, pairKey } from '../../engine/graph/graph.ts';
import { checkDistances } from '../../fields/density/constraints.ts';
import { type GraphInput, type GraphOptions, isGraphInput } from '../spectral/neighborhood/graphInput.ts';
import type { Disconnected } from '../spectral/neighborhood/neighborhood.ts';

/** The edges that may have a weight, and what they are between. */
export interface Candidates {
  readonly graph: Graph;
  /** φ, one of each edge. */
  readonly squaredDistances: Float64Array;
  /** The points that are fitted, where those are not all. */
  readonly shown?: Int32Array;
  /** Points that are the same, by their places among those that are fitted. */
  readonly ties: readonly (readonly number[])[];
  /** The greatest weight where there are ties and nothing else bounds it. */
  readonly weightBound?: number;
  /** Sentences that say what was done. */
  readonly notes: string;
}

/** Observations, where distances are not from elsewhere. */
export function pointsOf(given: MatrixLike | GraphInput, holes = false, isDivided = false): Matrix | undefined {
  return isGraphInput(given) ? undefined : observationsFrom(given, holes, isDivided);
}

/** The edges and squared distances of such a graph, checked. */
export function edgesFrom(
  { graph: given, squaredDistances }: GraphInput,
  name: string,
): Pick<Candidates, 'graph' | 'squaredDistances'> {
  const graph = checkGraph(given, name);
  if (graph.sources.length === 0) {
    throw new InvalidInputError(`${name} takes a graph with edges, but this one has none.`);
  }
  return { graph, squaredDistances: checkDistances(squaredDistances ?? graph.weights, graph, name, false) };
}

/** The edges of a graph given beside observations, as far apart as these are unless that is given too. */
export function edgesBeside(
  points: Matrix,
  { graph: given, squaredDistances }: GraphOptions,
  name: string,
  distance: (i: number, j: number) => number,
): Pick<Candidates, 'graph' | 'squaredDistances'> {
  const graph = checkGraph(given, name, points.rows);
  const own = squaredDistances ?? Float64Array.from(graph.sources, (i, e) => distance(i, graph.targets[e]!));
  return edgesFrom({ graph, squaredDistances: own }, name);
}

/**
 * Makes one component of candidate edges, or picks one.
 *
 * @param points - what the edges are between; none for distances from elsewhere
 * @param distance - φ between two of them
 * @throws InvalidInputError for several components where that is an error, or where nothing says how far apart they are
 */
export function connected(
  { graph, squaredDistances }: Pick<Candidates, 'graph' | 'squaredDistances'>,
  disconnected: Disconnected,
  name: string,
  points: Matrix | undefined,
  distance: (i: number, j: number) => number,
): Omit<Candidates, 'ties'> {
  const { labels, sizes } = connectedComponents(graph);
  if (sizes.length === 1) return { graph, squaredDistances, notes: '' };
  const have = `The candidate edges leave ${sizes.length} components`;
  if (disconnected === 'largest') {
    const largest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)));
    const shown = Int32Array.from(labels.keys()).filter((i) => labels[i] === largest);
    const notes = ` ${have}. These are the ${shown.length} of ${graph.size} points in the largest, listed in parameters.points.`;
    return { ...among({ graph, squaredDistances }, shown), shown, notes };
  }
  if (disconnected === 'error' || points === undefined) {
    throw new InvalidInputError(
      `${have}, so ${name} cannot say how they lie to each other. Give ${points === undefined ? 'edges that join them' : "a larger 'neighbors', or edges that join them, disconnected: 'connect'"} or disconnected: 'largest'.`,
    );
  }
  const pairs = shortestPairs(graph, labels, points, distance);
  if (pairs.length < sizes.length - 1) {
    throw new InvalidInputError(`${have}, and nothing says how far apart they are. Take disconnected: 'largest'.`);
  }
  const { size, sources, targets } = graph;
  const known = new Map(Array.from(sources, (i, e) => [pairKey(i, targets[e]!, size), squaredDistances[e]!]));
  for (const [i, j] of pairs) known.set(pairKey(i, j, size), distance(i, j));
  const edges = edgesOfPairs(Float64Array.from(known.keys()), size, () => 1);
  return {
    graph: Object.freeze({ size, ...edges }),
    squaredDistances: Float64Array.from(edges.sources, (i, e) => known.get(pairKey(i, edges.targets[e]!, size))!),
    notes: ` ${have}. ${pairs.length === 1 ? 'The shortest edge between them joins' : `Their ${pairs.length} shortest edges join`} them.`,
  };
}

/** The shortest edges between components; of points with missing entries by comparing all pairs. */
function shortestPairs(
  graph: Graph,
  labels: Int32Array,
  points: Matrix,
  distance: (i: number, j: number) => number,
): (readonly [number, number])[] {
  if (points.data.some(Number.isNaN)) return joiningPairs(labels, distance);
  const { sources, targets } = componentTree(graph, points);
  return Array.from(sources, (i, e) => [i, targets[e]!] as const);
}

/** The rows that are shown. */
export function shownRows(points: Matrix, shown: Int32Array | undefined): Matrix {
  return shown === undefined ? points : Matrix.from(Array.from(shown, (i) => points.row(i)));
}

function among({ graph, squaredDistances }: Pick<Candidates, 'graph' | 'squaredDistances'>, points: Int32Array) {
  const places = new Int32Array(graph.size).fill(-1);
  points.forEach((i, place) => {
    places[i] = place;
  });
  const kept = Int32Array.from(graph.sources.keys()).filter((e) => places[graph.sources[e]!]! >= 0);
  return {
    graph: Object.freeze({
      size: points.length,
      sources: kept.map((e) => places[graph.sources[e]!]!),
      targets: kept.map((e) => places[graph.targets[e]!]!),
      weights: Float64Array.from(kept, (e) => graph.weights[e]!),
    }),
    squaredDistances: Float64Array.from(kept, (e) => squaredDistances[e]!),
  };
}

/** Expected squared distance at which equal points are held in a draw of the field, relative to the shortest squared distance above 0: with less, rounding hides the other weights. */
const TIED = 1e-4;

/**
 * Ties points at distance 0, whose weight nothing bounds where C = ∞: it is held at c/(10⁻⁴·φ), φ the shortest squared distance above 0, which makes one
 * node of them for all that the field says of the rest. No other weight comes near this bound: an edge's is at most c/φ_e.
 *
 * @param copies - c
 * @throws InvalidInputError when all distances are 0
 */
export function tied<C extends Omit<Candidates, 'ties'>>(
  candidates: C,
  slackPenalty: number,
  copies: number,
): C & Candidates {
  const { graph, squaredDistances, notes } = candidates;
  if (slackPenalty < Infinity || !squaredDistances.includes(0)) return { ...candidates, ties: [] };
  const zero = Int32Array.from(squaredDistances.keys()).filter((e) => squaredDistances[e] === 0);
  const shortest = squaredDistances.reduce(
    (least, distance) => (distance > 0 ? Math.min(least, distance) : least),
    Infinity,
  );
  if (shortest === Infinity) {
    throw new InvalidInputError('All points are the same (every distance is 0), so there is nothing to embed.');
  }
  const same = {
    size: graph.size,
    sources: zero.map((e) => graph.sources[e]!),
    targets: zero.map((e) => graph.targets[e]!),
  };
  const { labels, sizes } = connectedComponents(same);
  const ties = Array.from(sizes, (): number[] => []);
  labels.forEach((label, i) => {
    ties[label]!.push(i);
  });
  const groups = ties.filter((group) => group.length > 1);
  const kept = withoutRepeats(graph, squaredDistances, labels);
  return {
    ...candidates,
    graph: Object.freeze({
      size: graph.size,
      sources: kept.map((e) => graph.sources[e]!),
      targets: kept.map((e) => graph.targets[e]!),
      weights: Float64Array.from(kept, (e) => graph.weights[e]!),
    }),
    squaredDistances: Float64Array.from(kept, (e) => squaredDistances[e]!),
    weightBound: copies / (TIED * shortest),
    ties: groups,
    notes: `${notes} ${tiedInWords(groups)}`,
  };
}

/**
 * The edges without those that repeat what others say: of several between two groups of equal points the one of least squared distance, and within a group
 * those that join its points without a cycle. As the points of a group count as one node, only the sum of the others' weights would have a maximum.
 */
function withoutRepeats({ size, sources, targets }: Graph, squaredDistances: Float64Array, labels: Int32Array) {
  const between = new Map<number, number>();
  const within: number[] = [];
  const joined = Int32Array.from(labels.keys());
  const rootOf = (i: number): number => {
    while (joined[i] !== i) i = joined[i]!;
    return i;
  };
  sources.forEach((i, e) => {
    const [a, b] = [labels[i]!, labels[targets[e]!]!];
    if (a !== b) {
      const pair = Math.min(a, b) * size + Math.max(a, b);
      const other = between.get(pair);
      if (other === undefined || squaredDistances[e]! < squaredDistances[other]!) between.set(pair, e);
      return;
    }
    const [root, other] = [rootOf(i), rootOf(targets[e]!)];
    if (root === other || squaredDistances[e]! > 0) return;
    joined[other] = root;
    within.push(e);
  });
  return Int32Array.from([...between.values(), ...within]).sort();
}

function tiedInWords(groups: readonly (readonly number[])[]): string {
  const places = groups.map((group) => group.join(' = ')).slice(0, 3);
  const more = groups.length > places.length ? `; and ${groups.length - places.length} more groups` : '';
  return `Equal points share one node of the graph: ${places.join('; ')}${more}.`;
}
