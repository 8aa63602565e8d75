import type { Triangles } from './linearAlgebra.ts';

/** Profiles with compiled loops. */
export type CompiledProfile =
  | 'thinPlate1'
  | 'thinPlate2'
  | 'thinPlate3'
  | 'thinPlate4'
  | 'matern12'
  | 'matern32'
  | 'matern52'
  | 'rbf';

/** A function of the squared distance s = r², written as a loop over an array: calling a function for every entry is several times slower. */
export interface RadialProfile {
  /** Name of the function. */
  readonly name: string;
  /** Name of the compiled loops of the library that compute the same, faster; custom profiles have none. */
  readonly compiled?: CompiledProfile;
  /** s ← f(s), entry by entry. */
  value(s: Float64Array): void;
  /** s ← f′(s), entry by entry, finite everywhere: 0 by convention at s = 0 if there is no derivative. */
  slope(s: Float64Array): void;
}

/**
 * Covariances that are functions of distance, with their gradients, in place on the memory: arguments named like matrices are byte offsets; matrices
 * are row-major and contiguous. Distances are direct differences, so that nearby points keep their digits.
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
 * Squared distances of points with their gradients, in place on the memory: arguments named like matrices are byte offsets; matrices are row-major
 * and contiguous. Distances are direct differences, so that nearby points keep their digits.
 */
export interface SquaredDistanceOperations {
  /** T ← ‖a_i − b_j‖²: A n×q, B m×q, T n×m. If A is B, the diagonal is exactly 0. */
  squaredDistances(n: number, m: number, q: number, a: number, b: number, target: number): void;

  /** Gradient in the points from a gradient W (n×m) in the squared distances: dA_i ← 2·Σ_j w_ij·(a_i − b_j), dB_j ← 2·Σ_i w_ij·(b_j − a_i). */
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
}

/**
 * Fused operations that would otherwise be many passes over n×n matrices. Like the operations of a LinearAlgebraEngine, they work in place on the
 * memory: arguments named like matrices are byte offsets, matrices are row-major and contiguous, and earlier views may be detached by a call.
 */
export interface FusedOperations extends RadialOperations {
  /**
   * K_ij ← variance·f(Σ_d ((x_id − x_jd)/lengthscale_d)²) + bias + noise·[i = j] for a profile f, X n×q, K n×n and exactly symmetric; with 'lower'
   * only the lower triangle, and entries above the diagonal are undefined.
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
   * Contracts G = ∂L/∂K with the derivatives of K = `radialSum`: dX ← ∂L/∂X (n×q), and returns the derivatives in the parameters. Reads only the
   * lower triangle of K, and also of a symmetric G if only its lower triangle is filled ('lower').
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
   * Terms of the log density of Y under N(0, K), K = `radialSum`, with its gradients, in one call for few points, with the bits of the separate
   * operations.
   *
   * @param wantsPoints - whether the gradient in X is needed
   * @returns undefined if the separate operations must be used, as for K without a factor
   */
  radialLogDensity(
    observed: ObservedPoints,
    profile: RadialProfile,
    parameters: RadialSum,
    wantsPoints: boolean,
  ): RadialLogDensity | undefined;
}

/** Observations at points, in the memory. */
export interface ObservedPoints {
  readonly n: number;
  readonly q: number;
  /** X, n×q */
  readonly x: number;
  /** Y, n×width */
  readonly y: number;
  readonly width: number;
  /** Number of columns that Y represents, which may have been compressed to fewer. */
  readonly columns: number;
}

/** Terms of a log density under N(0, K), and its gradients. */
export interface RadialLogDensity {
  /** log|K| */
  readonly logDeterminant: number;
  /** tr(YᵀK⁻¹Y) */
  readonly quadratic: number;
  readonly slopes: RadialSum;
  /** Gradient in X, n×q; undefined unless requested. */
  readonly points: Float64Array | undefined;
}

/** Parameters of a covariance variance·f + bias + noise·I with profile f, or derivatives in them. */
export interface RadialSum {
  readonly variance: number;
  /** One per dimension. */
  readonly lengthscales: ArrayLike<number>;
  readonly bias: number;
  readonly noise: number;
}

