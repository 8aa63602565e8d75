import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe, type Matrix } from '../../../core/matrix.ts';
import { type OptionsIn, typed } from '../../../core/options.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { componentTree, componentTreeOf, connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, incidentEdges, mergedEdges, pairKey } from '../../../engine/graph/graph.ts';
import type { EdgeWeights } from '../../../engine/graph/index.ts';
import { checkNeighbors, epsilonGraphInParts, searchedKnnGraph } from '../../../engine/graph/neighborhoodGraph.ts';
import { type NeighborSearch, nearestNeighbors } from '../../../engine/neighbors/index.ts';
import { squaredDistance } from '../../../engine/neighbors/squaredDistance.ts';

/** Input for neighbor search: points, distances, or a precomputed graph alone. */
export interface NeighborInput {
  /** N×D points, or N×N distances; 0×0 for a graph alone. */
  readonly points: Matrix;
  readonly input: 'points' | 'distances' | 'graph';
  /** Precomputed graph with lengths as weights. */
  readonly graph?: Graph | undefined;
  /** Sentence about units of points, or rounding of distances. */
  readonly note?: string | undefined;
}

/** Number of points. */
export const sizeOf = ({ points, graph }: NeighborInput): number => graph?.size ?? points.rows;

/** Sentence for a fit's message about columns with apparently different units, or rounded distances. */
export const inputNote = ({ note, graph }: NeighborInput): string => (graph === undefined ? (note ?? '') : '');

/** Neighborhood graph with distances as weights; pauses during the search. */
export function* neighborLengths(
  given: NeighborInput,
  neighborhood: NeighborhoodOptions,
  name: string,
): ProgressiveWork<Graph> {
  if (given.graph !== undefined) return given.graph;
  const graph =
    given.input === 'points'
      ? yield* neighborhoodGraph(given.points, neighborhood, name)
      : distanceGraph(given.points, neighborhood, name);
  const lengthOf = lengthsOf(given);
  return { ...graph, weights: graph.weights.map((_, e) => lengthOf(graph.sources[e]!, graph.targets[e]!)) };
}

/** Graph that also connects all points with a common neighbor, with distances as weights. */
export function withCommonNeighbors(graph: Graph, given: NeighborInput): Graph {
  const { size: N, sources, targets } = graph;
  const { starts, others } = incidentEdges(graph);
  const keys = Array.from(sources, (i, e) => pairKey(i, targets[e]!, N));
  for (let i = 0; i < N; i++) {
    for (let a = starts[i]!; a < starts[i + 1]!; a++) {
      for (let b = starts[i]!; b < a; b++) keys.push(pairKey(others[a]!, others[b]!, N));
    }
  }
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, lengthsOf(given)) };
}

/** Distance between two points, from points or distances. */
export function lengthsOf({ points, input }: NeighborInput): (i: number, j: number) => number {
  const { data, columns: D } = points;
  return input === 'points' ? (i, j) => Math.sqrt(squaredDistance(data, i * D, j * D, D)) : (i, j) => points.at(i, j);
}

/** Neighborhood graph from distances, ties by index. */
function distanceGraph(distances: Matrix, { neighbors, radius }: NeighborhoodOptions, name: string): Graph {
  const { rows: N } = distances;
  if (radius !== undefined && !(radius > 0)) {
    throw new InvalidInputError(`${name} takes a radius above 0, but ${describe(radius)} was given.`);
  }
  const keys: number[] = [];
  const others = (i: number) => Array.from({ length: N }, (_, j) => j).filter((j) => j !== i);
  for (let i = 0; i < N; i++) {
    const near =
      radius === undefined
        ? others(i)
            .sort((a, b) => distances.at(i, a) - distances.at(i, b) || a - b)
            .slice(0, neighbors)
        : others(i).filter((j) => distances.at(i, j) <= radius);
    for (const j of near) keys.push(pairKey(i, j, N));
  }
  if (radius !== undefined && keys.length === 0) {
    const between = distances.data.filter((_, p) => p % (N + 1) !== 0);
    throw radiusTooSmall(name, radius, N, between);
  }
  return { size: N, ...edgesOfPairs(Float64Array.from(keys), N, () => 1) };
}

