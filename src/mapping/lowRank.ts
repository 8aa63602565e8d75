import type { Matrix } from '../core/matrix.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { type Features, featuresOf } from '../kernels/structure/index.ts';
import { matrixTensor, tensorMatrix } from '../tensors/matrixTensor.ts';
import type { PositiveDefiniteOptions } from '../tensors/ops.ts';
import * as op from '../tensors/ops.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensors/tensorflow.ts';

/** The kernel's features where they are fewer than the points and there is no white noise: then nothing N×N need be formed. */
export function fewFeatures(kernel: Kernel, points: number, columns: number): Features | undefined {
  const features = featuresOf(kernel, columns);
  if (features === undefined || features.white !== undefined) return undefined;
  return features.rank < points ? features : undefined;
}

const NAME = 'The precision of the weights of the features';

/** A = ΦᵀΦ + σ²I, r×r, factored, and ΦᵀY. */
function normalEquations(features: Tensor2D, noise: Tensor, Y: Tensor2D, options: PositiveDefiniteOptions) {
  const gram = op.gramMatrix(op.transpose(features) as Tensor2D);
  return {
    factor: op.cholesky(op.addDiagonal(gram, noise), { name: NAME, ...options }),
    moments: op.matMul<Tensor2D>(features, Y, true, false),
  };
}

/**
 * Log density of the D columns of Y under N(0, ΦΦᵀ + σ²I) with Φ N×r, at cost O(N·r·(r + D)) and without an N×N matrix. With
 * A = ΦᵀΦ + σ²I = LLᵀ, by the determinant lemma and Woodbury's identity
 *
 *   log|K| = log|A| + (N − r)·log σ²,  tr(YᵀK⁻¹Y) = (‖Y‖² − ‖L⁻¹ΦᵀY‖²)/σ².
 *
 * @param features - Φ, N×r
 * @param noise - σ², a scalar
 * @param Y - N×D
 * @param energy - ‖Y‖²
 * @see Rasmussen & Williams 2006, eqs. A.9–A.10
 */
export function lowRankLogDensity(
  features: Tensor2D,
  noise: Tensor,
  Y: Tensor2D,
  energy: number,
  options: PositiveDefiniteOptions = {},
): Scalar {
  const [N, r] = features.shape;
  const D = Y.shape[1];
  const { factor, moments } = normalEquations(features, noise, Y, options);
  const half = op.triangularSolve(factor, moments);
  const logDeterminant = op.add(op.mul(2, op.sum(op.log(op.diagPart(factor)))), op.mul(N - r, op.log(noise)));
  const quadratic = op.div(op.sub(energy, op.sum(op.square(half))), noise);
  return op.mul<Scalar>(-0.5, op.add(op.add(N * D * Math.log(2 * Math.PI), op.mul(D, logDeterminant)), quadratic));
}

/** The posterior N(W, σ²A⁻¹) of the weights of the features: L of A = ΦᵀΦ + σ²I = LLᵀ, and W = A⁻¹ΦᵀY (r×D). */
export interface WeightPosterior {
  readonly factor: Matrix;
  readonly weights: Matrix;
}

export function weightPosterior(features: Tensor2D, noise: number, observations: Matrix): WeightPosterior {
  const { factor, moments } = normalEquations(features, op.scalar(noise), matrixTensor(observations), {});
  return { factor: tensorMatrix(factor), weights: tensorMatrix(op.choleskySolve(factor, moments)) };
}

/**
 * Of the noise-free function at n points with features Φ: mean ΦW (n×D), variance σ²·‖L⁻¹φ‖² of each point, and a root R (r×n) of the
 * covariance RᵀR.
 */
export function lowRankMoments(
  { factor, weights }: WeightPosterior,
  features: Tensor2D,
  noise: number,
): { mean: Tensor2D; variance: Tensor1D; root: Tensor2D } {
  const half = op.triangularSolve(matrixTensor(factor), op.transpose(features) as Tensor2D);
  const root = op.mul<Tensor2D>(Math.sqrt(noise), half);
  return {
    mean: op.matMul<Tensor2D>(features, matrixTensor(weights)),
    variance: op.sum<Tensor1D>(op.square(root), 0),
    root,
  };
}
