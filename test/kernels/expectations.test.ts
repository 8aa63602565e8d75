import {
  add,
  bias,
  type Kernel,
  linear,
  matern32,
  multiply,
  rbf,
  scale,
  seededRandom,
  select,
  white,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  closedExpectations,
  drawnNodes,
  type Expectations,
  gridNodes,
  quadratureExpectations,
  whitenedProducts,
} from '../../src/kernels/expectations/index.ts';
import { entriesOf, shapeOf } from '../../src/model/parameter.ts';
import { expectClose } from '../tolerance.ts';

const [N, M, q] = [9, 4, 2];
const random = seededRandom(5);
const numbers = (length: number, number: () => number) => Float64Array.from({ length }, number);
const given = {
  mean: numbers(N * q, random.normal),
  variance: numbers(N * q, () => 0.02 + 0.1 * random.uniform()),
  Z: numbers(M * q, random.normal),
  weights: numbers(N * 2, random.uniform),
};

const kernels: [string, Kernel][] = [
  ['rbf', rbf({ variance: 1.3, lengthscale: [1.2, 0.9] })],
  ['linear', linear({ variance: [0.7, 1.4] })],
  ['rbf + linear', add(rbf({ lengthscale: 0.9 }), linear({ variance: 0.3 }))],
  ['rbf + bias + white + linear', add(rbf(), bias({ variance: 0.4 }), white({ variance: 0.1 }), linear())],
  ['scaled sums', add(scale(add(rbf(), bias()), 0.7), scale(linear(), 2), scale(white(), 0.5))],
  [
    'rbf and linear on columns of their own',
    add(select(rbf({ lengthscale: 1.1 }), [1]), select(linear(), [0]), bias()),
  ],
];

function tensors(kernel: Kernel) {
  return Object.fromEntries(
    Object.entries(kernel.parameters).map(([name, { initial }]) => [
      name,
      op.tensor(entriesOf(initial), shapeOf(initial)),
    ]),
  );
}

const inputs = () => ({
  x: { mean: op.tensor<Tensor2D>(given.mean, [N, q]), variance: op.tensor<Tensor2D>(given.variance, [N, q]) },
  Z: op.tensor<Tensor2D>(given.Z, [M, q]),
  weights: op.tensor<Tensor2D>(given.weights, [N, 2]),
});

const flat = ({ diagonal, cross, products, moments }: Expectations) => [
  doublesOf(diagonal),
  doublesOf(cross),
  ...products().map(doublesOf),
  ...(moments?.() ?? []).map(doublesOf),
];

describe('expectations of kernels', () => {
  it.each(kernels)('of %s in closed form agree with Gauss–Hermite quadrature, with weights', (_, kernel) => {
    withFloat64(() => {
      const closed = flat(closedExpectations(kernel, tensors(kernel), inputs())!);
      const nodes = flat(quadratureExpectations(kernel, tensors(kernel), inputs(), gridNodes(q, 30)));
      nodes.forEach((entries, i) => {
        expectClose(entries, closed[i]!, 1e-11, `expectation ${i}`);
      });
    });
  });

  it.each(kernels)('of %s in closed form are within four standard errors of samples', { tags: 'long' }, (_, kernel) => {
    const rounds = 400;
    withFloat64(() => {
      const closed = flat(closedExpectations(kernel, tensors(kernel), inputs())!).slice(0, 4);
      const draws = Array.from({ length: rounds }, (_, round) =>
        flat(quadratureExpectations(kernel, tensors(kernel), inputs(), drawnNodes(N, q, 2, seededRandom(round)))),
      );
      closed.forEach((entries, e) => {
        entries.forEach((value, k) => {
          const values = draws.map((draw) => draw[e]![k]!);
          const mean = values.reduce((sum, x) => sum + x, 0) / rounds;
          const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (rounds - 1);
          expect(Math.abs(mean - value)).toBeLessThan(
            4 * Math.sqrt(variance / rounds) + 1e-12 * Math.abs(value) + 1e-14,
          );
        });
      });
    });
  });

  it('of one node are whitened to 1e-9 of the exact products where inducing inputs are nearly dependent', () => {
    // Three inputs whose covariances have eigenvalues down to 1e-8: k(z, x) = L·a has the whitened product aaᵀ.
    const lower = [
      [1, 0, 0],
      [1, 2e-4, 0],
      [1, 1e-4, 1e-4],
    ];
    const a = [0.3, -0.7, 0.6];
    withFloat64(() => {
      const factor = op.tensor<Tensor2D>(lower.flat(), [3, 3]);
      const root = op.tensor<Tensor2D>(
        lower.map((row) => row.reduce((sum, entry, k) => sum + entry * a[k]!, 0)),
        [1, 3],
      );
      const products = () => [op.matMul<Tensor2D>(root, root, true, false)];
      const exact = a.flatMap((left) => a.map((right) => left * right));
      expectClose(doublesOf(whitenedProducts(factor, { products, roots: () => [root] })[0]!), exact, 1e-11, 'by roots');
      expectClose(doublesOf(whitenedProducts(factor, { products })[0]!), exact, 1e-6, 'of products');
    });
  });

  it.each<[string, Kernel]>([
    ['a Matérn', matern32()],
    ['a product', multiply(rbf(), linear())],
    ['a sum of two rbfs', add(rbf(), rbf())],
  ])('of %s have no closed form', (_, kernel) => {
    withFloat64(() => {
      expect(closedExpectations(kernel, tensors(kernel), inputs())).toBeUndefined();
    });
  });
});