/**
 * Treatment of a disconnected neighborhood graph: 'connect' its components by the shortest edges between them, show only the points of the 'largest',
 * or throw an 'error'.
 */
export type Disconnected = 'connect' | 'largest' | 'error';

export const disconnectedOption = v.optional(
  v.picklist(['connect', 'largest', 'error'], "'connect', 'largest' or 'error'"),
  'connect',
);

/** Shown points, and the graph that connects them. */
export interface ShownComponent {
  /** Graph of all points, including added edges. */
  readonly graph: Graph;
  /** Row numbers of the points, ascending. */
  readonly points: Int32Array;
  /** Sentence about the treatment of a disconnected graph, with a leading space. */
  readonly note: string;
}

/**
 * All points of a connected graph; for a disconnected graph, all points, connected by the shortest edges, or the largest component (the first if tied).
 *
 * @param graph - neighborhood graph with lengths as weights
 * @throws InvalidInputError for a disconnected graph, if that is an error or distances between its components are unknown
 */
export function shownComponent(
  graph: Graph,
  given: NeighborInput,
  disconnected: Disconnected,
  name: string,
): ShownComponent {
  const { labels, sizes } = connectedComponents(graph);
  const all = Int32Array.from(labels.keys());
  const approximate = recallNote(graph);
  if (sizes.length === 1) return { graph, points: all, note: approximate };
  const largest = sizes.reduce((most, size) => Math.max(most, size));
  const found = `The graph of neighbors has ${sizes.length} components, the largest of ${largest} of ${graph.size} points`;
  if (disconnected === 'largest') {
    const points = all.filter((i) => labels[i] === sizes.indexOf(largest));
    return { graph, points, note: `${approximate} ${found}, which alone are shown: parameters.points lists them.` };
  }
  if (disconnected === 'error') {
    throw new InvalidInputError(
      `${found}, so ${name} has no distance between some points. Take more neighbors or a larger radius, or disconnected: 'connect' or 'largest'.`,
    );
  }
  if (given.input === 'graph') {
    throw new InvalidInputError(
      `${found}, and no distances between them were given, so ${name} cannot connect them. Give a graph that is connected, or disconnected: 'largest'.`,
    );
  }
  const tree = given.input === 'points' ? componentTree(graph, given.points) : componentTreeOf(graph, given.points);
  const keys = Float64Array.from(tree.sources, (i, e) => i * graph.size + tree.targets[e]!);
  const added = edgesOfPairs(keys, graph.size, lengthsOf(given));
  const edges =
    keys.length === 1 ? 'The shortest edge between them joins' : `The ${keys.length} shortest edges between them join`;
  return {
    graph: Object.freeze({ size: graph.size, ...mergedEdges(graph, added, Math.min) }),
    points: all,
    note: `${approximate} ${found}. ${edges} them.`,
  };
}

/** Sentence about an approximate neighbor search. */
const recallNote = ({ recall }: Graph): string =>
  recall === undefined
    ? ''
    : ` The neighbors are approximate: about ${(100 * recall).toFixed(1)} % of the nearest are included (neighborSearch: 'exact' finds all).`;

/** Default number of neighbors, if there are enough points. */
const USUAL = 7;

/** Number of neighbors of each point. */
export interface NeighborCount {
  readonly k: number;
  /** Sentence with a leading space, if there are too few points for the default number. */
  readonly note: string;
}

/**
 * Specified number of neighbors, or 7, or all others if there are fewer points.
 *
 * @throws InvalidInputError for a number of neighbors that N points do not have
 */
export function neighborCount(given: unknown, N: number, name: string): NeighborCount {
  if (given !== undefined) return { k: checkNeighbors(given as number, N, name), note: '' };
  if (N > USUAL) return { k: USUAL, note: '' };
  const others = N === 2 ? '1 neighbor' : `${N - 1} neighbors`;
  return { k: N - 1, note: ` There are only ${N} points, so each has ${others} and not ${USUAL}.` };
}

/** Definition of neighbors: one of the two. */
export interface NeighborhoodOptions extends OptionsIn<typeof neighborhoodOptions> {}

