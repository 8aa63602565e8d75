import * as tf from '@tensorflow/tfjs-core';
import type { PositiveDefiniteOptions } from '../../dense/factorize.ts';
import type { Scalar, Tensor, Tensor1D, Tensor2D } from '../tensorflow.ts';
import {
  requireBackend,
  runKernel,
  type Save,
  squareOperand,
  squareStack,
  systemStacks,
} from './operations/operation.ts';
import { registerSymmetricEigen, SYMMETRIC_EIGEN } from './operations/symmetricEigen.ts';
import {
  CHOLESKY,
  CHOLESKY_INVERSE,
  CHOLESKY_SOLVE,
  FACTOR_LOG_DETERMINANT,
  registerCholesky,
  registerLogDeterminant,
  registerTriangularSolve,
  TRIANGULAR_SOLVE,
} from './operations/triangularSolve.ts';

export type { PositiveDefiniteOptions } from '../../dense/factorize.ts';
export { type GaussianData, gaussianLogDensity } from './gaussianLogDensity.ts';
export { symmetricBasisLogDensity } from './operations/symmetricBasisLogDensity.ts';

/**
 * Cholesky factor of a symmetric positive definite matrix, A = LLᵀ.
 *
 * If A is not positive definite because of rounding, the smallest sufficient jitter of 10⁻¹⁰·m, 10⁻⁹·m, …, 10⁻⁴·m is added to its diagonal, with m
 * the mean of the diagonal; `onJitter` reports it. The gradient treats the jitter as constant.
 *
 * @param x - A, n×n, symmetric: the lower triangle is read, the gradient is symmetric; or a stack of them, […, n, n]
 * @param options - `name` begins an error message; `onJitter` is called if a jitter was needed
 * @returns L, n×n, zeros above the diagonal; […, n, n] for a stack
 * @throws InvalidInputError if x is not a square matrix, or a stack of them
 * @throws NumericalError if A is not positive definite even with jitter, or an entry is not finite
 * @see Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527 (2016)
 * @example
 * ```ts
 * op.cholesky(op.tensor([[4, 2], [2, 5]])); // [[2, 0], [1, 2]]
 * ```
 */
export function cholesky(x: Tensor2D, options?: PositiveDefiniteOptions): Tensor2D;
export function cholesky<T extends Tensor>(x: T, options?: PositiveDefiniteOptions): T;
export function cholesky(x: Tensor, options: PositiveDefiniteOptions = {}): Tensor {
  requireBackend('cholesky');
  registerCholesky();
  return runKernel(CHOLESKY, { x: squareStack(x, 'cholesky', 'x') }, options)[0]!;
}

/**
 * Solution of a triangular system, L⁻¹B, or L⁻ᵀB with `transpose`.
 *
 * @param l - L, n×n, lower triangular: entries above the diagonal are not read and get no gradient; or a stack, […, n, n]
 * @param b - B, n×m; or a stack, […, n, m]; the axes before the last two broadcast
 * @param options - `transpose` solves with Lᵀ (false)
 * @returns n×m; […, n, m] for a stack
 * @throws InvalidInputError if the shapes do not match
 * @throws NumericalError if an entry is not finite, or 0 on the diagonal of L
 * @example
 * ```ts
 * op.triangularSolve(op.tensor([[2, 0], [1, 2]]), op.tensor([[2], [5]])); // [[1], [2]]
 * ```
 */
export function triangularSolve(l: Tensor2D, b: Tensor2D, options?: { readonly transpose?: boolean }): Tensor2D;
export function triangularSolve<T extends Tensor = Tensor>(
  l: Tensor,
  b: Tensor,
  options?: { readonly transpose?: boolean },
): T;
export function triangularSolve(l: Tensor, b: Tensor, options: { readonly transpose?: boolean } = {}): Tensor {
  requireBackend('triangularSolve');
  registerTriangularSolve();
  const [factor, right] = systemStacks(l, b, 'triangularSolve');
  const { transpose = false } = options;
  return runKernel(TRIANGULAR_SOLVE, { l: factor, b: right }, { transpose })[0]!;
}

