import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { InvalidInputError, NumericalError } from '../../../../src/core/errors.ts';
import { Matrix } from '../../../../src/core/matrix.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import { valueAndGradients } from '../../../../src/engine/tensors/gradients.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Scalar, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import {
  distance,
  fromEntries,
  lowerTriangle,
  multiply,
  normalMatrix,
  positiveDefiniteMatrix,
  transpose,
} from '../../dense/matrices.ts';

const name = 'The covariance of the test';

/** Runs `work` on tensors of the matrices; nothing may be left behind, however it ends. */
function run<T>(work: (...xs: Tensor2D[]) => T, ...matrices: Matrix[]): T {
  const { memory64 } = float64Backend();
  const before = [tf.memory().numTensors, memory64.liveBlocks];
  try {
    return withFloat64(() => work(...matrices.map((matrix) => op.tensor<Tensor2D>(matrix))));
  } finally {
    expect([tf.memory().numTensors, memory64.liveBlocks]).toEqual(before);
  }
}

/** Both errors of a differentiation and of a plain evaluation, which must be the same. */
function failure(work: (x: Tensor2D) => unknown, matrix: Matrix): NumericalError {
  const caught = (attempt: () => unknown) => {
    try {
      attempt();
    } catch (error) {
      return error as NumericalError;
    }
    throw new TypeError('nothing was thrown');
  };
  const plain = caught(() => run(work, matrix));
  const taped = caught(() =>
    run((x) => valueAndGradients(() => op.sum(work(op.mul(x, 1) as Tensor2D) as Tensor2D) as Scalar, [x]), matrix),
  );
  expect(plain).toBeInstanceOf(NumericalError);
  expect(taped).toBeInstanceOf(NumericalError);
  expect(taped.message).toBe(plain.message);
  return plain;
}

/** Second-difference matrix minus its smallest eigenvalue, minus `deficit`: its smallest eigenvalue is −deficit. */
function almostSingular(n: number, deficit: number): Matrix {
  const smallest = 2 - 2 * Math.cos(Math.PI / (n + 1));
  return fromEntries(n, n, (i, j) => (i === j ? 2 - smallest - deficit : Math.abs(i - j) === 1 ? -1 : 0));
}

const operations: Record<string, (x: Tensor2D, onJitter: (jitter: number) => void) => unknown> = {
  cholesky: (x, onJitter) => op.cholesky(x, { name, onJitter }),
  logDeterminant: (x, onJitter) => op.logDeterminant(x, { name, onJitter }),
  'gaussianLogDensity of observations': (x, onJitter) =>
    op.gaussianLogDensity(x, { observations: op.tensor(normalMatrix(x.shape[0], 2)) }, { name, onJitter }),
  'gaussianLogDensity of an outer product': (x, onJitter) =>
    op.gaussianLogDensity(x, { outerProduct: op.eye(x.shape[0]), columns: 2 }, { name, onJitter }),
};

describe.each(Object.entries(operations))('jitter of %s', (_operation, compute) => {
  it('is not needed, and not reported, for a positive definite matrix', () => {
    const reported: number[] = [];
    run((x) => compute(x, (jitter) => reported.push(jitter)), positiveDefiniteMatrix(20));
    expect(reported).toEqual([]);
  });

  it.each([
    [3e-11, 1e-10],
    [5e-10, 1e-9],
    [5e-9, 1e-8],
    [5e-8, 1e-7],
    [5e-7, 1e-6],
    [5e-6, 1e-5],
    [5e-5, 1e-4],
  ])('against an eigenvalue of −%f·m is %f·m', (deficit, jitter) => {
    const n = 20;
    const mean = 2 - (2 - 2 * Math.cos(Math.PI / (n + 1)));
    const reported: number[] = [];
    const matrix = almostSingular(n, deficit * mean);
    run((x) => compute(x, (value) => reported.push(value)), matrix);
    expect(reported.length).toBe(1);
    expect(reported[0]! / mean / jitter).toBeCloseTo(1, 3);
  });

  it('ends with an error that names the matrix, its size, the pivot and a way out', () => {
    const { message } = failure(
      (x) => compute(x, () => {}),
      Matrix.from([
        [4, 0, 0],
        [0, 1, 3],
        [0, 3, 1],
      ]),
    );
    expect(message).toBe(
      `${name} (3×3) is not positive definite: pivot 2 is -8.00 instead of positive, and adding 0.000200, 1e-4 times the mean ` +
        'of its diagonal, was not enough. Increase the noise variance, remove duplicate points, or check that the matrix is a covariance.',
    );
  });

  it('is not tried when the diagonal has a negative mean', () => {
    const { message } = failure((x) => compute(x, () => {}), Matrix.from([[-1]]));
    expect(message).toContain(
      'pivot 0 is -1.00 instead of positive, and the mean of its diagonal, -1.00, is not positive either.',
    );
  });

  it.each([
    [Number.NaN, 30, 7],
    [Number.POSITIVE_INFINITY, 30, 7],
    [Number.NEGATIVE_INFINITY, 39, 0],
    [Number.NaN, 5, 5],
    [Number.POSITIVE_INFINITY, 5, 5],
    [Number.POSITIVE_INFINITY, 39, 39],
  ])('is not tried against %f, which is reported with its position (%i, %i)', (entry, i, j) => {
    const matrix = positiveDefiniteMatrix(40);
    matrix.data[i * 40 + j] = entry;
    matrix.data[j * 40 + i] = entry;
    const { message } = failure((x) => compute(x, () => {}), matrix);
    expect(message).toBe(
      `${name} (40×40) must be finite, but entry [${i}][${j}] is ${entry}. ` +
        'Look for missing values in the data, and for parameters that have run off to extreme values.',
    );
  });
});

