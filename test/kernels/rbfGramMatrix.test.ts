import { describe, expect, it } from 'vitest';
import { add, bias, rbf, seededRandom, white } from '../../src/index.ts';
import { noisyGram } from '../../src/kernels/structure/index.ts';
import { withEngine } from '../../src/numerics/dense/index.ts';
import { doublesOf } from '../../src/tensors/doubles.ts';
import { withFloat64 } from '../../src/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/tensors/gradients.ts';
import * as op from '../../src/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../src/tensors/tensorflow.ts';
import { expectClose } from '../tolerance.ts';

const N = 23;
const values = {
  'rbf.variance': 1.3,
  'rbf.lengthscale': [0.7, 1.9],
  'bias.variance': 0.4,
  'white.variance': 0.2,
};
const kernel = add(rbf({ lengthscale: [1, 1] }), bias(), white());

/** Value and gradients of Σ weights·K in the points, the parameters and the noise. */
function results(form: (p: Record<string, Tensor>, X: Tensor2D, noise: Tensor) => Tensor2D) {
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
  const p = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, op.tensor(value)]));
  const noise = op.scalar(0.05);
  const K = form(p, X, noise);
  const f = () => op.sum(op.mul(weights, form(p, X, noise))) as Scalar;
  return { K: doublesOf(K), gradients: valueAndGradients(f, [X, ...Object.values(p), noise]).gradients };
}

const apart = (p: Record<string, Tensor>, X: Tensor2D, noise: Tensor) =>
  op.addDiagonal(kernel.covariance(p, X, X, X), noise);

describe.each(['wasm', 'typescript'] as const)('the Gram matrix of rbf + bias + white with noise, %s', (engine) => {
  it('is the same in one operation as in several, to 1e-12, with its gradients', () => {
    withFloat64(({ memory64 }) =>
      withEngine(memory64, engine, () => {
        const fused = results((p, X, noise) => noisyGram(kernel)(p, X, noise));
        const separate = results(apart);
        expectClose(fused.K, separate.K, 1e-13, 'K');
        fused.gradients.forEach((gradient, i) => {
          expectClose(gradient, separate.gradients[i]!, 1e-12, `gradient ${i}`);
        });
        expect(fused.gradients.every((gradient) => gradient !== undefined)).toBe(true);
      }),
    );
  });
});
