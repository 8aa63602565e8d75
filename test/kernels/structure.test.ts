import { describe, expect, it } from 'vitest';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  cosine,
  defineKernel,
  defineRadialKernel,
  type Kernel,
  linear,
  Matrix,
  multiply,
  polynomial,
  positive,
  rbf,
  scale,
  seededRandom,
  select,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { featuresOf, noisyGram, symmetricBasisOf } from '../../src/kernels/structure.ts';
import type { TensorMap } from '../../src/model/model.ts';
import { entriesOf } from '../../src/model/parameter.ts';
import { valueTensors } from '../../src/model/part.ts';
import { expectClose } from '../tolerance.ts';

const N = 17;
const points = (rows: number, columns: number, seed: number) => {
  const random = seededRandom(seed);
  return new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );
};
const centers = [
  [0, 0],
  [0.5, -1],
  [-0.7, 0.4],
];

/** Value and gradients, in X and every parameter, of Σ W∘K for a form of K. */
function contracted(kernel: Kernel, form: (p: TensorMap, X: Tensor2D) => Tensor2D, q = 2) {
  return withFloat64(() => {
    const values = Object.fromEntries(Object.entries(kernel.parameters).map(([key, { initial }]) => [key, initial]));
    const p = valueTensors(values);
    const X = matrixTensor(points(N, q, 1));
    const W = matrixTensor(points(N, N, 2));
    const free = Object.keys(kernel.parameters).filter((key) => kernel.parameters[key]!.free);
    const xs = [X, ...free.map((key) => p[key]!)];
    const { gradients } = valueAndGradients(() => op.sum(op.mul(W, form(p, X))) as Scalar, xs);
    const sizes = [N * q, ...free.map((key) => entriesOf(kernel.parameters[key]!.initial).length)];
    // No gradient is a gradient of 0.
    return { K: doublesOf(form(p, X)), gradients: gradients.map((own, i) => own ?? new Float64Array(sizes[i]!)) };
  });
}

function expectSame(kernel: Kernel, form: (p: TensorMap, X: Tensor2D) => Tensor2D, q?: number) {
  const own = contracted(kernel, form, q);
  const dense = contracted(kernel, (p, X) => kernel.covariance(p, X, X, X), q);
  expectClose(own.K, dense.K, 1e-12, 'K');
  own.gradients.forEach((gradient, i) => void expectClose(gradient, dense.gradients[i]!, 1e-11, `gradient ${i}`));
}

const noisy = (K: Tensor2D, white: op.Tensor | undefined) => (white === undefined ? K : op.addDiagonal(K, white));

describe('features of a covariance of finite rank', () => {
  const spline = thinPlateSpline({ centers });
  it.each<[string, Kernel, number]>([
    ['linear', linear({ variance: 1.7 }), 2],
    ['linear, a variance per column', linear({ variance: [0.4, 2] }), 2],
    ['bias', bias({ variance: 0.3 }), 1],
    ['cosine, a wavelength a column', cosine({ variance: 0.6, lengthscale: [2, 3] }), 2],
    ['polynomial of degree 1', polynomial({ degree: 1, offset: 0.5 }), 3],
    ['polynomial of degree 3', polynomial({ degree: 3, variance: 0.7, scale: [0.5, 1.5], offset: 0.6 }), 10],
    ['thin plate spline with centers, scaled', scale(spline, 2), 6],
    ['a sum', add(linear(), bias({ variance: 0.2 }), scale(spline, 0.5)), 9],
    ['a sum with white noise', add(linear(), bias(), white({ variance: 0.3 })), 3],
    ['a scaled sum with white noise', scale(add(linear(), white({ variance: 0.3 })), 1.4), 2],
    ['two white noises', add(linear(), scale(white(), 0.1), white({ variance: 0.3 })), 2],
    ['a product', multiply(linear({ variance: 1.2 }), add(linear(), bias({ variance: 0.4 }))), 6],
    ['columns', add(select(linear(), [1]), select(polynomial(), [0])), 4],
  ])('%s', (_name, kernel, rank) => {
    const features = featuresOf(kernel, 2)!;
    expect(features.rank).toBe(rank);
    expectSame(kernel, (p, X) => {
      const F = features.at(p, X);
      expect(F.shape).toEqual([N, rank]);
      return noisy(op.gramMatrix(F), features.white?.(p));
    });
  });

  it('are unknown of any kernel with a part that has none', () => {
    expect(featuresOf(add(linear(), rbf()), 2)).toBeUndefined();
    expect(featuresOf(multiply(linear(), white()), 2)).toBeUndefined();
    expect(featuresOf(thinPlateSpline(), 2)).toBeUndefined();
  });

  it('are available for a custom kernel too', () => {
    const quadratic = defineKernel<'weight'>({
      name: 'quadratic',
      parameters: { weight: positive(0.8) },
      covariance: (p, A, B) => {
        const squares = (X: Tensor2D) => op.square(X) as Tensor2D;
        return op.mul<Tensor2D>(p.weight, op.matMul(squares(A), squares(B), false, true));
      },
      capabilities: () => ({
        structure: {
          type: 'features',
          rank: (columns) => columns,
          at: (p, A) => op.mul<Tensor2D>(op.sqrt(p.weight), op.square(A)),
        },
      }),
    });
    const kernel = add(scale(quadratic(), 3), bias());
    const features = featuresOf(kernel, 2)!;
    expect(features.rank).toBe(3);
    expectSame(kernel, (p, X) => op.gramMatrix(features.at(p, X)));
  });
});

