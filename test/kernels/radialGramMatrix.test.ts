import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../../src/engine/dense/index.ts';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { FLOAT64 } from '../../src/engine/tensors/float64/backend.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  defineRadialKernel,
  matern12,
  matern32,
  matern52,
  rbf,
  seededRandom,
  white,
} from '../../src/index.ts';
import { noisyGram } from '../../src/kernels/structure.ts';
import { valueTensors } from '../../src/model/part.ts';
import { expectClose } from '../tolerance.ts';

const N = 23;
const valuesOf = (name: string) => ({
  [`${name}.variance`]: 1.3,
  [`${name}.lengthscale`]: [0.7, 1.9],
  'bias.variance': 0.4,
  'white.variance': 0.2,
});
const cauchy = defineRadialKernel({
  name: 'cauchy',
  value: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!);
  },
  slope: (s) => {
    for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2;
  },
});
const factories = { rbf, matern12, matern32, matern52, cauchy };
type Name = keyof typeof factories;

/** Value and gradients of Σ weights·K in the points, the parameters and the noise. */
function results(name: Name, form: (p: Record<string, Tensor>, X: Tensor2D, noise: Tensor) => Tensor2D) {
  const random = seededRandom(2);
  const X = op.tensor<Tensor2D>(
    Float64Array.from({ length: 2 * N }, () => random.normal()),
    [N, 2],
  );
  // Not symmetric: a gradient may be anything.
  const weights = op.tensor(
    Float64Array.from({ length: N * N }, () => random.normal()),
    [N, N],
  );
  const p = Object.fromEntries(Object.entries(valuesOf(name)).map(([name, value]) => [name, op.tensor(value)]));
  const noise = op.scalar(0.05);
  const K = form(p, X, noise);
  const f = () => op.sum(op.mul(weights, form(p, X, noise))) as Scalar;
  return { K: doublesOf(K), gradients: valueAndGradients(f, [X, ...Object.values(p), noise]).gradients };
}

const both = (['wasm', 'typescript'] as const).flatMap((engine) =>
  (Object.keys(factories) as Name[]).map((name) => [name, engine] as const),
);
describe.each(both)('the Gram matrix of %s + bias + white with noise, %s', (name, engine) => {
  it('is the same in one operation as in several, to 1e-12, with its gradients', () => {
    const kernel = add(factories[name]({ lengthscale: [1, 1] }), bias(), white());
    const gram = noisyGram(kernel);
    withFloat64(({ memory64 }) =>
      withEngine(memory64, engine, () => {
        const fused = results(name, (p, X, noise) => gram(p, X, noise).matrix());
        const separate = results(name, (p, X, noise) => op.addDiagonal(kernel.covariance(p, X, X, X), noise));
        expectClose(fused.K, separate.K, 1e-13, 'K');
        fused.gradients.forEach((gradient, i) => {
          expectClose(gradient, separate.gradients[i]!, 1e-12, `gradient ${i}`);
        });
        expect(fused.gradients.every((gradient) => gradient !== undefined)).toBe(true);
      }),
    );
  });
});

describe.each(both)('the density of data under %s + bias + white with noise, %s', (name, engine) => {
  const kernel = add(factories[name]({ lengthscale: [1, 1] }), bias(), white());

  /** Value and gradients of a multiple of the density in the points, the parameters and the noise. */
  function density(factor: number, of: 'observations' | 'outerProduct', n: number, form: 'fused' | 'apart') {
    return withFloat64(({ memory64 }) =>
      withEngine(memory64, engine, () => {
        const random = seededRandom(3);
        const normals = (columns: number) =>
          op.tensor<Tensor2D>(
            Float64Array.from({ length: n * columns }, () => random.normal()),
            [n, columns],
          );
        const [X, Y] = [normals(2), normals(3)];
        const data: op.GaussianData =
          of === 'observations'
            ? { observations: Y, constant: true }
            : { outerProduct: op.matMul(Y, Y, false, true), columns: 3 };
        const p = Object.fromEntries(Object.entries(valuesOf(name)).map(([key, value]) => [key, op.tensor(value)]));
        const noise = op.scalar(0.05);
        const f = () => {
          const gram = noisyGram(kernel)(p, X, noise);
          const value = form === 'fused' ? gram.logDensity(data, {}) : op.gaussianLogDensity(gram.matrix(), data);
          return op.mul<Scalar>(factor, value);
        };
        return { alone: op.valueOf(f()), ...valueAndGradients(f, [X, ...Object.values(p), noise]) };
      }),
    );
  }

  it.each([
    ['observations', 23],
    ['outerProduct', 23],
    // More than a block of each compiled loop, and a second part of the gradient's sums.
    ['observations', 261],
  ] as const)('of %s at %i points has the bits of the two operations', (of, n) => {
    const [fused, apart] = (['fused', 'apart'] as const).map((form) => density(1, of, n, form));
    expect(fused!.value).toBe(apart!.value);
    expect(fused!.alone).toBe(apart!.value);
    expect(fused!.gradients).toEqual(apart!.gradients);
    expect(fused!.gradients.length).toBe(6);
    const threefold = density(3, of, n, 'fused');
    fused!.gradients.forEach((gradient, i) => {
      expectClose(
        threefold.gradients[i]!,
        gradient!.map((entry) => 3 * entry),
        1e-15,
        `gradient ${i}`,
      );
    });
  });
});

it('needs no operation for a bias, a white noise and the noise added to a radial kernel', async () => {
  const kernel = add(cauchy(), bias(), white());
  const gram = noisyGram(kernel);
  const { kernels } = await tf.profile(() =>
    withFloat64(() => {
      const p = valueTensors(
        Object.fromEntries(Object.entries(kernel.parameters).map(([k, { initial }]) => [k, initial])),
      );
      gram(p, op.tensor([[0], [1]]), op.scalar(0.1)).matrix();
      return [];
    }),
  );
  const run = kernels.map(({ name }) => name).filter((name) => tf.getKernel(name, FLOAT64) !== undefined);
  expect(run.filter((name) => name.startsWith('latentfield.'))).toEqual(['latentfield.RadialGramMatrix']);
});