it('the factor belongs to the matrix with the jitter on its diagonal', () => {
  const n = 20;
  const matrix = almostSingular(n, 1e-6);
  let jitter = 0;
  const onJitter = (value: number) => {
    jitter = value;
  };
  const L = new Matrix(
    run((x) => doublesOf(op.cholesky(x, { onJitter })), matrix),
    n,
    n,
  );
  expect(L.data).toEqual(lowerTriangle(L).data);
  for (let i = 0; i < n; i++) matrix.data[i * (n + 1)]! += jitter;
  expect(jitter).toBeGreaterThan(0);
  expect(distance(multiply(L, transpose(L)), matrix)).toBeLessThan(1e-15);
});

describe('numbers that cannot be used', () => {
  const L = Matrix.from([
    [2, 0],
    [1, 2],
  ]);
  it.each([
    [0, 'is 0'],
    [Number.NaN, 'is NaN'],
  ])('%f on the diagonal of a triangular matrix', (entry, text) => {
    const singular = Matrix.from([
      [2, 0],
      [1, entry],
    ]);
    const b = Matrix.from([[1], [1]]);
    for (const solve of [op.triangularSolve, op.choleskySolve]) {
      expect(() => run((l, right) => solve(l, right), singular, b)).toThrow(NumericalError);
      expect(() => run((l, right) => solve(l, right), singular, b)).toThrow(
        `entry 1 of the diagonal of l (2×2) ${text}`,
      );
    }
  });

  it('a right-hand side that is not finite', () => {
    const b = Matrix.from([
      [1, 2],
      [3, Number.NaN],
    ]);
    expect(() => run((l, right) => op.triangularSolve(l, right), L, b)).toThrow('finite b, but entry [1][1] is NaN');
    expect(() => run((l, right) => op.choleskySolve(l, right), L, b)).toThrow('finite b, but entry [1][1] is NaN');
  });

  it('a solution that overflows', () => {
    const tiny = Matrix.from([
      [1e-200, 0],
      [1, 1e-200],
    ]);
    expect(() => run((l, b) => op.triangularSolve(l, b), tiny, Matrix.from([[1], [1]]))).toThrow(
      'triangularSolve overflowed',
    );
  });

  it('observations that are not finite', () => {
    const Y = Matrix.from([
      [1, 2],
      [Number.NaN, 4],
    ]);
    const density = (K: Tensor2D, y: Tensor2D) => op.gaussianLogDensity(K, { observations: y });
    expect(() => run(density, positiveDefiniteMatrix(2), Y)).toThrow(
      'The observations (2×2) must be finite, but entry [1][0] is NaN. Remove or fill in missing values.',
    );
    const ofProduct = (K: Tensor2D, s: Tensor2D) => op.gaussianLogDensity(K, { outerProduct: s, columns: 2 });
    expect(() => run(ofProduct, positiveDefiniteMatrix(2), Y)).toThrow('The outer product of the observations (2×2)');
  });

  it('eigenvalues of a matrix that is not finite', () => {
    const A = positiveDefiniteMatrix(5);
    A.data[3 * 5 + 1] = Number.NaN;
    expect(() => run((x) => op.symmetricEigen(x, { name }), A)).toThrow(
      `${name} (5×5) must be finite, but entry [3][1] is NaN.`,
    );
  });
});

describe('shapes that do not fit', () => {
  const wide = normalMatrix(2, 3);
  const square = positiveDefiniteMatrix(3);
  it.each([
    ['cholesky', () => run((x) => op.cholesky(x), wide), 'cholesky needs a square matrix as x, but it is 2×3.'],
    ['logDeterminant', () => run((x) => op.logDeterminant(x), wide), 'needs a square matrix as x, but it is 2×3.'],
    ['symmetricEigen', () => run((x) => op.symmetricEigen(x), wide), 'needs a square matrix as x, but it is 2×3.'],
    [
      'triangularSolve',
      () => run((l, b) => op.triangularSolve(l, b), square, wide),
      'triangularSolve needs as many rows in b as in l, but l is 3×3 and b is 2×3.',
    ],
    ['choleskySolve', () => run((l, b) => op.choleskySolve(l, b), wide, wide), 'needs a square matrix as l'],
    [
      'gaussianLogDensity',
      () => run((K, y) => op.gaussianLogDensity(K, { observations: y }), square, wide),
      'gaussianLogDensity needs as many rows in observations as in K, but K is 3×3 and observations is 2×3.',
    ],
    [
      'gaussianLogDensity of an outer product',
      () => run((K, s) => op.gaussianLogDensity(K, { outerProduct: s, columns: 2 }), square, normalMatrix(3, 2)),
      'needs YYᵀ, N×N, as outerProduct, but it is 3×2.',
    ],
    [
      'columns',
      () => run((K) => op.gaussianLogDensity(K, { outerProduct: K, columns: 1.5 }), square),
      'needs the number of columns of Y with its outer product, but columns is 1.5.',
    ],
    [
      'rank',
      () => run((x) => op.cholesky(op.reshape(x, [9]) as unknown as Tensor2D), square),
      'cholesky needs a numeric tensor of rank 2 or more as x, but a tensor of type float32 and shape [9] was given.',
    ],
  ])('%s', (_case, attempt, message) => {
    expect(attempt).toThrow(InvalidInputError);
    expect(attempt).toThrow(message);
  });
});
