import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../../src/core/matrix.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { withEngine } from '../../../../src/engine/dense/index.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import { contractedRbfProducts } from '../../../../src/engine/tensors/ops/rbfExpectations.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { gradientAgreement } from '../../../../src/testing/checkGradient.ts';
import { reference } from '../../../reference.ts';
import { expectClose } from '../../../tolerance.ts';

const { mean, variance, Z, cases } = reference<{
  mean: number[][];
  variance: number[][];
  Z: number[][];
  cases: { kernel: string; psi1: number[][]; psi2: number[][]; parameters: Record<string, number[]> }[];
}>('gpy-bayesian.json');

const random = seededRandom(3);
const numbers = (length: number, number: () => number) => Float64Array.from({ length }, number);
const matrix = (values: Float64Array, rows: number) => op.tensor<Tensor2D>(values, [rows, values.length / rows]);

/** n points and m inducing inputs in q dimensions. */
function points(n: number, m: number, q: number) {
  return {
    mean: numbers(n * q, random.normal),
    variance: numbers(n * q, () => 0.05 + random.uniform()),
    Z: numbers(m * q, random.normal),
    lengthscale: numbers(q, () => 0.5 + random.uniform()),
    g1: numbers(n * m, random.normal),
    g2: numbers(2 * m * m, random.normal),
    weights: numbers(2 * n, random.uniform),
  };
}

