import { square } from '../../../core/elementary/index.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { Graph } from '../../../engine/graph/graph.ts';
import { gramWeights } from '../../../engine/graph/reconstructionWeights.ts';
import { type ShortestPaths, shortestPaths } from '../../../engine/graph/shortestPaths.ts';
import type { Projection } from '../../../model/posterior.ts';
import type { NeighborhoodOptions, NeighborInput } from '../neighborhood/neighborhood.ts';
import { type DistancesTo, distancesTo, nearRows, placedRows } from './byWeights.ts';

/** Fraction of the trace that is added to the diagonal of each Gram matrix, as for `lle`. */
const REGULARIZATION = 1e-3;

/**
 * Places every row by the weights of locally linear embedding that reconstruct it from its neighbors: k(y_*, ·) = Σ_j w_j·K_j·, and therefore x_* =
 * Σ_j w_j·x_j. The weights are computed from distances, C_ab = ½(d²_*a + d²_*b − d²_ab). A row that equals a point gets its latents.
 *
 * @param latents - latents of the shown points, in this order
 * @throws NumericalError if the distances between a row and its neighbors are far from Euclidean
 */
export function placedByLearnedKernel(
  latents: Matrix,
  shown: Int32Array,
  given: NeighborInput,
  Y: Matrix,
  neighborhood: NeighborhoodOptions,
): Projection {
  const { columns: q, data: X } = latents;
  const gramOf = gram(given);
  const distancesOf = distancesTo(given);
  return placedRows(Y, q, (row, number, place) => {
    const all = distancesOf(row, number);
    const distances = Float64Array.from(shown, (j) => all[j]!);
    const same = distances.indexOf(0);
    if (same >= 0) {
      place.set(latents.row(same));
      return;
    }
    const near = nearRows(distances, neighborhood);
    const points = near.map((n) => shown[n]!);
    const C = Float64Array.from({ length: square(near.length) }, (_, p) =>
      gramOf(row, points[Math.floor(p / near.length)]!, points[p % near.length]!),
    );
    const weights = gramWeights(C, near.length, REGULARIZATION, () => `Row index ${number} of Y`);
    near.forEach((n, a) => {
      for (let c = 0; c < q; c++) place[c]! += weights[a]! * X[n * q + c]!;
    });
  });
}

/** (y_* − y_a)ᵀ(y_* − y_b) of a row of observations, or of distances. */
function gram({ points, input }: NeighborInput): (row: Float64Array, a: number, b: number) => number {
  const { data, columns: D } = points;
  if (input === 'distances') return (row, a, b) => 0.5 * (square(row[a]!) + square(row[b]!) - square(points.at(a, b)));
  return (row, a, b) => {
    let sum = 0;
    for (let d = 0; d < D; d++) sum += (row[d]! - data[a * D + d]!) * (row[d]! - data[b * D + d]!);
    return sum;
  };
}

/** Embedding of squared distances between N points by their centered inner products. */
interface ProductsEmbedding {
  /** X = V·Λ^½, N×q, columns of sum 0. */
  readonly latents: Matrix;
  /** Λ */
  readonly eigenvalues: ArrayLike<number>;
  /** mean_i d²_in of every point n. */
  readonly meanSquares: ArrayLike<number>;
}

/**
 * x_* = Λ^−½·Vᵀk̃, k̃_n = −½(d²_*n − mean_i d²_in − mean_m d²_*m + mean of all d²): the terms that do not depend on n are multiplied by columns of
 * sum 0, so x_*c = −½·Σ_n x_nc·(d²_*n − mean_i d²_in)/λ_c. A point of the embedding is mapped to its latents.
 *
 * @param squares - d²_*n, N numbers
 * @param place - output, q numbers
 * @see Bengio et al. 2004; de Silva & Tenenbaum 2004, §3
 */
export function placeByProducts(
  { latents, eigenvalues, meanSquares }: ProductsEmbedding,
  squares: Float64Array,
  place: Float64Array,
): void {
  const { data, rows: N, columns: q } = latents;
  place.fill(0);
  for (let n = 0; n < N; n++) {
    const product = -0.5 * (squares[n]! - meanSquares[n]!);
    for (let c = 0; c < q; c++) place[c]! += data[n * q + c]! * product;
  }
  for (let c = 0; c < q; c++) place[c]! /= eigenvalues[c]!;
}

/** Embedding of shortest path lengths. */
interface PathsEmbedding extends ProductsEmbedding {
  /** Graph of all N points with lengths as weights. */
  readonly graph: Graph;
  /** Shown points, among which neighbors are searched. */
  readonly shown: Int32Array;
  /** End points of the paths, in the order of the latents' rows. */
  readonly targets: Int32Array;
}

/**
 * Places every row by its shortest paths d_n = min_j(‖y_* − y_j‖ + G_jn) over its neighbors j: the k nearest shown points, or all within the radius,
 * and at least the nearest. See {@link placeByProducts}.
 *
 * @see Bengio et al. 2004; de Silva & Tenenbaum 2004
 */
export function placedByPaths(
  embedding: PathsEmbedding,
  Y: Matrix,
  distancesOf: DistancesTo,
  neighborhood: NeighborhoodOptions,
): Projection {
  const { graph, shown, targets, latents } = embedding;
  const lengthsOf = pathsTo(targets, graph.size, shortestPaths(graph), Y.rows);
  return placedRows(Y, latents.columns, (row, number, place) => {
    const all = distancesOf(row, number);
    const distances = Float64Array.from(shown, (j) => all[j]!);
    const near = nearRows(distances, neighborhood);
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

/** Lengths of the paths to the targets: computed once from the targets if they are fewer than the rows, otherwise from every row. */
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
