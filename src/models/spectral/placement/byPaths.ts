import type { Matrix } from '../../../core/matrix.ts';
import type { Projection } from '../../../model/model.ts';
import type { Graph } from '../../../numerics/graph/graph.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import { shortestPaths } from '../neighbourhood/shortestPaths.ts';
import { type ProductsEmbedding, placeByProducts } from './byProducts.ts';
import { type DistancesTo, nearRows, placedRows } from './newRows.ts';

/** An embedding of lengths of shortest paths. */
export interface PathsEmbedding extends ProductsEmbedding {
  /** Of all N points, whose weights are lengths. */
  readonly graph: Graph;
  /** The points that are shown, in the order of the rows of the latents. */
  readonly shown: Int32Array;
}

/**
 * Places every row by its shortest paths d_n = min_j(‖y_* − y_j‖ + G_jn) over its neighbours j: the k nearest of the points that are shown, or
 * those within the radius, and where there are none the nearest. See {@link placeByProducts}.
 *
 * @see Bengio et al. 2004; de Silva & Tenenbaum 2004
 */
export function placedByPaths(
  embedding: PathsEmbedding,
  Y: Matrix,
  distancesOf: DistancesTo,
  neighbourhood: NeighbourhoodOptions,
): Projection {
  const { graph, shown, latents } = embedding;
  const paths = shortestPaths(graph);
  const lengths = new Float64Array(graph.size);
  return placedRows(Y, latents.columns, (row, number, place) => {
    const all = distancesOf(row, number);
    const distances = Float64Array.from(shown, (j) => all[j]!);
    const near = nearRows(distances, neighbourhood);
    paths(
      near.map((n) => shown[n]!),
      Float64Array.from(near, (n) => distances[n]!),
      lengths,
    );
    const squares = Float64Array.from(shown, (j) => lengths[j]! ** 2);
    placeByProducts(embedding, squares, place);
  });
}
