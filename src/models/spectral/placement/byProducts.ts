import type { Matrix } from '../../../core/matrix.ts';

/** The embedding of squared distances between N points by their centred inner products. */
export interface ProductsEmbedding {
  /** X = V·Λ^½, N×q, columns of sum 0. */
  readonly latents: Matrix;
  /** Λ */
  readonly eigenvalues: ArrayLike<number>;
  /** mean_i d²_in of every point n. */
  readonly meanSquares: ArrayLike<number>;
}

/**
 * x_* = Λ^−½·Vᵀk̃, k̃_n = −½(d²_*n − mean_i d²_in − mean_m d²_*m + mean of all d²): the means that all n have in common meet columns of sum
 * 0, so x_*c = −½·Σ_n x_nc·(d²_*n − mean_i d²_in)/λ_c. A point of the embedding lands on its latents.
 *
 * @param squares - d²_*n, N numbers
 * @param place - q numbers, written
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

/** mean_i d²_in of every column n of a matrix of squared distances. */
export function columnMeans({ data, rows, columns }: Matrix): Float64Array {
  const means = new Float64Array(columns);
  for (let i = 0; i < rows; i++) for (let n = 0; n < columns; n++) means[n]! += data[i * columns + n]!;
  return means.map((sum) => sum / rows);
}