export const neighborhoodOptions = {
  /** Number k of neighbors in the symmetrized k-nearest-neighbor graph; default 7 without `radius`, or all others if there are fewer points. */
  neighbors: v.optional(typed<number>()),
  /** Maximum distance between neighbors. */
  radius: v.optional(typed<number>()),
  /**
   * Search for the k nearest neighbors: 'exact'; 'descent', approximate, for many points in many dimensions; 'auto' (default), exact up to 50 000 points.
   * The message of a fit reports the accuracy of an approximate search.
   */
  neighborSearch: v.optional(v.picklist(['exact', 'descent', 'auto'], "'exact', 'descent' or 'auto'")),
};

/** Requested neighborhood with defaults and a sentence about them, for N points, unless a graph defines the neighbors. */
export function neighborhoodFrom(
  {
    neighbors,
    radius,
    neighborSearch,
  }: { neighbors?: unknown; radius?: unknown; neighborSearch?: NeighborSearch | undefined },
  name: string,
  N: number = Infinity,
): { readonly neighborhood: NeighborhoodOptions; readonly few: string } {
  if (neighbors !== undefined && radius !== undefined) {
    throw new InvalidInputError(`${name} takes either neighbors or radius, but both were given.`);
  }
  if (radius !== undefined) return { neighborhood: { radius: radius as number }, few: '' };
  const search = neighborSearch && { neighborSearch };
  if (N === Infinity) return { neighborhood: { neighbors: (neighbors ?? 7) as number, ...search }, few: '' };
  const { k, note } = neighborCount(neighbors, N, name);
  return { neighborhood: { neighbors: k, ...search }, few: note };
}

/**
 * Neighborhood graph; pauses during the search.
 *
 * @throws InvalidInputError if no two points are neighbors
 */
export function* neighborhoodGraph(
  points: Matrix,
  { neighbors, radius, neighborSearch = 'auto' }: NeighborhoodOptions,
  name: string,
  weights: EdgeWeights = {},
): ProgressiveWork<Graph> {
  if (radius === undefined) return yield* searchedKnnGraph(points, neighbors!, neighborSearch, weights, name);
  const graph = yield* epsilonGraphInParts(points, radius, weights);
  if (graph.sources.length > 0) return graph;
  const { distances } = nearestNeighbors(points, 1);
  throw radiusTooSmall(name, radius, points.rows, distances);
}

/** Message for a radius below all distances between points, with the distances of nearest neighbors. */
function radiusTooSmall(name: string, radius: number, size: number, distances: Iterable<number>): InvalidInputError {
  let least = Infinity;
  for (const distance of distances) least = Math.min(least, distance);
  return new InvalidInputError(
    `Within the radius ${radius} of ${name} none of the ${size} points has a neighbor, so the graph has no edges: the nearest two points are ` +
      `${Number(least.toPrecision(4))} apart. Take a larger radius, or give neighbors instead.`,
  );
}

/** Sentence about a graph whose edges of positive weight do not connect it; empty if they do. */
export function componentsNote({ size, sources, targets, weights }: Graph): string {
  const kept = Int32Array.from(sources.keys()).filter((e) => weights[e]! > 0);
  const { sizes } = connectedComponents({
    size,
    sources: kept.map((e) => sources[e]!),
    targets: kept.map((e) => targets[e]!),
  });
  if (sizes.length === 1) return '';
  const largest = sizes.reduce((most, count) => Math.max(most, count));
  return (
    ` Its edges of positive weight leave ${sizes.length} components, the largest of ${largest} of ${size} points. ` +
    'The first columns only separate them. Take a larger width.'
  );
}

/**
 * Flags for edges between points that are both among the k nearest neighbors of each other.
 *
 * @param shown - point of each node of the graph
 */
export function mutualEdges(
  points: Matrix,
  k: number,
  { sources, targets }: Pick<Graph, 'sources' | 'targets'>,
  shown: ArrayLike<number>,
): boolean[] {
  const { indices } = nearestNeighbors(points, k);
  const has = (i: number, j: number) => indices.subarray(i * k, (i + 1) * k).includes(j);
  return Array.from(sources, (source, e) => {
    const [i, j] = [shown[source]!, shown[targets[e]!]!];
    return has(i, j) && has(j, i);
  });
}

/** Edges between some points, renumbered; the points form whole components. */
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