describe('expectations of an rbf', () => {
  it.each(cases.slice(0, 2))('agree with GPy for $kernel', ({ psi1, psi2, parameters }) => {
    withFloat64(() => {
      const x = { mean: op.tensor<Tensor2D>(mean), variance: op.tensor<Tensor2D>(variance) };
      const [v, l] = ['rbf.variance', 'rbf.lengthscale'].map((name) => op.tensor(parameters[name]!)) as [
        Tensor,
        Tensor,
      ];
      expectClose(doublesOf(op.expectedRbf(x, op.tensor(Z), v, l)), psi1, 1e-14, 'psi1');
      expectClose(doublesOf(op.expectedRbfProducts(x, op.tensor(Z), v, l)), psi2, 1e-14, 'psi2');
    });
  });

  it.each(['wasm', 'typescript'] as const)(
    'contracted with matrices equal the contractions of each point’s products, %s',
    (engine) => {
      const [n, m, q] = [70, 9, 3];
      const given = points(n, m, q);
      withFloat64(({ memory64 }) =>
        withEngine(memory64, engine, () => {
          const x = { mean: matrix(given.mean, n), variance: matrix(given.variance, n) };
          const [inducing, v, l] = [matrix(given.Z, m), op.scalar(1.3), op.tensor(given.lengthscale)];
          const halves = op.tensor(given.g2, [2, m, m]);
          const both = op.mul(0.5, op.add(halves, op.transpose(halves, [0, 2, 1])));
          const one = op.slice(both, [1, 0, 0], [1, m, m]);
          const dy = op.tensor(given.g1.slice(0, n));
          for (const [length, G, weights] of [
            [l, one, undefined],
            [op.scalar(0.7), both, matrix(given.weights, n)],
          ] as const) {
            const shares = weights ?? op.ones<Tensor2D>([n, 1]);
            const plain = () => {
              const own = op.expectedRbfProducts(x, inducing, v, length, op.eye(n) as Tensor2D);
              const traces = op.matMul<Tensor2D>(op.reshape(own, [n, m * m]), op.reshape(G, [-1, m * m]), false, true);
              return op.sum(op.mul(shares, traces), 1);
            };
            const fast = () => contractedRbfProducts(x, inducing, v, length, G, weights);
            const slopes = (of: () => Tensor) =>
              valueAndGradients(() => op.sum(op.mul(dy, of())) as Scalar, [x.mean, x.variance]).gradients;
            expectClose(doublesOf(fast()), doublesOf(plain()), 1e-12);
            const expected = slopes(plain);
            slopes(fast).forEach((found, i) => {
              expectClose(found!, expected[i]!, 1e-11);
            });
          }
        }),
      );
    },
  );

  it.each([
    [1, 1, 1],
    [3, 2, 5],
    [7, 9, 3],
    [5, 17, 4],
    [4, 30, 10],
  ])(
    'of %i points and %i inducing inputs in %i dimensions agree between the engines, with all gradients',
    (n, m, q) => {
      const given = points(n, m, q);
      const results = (['wasm', 'typescript'] as const).map((engine) =>
        withFloat64(({ memory64 }) =>
          withEngine(memory64, engine, () => {
            const x = { mean: matrix(given.mean, n), variance: matrix(given.variance, n) };
            const inducing = matrix(given.Z, m);
            const [v, l] = [op.scalar(1.3), op.tensor(given.lengthscale)];
            const sums = () => [
              op.expectedRbf(x, inducing, v, l),
              op.expectedRbfProducts(x, inducing, v, l),
              op.expectedRbfProducts(x, inducing, v, l, matrix(given.weights, n)),
            ];
            const g = [given.g1, given.g2.slice(m * m), given.g2];
            const weighted = (i: number) => {
              const value = sums()[i]!;
              return op.sum(op.mul(value, op.tensor(g[i]!, value.shape))) as Scalar;
            };
            return g.map((_, i) => [
              doublesOf(sums()[i]!),
              ...valueAndGradients(() => weighted(i), [x.mean, x.variance, inducing, v, l]).gradients,
            ]);
          }),
        ),
      );
      results[0]!.forEach((result, i) => {
        result.forEach((numbers, k) => {
          expectClose(numbers!, results[1]![i]![k]!, 1e-12, `expectation ${i}, result ${k}`);
        });
      });
    },
  );

  it('have the gradients that differences give, with one lengthscale too', () => {
    const [n, m, q] = [6, 5, 3];
    const given = points(n, m, q);
    for (const lengthscale of [0.8, [0.8, 1.2, 0.6]]) {
      const at = {
        mean: new Matrix(given.mean, n, q),
        variance: new Matrix(given.variance, n, q),
        Z: new Matrix(given.Z, m, q),
        v: 1.2,
        l: lengthscale,
      };
      const f = (p: Record<string, Tensor>) => {
        const x = { mean: p.mean as Tensor2D, variance: p.variance as Tensor2D };
        const one = op.mul(op.expectedRbf(x, p.Z as Tensor2D, p.v!, p.l!), matrix(given.g1, n));
        const two = op.expectedRbfProducts(x, p.Z as Tensor2D, p.v!, p.l!, matrix(given.weights, n));
        return op.add(op.sum(one), op.sum(op.mul(two, op.tensor(given.g2, two.shape)))) as Scalar;
      };
      expect(() => gradientAgreement(f, at, { tolerance: 1e-9 })).not.toThrow();
    }
  });

  it.each(['wasm', 'typescript'] as const)(
    'of %s are exact to the rounding of their exponents, however far points are, and pass on NaN',
    (engine) => {
      const m = 400;
      const productsAt = (mean: number, z: Float64Array) =>
        withFloat64(({ memory64 }) =>
          withEngine(memory64, engine, () => {
            const x = { mean: op.tensor<Tensor2D>([[mean]]), variance: op.tensor<Tensor2D>([[0]]) };
            return doublesOf(op.expectedRbfProducts(x, matrix(z, z.length), op.scalar(1), op.scalar(1)));
          }),
        );
      // Without variance the products are exp(−(z² + z'²)/2).
      const z = Float64Array.from({ length: m }, (_, j) => Math.sqrt(2 * j + random.uniform()));
      const worst = productsAt(0, z).reduce((largest, product, entry) => {
        const exponent = -(z[Math.floor(entry / m)]! ** 2 + z[entry % m]! ** 2) / 2;
        if (exponent < -700) return product <= 1e-304 ? largest : Infinity;
        return Math.max(largest, Math.abs(product / Math.exp(exponent) - 1) / (1 - exponent));
      }, 0);
      expect(worst).toBeLessThan(8e-16);
      expect(Array.from(productsAt(Number.NaN, z.slice(0, 3)))).toEqual(Array(9).fill(Number.NaN));
    },
  );

  it('of many points round like sums of a few, gradients and weights included', { tags: 'long' }, () => {
    const [few, m, q, copies] = [5, 3, 2, 20_000];
    const given = points(few, m, q);
    const repeated = (rows: Float64Array, times: number) =>
      Float64Array.from({ length: rows.length * times }, (_, i) => rows[i % rows.length]!);
    const resultsOf = (times: number) =>
      withFloat64(() => {
        const n = few * times;
        const x = {
          mean: matrix(repeated(given.mean, times), n),
          variance: matrix(repeated(given.variance, times), n),
        };
        const Zs = matrix(given.Z, m);
        const [v, l] = [op.scalar(1.3), op.tensor(given.lengthscale)];
        const weights = matrix(repeated(given.weights.slice(0, 2 * few), times), n);
        const one = () => op.sum(op.mul(op.expectedRbf(x, Zs, v, l), matrix(repeated(given.g1, times), n))) as Scalar;
        const two = () => {
          const value = op.expectedRbfProducts(x, Zs, v, l, weights);
          return op.sum(op.mul(value, op.tensor(given.g2, value.shape))) as Scalar;
        };
        const slopes = [one, two].map((f) => valueAndGradients(f, [x.mean, x.variance, Zs, v, l]).gradients);
        return {
          sums: [op.expectedRbfProducts(x, Zs, v, l), op.expectedRbfProducts(x, Zs, v, l, weights)].map(doublesOf),
          own: slopes.flatMap(([mean, variance]) => [mean!, variance!]),
          shared: slopes.flatMap((all) => all.slice(2) as Float64Array[]),
        };
      });
    const [once, many] = [resultsOf(1), resultsOf(copies)];
    for (const [name, values] of [...once.sums, ...once.shared].entries()) {
      const expected = values.map((value) => copies * value);
      expectClose([...many.sums, ...many.shared][name]!, expected, 3e-14, `sum ${name}`);
    }
    const differ = once.own.map((rows, i) => many.own[i]!.filter((value, k) => value !== rows[k % rows.length]));
    expect(differ.map((values) => values.length)).toEqual([0, 0, 0, 0]);
  });

  it('of variance 0 have a gradient in it', () => {
    const slopes = withFloat64(() => {
      const x = { mean: op.tensor<Tensor2D>([[0]]), variance: op.tensor<Tensor2D>([[3]]) };
      const [v, l, Zero] = [op.scalar(0), op.scalar(1), op.tensor<Tensor2D>([[0]])];
      return valueAndGradients(() => op.sum(op.expectedRbf(x, Zero, v, l)) as Scalar, [v, x.mean]).gradients;
    });
    expect(slopes).toEqual([Float64Array.of(0.5), Float64Array.of(-0)]);
  });

  it('report which shape does not fit', () => {
    withFloat64(() => {
      const x = { mean: op.zeros([3, 2]) as Tensor2D, variance: op.zeros([2, 2]) as Tensor2D };
      const one = op.scalar(1);
      expect(() => op.expectedRbf(x, op.zeros([4, 2]) as Tensor2D, one, one)).toThrow(/of shape \[3,2\].*\[2,2\]/);
      expect(() => op.expectedRbf(x, op.zeros([4, 3]) as Tensor2D, one, one)).toThrow(/3 columns/);
    });
  });
});
