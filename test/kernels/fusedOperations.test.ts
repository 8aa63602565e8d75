import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { Matrix } from '../../src/core/matrix.ts';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  defineKernel,
  fixed,
  type Kernel,
  type KernelFactory,
  matern12,
  matern32,
  matern52,
  positive,
  rbf,
  thinPlateSpline,
  white,
} from '../../src/index.ts';
import { randomPoints, withCoincident } from '../../src/testing/report.ts';
import { expectClose } from '../tolerance.ts';
import { withoutStructure } from './withoutStructure.ts';

const ROOT3 = Math.sqrt(3);
const ROOT5 = Math.sqrt(5);

/** The stationary kernels operation by operation, as their formulas read. */
const elementwise: Record<string, (r: Tensor2D) => Tensor> = {
  rbf: (r) => op.exp(op.mul(-0.5, op.square(r))),
  matern12: (r) => op.exp(op.neg(r)),
  matern32: (r) => op.mul(op.add(1, op.mul(ROOT3, r)), op.exp(op.mul(-ROOT3, r))),
  matern52: (r) => op.mul(op.add(op.add(1, op.mul(ROOT5, r)), op.mul(5 / 3, op.square(r))), op.exp(op.mul(-ROOT5, r))),
};
const factories: Record<string, KernelFactory<'variance' | 'lengthscale'>> = { rbf, matern12, matern32, matern52 };

function elementwiseKernel(name: string): KernelFactory<'variance' | 'lengthscale'> {
  return defineKernel({
    name,
    parameters: { variance: positive(1), lengthscale: positive(1) },
    covariance: (p, A, B) => {
      const left = op.div<Tensor2D>(A, p.lengthscale);
      const right = A === B ? left : op.div<Tensor2D>(B, p.lengthscale);
      return op.mul(p.variance, elementwise[name]!(op.distances(left, right)));
    },
  });
}

/** η of the thin plate spline operation by operation; coincident points apart from each other, where ln r is −∞. */
const thinPlates: Record<number, (s: Tensor2D) => Tensor> = {
  1: (s) => op.mul(1 / 12, op.mul(s, op.sqrt(s))),
  2: (s) => op.mul(1 / (16 * Math.PI), op.mul(s, op.log(s))),
  3: (s) => op.mul(-1 / (8 * Math.PI), op.sqrt(s)),
  4: (s) => op.mul(-1 / (16 * Math.PI ** 2), op.log(s)),
};

function elementwiseThinPlate(): Kernel {
  const features = (X: Tensor2D, centers: Tensor2D) => {
    const s = op.squaredDistances(X, centers);
    const apart = op.greater(s, 0);
    const eta = op.where<Tensor2D>(apart, thinPlates[X.shape[1]]!(op.where(apart, s, 1) as Tensor2D), 0);
    return [eta, X, op.ones<Tensor2D>([X.shape[0], 1])] as const;
  };
  return defineKernel({
    name: 'thinPlate',
    parameters: {},
    covariance: (_p, A, B, inputs) => {
      const [left, right] = [features(A, inputs), features(B, inputs)];
      return left.map((part, i) => op.matMul(part, right[i]!, false, true)).reduce((sum, part) => op.add(sum, part));
    },
  })();
}

interface Results {
  value: Float64Array;
  gradients: (Float64Array | undefined)[];
}

/** Covariance, and its gradient contracted with random weights, in points and parameters. */
function results(kernel: Kernel, form: 'gram' | 'cross', X: Matrix, Z: Matrix): Results {
  return withFloat64(() => {
    const p = Object.fromEntries(
      Object.entries(kernel.parameters).map(([name, { initial }]) => [name, op.tensor(initial as number[])]),
    );
    const [A, B, inputs] = [matrixTensor(X), matrixTensor(Z), matrixTensor(Z)];
    const K = () => (form === 'gram' ? kernel.covariance(p, A, A, A) : kernel.covariance(p, A, B, inputs));
    const value = doublesOf(K());
    const weights = op.tensor(randomPoints(value.length, 1, 3).data, K().shape);
    const f = () => op.sum(op.mul(weights, K())) as Scalar;
    return { value, gradients: valueAndGradients(f, [A, B, inputs, ...Object.values(p)]).gradients };
  });
}

function expectSame(fused: Kernel, separate: Kernel, X: Matrix, Z: Matrix): void {
  for (const form of ['gram', 'cross'] as const) {
    const [a, b] = [results(fused, form, X, Z), results(separate, form, X, Z)];
    expectClose(a.value, b.value, 1e-12, `${form} value`);
    // No gradient is a gradient of 0.
    a.gradients.forEach((gradient, i) => {
      const size = (gradient ?? b.gradients[i])?.length ?? 0;
      const none = new Float64Array(size);
      expectClose(gradient ?? none, b.gradients[i] ?? none, 1e-12, `${form} gradient ${i}`);
    });
  }
}

describe.each(Object.keys(factories))('%s in one operation is the same as operation by operation', (name) => {
  it.each([
    ['one lengthscale', 0.8, 3],
    ['one a dimension', [0.7, 1.3, 2.1], 3],
    ['one column', 1.4, 1],
  ])('with %s', (_, lengthscale, columns) => {
    const at = { variance: 1.7, lengthscale };
    const [X, Z] = [randomPoints(40, columns, 1), randomPoints(25, columns, 2)];
    expectSame(factories[name]!(at), elementwiseKernel(name)(at), X, Z);
    expectSame(factories[name]!(at), elementwiseKernel(name)(at), withCoincident(X), withCoincident(Z));
  });

  it('whose Gram matrix is exactly symmetric, its diagonal exactly the variance', () => {
    const K = results(factories[name]!({ variance: 1.7 }), 'gram', randomPoints(40, 3, 1), randomPoints(2, 3, 2)).value;
    for (let i = 0; i < 40; i++) {
      expect(K[i * 41]).toBe(1.7);
      for (let j = 0; j < i; j++) expect(K[i * 40 + j]).toBe(K[j * 40 + i]);
    }
  });
});

