import { exp, square } from '../../../core/elementary/index.ts';
import { NumericalError } from '../../../core/errors.ts';
import type { Matrix } from '../../../core/matrix.ts';
import type { EdgeWeights } from '../../../engine/graph/index.ts';
import { nearestNeighbours } from '../../../engine/neighbours/index.ts';
import { nearestOf } from '../../../engine/neighbours/nearest.ts';
import type { Projection } from '../../../model/posterior.ts';
import type { NeighbourhoodOptions } from '../neighbourhood/neighbourhood.ts';
import { placeByEquation } from './byEquation.ts';
import { type DistancesTo, placedRows } from './newRows.ts';

/** An embedding by the Laplacian of a graph of neighbours. */
export interface WeightsEmbedding {
  readonly latents: Matrix;
  /** μ of Lu = μDu, or Lu = μu where it is not normalised. */
  readonly eigenvalues: ArrayLike<number>;
  readonly normalized: boolean;
}

/** Below this modulus of 1 − μ a column has no place for new points. */
const NONE = 1e-8;

/**
 * Places every row by the edges that it would have in the graph of neighbours, and the eigenvectors' own equation:
 * x_* = Σ_j w_j·x_j/((1 − μ)·Σ_j w_j) for Lu = μDu, Σ_j w_j·x_j/(Σ_j w_j − μ) for Lu = μu.
 *
 * A new point is joined to its k nearest points, and to those that it is one of the k nearest of; or to those within the radius, and
 * where there are none to the nearest. A row in the very place of a point has that point's edges, and so its latents.
 *
 * @param options - `doubled`: whether the weight to a mutual neighbour counts twice
 * @throws NumericalError when 1 − μ of a column is 0
 * @see Bengio et al. 2004
 */
export function placedByWeights(
  { latents, eigenvalues, normalized }: WeightsEmbedding,
  points: Matrix,
  Y: Matrix,
  distancesOf: DistancesTo,
  {
    neighbours: k,
    radius,
    weights: kind,
    width = 1,
    doubled,
  }: NeighbourhoodOptions & EdgeWeights & { readonly doubled: boolean },
): Projection {
  const q = latents.columns;
  if (normalized) checkEigenvalues(eigenvalues);
  const count = Math.min(k ?? 1, points.rows - 1);
  const reach = k === undefined ? undefined : furthestNeighbours(points, count);
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
    const neighbours = Int32Array.from(distances.keys()).filter(isJoined);
    const squares = (j: number) => square(distances[j]!) / (2 * width * width);
    // Relative to that of the nearest, so that none is too far for its weights.
    const times = (j: number) => (doubled && among.has(j) && distances[j]! < (reach?.[j] ?? 0) ? 2 : 1);
    const relative = Float64Array.from(
      neighbours,
      (j) => times(j) * (kind === 'heat' ? exp(square(nearest) / (2 * width * width) - squares(j)) : 1),
    );
    const total = relative.reduce((sum, weight) => sum + weight, 0);
    const parts = relative.map((weight) => weight / total);
    if (normalized) {
      placeByEquation(latents, new Float64Array(q), { neighbours, weights: parts, own: 1 }, place);
      for (let c = 0; c < q; c++) place[c]! /= 1 - eigenvalues[c]!;
    } else {
      const own = kind === 'heat' ? Math.max(total * exp(-squares(near[0]!)), Number.MIN_VALUE) : total;
      placeByEquation(latents, eigenvalues, { neighbours, weights: parts, own }, place);
    }
  });
}

/** How far the k-th nearest other of every point is. */
function furthestNeighbours(points: Matrix, k: number): Float64Array {
  const { distances } = nearestNeighbours(points, k);
  return Float64Array.from({ length: points.rows }, (_, i) => distances[(i + 1) * k - 1]!);
}

function checkEigenvalues(eigenvalues: ArrayLike<number>): void {
  const none = Array.from(eigenvalues).findIndex((value) => Math.abs(1 - value) < NONE);
  if (none < 0) return;
  throw new NumericalError(
    `Column ${none} of the latents has the eigenvalue 1, which leaves new points no place in it. Take a smaller latentDim.`,
  );
}
