import * as v from 'valibot';
import { exp } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { checkGiven, checkOptions, integer, numberAboveZero, type OptionsIn } from '../../core/options.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import {
  type NeighborSearch,
  type Neighbors,
  nearestNeighbors,
  neighborsBy,
  neighborsInParts,
  withinRadiusInParts,
} from '../neighbors/index.ts';
import { squaredDistance } from '../neighbors/squaredDistance.ts';
import { edgesOfPairs, type Graph, pairKey } from './graph.ts';

/** The graph of k nearest neighbors, with `recall` if it is approximate. */
export function* searchedKnnGraph(
  Y: MatrixLike,
  k: number,
  search: NeighborSearch,
  weights: EdgeWeights,
  name: string,
): ProgressiveWork<Graph> {
  const points = pointsFrom(Y, name);
  const found = yield* neighborsInParts(search, points, checkNeighbors(k, points.rows, name));
  const { recall } = found;
  return Object.freeze({ ...graphOfNeighbors(points, found, weights), ...(recall !== undefined && { recall }) });
}

/** Options for the weights of a neighborhood graph. */
export interface EdgeWeights extends OptionsIn<typeof edgeWeightOptions> {}

export const edgeWeightOptions = {
  /** 'binary' (default): 1; 'heat': exp(−d²/(2·width²)) for points at distance d. */
  weights: v.optional(v.picklist(['binary', 'heat'], "'binary' or 'heat'")),
  /** Width of the heat kernel, > 0, in the unit of the distances; default 1. */
  width: v.optional(numberAboveZero, 1),
};
const schema = v.strictObject(edgeWeightOptions);

/**
 * The graph that joins two points if either is among the k nearest neighbors of the other (or-rule). Among equally near points, those with the lower
 * index count as nearer.
 *
 * @param Y - N×D points
 * @param k - number of neighbors, 1 … N − 1
 * @param options - `weights`: 'binary' or 'heat'; `width` of the heat kernel
 * @returns a graph on N points with between Nk/2 and Nk edges
 * @throws InvalidInputError if Y is not a matrix of finite numbers with ≥ 2 rows, or k is out of range
 * @example
 * ```ts
 * knnGraph([[0], [1], [3]], 1).targets; // Int32Array [1, 2]: edges (0, 1) and (1, 2)
 * ```
 */
export function knnGraph(Y: MatrixLike, k: number, options: EdgeWeights = {}): Graph {
  const points = pointsFrom(Y, 'knnGraph');
  const checked = checkOptions(schema, options, 'knnGraph');
  return graphOfNeighbors(points, nearestNeighbors(points, checkNeighbors(k, points.rows, 'knnGraph')), checked);
}

/** The graph that joins points with their neighbors. */
function graphOfNeighbors(points: Matrix, { indices }: Neighbors, options: EdgeWeights): Graph {
  const weightOf = edgeWeight(points, options);
  const k = indices.length / points.rows;
  const keys = Float64Array.from(indices, (j, place) => pairKey(Math.floor(place / k), j, points.rows));
  return Object.freeze({ size: points.rows, ...edgesOfPairs(keys, points.rows, weightOf) });
}

/**
 * The graph that joins two points if their distance is at most r.
 *
 * @param Y - N×D points
 * @param r - radius > 0, in the unit of the distances
 * @param options - `weights`: 'binary' or 'heat'; `width` of the heat kernel
 * @returns a graph on N points
 * @throws InvalidInputError if Y is not a matrix of finite numbers with ≥ 2 rows, or r is not positive
 * @example
 * ```ts
 * epsilonGraph([[0], [1], [3]], 1.5).sources.length; // 1: the edge (0, 1)
 * ```
 */
export function epsilonGraph(Y: MatrixLike, r: number, options: EdgeWeights = {}): Graph {
  return completed(epsilonGraphInParts(Y, r, options));
}

/** `epsilonGraph` with pauses. */
export function* epsilonGraphInParts(Y: MatrixLike, r: number, options: EdgeWeights = {}): ProgressiveWork<Graph> {
  const points = pointsFrom(Y, 'epsilonGraph');
  const weightOf = edgeWeight(points, checkOptions(schema, options, 'epsilonGraph'));
  checkGiven(r, 'epsilonGraph', 'a radius above 0', (own) => typeof own === 'number' && own > 0);
  const { starts, indices } = yield* withinRadiusInParts(points, r);
  const keys = new Float64Array(indices.length);
  for (let i = 0; i < points.rows; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) keys[p] = pairKey(i, indices[p]!, points.rows);
  }
  return Object.freeze({ size: points.rows, ...edgesOfPairs(keys, points.rows, weightOf) });
}

/** Copies `Y` as a matrix of finite numbers with at least two rows; throws if it is not one. */
function pointsFrom(Y: MatrixLike, caller: string): Matrix {
  const points = checkNumbers(Matrix.from(Y, `Y of ${caller}`), `Y of ${caller}`);
  if (points.rows >= 2) return points;
  throw new InvalidInputError(
    `${caller} takes at least 2 points, but a ${points.rows}×${points.columns} matrix was given.`,
  );
}

/** Throws unless each of N points can have k neighbors. */
export function checkNeighbors(k: number, N: number, caller: string): number {
  if (Number.isInteger(k) && k >= 1 && k < N) return k;
  throw new InvalidInputError(
    `${caller} takes a whole number of neighbors from 1 to ${N - 1} for ${N} points, but 'neighbors' is ${describe(k)}. Give another.`,
  );
}

function edgeWeight({ data, columns: D }: Matrix, { weights, width = 1 }: EdgeWeights) {
  if (weights !== 'heat') return () => 1;
  return (i: number, j: number) => exp(-squaredDistance(data, i * D, j * D, D) / (2 * width * width));
}

/** Options of the approximate neighbor search, and of the edges' weights. */
export interface ApproximateKnnGraphOptions extends OptionsIn<typeof approximateSchema> {}

const approximateSchema = v.strictObject({
  ...edgeWeightOptions,
  /** Seed of the search; default 0. */
  seed: v.optional(integer),
});

/**
 * An approximate `knnGraph` for many points in many dimensions: random trees and neighbor descent compare each point with a few hundred others
 * instead of all. `recall` is the fraction of correct nearest neighbors, estimated from a sample of points.
 *
 * @param Y - N×D points
 * @param k - number of neighbors, 1 … N − 1
 * @param options - see {@link ApproximateKnnGraphOptions}
 * @returns a graph on N points with between Nk/2 and Nk edges, and `recall`
 * @throws InvalidInputError like `knnGraph`
 * @see Dong, Moses & Li, Efficient k-nearest neighbor graph construction for generic similarity measures (2011)
 * @example
 * ```ts
 * const graph = approximateKnnGraph(Y, 10, { seed: 1 });
 * const { latents } = await fit(laplacianEigenmaps(Y, { graph }));
 * ```
 */
export function approximateKnnGraph(Y: MatrixLike, k: number, options: ApproximateKnnGraphOptions = {}): Graph {
  const points = pointsFrom(Y, 'approximateKnnGraph');
  const { seed = 0, ...weights } = checkOptions(approximateSchema, options, 'approximateKnnGraph');
  const found = neighborsBy('descent', points, checkNeighbors(k, points.rows, 'approximateKnnGraph'), seed);
  return Object.freeze({ ...graphOfNeighbors(points, found, weights), recall: found.recall! });
}
