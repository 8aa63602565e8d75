import { describe, expect, it } from 'vitest';
import { doublesOf, matrixTensor } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../src/engine/tensors/gradients.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  add,
  bias,
  covariance,
  defineKernel,
  evaluate,
  fit,
  fixed,
  gplvm,
  InvalidInputError,
  Matrix,
  positive,
  describe as text,
} from '../../src/index.ts';
import { kernelFromJSON, kernelToJSON, parseKernel } from '../../src/kernels/index.ts';
import { checkKernel } from '../../src/testing/index.ts';
import { randomPoints } from '../../src/testing/report.ts';
import { expectClose } from '../tolerance.ts';

/** v·(xᵀx')², with an option that leaves the square away. */
const products = defineKernel<'variance', { readonly squared: boolean }>({
  name: 'products',
  parameters: { variance: positive(2) },
  options: {
    squared: (given) => {
      if (typeof given !== 'boolean')
        throw new InvalidInputError(`Option 'squared' is true or false, but ${given} was given.`);
      return given;
    },
  },
  covariance: (p, A, B, _inputs, { squared = true }) => {
    const product = op.matMul<Tensor2D>(A, B, false, true);
    return op.mul(p.variance, squared ? op.square(product) : product);
  },
});

describe('a kernel whose function returns something else', () => {
  const Y = Array.from({ length: 5 }, (_, i) => [i, Math.sin(i), Math.cos(2 * i)]);
  const matrix = "The covariance of kernel 'own' must be a tensor of shape [5, 5], rows of A by rows of B, but ";
  it.each<[string, (A: Tensor2D) => unknown, string]>([
    ['a number', () => 3, `${matrix}3 was returned.`],
    ['a vector', (A) => op.sum(A, 1), `${matrix}a tensor of shape [5] was returned.`],
    ['the points', (A) => A, `${matrix}a tensor of shape [5,2] was returned.`],
    ['nothing', () => undefined, `${matrix}undefined was returned.`],
    ['a promise', async (A) => op.matMul(A, A, false, true), `${matrix}a promise was returned. Leave out async.`],
  ])('is named with it: %s', async (_, returns, message) => {
    const own = defineKernel({ name: 'own', covariance: (_p, A) => returns(A) as Tensor2D })();
    for (const kernel of [own, add(own, bias())]) {
      expect(() => evaluate(gplvm(Y, { latentDim: 2, kernel }))).toThrow(InvalidInputError);
      expect(() => evaluate(gplvm(Y, { latentDim: 2, kernel }))).toThrow(message);
    }
  });

  it('is refused at the start of a fit where it is NaN, in whole sentences', async () => {
    const own = defineKernel({
      name: 'own',
      covariance: (_p, A, B) => op.mul(Number.NaN, op.matMul<Tensor2D>(A, B, false, true)),
    });
    const message = /not finite at the start: .*[^.]\. Start from a point where it is\.$/;
    await expect(fit(gplvm(Y, { latentDim: 2, kernel: own() }))).rejects.toThrow(message);
  });

  it('is named with it: a diagonal of another length', () => {
    const own = defineKernel({
      name: 'own',
      covariance: (_p, A, B) => op.matMul<Tensor2D>(A, B, false, true),
      diagonal: () => op.ones([2]),
    })();
    const result = () =>
      withFloat64(() => own.diagonal({}, matrixTensor(Matrix.from(Y)), matrixTensor(Matrix.from(Y))));
    expect(result).toThrow(
      "The diagonal of kernel 'own' must be a tensor of shape [5], one entry for each row of A, but a tensor of shape [2] was returned.",
    );
  });
});

describe('a defined kernel', () => {
  it("without an explicit diagonal uses the Gram matrix's, by blocks, with gradients", () => {
    const X = randomPoints(150, 2, 1);
    const squares = X.toArrays().map(([a, b]) => a! * a! + b! * b!);
    withFloat64(() => {
      const A = matrixTensor(X);
      const p = { 'products.variance': op.scalar(2) };
      let largest = 0;
      const counting = defineKernel({
        name: 'products',
        parameters: { variance: positive(2) },
        covariance: (q, rows, columns) => {
          largest = Math.max(largest, rows.shape[0] * columns.shape[0]);
          return op.mul(q.variance, op.square(op.matMul(rows, columns, false, true)));
        },
      })();
      expectClose(
        doublesOf(counting.diagonal(p, A, A)),
        squares.map((s) => 2 * s * s),
        1e-14,
      );
      expect(largest).toBe(64 * 64);
      const { gradients } = valueAndGradients(
        () => op.sum(counting.diagonal(p, A, A)) as Scalar,
        [A, p['products.variance']],
      );
      expectClose(
        gradients[0],
        X.toArrays().map((row, i) => row.map((entry) => 8 * squares[i]! * entry)),
        1e-14,
      );
      expectClose(gradients[1], [squares.reduce((sum, s) => sum + s * s, 0)], 1e-14);
    });
  });

  it('may have options, which go to its covariance, into JSON and text, and back', () => {
    const kernel = products({ squared: false, variance: fixed(3) });
    expectClose(covariance(kernel, [[1], [2]]), [3, 6, 6, 12], 0);
    expect(text(kernel)).toBe('products(variance=fixed(3), squared=false)');
    expect(kernelToJSON(kernel)).toEqual({
      kernel: 'products',
      parameters: { variance: { support: 'positive', free: false, initial: 3 } },
      options: { squared: false },
    });
    expect(kernelToJSON(kernelFromJSON(kernelToJSON(kernel), { products }))).toEqual(kernelToJSON(kernel));
    expect(kernelToJSON(parseKernel(text(kernel), { products }))).toEqual(kernelToJSON(kernel));
    expect(kernelToJSON(products())).not.toHaveProperty('options');
    expect(checkKernel(kernel).passed).toBe(true);
  });

  it.each([true, false, 'true', 'word', 'two words', "it's", '', 0.1, -2, [1, [2, 'three']]])(
    'keeps an option of %j',
    (given) => {
      const labeled = defineKernel<never, { readonly label: unknown }>({
        name: 'labeled',
        parameters: {},
        options: { label: (label) => label },
        covariance: (_p, A, B) => op.matMul(A, B, false, true),
      });
      const kernel = labeled({ label: given });
      expect(kernelToJSON(parseKernel(text(kernel), { labeled }))).toEqual(kernelToJSON(kernel));
    },
  );

  it('reports its missing members', () => {
    expect(() => products({ squared: 'yes' })).toThrow(/'squared' is true or false, but yes/);
    expect(() => products({ square: true } as never)).toThrow(
      /Kernel 'products' has no parameter 'square'. Did you mean 'squared'\? Known are variance, squared/,
    );
    expect(() => defineKernel({ name: 'two words', parameters: {}, covariance: (_p, A) => A })).toThrow(/one word/);
  });
});
