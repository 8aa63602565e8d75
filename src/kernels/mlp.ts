import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { positive } from '../model/parameter.ts';
import { defineKernel } from './defineKernel.ts';
import { weightedProducts, weightedSquares } from './linear.ts';

/**
 * Multilayer perceptron (arcsine): the covariance of a network with infinitely many hidden units,
 * k(x, x') = v·(2/π)·asin(s(x, x')/√((s(x, x) + 1)(s(x', x') + 1))), s(x, x') = w·xᵀx' + b.
 *
 * @param overrides - `variance` v > 0 (1); `weightVariance` w > 0 (1), a list for one per latent dimension (ARD); `biasVariance`
 *   b > 0 (1)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Williams 1998, eq. 11; Rasmussen & Williams 2006, eq. 4.29
 * @example
 * ```ts
 * mlp({ weightVariance: 10, biasVariance: 10 });
 * ```
 */
export const mlp = defineKernel<'variance' | 'weightVariance' | 'biasVariance', object, 'mlp'>({
  name: 'mlp',
  parameters: { variance: positive(1), weightVariance: positive(1), biasVariance: positive(1) },
  covariance: (p, A, B) => {
    const products = op.add(weightedProducts(A, B, p.weightVariance), p.biasVariance);
    const left = norms(A, p.weightVariance, p.biasVariance);
    const right = A === B ? left : norms(B, p.weightVariance, p.biasVariance);
    const ratio = op.div(products, op.mul(op.expandDims(left, 1), op.expandDims(right, 0)));
    return op.mul(p.variance, arcsine(ratio)) as Tensor2D;
  },
  diagonal: (p, A) => {
    const squares = op.add(weightedSquares(A, p.weightVariance), p.biasVariance);
    return op.mul(p.variance, arcsine(op.div(squares, op.add(squares, 1)))) as Tensor1D;
  },
});

/** √(s(x, x) + 1) of every row. */
function norms(X: Tensor2D, weights: Tensor, bias: Tensor): Tensor {
  return op.sqrt(op.add(op.add(weightedSquares(X, weights), bias), 1));
}

/** Largest argument of the arcsine: far from the origin the ratio rounds to 1, where the arcsine has no derivative. */
const LARGEST = 1 - 2 ** -53;

function arcsine(ratio: Tensor): Tensor {
  return op.mul(2 / Math.PI, op.asin(op.clip(ratio, -LARGEST, LARGEST)));
}
