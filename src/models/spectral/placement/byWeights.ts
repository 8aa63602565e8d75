import { exp, square } from '../../../core/elementary/index.ts';
import { InvalidInputError, NumericalError } from '../../../core/errors.ts';
import { Matrix } from '../../../core/matrix.ts';
import type { EdgeWeights } from '../../../engine/graph/index.ts';
import { nearestNeighbors } from '../../../engine/neighbors/index.ts';
import { nearestOf } from '../../../engine/neighbors/nearest.ts';
import { squaredDistances } from '../../../engine/neighbors/squaredDistance.ts';
import { type Projection, withoutDensity } from '../../../model/posterior.ts';
import { neighborWeights } from '../neighborhood/localReconstruction.ts';
import type { NeighborhoodOptions, NeighborInput } from '../neighborhood/neighborhood.ts';

/** Reconstruction of a new row from its nearest points. */
interface RowReconstruction {
  readonly neighbors: Int32Array;
  /** Weights of the neighbors, which add up to 1. */
  readonly weights: Float64Array;
  /** ‖y_* − Σ_j w_j·y_j‖² */
  readonly residual: number;
}

/** True if the row equals a point. */
export const isPoint = ({ neighbors, residual }: RowReconstruction): boolean =>
  neighbors.length === 1 && residual === 0;

/**
 * Weights that reconstruct every new row from its k nearest points. A row that equals a point is reconstructed from that point alone, the first if
 * there are several.
 *
 * @param regularization - as for `reconstructionFactor`
 */
export function reconstructedRows(
  points: Matrix,
  rows: Matrix,
  k: number,
  regularization: number | 'auto',
): RowReconstruction[] {
  const { rows: N, columns: D } = points;
  const { indices, distances } = nearestNeighbors(points, k, { queries: rows });
  const all = new Matrix(new Float64Array((N + rows.rows) * D), N + rows.rows, D);
  all.data.set(points.data);
  all.data.set(rows.data, N * D);
  const none = new Int32Array(0);
  const lists = Array.from({ length: all.rows }, (_, i) => {
    if (i < N) return none;
    const first = (i - N) * k;
    return distances[first] === 0 ? indices.slice(first, first + 1) : indices.slice(first, first + k);
  });
  const { reconstruction, residuals } = neighborWeights(all, lists, regularization, (i) => `Row index ${i - N} of Y`);
  const { starts, neighbors, weights } = reconstruction;
  return Array.from({ length: rows.rows }, (_, i) => {
    const [from, to] = [starts[N + i]!, starts[N + i + 1]!];
    return {
      neighbors: neighbors.slice(from, to),
      weights: weights.slice(from, to),
      residual: residuals[N + i]!,
    };
  });
}

/** Embedding by the Laplacian of a neighborhood graph. */
interface WeightsEmbedding {
  readonly latents: Matrix;
  /** Eigenvalues μ of Lu = μDu, or of Lu = μu if it is not normalized. */
  readonly eigenvalues: ArrayLike<number>;
  readonly normalized: boolean;
}

/** Modulus of 1 − μ below which a column cannot be extended to new points. */
const NONE = 1e-8;

/**
 * Places every row by the edges that it would have in the neighborhood graph, and the eigenvector equation:
 * x_* = Σ_j w_j·x_j/((1 − μ)·Σ_j w_j) for Lu = μDu, Σ_j w_j·x_j/(Σ_j w_j − μ) for Lu = μu.
 *
 * A new point is connected to its k nearest points, and to all points that have it among their k nearest; or to all points within the radius, and at
 * least to the nearest. A row that equals a point has that point's edges, and therefore its latents.
 *
 * @param options - `doubled`: whether the weight to a mutual neighbor counts twice
 * @throws NumericalError if 1 − μ is 0 for a column
 * @see Bengio et al. 2004
 */
export function placedByWeights(
  { latents, eigenvalues, normalized }: WeightsEmbedding,
  points: Matrix,
  Y: Matrix,
  distancesOf: DistancesTo,
  {
    neighbors: k,
    radius,
    weights: kind,
    width = 1,
    doubled,
  }: NeighborhoodOptions & EdgeWeights & { readonly doubled: boolean },
): Projection {
  const q = latents.columns;
  if (normalized) checkEigenvalues(eigenvalues);
  const count = Math.min(k ?? 1, points.rows - 1);
  const reach = k === undefined ? undefined : furthestNeighbors(points, count);
  return placedRows(Y, q, (row, number, place) => {
    const distances = distancesOf(row, number);
    const same = distances.indexOf(0);
    if (same >= 0) {
      place.set(latents.row(same));
      return;
    }
    const near = nearestOf(distances, count);
    const nearest = distances[near[0]!]!;
    const among = new Set(near);
    const isJoined = (j: number) => among.has(j) || distances[j]! < (reach?.[j] ?? 0) || distances[j]! <= (radius ?? 0);
    const neighbors = Int32Array.from(distances.keys()).filter(isJoined);
    const squares = (j: number) => square(distances[j]!) / (2 * width * width);
    // Relative to the nearest distance, so that no point is too far for its weights.
    const times = (j: number) => (doubled && among.has(j) && distances[j]! < (reach?.[j] ?? 0) ? 2 : 1);
    const relative = Float64Array.from(
      neighbors,
      (j) => times(j) * (kind === 'heat' ? exp(square(nearest) / (2 * width * width) - squares(j)) : 1),
    );
    const total = relative.reduce((sum, weight) => sum + weight, 0);
    const parts = relative.map((weight) => weight / total);
    if (normalized) {
      placeByEquation(latents, new Float64Array(q), { neighbors, weights: parts, own: 1 }, place);
      for (let c = 0; c < q; c++) place[c]! /= 1 - eigenvalues[c]!;
    } else {
      const own = kind === 'heat' ? Math.max(total * exp(-squares(near[0]!)), Number.MIN_VALUE) : total;
      placeByEquation(latents, eigenvalues, { neighbors, weights: parts, own }, place);
    }
  });
}

