import type { Matrix } from '../../../core/matrix.ts';

/** The entries that join a new point to others in the matrix L that an embedding diagonalises. */
export interface Joints {
  readonly neighbours: Int32Array;
  /** w_j = −L_*j/L_**. */
  readonly weights: Float64Array;
  /** L_** > 0; Infinity for a point that is what its neighbours make of it. */
  readonly own: number;
}

/**
 * The place that the eigenvectors' own equation gives a point: row * of Lv = μv is L_**·(x_* − Σ_j w_j·x_j) = μ·x_*, so
 * x_* = Σ_j w_j·x_j/(1 − μ/L_**).
 *
 * Where L_** < 2μ the point is joined by less than the eigenvector is to itself, and the denominator could vanish: it is
 * max(1 − μ/L_**, μ/L_**), which takes such a point to the mean of all as L_** → 0.
 *
 * @param latents - X, N×q
 * @param eigenvalues - μ, one a column
 * @param place - q numbers, written
 * @param constant - for Lv = μ(v + κ·1) what x has in common: x_* = (Σ_j w_j·x_j + constant·(1 − Σ_j w_j))/(1 − μ/L_**); 0 unless given
 * @see Bengio et al. 2004, "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering"
 */
export function placeByEquation(
  { data, columns: q }: Matrix,
  eigenvalues: ArrayLike<number>,
  { neighbours, weights, own }: Joints,
  place: Float64Array,
  constant?: ArrayLike<number>,
): void {
  const left = 1 - weights.reduce((sum, weight) => sum + weight, 0);
  for (let c = 0; c < q; c++) place[c] = (constant?.[c] ?? 0) * left;
  neighbours.forEach((j, a) => {
    for (let c = 0; c < q; c++) place[c]! += weights[a]! * data[j * q + c]!;
  });
  for (let c = 0; c < q; c++) {
    const part = eigenvalues[c]! / own;
    place[c]! /= Math.max(1 - part, part);
  }
}