describe('a thin plate spline of fused operations is the same as operation by operation', () => {
  it.each([1, 2, 3, 4])('in %i dimensions', (q) => {
    const [X, Z] = [randomPoints(40, q, 1), randomPoints(25, q, 2)];
    expectSame(thinPlateSpline(), elementwiseThinPlate(), X, Z);
    // The coincident points of the second set are centers as well.
    expectSame(thinPlateSpline(), elementwiseThinPlate(), withCoincident(X), withCoincident(Z));
  });
});

describe('bias and white added to a covariance are the same as their own matrices', () => {
  it('in Gram and cross covariances', () => {
    const parts = [rbf(), bias({ variance: 0.3 }), white({ variance: fixed(0.2) })];
    expectSame(add(...parts), add(...parts.map(withoutStructure)), randomPoints(20, 2, 1), randomPoints(15, 2, 2));
    expectSame(
      add(...parts.slice(1)),
      add(...parts.slice(1).map(withoutStructure)),
      randomPoints(20, 2, 1),
      randomPoints(15, 2, 2),
    );
  });
});

describe('squared distances, distances and Gram matrices', () => {
  const [X, Z] = [randomPoints(30, 3, 1), randomPoints(20, 3, 2)];
  const broadcast = (A: Tensor2D, B: Tensor2D) =>
    op.sum<Tensor2D>(op.square(op.sub(op.expandDims(A, 1), op.expandDims(B, 0))), 2);
  const compare = (
    fused: (A: Tensor2D, B: Tensor2D) => Tensor,
    separate: (A: Tensor2D, B: Tensor2D) => Tensor,
    same: boolean,
  ) => {
    const [a, b] = [fused, separate].map((f) =>
      withFloat64(() => {
        const A = matrixTensor(X);
        const B = same ? A : matrixTensor(Z);
        const weights = op.tensor(randomPoints(30 * B.shape[0], 1, 3).data, [30, B.shape[0]]);
        const { value, gradients } = valueAndGradients(
          () => op.sum(op.mul(weights, f(A, B))) as Scalar,
          same ? [A] : [A, B],
        );
        return { value, K: doublesOf(f(A, B)), gradients };
      }),
    );
    expectClose(a!.K, b!.K, 1e-14);
    expectClose(a!.value, b!.value, 1e-13);
    a!.gradients.forEach((gradient, i) => {
      expectClose(gradient, b!.gradients[i], 1e-13);
    });
  };

  it('agree with broadcast differences and products, within a set and between two', () => {
    for (const same of [true, false]) {
      compare(op.squaredDistances, broadcast, same);
      // Apart, for the square root has no derivative on the diagonal.
      if (!same) compare(op.distances, (A, B) => op.sqrt(broadcast(A, B)), same);
    }
    compare(
      (A) => op.gramMatrix(A),
      (A) => op.matMul(A, A, false, true),
      true,
    );
  });

  it('are 0, without a gradient, for coincident points', () => {
    const gradient = (f: (A: Tensor2D) => Tensor) =>
      withFloat64(() => {
        const A = matrixTensor(randomPoints(1, 3, 1));
        const twice = () => op.tile(A, [4, 1]);
        return [...doublesOf(f(twice())), ...valueAndGradients(() => op.sum(f(twice())) as Scalar, [A]).gradients[0]!];
      });
    expect(new Set(gradient((A) => op.distances(A, A)))).toEqual(new Set([0]));
    expect(new Set(gradient((A) => op.distances(A, op.mul<Tensor2D>(A, 1))))).toEqual(new Set([0]));
    expect(new Set(gradient((A) => op.squaredDistances(A, A)))).toEqual(new Set([0]));
  });

  it('work in single precision on the stock backend', async () => {
    await tf.setBackend('cpu');
    tf.engine().startScope();
    const [A, B] = [tf.tensor2d(X.toArrays()), tf.tensor2d(Z.toArrays())];
    const K = op.radialCovariance(A, B, tf.scalar(2), {
      name: 'test',
      value: (s) =>
        s.forEach((entry, i) => {
          s[i] = Math.exp(-entry);
        }),
      slope: (s) =>
        s.forEach((entry, i) => {
          s[i] = -Math.exp(-entry);
        }),
    });
    const expected = tf.mul(2, tf.exp(tf.neg(broadcast(A, B))));
    expectClose(Array.from(K.dataSync()), Array.from(expected.dataSync()), 1e-6);
    expectClose(Array.from(op.gramMatrix(A).dataSync()), Array.from(tf.matMul(A, A, false, true).dataSync()), 1e-6);
    expectClose(Array.from(op.squaredDistances(A, A).dataSync()), Array.from(broadcast(A, A).dataSync()), 1e-6);
    tf.engine().endScope();
  });

  it('ask for points of one dimension', () => {
    const mismatch = () => withFloat64(() => op.squaredDistances(op.ones([3, 2]), op.ones([4, 1])));
    expect(mismatch).toThrow(/points of the same dimension, but A is 3×2 and B is 4×1/);
    expect(() => withFloat64(() => op.gramMatrix(op.ones([3]) as never))).toThrow(/tensor of rank 2/);
  });
});
