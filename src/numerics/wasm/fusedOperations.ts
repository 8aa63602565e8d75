import type { Strided, Triangles } from '../dense/engine.ts';
import type { QuadraticOperations } from './quadraticOperations.ts';
import type { RadialOperations, RadialProfile } from './radialOperations.ts';
import type { SquaredDistanceOperations } from './squaredDistanceOperations.ts';

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
}

/** Parameters of a covariance variance·f + bias + noise·I of a profile f, or derivatives in them. */
export interface RadialSum {
  readonly variance: number;
  /** One a dimension. */
  readonly lengthscales: ArrayLike<number>;
  readonly bias: number;
  readonly noise: number;
}