/** Distance of every point to its k-th nearest neighbor. */
function furthestNeighbors(points: Matrix, k: number): Float64Array {
  const { distances } = nearestNeighbors(points, k);
  return Float64Array.from({ length: points.rows }, (_, i) => distances[(i + 1) * k - 1]!);
}

function checkEigenvalues(eigenvalues: ArrayLike<number>): void {
  const none = Array.from(eigenvalues).findIndex((value) => Math.abs(1 - value) < NONE);
  if (none < 0) return;
  throw new NumericalError(
    `Column index ${none} of the latents has the eigenvalue 1, which leaves new points no place in it. Take a smaller \`latentDim\`.`,
  );
}

/** Entries that connect a new point to others in the matrix L whose eigenvectors are the embedding. */
interface Joints {
  readonly neighbors: Int32Array;
  /** w_j = −L_*j/L_**. */
  readonly weights: Float64Array;
  /** Diagonal entry L_** > 0; Infinity for a point that its neighbors reconstruct exactly. */
  readonly own: number;
}

/**
 * Position of a point from the eigenvector equation: row * of Lv = μv is L_**·(x_* − Σ_j w_j·x_j) = μ·x_*, so
 * x_* = Σ_j w_j·x_j/(1 − μ/L_**).
 *
 * For L_** < 2μ the point is weakly connected, and the denominator could vanish: it is replaced by max(1 − μ/L_**, μ/L_**), which moves such a point
 * to the overall mean as L_** → 0.
 *
 * @param latents - X, N×q
 * @param eigenvalues - μ, one per column
 * @param place - output, q numbers
 * @param constant - common shift for Lv = μ(v + κ·1): x_* = (Σ_j w_j·x_j + constant·(1 − Σ_j w_j))/(1 − μ/L_**); default 0
 * @see Bengio et al. 2004, "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering"
 */
export function placeByEquation(
  { data, columns: q }: Matrix,
  eigenvalues: ArrayLike<number>,
  { neighbors, weights, own }: Joints,
  place: Float64Array,
  constant?: ArrayLike<number>,
): void {
  const left = 1 - weights.reduce((sum, weight) => sum + weight, 0);
  for (let c = 0; c < q; c++) place[c] = (constant?.[c] ?? 0) * left;
  neighbors.forEach((j, a) => {
    for (let c = 0; c < q; c++) place[c]! += weights[a]! * data[j * q + c]!;
  });
  for (let c = 0; c < q; c++) {
    const part = eigenvalues[c]! / own;
    place[c]! /= Math.max(1 - part, part);
  }
}

/** Distances of a new row to the N points of a fit. */
export type DistancesTo = (row: Float64Array, number: number) => Float64Array;

/**
 * Distances from new rows to the points: Euclidean distances of rows of D observations, or the row itself for distance input.
 *
 * @throws InvalidInputError for a negative distance
 */
export function distancesTo({ points, input }: NeighborInput): DistancesTo {
  const { data, rows: N, columns: D } = points;
  if (input === 'points') {
    return (row) => {
      const squares = new Float64Array(N);
      squaredDistances(row, 0, data, 0, D, N, squares);
      return squares.map(Math.sqrt);
    };
  }
  return (row, number) => {
    const bad = row.findIndex((distance) => distance < 0);
    if (bad < 0) return row;
    throw new InvalidInputError(
      `Row index ${number} of Y contains the distances of a new point to the ${N} points of the fit, but the one to point index ${bad} is ${row[bad]}. Give distances from 0.`,
    );
  };
}

/** The k nearest points by distance, or all within the radius, and at least the nearest. */
export function nearRows(distances: Float64Array, { neighbors, radius }: NeighborhoodOptions): Int32Array {
  const near = nearestOf(distances, Math.min(neighbors ?? 1, distances.length));
  if (radius === undefined || distances[near[0]!]! > radius) return near;
  return Int32Array.from(distances.keys()).filter((n) => distances[n]! <= radius);
}

/** Places every row separately, by `placeRow` into q numbers; without a density. */
export function placedRows(
  Y: Matrix,
  q: number,
  placeRow: (row: Float64Array, number: number, place: Float64Array) => void,
): Projection {
  const latents = Matrix.zeros(Y.rows, q);
  for (let i = 0; i < Y.rows; i++) placeRow(Y.row(i), i, latents.data.subarray(i * q, (i + 1) * q));
  return withoutDensity(latents);
}
