import * as v from 'valibot';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, integer } from '../../core/options.ts';
import type { ProgressiveWork } from '../../core/progressiveWork.ts';
import { type NeighbourSearch, neighboursBy, neighboursInParts } from '../neighbours/index.ts';
import type { Graph } from './graph.ts';
import {
  checkNeighbours,
  type EdgeWeights,
  edgeWeightOptions,
  graphOfNeighbours,
  pointsFrom,
} from './neighbourhoodGraph.ts';

/** Options of the approximate neighbour search, and of the edges' weights. */
export interface ApproximateKnnGraphOptions extends EdgeWeights {
  /** Seed of the search; default 0. */
  readonly seed?: number;
}

const schema = v.strictObject({
  ...edgeWeightOptions,
  seed: v.optional(integer),
});

/**
 * An approximate `knnGraph` for many points in many dimensions: random trees and neighbour descent compare each point with a few hundred others
 * instead of all. `recall` is the fraction of nearest neighbours that were found, estimated from a sample of points.
 *
 * @param Y - N×D points
 * @param k - number of neighbours, 1 … N − 1
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
  const { seed = 0, ...weights } = checkOptions(schema, options, 'approximateKnnGraph');
  const found = neighboursBy('descent', points, checkNeighbours(k, points.rows, 'approximateKnnGraph'), seed);
  return Object.freeze({ ...graphOfNeighbours(points, found, weights), recall: found.recall! });
}

/** The graph of k nearest neighbours, with `recall` if it is approximate. */
export function* searchedKnnGraph(
  Y: MatrixLike,
  k: number,
  search: NeighbourSearch,
  weights: EdgeWeights,
  name: string,
): ProgressiveWork<Graph> {
  const points = pointsFrom(Y, name);
  const found = yield* neighboursInParts(search, points, checkNeighbours(k, points.rows, name));
  const { recall } = found;
  return Object.freeze({ ...graphOfNeighbours(points, found, weights), ...(recall !== undefined && { recall }) });
}
