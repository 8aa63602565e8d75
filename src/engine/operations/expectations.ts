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
