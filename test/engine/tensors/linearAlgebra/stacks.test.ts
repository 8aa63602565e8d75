import { describe, expect, it } from 'vitest';
import { NumericalError } from '../../../../src/core/errors.ts';
import { Matrix } from '../../../../src/core/matrix.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { lowerMatrix, normalMatrix, positiveDefiniteMatrix } from '../../dense/matrices.ts';
import { expectGradients } from './differences.ts';

const n = 4;
const m = 3;
const covariances = [1, 2, 3, 4, 5, 6].map((seed) => positiveDefiniteMatrix(n, seed));
const factors = [1, 2, 3, 4, 5, 6].map((seed) => lowerMatrix(n, seed, 7));
const rights = [1, 2, 3, 4, 5, 6].map((seed) => normalMatrix(n, m, seed));

/** Matrices one after the other, as many in a row as the last of `axes`. */
const stacked = (matrices: readonly Matrix[], ...axes: number[]): Tensor =>
  op.reshape(op.stack(matrices.map((matrix) => op.tensor(matrix))), [...axes, matrices[0]!.rows, matrices[0]!.columns]);
const entries = (tensors: readonly Tensor[]) => tensors.flatMap((x) => Array.from(doublesOf(x)));

describe('a stack gives what its matrices give, bit for bit', () => {
  const each = <T>(f: (i: number) => T) => covariances.map((_, i) => f(i));

  it('cholesky and logDeterminant', () => {
    withFloat64(() => {
      const A = stacked(covariances, 2, 3);
      const L = op.cholesky(A);
      expect(L.shape).toEqual([2, 3, n, n]);
      expect(entries([L])).toEqual(entries(each((i) => op.cholesky(op.tensor<Tensor2D>(covariances[i]!)))));
      const logs = op.logDeterminant(A);
      expect(logs.shape).toEqual([2, 3]);
      expect(entries([logs])).toEqual(entries(each((i) => op.logDeterminant(op.tensor<Tensor2D>(covariances[i]!)))));
    });
  });

  it.each([false, true])('triangularSolve, transpose %s, and choleskySolve', (transpose) => {
    withFloat64(() => {
      const [L, B] = [stacked(factors, 2, 3), stacked(rights, 2, 3)];
      const l = (i: number) => op.tensor<Tensor2D>(factors[i]!);
      const b = (i: number) => op.tensor<Tensor2D>(rights[i]!);
      const X = op.triangularSolve(L, B, { transpose });
      expect(X.shape).toEqual([2, 3, n, m]);
      expect(entries([X])).toEqual(entries(each((i) => op.triangularSolve(l(i), b(i), { transpose }))));
      expect(entries([op.choleskySolve(L, B)])).toEqual(entries(each((i) => op.choleskySolve(l(i), b(i)))));
    });
  });

  it('with one factor for all right sides, and one right side for all factors', () => {
    withFloat64(() => {
      const l = op.tensor<Tensor2D>(factors[0]!);
      const b = op.tensor<Tensor2D>(rights[0]!);
      const oneFactor = op.triangularSolve(l, stacked(rights, 6));
      expect(entries([oneFactor])).toEqual(
        entries(each((i) => op.triangularSolve(l, op.tensor<Tensor2D>(rights[i]!)))),
      );
      const oneRight = op.choleskySolve(stacked(factors, 6), b);
      expect(entries([oneRight])).toEqual(entries(each((i) => op.choleskySolve(op.tensor<Tensor2D>(factors[i]!), b))));
    });
  });
});

describe('gradients of stacks against central differences', () => {
  /** A 12×4 matrix is a stack of three; symmetric ones are made so. */
  const three = (x: Tensor2D) => op.reshape(x, [3, n, n]);
  const symmetric = (x: Tensor2D) => {
    const A = three(x);
    return op.add(op.mul(0.5, op.matMul<Tensor>(A, A, false, true)), op.mul(2, op.eye(n)));
  };
  const weighted = (x: Tensor): Scalar =>
    op.sum(op.mul(op.reshape(op.tensor(normalMatrix(1, x.size, 8)), x.shape), op.add(x, op.mul(0.3, op.square(x)))));
  const anyStack = { at: normalMatrix(3 * n, n, 3) };
  const lower = { at: new Matrix(Float64Array.from([4, 5, 6].flatMap((s) => [...lowerMatrix(n, s).data])), 3 * n, n) };
  const right = { at: normalMatrix(n, m, 5) };

  it('cholesky', () => {
    expectGradients((x) => weighted(op.cholesky(symmetric(x))), [anyStack]);
  });

  it('logDeterminant', () => {
    expectGradients((x) => weighted(op.logDeterminant(symmetric(x))), [anyStack]);
  });

  it.each([false, true])('triangularSolve, transpose %s, with one right side for all', (transpose) => {
    expectGradients((l, b) => weighted(op.triangularSolve(three(l), b as Tensor, { transpose })), [lower, right]);
  });

  it('choleskySolve, with one right side for all', () => {
    expectGradients((l, b) => weighted(op.choleskySolve(three(l), b as Tensor)), [lower, right]);
  });
});

describe('errors name the matrix of a stack', () => {
  const failure = (work: () => unknown) => {
    try {
      withFloat64(() => void work());
    } catch (error) {
      return error as Error;
    }
    throw new TypeError('nothing was thrown');
  };
  const identity = Matrix.from([
    [1, 0],
    [0, 1],
  ]);
  const indefinite = Matrix.from([
    [1, 0],
    [0, -3],
  ]);

  it('is not positive definite', () => {
    const error = failure(() => op.cholesky(stacked([identity, indefinite], 2), { name: 'The covariance' }));
    expect(error).toBeInstanceOf(NumericalError);
    expect(error.message).toContain('The covariance 1 of the stack (2×2) is not positive definite: pivot 1 is -3.00');
  });

  it('has a diagonal with 0', () => {
    const singular = Matrix.from([
      [1, 0],
      [2, 0],
    ]);
    const error = failure(() => op.triangularSolve(stacked([identity, singular], 2), op.ones([2, 1])));
    expect(error.message).toContain('entry 1 of the diagonal of l 1 of the stack (2×2) is 0');
  });

  it('are not square, or do not fit', () => {
    expect(failure(() => op.cholesky(op.ones([2, 3, 4]))).message).toBe(
      'cholesky needs square matrices as x, but they are 3×4 (shape [2,3,4]).',
    );
    expect(failure(() => op.choleskySolve(op.ones([2, 3, 3]), op.ones([2, 4, 1]))).message).toBe(
      'choleskySolve needs as many rows in b as in l, but l is 3×3 and b is 4×1.',
    );
  });
});
