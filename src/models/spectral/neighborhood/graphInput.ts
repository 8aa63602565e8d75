import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { Matrix, type MatrixLike } from '../../../core/matrix.ts';
import { observationsFrom, unitsAdvice } from '../../../core/observations.ts';
import { type OptionsIn, typed } from '../../../core/options.ts';
import { symmetricMatrix } from '../../../engine/dense/symmetric.ts';
import { type Graph, givenDistancesAt } from '../../../engine/graph/graph.ts';
import { ownGraph } from '../../../engine/graph/labelGraph.ts';
import { givenDistances } from '../../../engine/neighbors/index.ts';
import { squaredDistance } from '../../../engine/neighbors/squaredDistance.ts';
import { lengthsOf, type NeighborInput } from './neighborhood.ts';

/** Precomputed neighborhood graph, instead of or in addition to observations. */
export interface GraphInput {
  /** Neighborhood graph. */
  readonly graph: Graph;
  /** Squared distances, one per edge in the order of the edges; default the weights of the graph. */
  readonly squaredDistances?: ArrayLike<number>;
}

/**
 * True if a graph was passed instead of observations.
 *
 * @throws InvalidInputError if it has members other than squared distances
 */
export function isGraphInput(Y: unknown): Y is GraphInput {
  if (typeof Y !== 'object' || Y === null || !('graph' in Y)) return false;
  const unknown = Object.keys(Y).find((name) => name !== 'graph' && name !== 'squaredDistances');
  if (unknown === undefined) return true;
  throw new InvalidInputError(
    `A graph instead of observations is passed as { graph, squaredDistances }, but this one has '${unknown}' too. Leave it out, or give lengths of edges by their squares.`,
  );
}

/** @throws InvalidInputError for a graph instead of observations, for a model that only accepts it in addition to them */
export function checkNoGraph(Y: unknown, name: string): void {
  if (!isGraphInput(Y)) return;
  throw new InvalidInputError(
    `${name} needs the observations of neighbors, which distances do not contain. Pass the graph as well: ${name}(Y, { graph }).`,
  );
}

/** Options of models that accept a graph in addition to observations. */
export interface GraphOptions extends OptionsIn<typeof graphOptions> {}

export const graphOptions = {
  /** Neighborhood graph; `neighbors` is then used for new points only. */
  graph: v.optional(typed<Graph>()),
  /** Squared lengths of the graph's edges, in their order; default computed from the observations. */
  squaredDistances: v.optional(typed<ArrayLike<number>>()),
};

/**
 * Input for neighbor search: points, distances, or a precomputed graph. Edge lengths of a graph that is passed with points or distances are computed
 * from these, unless squared distances are passed too.
 *
 * @throws InvalidInputError for invalid points or distances, a graph on another number of points, and squared distances that are not one finite
 * nonnegative number per edge
 */
export function neighborInput(
  Y: MatrixLike | GraphInput,
  options: { readonly input?: 'points' | 'distances'; readonly graph?: unknown; readonly squaredDistances?: unknown },
  name: string,
): NeighborInput {
  if (isGraphInput(Y)) {
    const graph = ownGraph(Y.graph, name);
    return {
      points: Matrix.zeros(0, 0),
      input: 'graph',
      graph: withLengths(graph, Y.squaredDistances ?? graph.weights, name),
    };
  }
  const input = options.input ?? 'points';
  const given: NeighborInput = { ...distancesFrom(Y, input, name), input };
  if (options.graph === undefined) return { points: given.points, input, note: given.note };
  const graph = ownGraph(options.graph, name, given.points.rows);
  if (options.squaredDistances !== undefined) {
    return { points: given.points, input, graph: withLengths(graph, options.squaredDistances, name) };
  }
  const lengthOf = lengthsOf(given);
  const weights = Float64Array.from(graph.sources, (i, e) => lengthOf(i, graph.targets[e]!));
  return { points: given.points, input, graph: Object.freeze({ ...edgesOf(graph), weights }) };
}

/** Saved form of the graph passed to a model. */
export function savedInput(
  Y: MatrixLike | GraphInput,
  options: { readonly graph?: unknown; readonly squaredDistances?: unknown },
): object {
  const { graph, squaredDistances } = isGraphInput(Y) ? Y : (options as Partial<GraphInput>);
  return {
    ...(graph !== undefined && { graph: ownGraph(graph, 'A model') }),
    ...(squaredDistances !== undefined && { squaredDistances: Array.from(squaredDistances) }),
  };
}

const edgesOf = ({ size, sources, targets }: Graph) => ({ size, sources, targets });

const withLengths = (graph: Graph, squares: unknown, name: string): Graph =>
  Object.freeze({ ...edgesOf(graph), weights: givenDistancesAt(graph, squares, name).map(Math.sqrt) });

/**
 * Euclidean distances between the rows of Y, or Y itself if it contains distances, with a sentence on units or rounding.
 *
 * @throws InvalidInputError for points that are not finite numbers, and distances that are not square, symmetric, 0 on the diagonal and
 * at least 0
 */
export function distancesFrom(
  Y: MatrixLike,
  input: 'points' | 'distances',
  name: string,
): { points: Matrix; distances: () => Matrix; note: string } {
  if (input === 'distances') {
    const { distances, note } = givenDistances(Matrix.from(Y, 'The distances'), `${name} with input 'distances'`);
    return { points: distances, distances: () => Matrix.from(distances), note };
  }
  const points = observationsFrom(Y);
  return { points, distances: () => pairwiseDistances(points), note: unitsAdvice(points) };
}

const pairwiseDistances = ({ data, rows: N, columns: D }: Matrix): Matrix =>
  symmetricMatrix(N, (i, j) => Math.sqrt(squaredDistance(data, i * D, j * D, D)));