describe('the symmetric basis of a thin plate spline', () => {
  it.each<[string, Kernel, number, number]>([
    ['alone', thinPlateSpline(), 3, 2],
    ['scaled', scale(thinPlateSpline(), 2), 3, 2],
    ['in a sum with features and white noise', add(thinPlateSpline(), bias(), linear(), white()), 6, 2],
    ['scaled with white noise', scale(add(white({ variance: 0.2 }), thinPlateSpline()), 0.3), 3, 2],
    ['of some columns', add(select(scale(thinPlateSpline(), 1.5), [2, 0]), bias()), 4, 3],
  ])('%s', (_name, kernel, rank, q) => {
    const structure = symmetricBasisOf(kernel, q)!;
    const form = (p: TensorMap, X: Tensor2D) => {
      const { basis, features } = structure.at(p, X);
      expect(features.shape).toEqual([N, rank]);
      return noisy(op.add<Tensor2D>(op.matMul(basis, basis), op.gramMatrix(features)), structure.white?.(p));
    };
    expectSame(kernel, form, q);
  });

  it('does not exist for two of them, for a product, or with a kernel without features', () => {
    expect(symmetricBasisOf(add(thinPlateSpline(), scale(thinPlateSpline(), 2)), 2)).toBeUndefined();
    expect(symmetricBasisOf(multiply(thinPlateSpline(), bias()), 2)).toBeUndefined();
    expect(symmetricBasisOf(add(thinPlateSpline(), rbf()), 2)).toBeUndefined();
    expect(symmetricBasisOf(thinPlateSpline({ centers }), 2)).toBeUndefined();
  });
});

describe('a Gram matrix with noise, rewritten', () => {
  const cauchy = defineRadialKernel({
    name: 'cauchy',
    value: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = 1 / (1 + s[i]!);
    },
    slope: (s) => {
      for (let i = 0; i < s.length; i++) s[i] = -1 / (1 + s[i]!) ** 2;
    },
  });
  it.each<[string, Kernel]>([
    ['rbf + bias + white', add(rbf({ lengthscale: [0.5, 2] }), bias({ variance: 0.3 }), white({ variance: 0.1 }))],
    ['scaled, in columns', add(scale(select(rbf({ variance: 0.6 }), [1]), 2), scale(bias(), 0.2))],
    ['a sum, scaled', scale(add(rbf(), bias(), white()), 0.7)],
    ['an own radial kernel', add(cauchy({ lengthscale: 0.8 }), bias({ variance: 0.3 }), white({ variance: 0.1 }))],
    ['two radial kernels', add(rbf(), scale(rbf({ lengthscale: 3 }), 0.2), white())],
    ['offsets alone', add(bias(), white())],
  ])('%s', (_name, kernel) => {
    expectSame(kernel, (p, X) => noisyGram(kernel)(p, X).matrix());
    const plain = contracted(kernel, (p, X) => op.addDiagonal(kernel.covariance(p, X, X, X), op.scalar(0.05)));
    const fused = contracted(kernel, (p, X) => noisyGram(kernel)(p, X, op.scalar(0.05)).matrix());
    expectClose(fused.K, plain.K, 1e-12, 'K with noise');
  });
});
