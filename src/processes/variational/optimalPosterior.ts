import { tensorMatrix } from '../../engine/tensors/matrixTensor.ts';
import * as op from '../../engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../engine/tensors/tensorflow.ts';
import type { Expectations } from '../../kernels/expectations/index.ts';
import { solvedStatistics } from './collapsedBound.ts';
import type { CollapsedData } from './collapsedData.ts';
import type { InducingPosterior } from './inducingMoments.ts';

/**
 * The optimal q(u), at which the bound is the collapsed one, whitened: for a group of columns, m = L_B⁻ᵀc and covariance B⁻¹, so that C = L_B⁻ᵀ.
 *
 * @see Titsias 2009, eq. 10
 */
export function optimalPosterior(
  Z: Tensor2D,
  factor: Tensor2D,
  expectations: Expectations,
  noise: Tensor,
  data: CollapsedData,
): InducingPosterior {
  return {
    inducing: tensorMatrix(Z),
    factor: tensorMatrix(factor),
    groups: solvedStatistics(factor, expectations, noise, data).map(({ group, root, moments }) => ({
      columns: group.columns,
      mean: tensorMatrix(op.triangularSolve(root, moments, { transpose: true })),
      roots: tensorMatrix(op.triangularSolve(root, op.eye(root.shape[0]) as Tensor2D)),
    })),
  };
}
