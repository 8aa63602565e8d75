import * as op from '../engine/tensors/ops.ts';
import type { Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { constantDiagonal, defineKernel } from './defineKernel.ts';

/**
 * White noise: v·δ by index: v on the diagonal of a Gram matrix, 0 between two sets of points, even where points coincide. Two of them in a sum merge
 * into one.
 *
 * @param overrides - `variance` v > 0 (1)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @example
 * ```ts
 * add(rbf(), white({ variance: 0.01 }));
 * ```
 */
export const white = defineKernel<'variance', object, 'white'>({
  name: 'white',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) =>
    op.mul(p.variance, A === B ? op.eye(A.shape[0]) : op.zeros([A.shape[0], B.shape[0]])) as Tensor2D,
  diagonal: (p, A) => constantDiagonal(p.variance, A),
  capabilities: () => ({ structure: { type: 'white', parameter: 'variance' } }),
});

/**
 * Bias (constant): k(x, x') = v. Two of them in a sum merge into one.
 *
 * @param overrides - `variance` v > 0 (1)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @example
 * ```ts
 * add(rbf(), bias({ variance: 0.1 }));
 * ```
 */
export const bias = defineKernel<'variance', object, 'bias'>({
  name: 'bias',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) => op.mul(p.variance, op.ones([A.shape[0], B.shape[0]])) as Tensor2D,
  diagonal: (p, A) => constantDiagonal(p.variance, A),
  capabilities: () => ({ structure: { type: 'constant', parameter: 'variance' } }),
});
