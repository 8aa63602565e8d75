import * as tf from '@tensorflow/tfjs-core';
import type { PositiveDefiniteOptions } from '../../numerics/dense/factorize.ts';
import { engine, type Scalar, type Tensor, type Tensor2D } from '../tensorflow.ts';
import { requireBackend, scalarOperand, systemOperands } from './operands.ts';
import { runKernel, type Save, scaled } from './operations/operation.ts';
import { registerSymmetricBasisLogDensity, SYMMETRIC_BASIS } from './operations/symmetricBasisLogDensity.ts';

const OPERATION = 'symmetricBasisLogDensity';

/**
 * Log density of D independent columns of Y under N(0, K), K = E² + UUᵀ + σ²I with a symmetric matrix E of N basis functions at their
 * own N centres: −DN/2·log 2π − D/2·log|K| − ½·tr(K⁻¹YYᵀ).
 *
 * The same number as `gaussianLogDensity` of K, with three quarters of the work for value and gradients: in a symmetric E the
 * gradient is EG + GE, G = ∂/∂K, of which one triangle of EK⁻¹ is formed, because E commutes with all of K but UUᵀ.
 *
 * @param E - N×N, symmetric; its gradient is symmetric
 * @param U - N×r, of few columns
 * @param noise - σ² > 0, a scalar
 * @param Y - N×D; a constant, no gradient arrives at it
 * @param options - see `cholesky`; the gradient takes the jitter as constant
 * @returns a scalar
 * @throws InvalidInputError when the shapes do not fit, or the noise is not one number
 * @throws NumericalError when K is not positive definite even with jitter, or an entry is not finite
 * @example
 * ```ts
 * const E = op.tensor<Tensor2D>([[0, 1], [1, 0]]);
 * const H = op.ones<Tensor2D>([2, 1]); // K = [[3, 1], [1, 3]]
 * op.symmetricBasisLogDensity(E, H, op.scalar(1), op.tensor<Tensor2D>([[1], [1]])); // -3.1275978372492632
 * ```
 */
export function symmetricBasisLogDensity(
  E: Tensor2D,
  U: Tensor2D,
  noise: Tensor,
  Y: Tensor2D,
  options: PositiveDefiniteOptions = {},
): Scalar {
  requireBackend(OPERATION);
  registerSymmetricBasisLogDensity();
  const [basis, rest] = systemOperands(E, U, OPERATION, ['E', 'U']);
  const [, data] = systemOperands(E, Y, OPERATION, ['E', 'Y']);
  const variance = scalarOperand(noise, OPERATION, 'noise');
  const attributes = { ...options, gradient: engine().state.gradientDepth > 0 };
  return tf.customGrad((...args: unknown[]) => {
    const [e, u, v, save] = args as [Tensor, Tensor, Tensor, Save];
    const inputs = { e, u, noise: v, y: data };
    const [value, ...gradients] = runKernel(SYMMETRIC_BASIS, inputs, attributes) as [Tensor, ...Tensor[]];
    save(gradients);
    const gradFunc = (dy: Tensor, saved: Tensor[]) => saved.map((gradient) => scaled(gradient, dy));
    return { value, gradFunc };
  })(basis, rest, variance) as Scalar;
}
