import {
  defineKernel,
  defineModel,
  definePrior,
  gaussianProcess,
  initialLatents,
  type Matrix,
  positive,
  rbf,
  real,
} from '../../../src/index.ts';
import * as op from '../../../src/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../src/tensors/tensorflow.ts';

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
  parts: (Y: Matrix) => ({ latents: real(initialLatents('pca', Y, 2)), mapping: gaussianProcess({ kernel: rbf() }) }),
  terms: {
    mapping: (v, Y, { parts }) => parts.mapping.logDensity(v.mapping, v.latents, op.tensor(Y)),
    prior: (v) => op.mul<Scalar>(-0.5, op.sum(op.square(v.latents))),
  },
  latents: (v) => v.latents as Tensor2D,
  predict: (v, X, Y, { parts, ...context }) =>
    parts.mapping.predict(v.mapping, v.latents as Tensor2D, op.tensor(Y), X, context),
});

export const kernels = { cauchy };
export const priors = { shrink };
export const models = { plain };
