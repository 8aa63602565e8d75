/**
 * Squared distances of points and their gradients, on the memory in place: arguments named like matrices are byte offsets, matrices
 * are row-major and contiguous. Distances are direct differences, so that near points keep their digits.
 */
export interface SquaredDistanceOperations {
  /** T ← ‖a_i − b_j‖²: A n×q, B m×q, T n×m. */
  squaredDistances(n: number, m: number, q: number, a: number, b: number, target: number): void;

  /** What a gradient W (n×m) in the squared distances is in the points: dA_i ← 2·Σ_j w_ij·(a_i − b_j), dB_j ← 2·Σ_i w_ij·(b_j − a_i). */
  squaredDistancesGradient(
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    weights: number,
    da: number,
    db: number,
  ): void;

  /** T ← ‖x_i − x_j‖² among one set, X n×q, T n×n: exactly symmetric, and 0 on the diagonal whatever the points are. */
  squaredDistancesWithin(n: number, q: number, x: number, target: number): void;

  /** What a gradient W (n×n) in those is in the points: dX_i ← 2·Σ_j (w_ij + w_ji)·(x_i − x_j). */
  squaredDistancesWithinGradient(n: number, q: number, x: number, weights: number, dx: number): void;
}
