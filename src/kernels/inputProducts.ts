import { InvalidInputError } from '../core/errors.ts';
import { describe } from '../core/matrix.ts';
import * as op from '../engine/tensors/ops.ts';
import type { Tensor, Tensor1D, Tensor2D } from '../engine/tensors/tensorflow.ts';
import { fixed, positive } from '../model/parameter.ts';
import { defineKernel, type KernelFactory } from './defineKernel.ts';
import { linearExpectations } from './expectations/closedForm.ts';

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

type Names = 'variance' | 'scale' | 'offset' | 'degree';

const ofAnyDegree = defineKernel<Names, object, 'polynomial'>({
  name: 'polynomial',
  parameters: { variance: positive(1), scale: positive(1), offset: positive(1), degree: fixed(2) },
  covariance: (p, A, B) => power(p, weightedProducts(A, B, p.scale)) as Tensor2D,
  diagonal: (p, A) => power(p, weightedSquares(A, p.scale)) as Tensor1D,
  capabilities: (_options, { degree }) => ({
    structure: {
      type: 'features',
      rank: (columns) => monomialCount(columns + 1, Number(degree.initial)),
      at: (p, A) => op.mul<Tensor2D>(op.sqrt(p.variance), monomials(affine(p, A), checkDegree(op.valueOf(p.degree)))),
    },
  }),
});

/**
 * Polynomial: k(x, x') = v(scale·xᵀx' + offset)^degree: all monomials up to the degree.
 *
 * @param overrides - `variance` v > 0 (1); `scale` > 0 (1), a list for one per latent dimension; `offset` > 0 (1); `degree` a whole
 *   number ≥ 1 (2), which is fixed, because only whole numbers give a covariance
 * @throws InvalidInputError for an unknown parameter or one outside its range, and for a degree that is free or not whole
 * @see Rasmussen & Williams 2006, §4.2.2
 * @example
 * ```ts
 * polynomial({ degree: 3, offset: 0.5 });
 * ```
 */
export const polynomial: KernelFactory<Names, object, 'polynomial'> = (overrides) => {
  const kernel = ofAnyDegree(overrides);
  const { free, initial } = kernel.parameters['polynomial.degree']!;
  if (free) {
    throw new InvalidInputError(
      "Parameter 'degree' of kernel 'polynomial' cannot be free: only whole numbers give a covariance. Give a number, such as 2.",
    );
  }
  checkDegree(initial);
  return kernel;
};

/** (√scale_d·x_d, √offset) of every row: the covariance is a power of their inner products. */
function affine(p: Readonly<Record<Names, Tensor>>, A: Tensor2D): Tensor2D {
  const last = op.mul<Tensor2D>(op.sqrt(p.offset), op.ones([A.shape[0], 1]));
  return op.concat([op.mul<Tensor2D>(A, op.sqrt(p.scale)), last], 1);
}

function power(p: Readonly<Record<Names, Tensor>>, products: Tensor): Tensor {
  const degree = checkDegree(op.valueOf(p.degree));
  return op.mul(p.variance, op.pow(op.add(products, p.offset), degree));
}

function checkDegree(degree: unknown): number {
  if (typeof degree === 'number' && Number.isInteger(degree) && degree >= 1) return degree;
  throw new InvalidInputError(
    `Parameter 'degree' of kernel 'polynomial' must be a whole number from 1, but ${describe(degree)} was given.`,
  );
}

/** Number of monomials of this degree in this number of variables, (variables + degree − 1 over degree). */
function monomialCount(variables: number, degree: number): number {
  let count = 1;
  for (let k = 1; k <= degree; k++) count = (count * (variables + k - 1)) / k;
  return Math.round(count);
}

/**
 * All monomials of degree d in the entries of each row of Z (n×m), n×monomialCount(m, d), each times the square root of its multinomial coefficient:
 * inner products of these rows are the d-th powers of inner products of the rows of Z.
 */
function monomials(Z: Tensor2D, degree: number): Tensor2D {
  const chosen = combinations(Z.shape[1], degree);
  const factors = Array.from({ length: degree }, (_, k) =>
    op.gather<Tensor2D>(
      Z,
      chosen.map((columns) => columns[k]!),
      1,
    ),
  );
  const product = factors.reduce((total, factor) => op.mul<Tensor2D>(total, factor));
  return op.mul<Tensor2D>(product, op.tensor(chosen.map((columns) => Math.sqrt(arrangements(columns)))));
}

/** Columns 0 … m−1 chosen d times, with repetition, in ascending order. */
function combinations(m: number, d: number): number[][] {
  if (d === 0) return [[]];
  return combinations(m, d - 1).flatMap((columns) =>
    Array.from({ length: m - (columns.at(-1) ?? 0) }, (_, k) => [...columns, (columns.at(-1) ?? 0) + k]),
  );
}

/** d!/Π_i α_i!, α_i how often column i was chosen. */
function arrangements(columns: readonly number[]): number {
  let count = 1;
  let run = 0;
  columns.forEach((column, k) => {
    run = column === columns[k - 1] ? run + 1 : 1;
    count = (count * (k + 1)) / run;
  });
  return count;
}

/**
 * Linear: k(x, x') = Σ_d v_d·x_d·x'_d. Its rank is the number of columns, so that models with more points cost O(N) without an N×N matrix.
 *
 * @param overrides - `variance` v > 0 (1), a list has one per latent dimension (ARD)
 * @throws InvalidInputError for an unknown parameter or one outside its range
 * @see Rasmussen & Williams 2006, §4.2.2; with this kernel the GPLVM is dual PPCA (Lawrence 2005, §2)
 * @example
 * ```ts
 * linear({ variance: [1, 0.5] });
 * ```
 */
export const linear = defineKernel<'variance', object, 'linear'>({
  name: 'linear',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) => weightedProducts(A, B, p.variance),
  diagonal: (p, A) => weightedSquares(A, p.variance),
  capabilities: () => ({
    structure: {
      type: 'features',
      rank: (columns) => columns,
      at: (p, A) => op.mul<Tensor2D>(A, op.sqrt(p.variance)),
    },
    expectations: linearExpectations,
  }),
});

/** Σ_d w_d·a_id·b_jd, n×m, with one weight or one per column. */
function weightedProducts(A: Tensor2D, B: Tensor2D, weights: Tensor): Tensor2D {
  return op.matMul(op.mul(A, weights) as Tensor2D, B, false, true) as Tensor2D;
}

/** Σ_d w_d·a_id², n entries. */
function weightedSquares(A: Tensor2D, weights: Tensor): Tensor1D {
  return op.sum(op.mul(op.square(A), weights), 1) as Tensor1D;
}
