import type { Strided } from '../linalg/engine.ts';
import type { RadialOperations } from './radialOperations.ts';
import type { SquaredDistanceOperations } from './squaredDistanceOperations.ts';

/**
 * Operations that would otherwise be many passes over n×n matrices. Like those of a LinearAlgebraEngine they work on the memory in
 * place: arguments named like matrices are byte offsets, matrices are row-major and contiguous, and views made before a call may be
 * detached after it.
 */
export interface FusedOperations extends RadialOperations, SquaredDistanceOperations {
  /**
   * Lower triangle of C ← alpha·A·B + beta·C with A n×k, B k×n in any strides, C n×n contiguous; the upper triangle is not touched.
   */
  lowerProduct(n: number, k: number, alpha: number, a: Strided, b: Strided, beta: number, c: number): void;

  /**
   * K_ij ← variance·exp(−½·Σ_d ((x_id − x_jd)/lengthscale_d)²) + bias + noise·[i = j], X n×q. With `triangle: 'lower'` the upper
   * triangle is left alone.
   */
  rbfCovariance(
    n: number,
    q: number,
    x: number,
    parameters: RbfParameters,
    triangle: 'lower' | 'both',
    target: number,
  ): void;

  /**
   * Contracts G = ∂f/∂K with the derivatives of K = `rbfCovariance`, in one pass over G and K: dX ← ∂f/∂X (n×q), and returns those
   * in the parameters. Reads the lower triangle of K, and of G too with `triangle: 'lower'`: G is then symmetric.
   */
  rbfCovarianceGradient(
    n: number,
    q: number,
    x: number,
    parameters: RbfParameters,
    covariance: number,
    gradient: number,
    triangle: 'lower' | 'both',
    dx: number,
  ): RbfParameters;

  /**
   * log N(Y | 0, K) over D independent columns, −½·(D·n·log 2π + D·log|K| + tr(YᵀK⁻¹Y)), formed in place: K (lower triangle read)
   * ← G = ∂/∂K = ½·(AAᵀ − D·K⁻¹), both triangles, A ← K⁻¹Y (n×columns).
   *
   * `outputs` is D; Y may have another number of columns when YYᵀ is what it should be: with D > n, any square root of YYᵀ will do.
   * When K is not positive definite the value is NaN, `failedPivot` the index and `pivot` the value of the first pivot that is not
   * positive, and the lower triangle of K is lost.
   */
  gaussianLogMarginal(
    n: number,
    columns: number,
    outputs: number,
    covariance: number,
    observations: number,
    weights: number,
  ): GaussianLogMarginal;
}

/** Of a covariance variance·rbf + bias + noise·I, or derivatives in them. */
export interface RbfParameters {
  readonly variance: number;
  /** One a dimension. */
  readonly lengthscales: ArrayLike<number>;
  readonly bias: number;
  readonly noise: number;
}

export interface GaussianLogMarginal {
  readonly value: number;
  /** log|K|. */
  readonly logDeterminant: number;
  /** −1 when K is positive definite. */
  readonly failedPivot: number;
  readonly pivot: number;
}

const LOG_2PI = Math.log(2 * Math.PI);

/** −½·(D·n·log 2π + D·log|K| + tr(YᵀK⁻¹Y)). */
export function gaussianLogDensity(n: number, outputs: number, logDeterminant: number, quadratic: number): number {
  return -0.5 * (outputs * n * LOG_2PI + outputs * logDeterminant + quadratic);
}
