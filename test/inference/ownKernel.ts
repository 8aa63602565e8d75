import * as op from '../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import { defineKernel } from '../../src/kernels/index.ts';

/** A kernel that does not come with the library. */
export const cauchy = defineKernel({
  name: 'cauchy',
  parameters: { variance: 1, lengthscale: 1 },
  covariance: (p, A, B) => {
    const r2 = op.squaredDistances(op.div(A, p.lengthscale) as Tensor2D, op.div(B, p.lengthscale) as Tensor2D);
    return op.div(p.variance, op.add(1, r2)) as Tensor2D;
  },
});
