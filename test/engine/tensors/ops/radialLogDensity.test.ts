import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/core/random.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import { radialLogDensity } from '../../../../src/engine/tensors/ops/radialGramMatrix.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { rbfProfile } from '../../../../src/kernels/rbf.ts';

/** The value and gradients of the log density of n×width observations at n points in q dimensions, by one operation or by two. */
function density(n: number, q: number, width: number, isWhole: boolean, variance = 1.3) {
  const random = seededRandom(100 * n + 10 * q + width);
  const normal = (rows: number, columns: number) => Float64Array.from({ length: rows * columns }, random.normal);
  const [x, y] = [normal(n, q), normal(n, width)];
  const lengthscales = Float64Array.from({ length: q }, (_, d) => 0.7 + 0.2 * d);
  return withFloat64(() => {
    const X = op.tensor<Tensor2D>(x, [n, q]);
    const observations = op.tensor<Tensor2D>(y, [n, width]);
    const parameters = {
      variance: op.scalar(variance) as Tensor,
      lengthscale: op.tensor<Tensor>(lengthscales, [q]),
      bias: op.scalar(0.2) as Tensor,
      noise: op.scalar(0.1) as Tensor,
    };
    const data = { observations, constant: true };
    const whole = () => radialLogDensity(X, rbfProfile, parameters, data, {});
    const two = () => op.gaussianLogDensity(op.radialGramMatrix(X, rbfProfile, parameters), data) as Scalar;
    const { value, gradients } = valueAndGradients(isWhole ? whole : two, [X, ...Object.values(parameters)]);
    return { value, gradients };
  });
}

describe('the log density of observations under a radial Gram matrix', () => {
  it.each([
    [1, 1, 1],
    [5, 2, 3],
    [12, 1, 1],
    [17, 3, 2],
    [30, 1, 1],
    [33, 2, 7],
    [64, 2, 70],
    [127, 2, 1],
    [128, 3, 12],
    [129, 2, 1],
  ])(
    'of %i points in %i dimensions with %i columns has the bits of the two operations that it is made of',
    (n, q, width) => {
      const [one, two] = [density(n, q, width, true), density(n, q, width, false)];
      expect(one.value).toBe(two.value);
      one.gradients.forEach((own, i) => {
        expect(Array.from(own!)).toEqual(Array.from(two.gradients[i]!));
      });
    },
  );

  it('has its gradient in a variance of 0, too', () => {
    const [one, two] = [density(9, 2, 2, true, 0), density(9, 2, 2, false, 0)];
    expect(one.value).toBe(two.value);
    expect(one.gradients[1]![0]).toBeCloseTo(two.gradients[1]![0]!, 10);
  });
});
