/** A quadratic function of steps of pairs of points, gᵀd + ½dᵀHd with H_ab = factor·(u_aᵀ(e_i − e_j))², b = (i, j), u_a = U(e_k − e_l), a = (k, l). */
export interface PairQuadratic {
  /** Two points a pair, one after the other. */
  readonly pairs: Int32Array;
  readonly factor: number;
  /** g, one of each pair. */
  readonly gradient: Float64Array;
  /** H_aa > 0. */
  readonly curvature: Float64Array;
  /** Bounds of the steps. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Steps of some of the pairs of a quadratic function, in the order in which they first moved. */
export interface PairSteps {
  /** Where the step of each pair is, −1 for those that have not moved. */
  readonly places: Int32Array;
  /** The pairs that have moved, and their steps; as long as all. */
  readonly moved: Int32Array;
  readonly steps: Float64Array;
  /** How many have moved. */
  count: number;
}

/** Entries of H from which a product may go by points: one with fewer takes a millisecond. */
const MANY = 1e6;

/**
 * Whether H·v = factor·u_aᵀL(v)u_a goes by points, L(v)·U first: O(n) for each row and each column of H, and O(n²), in place of O(1) for each
 * entry.
 */
export function goesByPoints(n: number, rows: number, columns: number): boolean {
  return rows * columns > Math.max(MANY, n * (rows + columns + n));
}

export interface QuadraticOperations {
  /**
   * H·v for the pairs of `rows`, where v is 0 at all pairs but those of `columns`: O(n) for each pair.
   *
   * @param u - offset of U, n×n and symmetric
   * @param rows - two points a pair, one after the other; `columns` likewise
   */
  quadraticProduct(
    n: number,
    u: number,
    factor: number,
    rows: Int32Array,
    columns: Int32Array,
    v: Float64Array,
  ): Float64Array;

  /**
   * One sweep of coordinate descent over the pairs whose numbers are in `visits`: each in turn goes to the least value within its bounds, all
   * others held. O(n + number of pairs that have moved) each.
   *
   * @param u - offset of U, n×n and symmetric
   * @returns the largest |Δd_a|·√H_aa
   */
  quadraticSweep(n: number, u: number, quadratic: PairQuadratic, visits: Int32Array, steps: PairSteps): number;
}
