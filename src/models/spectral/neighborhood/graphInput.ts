import * as v from 'valibot';
import { InvalidInputError } from '../../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../../core/matrix.ts';
import { checkGraph, type Graph } from '../../../engine/graph/graph.ts';
import { distancesFrom } from './distanceInput.ts';
import { lengthsOf, type NeighborInput } from './neighborhood.ts';

/** A graph of neighbors from elsewhere, in the place of observations or beside them. */
export interface GraphInput {
  /** Which points are neighbors. */
  readonly graph: Graph;
  /** One of each edge, in the order of the edges; the weights of the graph unless given. */
  readonly squaredDistances?: ArrayLike<number>;
}

/**
 * Whether a graph is given in the place of observations.
 *
 * @throws InvalidInputError when something else is given with it than squared distances
 */
export function isGraphInput(Y: unknown): Y is GraphInput {
  if (typeof Y !== 'object' || Y === null || !('graph' in Y)) return false;
  const unknown = Object.keys(Y).find((name) => name !== 'graph' && name !== 'squaredDistances');
  if (unknown === undefined) return true;
  throw new InvalidInputError(
    `A graph in the place of observations is given as { graph, squaredDistances }, but this one has '${unknown}' too. Leave it out, or give lengths of edges by their squares.`,
  );
}

/** @throws InvalidInputError for a graph in the place of observations, given to a model that takes it beside them only */
export function checkNoGraph(Y: unknown, name: string): void {
  if (!isGraphInput(Y)) return;
  throw new InvalidInputError(
    `${name} rests on the observations of neighbors, which distances do not tell. Give the graph beside them: ${name}(Y, { graph }).`,
  );
}

/** The options of models that take a graph beside observations. */
export interface GraphOptions {
  /** Which points are neighbors; `neighbors` then counts those of new points only. */
  readonly graph?: Graph;
  /** Squared lengths of the graph's edges, in their order; those of the observations unless given. */
  readonly squaredDistances?: ArrayLike<number>;
}

export const graphOptions = { graph: v.optional(v.any()), squaredDistances: v.optional(v.any()) };

/**
 * What neighbors are found in: points, distances, or a graph from elsewhere. Beside points or distances the edges of a graph are as long as
 * these say, unless squared distances are given with it.
 *
 * @throws InvalidInputError for what `distancesFrom` refuses, a graph on another number of points, and squared distances that are not one
 * finite number from 0 of each edge
 */
export function neighborInput(
  Y: MatrixLike | GraphInput,
  options: { readonly input?: 'points' | 'distances'; readonly graph?: unknown; readonly squaredDistances?: unknown },
  name: string,
): NeighborInput {
  if (isGraphInput(Y)) {
    const graph = checkGraph(Y.graph, name);
    return {
      points: Matrix.zeros(0, 0),
      input: 'graph',
      graph: withLengths(graph, Y.squaredDistances ?? graph.weights, name),
    };
  }
  const input = options.input ?? 'points';
  const given: NeighborInput = { ...distancesFrom(Y, input, name), input };
  if (options.graph === undefined) return { points: given.points, input, note: given.note };
  const graph = checkGraph(options.graph, name, given.points.rows);
  if (options.squaredDistances !== undefined) {
    return { points: given.points, input, graph: withLengths(graph, options.squaredDistances, name) };
  }
  const lengthOf = lengthsOf(given);
  const weights = Float64Array.from(graph.sources, (i, e) => lengthOf(i, graph.targets[e]!));
  return { points: given.points, input, graph: Object.freeze({ ...edgesOf(graph), weights }) };
}

/** What a model writes about a graph that it was given. */
export function savedInput(
  Y: MatrixLike | GraphInput,
  options: { readonly graph?: unknown; readonly squaredDistances?: unknown },
): object {
  const { graph, squaredDistances } = isGraphInput(Y) ? Y : (options as Partial<GraphInput>);
  return {
    ...(graph !== undefined && { graph }),
    ...(squaredDistances !== undefined && { squaredDistances: Array.from(squaredDistances) }),
  };
}

const edgesOf = ({ size, sources, targets }: Graph) => ({ size, sources, targets });

function withLengths(graph: Graph, squares: unknown, name: string): Graph {
  const { length } = graph.sources;
  const given = squares as ArrayLike<number> | null;
  if (typeof given !== 'object' || given === null || given.length !== length) {
    throw new InvalidInputError(
      `${name} takes one squared distance of each of the ${length} edges of its graph, but ${describe(squares)} was given.`,
    );
  }
  const weights = Float64Array.from(given);
  const bad = weights.findIndex((square) => !(square >= 0 && square < Infinity));
  if (bad < 0) return Object.freeze({ ...edgesOf(graph), weights: weights.map(Math.sqrt) });
  throw new InvalidInputError(
    `Squared distances are finite numbers from 0, but that of edge ${bad} of the graph of ${name}, (${graph.sources[bad]}, ${graph.targets[bad]}), ` +
      `is ${weights[bad]}.`,
  );
}
