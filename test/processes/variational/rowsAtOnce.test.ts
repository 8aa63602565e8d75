import { bayesianGplvm, gaussianLatents, logDensityOf, Matrix, poisson, rbf, seededRandom } from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import { summedInParts, valueAndGradients } from '../../../src/engine/tensors/gradients.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../src/engine/tensors/tensorflow.ts';
import { poisson as counts } from '../../../src/model/entrywise/counts.ts';
import { sampledExpectedDensity } from '../../../src/processes/variational/expectedDensity.ts';
import { expectClose } from '../../tolerance.ts';

describe('a sum whose parts are differentiated one at a time', () => {
  it('has the value and the gradients of the sum, within another function too', () => {
    withFloat64(() => {
      const [x, y] = [op.tensor([1, 2, 3]), op.tensor([0.5, -1, 2])];
      const part = (k: number) => () => op.sum<Scalar>(op.mul(op.exp(op.mul(0.1 * k, x)), y));
      const parts = [part(1), part(2), part(3)];
      const around = (inner: Scalar) => op.add<Scalar>(op.square(inner), op.sum(op.mul(x, y)));
      const whole = valueAndGradients(() => around(parts.map((of) => of()).reduce((a, b) => op.add(a, b))), [x, y]);
      const apart = valueAndGradients(() => around(summedInParts([x, y, x], parts)), [x, y]);
      expect(apart.value).toBeCloseTo(whole.value, 10);
      apart.gradients.forEach((gradient, i) => {
        expectClose(gradient!, whole.gradients[i]!, 1e-12);
      });
    });
  });
});

describe('expected densities of many rows', () => {
  it('are the sum over some rows at a time, with its gradients', { tags: 'long' }, () => {
    withFloat64(() => {
      const random = seededRandom(4);
      const [n, D, q, M] = [2500, 24, 1, 2];
      const normals = (rows: number, columns: number) =>
        op.tensor<Tensor2D>(
          Float64Array.from({ length: rows * columns }, () => random.normal()),
          [rows, columns],
        );
      const tensors = {
        mean: normals(n, q),
        variance: op.exp(normals(n, q)) as Tensor2D,
        Z: normals(M, q),
        factor: op.tensor<Tensor2D>([
          [1.2, 0],
          [0.4, 0.9],
        ]),
        means: normals(M, D),
        roots: normals(D * M, M),
      };
      const y = op.tensor<Tensor2D>(
        Float64Array.from({ length: n * D }, () => random.integer(4)),
        [n, D],
      );
      const kernel = rbf();
      const p = { 'rbf.variance': op.scalar(1.3), 'rbf.lengthscale': op.scalar(0.8) };
      const K = 20;
      const nodes = { moves: normals(K, q), weights: new Array<number>(K).fill(1 / K) };
      const density = (from: number, to: number) => {
        const rows = (x: Tensor2D) => op.slice<Tensor2D>(x, [from, 0], [to - from, x.shape[1]]);
        const { mean, variance, Z, factor, means, roots } = tensors;
        return sampledExpectedDensity(
          kernel,
          p,
          {
            inducing: Z,
            factor,
            groups: [{ columns: Int32Array.from({ length: D }, (_, j) => j), mean: means, roots }],
          },
          { x: { mean: rows(mean), variance: rows(variance) } },
          nodes,
          counts(),
          {},
          rows(y),
          undefined,
        );
      };
      const inputs: Tensor[] = [...Object.values(tensors), ...Object.values(p)];
      const many = valueAndGradients(() => density(0, n), inputs);
      const some = Array.from({ length: 4 }, (_, k) => () => density((k * n) / 4, ((k + 1) * n) / 4));
      const few = valueAndGradients(() => some.map((of) => of()).reduce((a, b) => op.add<Scalar>(a, b)), inputs);
      expect(Math.abs(many.value / few.value - 1)).toBeLessThan(1e-12);
      many.gradients.forEach((gradient, i) => {
        expectClose(gradient!, few.gradients[i]!, 1e-9);
      });
    });
  });
});

describe('counts in many columns', () => {
  it('share the covariance of q(u), and the bound has the gradient of its differences', () => {
    const random = seededRandom(8);
    const [N, D, M] = [45, 40, 40];
    const Y = Matrix.from(Array.from({ length: N }, () => Array.from({ length: D }, () => random.integer(5))));
    const model = bayesianGplvm(Y, {
      latentDim: 1,
      inducing: M,
      // Of 40 inputs on a line the covariance is singular but for it: differences see rounding only.
      jitter: 1e-4,
      likelihood: poisson({ offset: 'rowSums' }),
      posterior: gaussianLatents({ init: Matrix.from(Array.from({ length: N }, () => [random.normal()])) }),
    });
    const density = logDensityOf(model);
    try {
      const root = density.values(density.start)['mapping.variational.root'];
      expect(root).toMatchObject({ rows: M, columns: M });
      const x = density.start.slice();
      const direction = x.map(() => 0.01 * random.normal());
      const at = (t: number) => density.evaluate(x.map((entry, i) => entry + t * direction[i]!));
      const slope = at(0).gradient.reduce((sum, entry, i) => sum + entry * direction[i]!, 0);
      const h = 1e-3;
      const difference = (8 * (at(h).value - at(-h).value) - (at(2 * h).value - at(-2 * h).value)) / (12 * h);
      expect(Math.abs(difference / slope - 1)).toBeLessThan(1e-7);
    } finally {
      density.dispose();
    }
  });
});