/** A quadratic function of steps of pairs of points, gᵀd + ½dᵀHd with H_ab = factor·(u_aᵀ(e_i − e_j))², b = (i, j), u_a = U(e_k − e_l), a = (k, l). */
interface PairQuadratic {
  /** Two points per pair, one pair after the other. */
  readonly pairs: Int32Array;
  readonly factor: number;
  /** g, one per pair. */
  readonly gradient: Float64Array;
  /** H_aa > 0. */
  readonly curvature: Float64Array;
  /** Bounds of the steps. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Steps of some of the pairs of a quadratic function, in the order of their first moves. */
export interface PairSteps {
  /** Index of each pair's step, −1 for pairs that have not moved. */
  readonly places: Int32Array;
  /** Pairs that have moved, and their steps, with space for all. */
  readonly moved: Int32Array;
  readonly steps: Float64Array;
  /** Number of pairs that have moved. */
  count: number;
}

/** Number of entries of H above which a product may be computed by points; a smaller one takes a millisecond. */
const MANY = 1e6;

/**
 * True if H·v = factor·u_aᵀL(v)u_a is computed by points, forming L(v)·U first: O(n) for each row and each column of H, and O(n²), instead of O(1)
 * for each entry.
 */
export function goesByPoints(n: number, rows: number, columns: number): boolean {
  return rows * columns > Math.max(MANY, n * (rows + columns + n));
}

export interface QuadraticOperations {
  /**
   * H·v for the pairs of `rows`, where v is 0 except for the pairs of `columns`: O(n) for each pair.
   *
   * @param u - offset of U, n×n and symmetric
   * @param rows - two points per pair, one pair after the other, as in `columns`
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
   * One sweep of coordinate descent over the pairs with indices in `visits`: each in turn moves to the least value within its bounds, with all others
   * fixed. O(n + number of pairs that have moved) each.
   *
   * @param u - offset of U, n×n and symmetric
   * @returns the largest |Δd_a|·√H_aa
   */
  quadraticSweep(n: number, u: number, quadratic: PairQuadratic, visits: Int32Array, steps: PairSteps): number;
}

/**
 * Expectations of the rbf exp(−½·Σ_d ((x_d − z_d)/l_d)²) under n Gaussians N(μ_n, diag s_n), at m inducing inputs. Offsets refer to contiguous
 * row-major matrices: means and variances n×q, inducing inputs m×q.
 */
export interface ExpectationOperations {
  /** Ψ1_nm = E[k(x_n, z_m)], n×m. */
  expectedRbf(points: GaussianPoints, target: number): void;

  /** Contracts G = ∂f/∂Ψ1 with the derivatives of Ψ1. */
  expectedRbfGradient(points: GaussianPoints, g: number, slopes: ExpectationSlopes): RbfSlopes;

  /**
   * Ψ2 = Σ_n ω_n·E[k(z, x_n)·k(x_n, z')] for each column of weights, one m×m matrix after the other. No n×m×m array is stored, except for points with
   * memory in `kept`.
   */
  expectedRbfProducts(points: GaussianPoints, weights: PointWeights, target: number, kept?: Kept): void;

  /** Numbers per point that the gradient of Ψ2 need not recompute if they are kept; 0 if it recomputes all. */
  keptOfPoint(m: number): number;

  /** Contracts G = ∂f/∂Ψ2 with the derivatives of Ψ2. */
  expectedRbfProductsGradient(
    points: GaussianPoints,
    weights: PointWeights,
    g: number,
    slopes: ExpectationSlopes,
    kept?: Kept,
  ): RbfSlopes;
}

export interface GaussianPoints {
  readonly n: number;
  readonly m: number;
  readonly q: number;
  readonly mean: number;
  readonly variance: number;
  readonly inducing: number;
  /** q numbers. */
  readonly lengthscales: ArrayLike<number>;
}

/** Weights of each point in several sums, n×sums; without an offset every point has weight 1 in a single sum. */
export interface PointWeights {
  readonly sums: number;
  readonly offset?: number;
}

/** Memory for the intermediate results of the first `points` points. */
export interface Kept {
  readonly points: number;
  readonly offset: number;
}

/** Offsets of the derivatives: n×q, n×q and m×q. */
export interface ExpectationSlopes {
  readonly mean: number;
  readonly variance: number;
  readonly inducing: number;
}

export interface RbfSlopes {
  /** Σ G∘Ψ */
  readonly total: number;
  readonly lengthscales: Float64Array;
}
