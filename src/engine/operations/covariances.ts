import type { Strided, Triangles } from './linearAlgebra.ts';

/** The profiles that are compiled. */
export type CompiledProfile =
  | 'thinPlate1'
  | 'thinPlate2'
  | 'thinPlate3'
  | 'thinPlate4'
  | 'matern12'
  | 'matern32'
  | 'matern52'
  | 'rbf';

/**
 * A function of the squared distance s = r², written as loops over many of them at once: a loop that calls a function for every entry
 * is several times slower.
 */
export interface RadialProfile {
  /** What the function is called. */
  readonly name: string;
  /** Which of the library's compiled loops compute the same, faster; one of your own has none. */
  readonly compiled?: CompiledProfile;
  /** s ← f(s), entry by entry. */
  value(s: Float64Array): void;
  /** s ← f′(s), entry by entry, finite everywhere: 0 by convention at s = 0 where there is no derivative. */
  slope(s: Float64Array): void;
}

/**
 * Covariances that are functions of distances, and their gradients, on the memory in place: arguments named like matrices are byte
 * offsets, matrices are row-major and contiguous. Distances are direct differences, so that near points keep their digits.
 */
export interface RadialOperations {
  /** K_ij ← variance·f(‖x_i − x_j‖²), X n×q, K n×n and exactly symmetric. */
  radialGram(n: number, q: number, x: number, profile: RadialProfile, variance: number, k: number): void;

  /** Contracts G = ∂L/∂K, of any kind, with the derivatives of K = `radialGram`: dX ← ∂L/∂X; returns ∂L/∂variance. */
  radialGramGradient(
    n: number,
    q: number,
    x: number,
    profile: RadialProfile,
    variance: number,
    k: number,
    g: number,
    dx: number,
  ): number;

  /** K_ij ← variance·f(‖a_i − b_j‖²), A n×q, B m×q, K n×m. */
  radialCross(
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    profile: RadialProfile,
    variance: number,
    k: number,
  ): void;

  /** Contracts G = ∂L/∂K with the derivatives of K = `radialCross`: dA ← ∂L/∂A, dB ← ∂L/∂B; returns ∂L/∂variance. */
  radialCrossGradient(
    n: number,
    m: number,
    q: number,
    a: number,
    b: number,
    profile: RadialProfile,
    variance: number,
    k: number,
    g: number,
    da: number,
    db: number,
  ): number;
}

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

/**
 * Operations that would otherwise be many passes over n×n matrices. Like those of a LinearAlgebraEngine they work on the memory in
 * place: arguments named like matrices are byte offsets, matrices are row-major and contiguous, and views made before a call may be
 * detached after it.
 */
export interface FusedOperations extends QuadraticOperations, RadialOperations, SquaredDistanceOperations {
  /**
   * Lower triangle of C ← alpha·A·B + beta·C with A n×k, B k×n in any strides, C n×n contiguous; the upper triangle is not touched.
   */
  lowerProduct(n: number, k: number, alpha: number, a: Strided, b: Strided, beta: number, c: number): void;

  /**
   * K_ij ← variance·f(Σ_d ((x_id − x_jd)/lengthscale_d)²) + bias + noise·[i = j] for a profile f, X n×q, K n×n and exactly symmetric;
   * of 'lower' its lower triangle, and what is right of the diagonal means nothing.
   */
  radialSum(
    n: number,
    q: number,
    x: number,
    profile: RadialProfile,
    parameters: RadialSum,
    target: number,
    part?: Triangles,
  ): void;

  /**
   * Contracts G = ∂L/∂K with the derivatives of K = `radialSum`: dX ← ∂L/∂X (n×q), and returns those in the parameters. Reads the
   * lower triangle of K; of a symmetric G, of which 'lower' alone is filled, the lower triangle too.
   */
  radialSumGradient(
    n: number,
    q: number,
    x: number,
    profile: RadialProfile,
    parameters: RadialSum,
    covariance: number,
    gradient: number,
    dx: number,
    part?: Triangles,
  ): RadialSum;

  /**
   * The parts of the log density of Y under N(0, K), K = `radialSum`, and its gradients, where all can be had at once: of few points. It has the bits of the operations
   * one by one.
   *
   * @param wantsPoints - whether the gradient in X is asked for
   * @returns undefined where it takes the operations one by one, as it does where K has no factor
   */
  radialLogDensity(
    observed: ObservedPoints,
    profile: RadialProfile,
    parameters: RadialSum,
    wantsPoints: boolean,
  ): RadialLogDensity | undefined;
}

/** Observations at points, on the memory in place. */
export interface ObservedPoints {
  readonly n: number;
  readonly q: number;
  /** X, n×q */
  readonly x: number;
  /** Y, n×width */
  readonly y: number;
  readonly width: number;
  /** Columns that Y stands for: all that matters of many may be in fewer. */
  readonly columns: number;
}

/** What a log density under N(0, K) is made of, and its gradients. */
export interface RadialLogDensity {
  /** log|K| */
  readonly logDeterminant: number;
  /** tr(YᵀK⁻¹Y) */
  readonly quadratic: number;
  readonly slopes: RadialSum;
  /** Gradient in X, n×q; undefined where it was not asked for. */
  readonly points: Float64Array | undefined;
}

/** Parameters of a covariance variance·f + bias + noise·I of a profile f, or derivatives in them. */
export interface RadialSum {
  readonly variance: number;
  /** One a dimension. */
  readonly lengthscales: ArrayLike<number>;
  readonly bias: number;
  readonly noise: number;
}

/** A quadratic function of steps of pairs of points, gᵀd + ½dᵀHd with H_ab = factor·(u_aᵀ(e_i − e_j))², b = (i, j), u_a = U(e_k − e_l), a = (k, l). */
interface PairQuadratic {
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
