import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe, type Matrix } from '../../../core/matrix.ts';
import type { ProgressiveWork } from '../../../core/progressiveWork.ts';
import { componentTree, componentTreeOf } from '../../../engine/graph/componentTree.ts';
import { connectedComponents } from '../../../engine/graph/connectedComponents.ts';
import { edgesOfPairs, type Graph, incidentEdges, mergedEdges, pairKey } from '../../../engine/graph/graph.ts';
import type { EdgeWeights } from '../../../engine/graph/index.ts';
import { checkNeighbors, epsilonGraphInParts, searchedKnnGraph } from '../../../engine/graph/neighborhoodGraph.ts';
import { type NeighborSearch, nearestNeighbors } from '../../../engine/neighbors/index.ts';
import { squaredDistance } from '../../../engine/neighbors/squaredDistance.ts';

/** Points, their distances, or a graph from elsewhere alone: what neighbors are found in. */
export interface NeighborInput {
  /** N×D points, or the N×N distances; 0×0 beside a graph alone. */
  readonly points: Matrix;
  readonly input: 'points' | 'distances' | 'graph';
  /** A graph from elsewhere, whose weights are lengths. */
  readonly graph?: Graph | undefined;
  /** Sentence about units of points, or rounding of distances. */
  readonly note?: string | undefined;
}

/** How many points there are. */
export const sizeOf = ({ points, graph }: NeighborInput): number => graph?.size ?? points.rows;

/** Sentence in a fit's message about columns that seem to have different units, or distances that were rounded. */
export const inputNote = ({ note, graph }: NeighborInput): string => (graph === undefined ? (note ?? '') : '');

/** The graph of neighbors, whose weights are how far they are apart; searched with pauses. */
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

/** The graph that joins in addition all points that have a neighbor in common, whose weights are how far they are apart. */
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

/** How far two points are apart, by points or distances. */
export function lengthsOf({ points, input }: NeighborInput): (i: number, j: number) => number {
  const { data, columns: D } = points;
  return input === 'points' ? (i, j) => Math.sqrt(squaredDistance(data, i * D, j * D, D)) : (i, j) => points.at(i, j);
}

/** The graph of neighbors by distances, ties by index. */
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
 * What to do about a graph of neighbors that is not connected: 'connect' its components by the shortest edges between them, show the
 * points of the 'largest' alone, or throw an 'error'.
 */
export type Disconnected = 'connect' | 'largest' | 'error';

export const disconnectedOption = v.optional(
  v.picklist(['connect', 'largest', 'error'], "'connect', 'largest' or 'error'"),
  'connect',
);

/** The points that are shown together, and the graph that joins them. */
export interface ShownComponent {
  /** Graph of all points, with the edges that were added. */
  readonly graph: Graph;
  /** Their numbers, ascending. */
  readonly points: Int32Array;
  /** A sentence about what was done to a graph that was not connected, after a space. */
  readonly note: string;
}

/**
 * All points of a connected graph; of another all, joined by its shortest edges, or the largest component, the first of equals.
 *
 * @param graph - of neighbors, whose weights are lengths
 * @throws InvalidInputError for a graph that is not connected, where that is an error or lengths between its components are not known
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

/** A sentence about neighbors that were searched approximately. */
const recallNote = ({ recall }: Graph): string =>
  recall === undefined
    ? ''
    : ` The neighbors are approximate: about ${(100 * recall).toFixed(1)} % of the nearest were found (neighborSearch: 'exact' finds all).`;

/** How many neighbors each point has unless a number is given, when there are points enough. */
const USUAL = 7;

/** A number of neighbors that each of the points has. */
export interface NeighborCount {
  readonly k: number;
  /** A sentence after a space, where there are fewer points than the usual number takes. */
  readonly note: string;
}

/**
 * The number of neighbors that was given, or 7, or all others of fewer points.
 *
 * @throws InvalidInputError when a number was given that N points do not have
 */
export function neighborCount(given: unknown, N: number, name: string): NeighborCount {
  if (given !== undefined) return { k: checkNeighbors(given as number, N, name), note: '' };
  if (N > USUAL) return { k: USUAL, note: '' };
  const others = N === 2 ? '1 neighbor' : `${N - 1} neighbors`;
  return { k: N - 1, note: ` There are only ${N} points, so each has ${others} and not ${USUAL}.` };
}

/** Which points are neighbors: one of the two. */
export interface NeighborhoodOptions {
  /** k of the symmetrized k-nearest-neighbor graph; default 7 without `radius`, or all others of fewer points. */
  readonly neighbors?: number;
  /** Points no further apart than this are neighbors. */
  readonly radius?: number;
  /**
   * Search for the k nearest neighbors: 'exact'; 'descent', approximate, for many points in many dimensions; 'auto' (default), exact up to 50 000 points.
   * The message of a fit reports the accuracy of an approximate search.
   */
  readonly neighborSearch?: NeighborSearch;
}

export const neighborhoodOptions = {
  neighbors: v.optional(v.any()),
  radius: v.optional(v.any()),
  neighborSearch: v.optional(v.picklist(['exact', 'descent', 'auto'], "'exact', 'descent' or 'auto'")),
};

/** The requested neighborhood with its defaults and a sentence about them, for N points, unless a graph gives the neighbors. */
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
 * The graph of neighbors, searched with pauses.
 *
 * @throws InvalidInputError when no two points are neighbors
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

/** The message for a radius that joins no two points, given the distances of nearest neighbors. */
function radiusTooSmall(name: string, radius: number, size: number, distances: Iterable<number>): InvalidInputError {
  let least = Infinity;
  for (const distance of distances) least = Math.min(least, distance);
  return new InvalidInputError(
    `Within the radius ${radius} of ${name} none of the ${size} points has a neighbor, so the graph has no edges: the nearest two points are ` +
      `${Number(least.toPrecision(4))} apart. Take a larger radius, or give neighbors instead.`,
  );
}

/** A sentence about a graph whose edges of positive weight do not connect it; nothing about another. */
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
  const { indices } = nearestNeighbors(points, k);
  const has = (i: number, j: number) => indices.subarray(i * k, (i + 1) * k).includes(j);
  return Array.from(sources, (source, e) => {
    const [i, j] = [shown[source]!, shown[targets[e]!]!];
    return has(i, j) && has(j, i);
  });
}

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
