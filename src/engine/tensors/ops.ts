/**
 * Tensor operations for authors of kernels, priors and models: the operations of TensorFlow.js under the same names, except that a number in place of
 * a tensor keeps every digit. `tf.mul(x, 0.1)` multiplies by 0.10000000149011612, `mul(x, 0.1)` by 0.1.
 *
 * @module
 */

export type { Reconstruction } from '../graph/reconstructionWeights.ts';
export * from './linearAlgebra/ops.ts';
export * from './ops/arithmetic.ts';
export * from './ops/columnForms.ts';
export {
  eye,
  type NestedNumbers,
  numberOf as valueOf,
  ones,
  onesLike,
  scalar,
  type TensorOrNumber,
  tensor,
  zeros,
  zerosLike,
} from './ops/creation.ts';
export {
  type CompiledProfile,
  distances,
  type RadialProfile,
  radialCovariance,
  squaredDistances,
} from './ops/distances.ts';
export * from './ops/elementary.ts';
export * from './ops/normalLogDensity.ts';
export * from './ops/quadraticForms.ts';
export { type RadialGramParameters, radialGramMatrix } from './ops/radialGramMatrix.ts';
export { expectedRbf, expectedRbfProducts, type GaussianRows } from './ops/rbfExpectations.ts';
export * from './ops/reductionAndComparison.ts';
export * from './ops/structure.ts';
export type { Scalar, Tensor, Tensor1D, Tensor2D } from './tensorflow.ts';