/**
 * Solution of LLᵀX = B from the Cholesky factor.
 *
 * @param l - L, n×n, lower triangular: entries above the diagonal are not read and get no gradient; or a stack, […, n, n]
 * @param b - B, n×m; or a stack, […, n, m]; the axes before the last two broadcast
 * @returns X, n×m; […, n, m] for a stack
 * @throws InvalidInputError if the shapes do not match
 * @throws NumericalError if an entry is not finite, or 0 on the diagonal of L
 * @example
 * ```ts
 * const l = op.cholesky(op.tensor([[4, 2], [2, 5]]));
 * op.choleskySolve(l, op.tensor([[6], [7]])); // [[1], [1]]
 * ```
 */
export function choleskySolve(l: Tensor2D, b: Tensor2D): Tensor2D;
export function choleskySolve<T extends Tensor = Tensor>(l: Tensor, b: Tensor): T;
export function choleskySolve(l: Tensor, b: Tensor): Tensor {
  requireBackend('choleskySolve');
  registerTriangularSolve();
  const [factor, right] = systemStacks(l, b, 'choleskySolve');
  return runKernel(CHOLESKY_SOLVE, { l: factor, b: right })[0]!;
}

/**
 * log|A| of a symmetric positive definite matrix; its gradient is A⁻¹.
 *
 * @param x - A, n×n, symmetric: the lower triangle is read, the gradient is symmetric; or a stack of them, […, n, n]
 * @param options - see `cholesky`
 * @returns a scalar; […] for a stack
 * @throws InvalidInputError if x is not a square matrix, or a stack of them
 * @throws NumericalError if A is not positive definite even with jitter, or an entry is not finite
 * @example
 * ```ts
 * op.logDeterminant(op.tensor([[4, 2], [2, 5]])); // 2.772588722239781, the logarithm of 16
 * ```
 */
export function logDeterminant(x: Tensor2D, options?: PositiveDefiniteOptions): Scalar;
export function logDeterminant<T extends Tensor = Tensor>(x: Tensor, options?: PositiveDefiniteOptions): T;
export function logDeterminant(x: Tensor, options: PositiveDefiniteOptions = {}): Tensor {
  requireBackend('logDeterminant');
  registerCholesky();
  registerLogDeterminant();
  return tf.customGrad((...args: unknown[]) => {
    const [matrix, save] = args as [Tensor, Save];
    const l = runKernel(CHOLESKY, { x: matrix }, options)[0]!;
    save([l]);
    const value = runKernel(FACTOR_LOG_DETERMINANT, { l })[0]!;
    const gradFunc = (dy: Tensor, [factor]: Tensor[]) =>
      tf.mul(runKernel(CHOLESKY_INVERSE, { l: factor! })[0]!, tf.reshape(dy, [...dy.shape, 1, 1]));
    return { value, gradFunc };
  })(squareStack(x, 'logDeterminant', 'x'));
}

/**
 * Eigenvalues and eigenvectors of a symmetric matrix, A = V·diag(λ)·Vᵀ.
 *
 * The gradient of an eigenvector v_j contains the factors 1/(λ_i − λ_j) and does not exist if eigenvalues coincide. Pairs that agree to n·ε·max|λ|
 * are omitted, which is exact for functions that do not depend on the choice of basis in their common eigenspace (the trace, a projector on all of
 * it); other functions, such as one of several equal eigenvalues, have no derivative there.
 *
 * @param x - A, n×n, symmetric: the lower triangle is read, the gradient is symmetric
 * @param options - `name` begins an error message
 * @returns `values`, n, ascending, and `vectors`, n×n: column j is the unit eigenvector of λ_j whose entry of largest modulus is positive
 * @throws InvalidInputError if x is not a square matrix
 * @throws NumericalError if an entry is not finite or the iteration does not converge
 * @see Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008), §3.1
 * @example
 * ```ts
 * op.symmetricEigen(op.tensor([[2, 1], [1, 2]])).values; // [1, 3]
 * ```
 */
export function symmetricEigen(
  x: Tensor2D,
  options: { readonly name?: string } = {},
): { values: Tensor1D; vectors: Tensor2D } {
  requireBackend('symmetricEigen');
  registerSymmetricEigen();
  const [values, vectors] = runKernel(SYMMETRIC_EIGEN, { x: squareOperand(x, 'symmetricEigen', 'x') }, options);
  return { values: values as Tensor1D, vectors: vectors as Tensor2D };
}
