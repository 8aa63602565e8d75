import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/core/random.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { maternProfiles } from '../../../../src/kernels/matern.ts';
import { rbfProfile } from '../../../../src/kernels/rbf.ts';

const cauchy: op.RadialProfile = {
  name: 'cauchy',
  value: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!);
  },
  slope: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2;
  },
};
const [n, m, q] = [6, 4, 2];
const { normal } = seededRandom(1);
const [a, b, weights] = [n * q, m * q, n * n].map((length) => Float64Array.from({ length }, normal)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];

const gramWith = (X: Tensor2D, profile: op.RadialProfile, variance: Tensor, lengthscale: Tensor) =>
  op.radialGramMatrix(X, profile, { variance, lengthscale, bias: op.scalar(0.3), noise: op.scalar(0.2) });

const covariances: Record<string, (A: Tensor2D, B: Tensor2D, v: Tensor) => Tensor2D> = {
  'radialGramMatrix, rbf': (A, _, v) => gramWith(A, rbfProfile, v, op.scalar(0.8)),
  'radialGramMatrix, compiled': (A, _, v) => gramWith(A, maternProfiles.matern52, v, op.scalar(0.8)),
  'radialGramMatrix, as written': (A, _, v) => gramWith(A, cauchy, v, op.scalar(0.8)),
  'radialCovariance of one set, compiled': (A, _, v) => op.radialCovariance(A, A, v, maternProfiles.matern32),
  'radialCovariance of two sets, compiled': (A, B, v) => op.radialCovariance(A, B, v, maternProfiles.matern32),
  'radialCovariance of one set, as written': (A, _, v) => op.radialCovariance(A, A, v, cauchy),
  'radialCovariance of two sets, as written': (A, B, v) => op.radialCovariance(A, B, v, cauchy),
};

describe.each(Object.entries(covariances))('%s with variance 0', (_name, covariance) => {
  it.each(['wasm', 'typescript'] as const)('has the gradient in the variance that it has elsewhere, %s', (engine) => {
    const at = (variance: number) =>
      withFloat64(({ memory64 }) =>
        withEngine(memory64, engine, () => {
          const [A, B] = [op.tensor<Tensor2D>(a, [n, q]), op.tensor<Tensor2D>(b, [m, q])];
          const v = op.scalar(variance);
          const objective = () => {
            const K = covariance(A, B, v);
            return op.sum(op.mul(K, op.tensor(weights.subarray(0, K.size), K.shape))) as Scalar;
          };
          const { value, gradients } = valueAndGradients(objective, [v, A]);
          return { value, slope: gradients[0]![0]!, pull: gradients[1]! };
        }),
      );
    const [zero, one] = [at(0), at(1)];
    // The covariance is linear in its variance.
    expect(zero.slope).toBeCloseTo(one.slope, 12);
    expect(zero.slope).toBeCloseTo(one.value - zero.value, 12);
    expect(Array.from(zero.pull, Math.abs)).toEqual(Array(n * q).fill(0));
  });
});

it.each([rbfProfile, maternProfiles.matern32, cauchy])(
  'a lengthscale of $name has no gradient where the variance is 0',
  (profile) => {
    const gradients = withFloat64(() => {
      const l = op.tensor([0.8, 1.2]);
      const X = op.tensor<Tensor2D>(a, [n, q]);
      const K = () => gramWith(X, profile, op.scalar(0), l);
      return valueAndGradients(() => op.sum(op.mul(K(), op.tensor(weights, [n, n]))) as Scalar, [l]).gradients[0];
    });
    expect(Array.from(gradients!, Math.abs)).toEqual([0, 0]);
  },
);
