import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel } from './defineKernel.ts';
import { linearExpectations } from './expectations/closedForm.ts';

/**
 * Linear: k(x, x') = Σ_d v_d·x_d·x'_d. Its rank is the number of columns, so that models with more points cost O(N) without an N×N matrix.
 *
 * @param overrides - `variance` v > 0 (1), a list has one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, §4.2.2; with it the GPLVM is dual PPCA (Lawrence 2005, §2)
 * @example
 * ```ts
 * linear({ variance: [1, 0.5] });
 * ```
 */
export const linear = defineKernel<'variance', object, 'linear'>({
  name: 'linear',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) => weightedProducts(A, B, p.variance),
  diagonal: (p, A) => weightedSquares(A, p.variance),
  capabilities: () => ({
    structure: {
      type: 'features',
      rank: (columns) => columns,
      at: (p, A) => op.mul<Tensor2D>(A, op.sqrt(p.variance)),
    },
    expectations: linearExpectations,
  }),
});

/** Σ_d w_d·a_id·b_jd, n×m, with one weight or one per column. */
export function weightedProducts(A: Tensor2D, B: Tensor2D, weights: Tensor): Tensor2D {
  return op.matMul(op.mul(A, weights) as Tensor2D, B, false, true) as Tensor2D;
}

/** Σ_d w_d·a_id², n entries. */
export function weightedSquares(A: Tensor2D, weights: Tensor): Tensor1D {
  return op.sum(op.mul(op.square(A), weights), 1) as Tensor1D;
}
