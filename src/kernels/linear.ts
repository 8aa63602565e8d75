import * as op from '../core/ops.ts';
import { positive } from '../core/parameter.ts';
import type { Tensor1D, Tensor2D } from '../core/tensorflow.ts';
import { defineKernel } from './defineKernel.ts';

/**
 * Linear: k(x, x') = Σ_d v_d·x_d·x'_d.
 *
 * @param overrides - `variance` v > 0 (1), a list for one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, §4.2.2; with it the GPLVM is dual PPCA (Lawrence 2005, §2)
 * @example
 * ```ts
 * linear({ variance: [1, 0.5] });
 * ```
 */
export const linear = defineKernel({
  name: 'linear',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) => op.matMul(op.mul(A, p.variance) as Tensor2D, B, false, true) as Tensor2D,
  diagonal: (p, A) => op.sum(op.mul(op.square(A), p.variance), 1) as Tensor1D,
});
