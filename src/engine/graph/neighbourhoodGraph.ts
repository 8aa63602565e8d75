import * as v from 'valibot';
import { exp } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { describe, Matrix, type MatrixLike } from '../../core/matrix.ts';
import { checkNumbers } from '../../core/observations.ts';
import { checkOptions, numberAboveZero } from '../../core/options.ts';
import { completed, type ProgressiveWork } from '../../core/progressiveWork.ts';
import { type Neighbours, nearestNeighbours, withinRadiusInParts } from '../neighbours/index.ts';
import { squaredDistance } from '../neighbours/squaredDistance.ts';
import { edgesOfPairs, type Graph, pairKey } from './graph.ts';

/** Options for the weights of a neighbourhood graph. */
export interface EdgeWeights {
  /** 'binary' (default): 1; 'heat': exp(−d²/(2·width²)) for points at distance d. */
  readonly weights?: 'binary' | 'heat';
  /** Width of the heat kernel, > 0, in the unit of the distances; default 1. */
  readonly width?: number;
}

export const edgeWeightOptions = {
  weights: v.optional(v.picklist(['binary', 'heat'], "'binary' or 'heat'")),
  width: v.optional(numberAboveZero),
};
const schema = v.strictObject(edgeWeightOptions);

/**
 * The graph that joins two points if either is among the k nearest neighbours of the other (or-rule). Of equally near points, those with the lower
 * index count as nearer.
 *
 * @param Y - N×D points
 * @param k - number of neighbours, 1 … N − 1
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
  return graphOfNeighbours(points, nearestNeighbours(points, checkNeighbours(k, points.rows, 'knnGraph')), checked);
}

/** The graph that joins points with their neighbours. */
export function graphOfNeighbours(
  points: Matrix,
  { indices }: Neighbours,
  options: Parameters<typeof edgeWeight>[1],
): Graph {
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
  if (!(typeof r === 'number' && r > 0)) {
    throw new InvalidInputError(`epsilonGraph takes a radius above 0, but ${describe(r)} was given.`);
  }
  const { starts, indices } = yield* withinRadiusInParts(points, r);
  const keys = new Float64Array(indices.length);
  for (let i = 0; i < points.rows; i++) {
    for (let p = starts[i]!; p < starts[i + 1]!; p++) keys[p] = pairKey(i, indices[p]!, points.rows);
  }
  return Object.freeze({ size: points.rows, ...edgesOfPairs(keys, points.rows, weightOf) });
}

/** Copies `Y` as a matrix of finite numbers with at least two rows; throws if it is not one. */
export function pointsFrom(Y: MatrixLike, caller: string): Matrix {
  const points = checkNumbers(Matrix.from(Y, `Y of ${caller}`), `Y of ${caller}`);
  if (points.rows >= 2) return points;
  throw new InvalidInputError(
    `${caller} takes at least 2 points, but a ${points.rows}×${points.columns} matrix was given.`,
  );
}

/** Throws unless each of N points can have k neighbours. */
export function checkNeighbours(k: number, N: number, caller: string): number {
  if (Number.isInteger(k) && k >= 1 && k < N) return k;
  throw new InvalidInputError(
    `${caller} takes a whole number of neighbours from 1 to ${N - 1} for ${N} points, but 'neighbours' is ${describe(k)}. Give another.`,
  );
}

function edgeWeight(
  { data, columns: D }: Matrix,
  { weights, width = 1 }: { weights?: string | undefined; width?: number | undefined },
) {
  if (weights !== 'heat') return () => 1;
  return (i: number, j: number) => exp(-squaredDistance(data, i * D, j * D, D) / (2 * width * width));
}
