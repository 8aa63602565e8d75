import { InvalidInputError } from '../../core/errors.ts';
import type { Matrix, MatrixLike } from '../../core/matrix.ts';
import { observationsFrom } from '../../core/observations.ts';
import { rowsOf } from '../../core/rowMatrices.ts';
import { componentTree, connectedComponents, joiningPairs } from '../../engine/graph/connectedComponents.ts';
import { checkGraph, edgesOfPairs, type Graph, givenDistancesAt, pairKey } from '../../engine/graph/graph.ts';
import { completeGraph, knnGraph } from '../../engine/graph/index.ts';
import { ownGraph } from '../../engine/graph/labelGraph.ts';
import { commonEntriesGraph } from '../../fields/observed/commonEntries.ts';
import { withoutRepeats } from '../../fields/ties.ts';
import { type GraphInput, type GraphOptions, isGraphInput } from '../spectral/neighborhood/graphInput.ts';
import type { Disconnected } from '../spectral/neighborhood/neighborhood.ts';
import type { PointDistances } from './distances.ts';

/** Candidate edges, and the points that they connect. */
export interface Candidates {
  readonly graph: Graph;
  /** Squared distances φ, one per edge. */
  readonly squaredDistances: Float64Array;
  /** Fitted points, if they are a subset. */
  readonly shown?: Int32Array;
  /** Sentences on adjustments of the graph. */
  readonly notes: string;
}

/** Observations, unless distances were passed. */
export function pointsOf(given: MatrixLike | GraphInput, holes = false, isDivided = false): Matrix | undefined {
  return isGraphInput(given) ? undefined : observationsFrom(given, holes, isDivided);
}

/** Options that determine the candidate edges of a field. */
export interface CandidateOptions extends GraphOptions {
  /** Candidate pairs: all, or k nearest neighbors. */
  readonly neighbors: number | 'all';
  readonly disconnected: Disconnected;
}

/**
 * Candidate edges in one component, without duplicates.
 *
 * @param points - undefined for precomputed distances, which Y then contains
 * @param isUnbounded - whether weights are unbounded, so that equal points count as one node
 */
export function candidatesOf(
  Y: MatrixLike | GraphInput,
  points: Matrix | undefined,
  options: CandidateOptions,
  distances: PointDistances,
  { name, isUnbounded }: { readonly name: string; readonly isUnbounded: boolean },
): Candidates {
  const between = (i: number, j: number) => distances.between(points!, i, j);
  const edges =
    points === undefined
      ? edgesFrom(Y as GraphInput, name)
      : options.graph === undefined
        ? pairsOf(points, options.neighbors, distances)
        : edgesBeside(points, options, name, between);
  const joined = connected(edges, options.disconnected, name, points, between);
  return isUnbounded ? { ...joined, ...withoutRepeats(joined.graph, joined.squaredDistances) } : joined;
}

function pairsOf(points: Matrix, neighbors: number | 'all', distances: PointDistances) {
  if (neighbors !== 'all' && points.data.some(Number.isNaN)) return commonEntriesGraph(points, neighbors);
  const graph = neighbors === 'all' ? completeGraph(points.rows) : knnGraph(points, neighbors);
  return { graph, squaredDistances: distances.along(points, graph) };
}

/** Checks the edges and squared distances of such a graph. */
function edgesFrom(
  { graph: given, squaredDistances }: GraphInput,
  name: string,
): Pick<Candidates, 'graph' | 'squaredDistances'> {
  const graph = ownGraph(given, name);
  if (graph.sources.length === 0) {
    throw new InvalidInputError(`${name} takes a graph with edges, but this one has none.`);
  }
  return { graph, squaredDistances: givenDistancesAt(graph, squaredDistances ?? graph.weights, name) };
}

/** Edges of a graph passed with observations, with distances computed from these unless passed too. */
function edgesBeside(
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
 * Connects the components of candidate edges, or selects one.
 *
 * @param points - points that the edges connect; undefined for precomputed distances
 * @param distance - φ between two points
 * @throws InvalidInputError for several components if that is an error, or if the distances between them are unknown
 */
export function connected(
  { graph, squaredDistances }: Pick<Candidates, 'graph' | 'squaredDistances'>,
  disconnected: Disconnected,
  name: string,
  points: Matrix | undefined,
  distance: (i: number, j: number) => number,
): Candidates {
  const { labels, sizes } = connectedComponents(graph);
  if (sizes.length === 1) return { graph, squaredDistances, notes: '' };
  const have = `The candidate edges leave ${sizes.length} components`;
  if (disconnected === 'largest') {
    const largest = sizes.indexOf(sizes.reduce((most, size) => Math.max(most, size)));
    const shown = Int32Array.from(labels.keys()).filter((i) => labels[i] === largest);
    const notes = ` ${have}. These are the ${shown.length} of ${graph.size} points in the largest, listed in parameters.points.`;
    return { ...subgraph({ graph, squaredDistances }, shown), shown, notes };
  }
  if (disconnected === 'error' || points === undefined) {
    throw new InvalidInputError(
      `${have}, so ${name} cannot determine their relative positions. Give ${points === undefined ? 'edges that join them' : "a larger 'neighbors', or edges that join them, disconnected: 'connect'"} or disconnected: 'largest'.`,
    );
  }
  const pairs = shortestPairs(graph, labels, points, distance);
  if (pairs.length < sizes.length - 1) {
    throw new InvalidInputError(`${have}, and their distance is not determined. Take disconnected: 'largest'.`);
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

/** Shortest edges between components; for points with missing entries, by comparing all pairs. */
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

/** Rows of the shown points. */
export function shownRows(points: Matrix, shown: Int32Array | undefined): Matrix {
  return shown === undefined ? points : rowsOf(points, shown);
}

/** Edges between a subset of points, renumbered. */
export function subgraph(
  { graph, squaredDistances }: Pick<Candidates, 'graph' | 'squaredDistances'>,
  points: ArrayLike<number>,
) {
  const places = new Int32Array(graph.size).fill(-1);
  Array.from(points).forEach((i, place) => {
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
