import * as v from 'valibot';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import {
  defineKernel,
  defineModel,
  definePrior,
  fixed,
  gaussianProcess,
  latent,
  type Matrix,
  observed,
  positive,
  rbf,
  standardNormal,
} from '../../../../src/index.ts';

const cauchy = defineKernel({
  name: 'cauchy',
  parameters: { variance: positive(1), lengthscale: positive(1) },
  covariance: (p, A, B) => {
    const r2 = op.squaredDistances(op.div(A, p.lengthscale), op.div(B, p.lengthscale));
    return op.div(p.variance, op.add(1, r2)) as Tensor2D;
  },
});

const shrink = definePrior({
  name: 'shrink',
  parameters: { strength: positive(1) },
  logDensity: (p, X) => op.mul<Scalar>(op.neg(p.strength), op.sum(op.square(X))),
});

const plain = defineModel({
  name: 'plain',
  variables: (Y: Matrix) => {
    const x = latent({ dim: 2, density: standardNormal() });
    return { x, y: observed(Y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
  },
});

export const kernels = { cauchy };
export const priors = { shrink };
const noisy = defineModel({
  name: 'noisy',
  options: v.strictObject({ noise: v.number('a number') }),
  variables: (Y: Matrix, { noise }) => {
    const x = latent({ dim: 1, density: standardNormal() });
    return { x, y: observed(Y, { density: gaussianProcess({ kernel: rbf(), noise: fixed(noise) }), given: x }) };
  },
});

export const models = { plain, noisy };
