import { Matrix } from '../../../core/matrix.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import { type ShortestPaths, shortestPaths } from '../../../engine/graph/shortestPaths.ts';
import type { Projection } from '../../../model/posterior.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import { type ProductsEmbedding, placeByProducts } from './byProducts.ts';
import { type DistancesTo, nearRows, placedRows } from './newRows.ts';

/** An embedding of lengths of shortest paths. */
export interface PathsEmbedding extends ProductsEmbedding {
  /** Graph of all N points, whose weights are lengths. */
  readonly graph: Graph;
  /** The points that are shown, among which neighbours are found. */
  readonly shown: Int32Array;
  /** The points that paths lead to, in the order of the rows of the latents. */
  readonly targets: Int32Array;
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
  const { graph, shown, targets, latents } = embedding;
  const lengthsOf = pathsTo(targets, graph.size, shortestPaths(graph), Y.rows);
  return placedRows(Y, latents.columns, (row, number, place) => {
    const all = distancesOf(row, number);
    const distances = Float64Array.from(shown, (j) => all[j]!);
    const near = nearRows(distances, neighbourhood);
    const lengths = lengthsOf(
      near.map((n) => shown[n]!),
      Float64Array.from(near, (n) => distances[n]!),
    );
    placeByProducts(
      embedding,
      lengths.map((length) => length * length),
      place,
    );
  });
}

/** How long the paths to the targets are: from all of these once where they are fewer than the rows, else from every row. */
function pathsTo(targets: Int32Array, N: number, paths: ShortestPaths, rows: number) {
  if (rows <= targets.length) {
    const lengths = new Float64Array(N);
    return (near: Int32Array, distances: Float64Array) => {
      paths(near, distances, lengths);
      return Float64Array.from(targets, (j) => lengths[j]!);
    };
  }
  const from = Matrix.zeros(targets.length, N);
  targets.forEach((j, n) => {
    paths(Int32Array.of(j), new Float64Array(1), from.data.subarray(n * N, (n + 1) * N));
  });
  return (near: Int32Array, distances: Float64Array) =>
    Float64Array.from(targets, (_, n) => {
      let least = Infinity;
      near.forEach((j, a) => {
        least = Math.min(least, distances[a]! + from.data[n * N + j]!);
      });
      return least;
    });
}
