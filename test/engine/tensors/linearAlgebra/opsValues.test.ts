import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Matrix } from '../../../../src/core/matrix.ts';
import { doublesOf } from '../../../../src/engine/tensors/doubles.ts';
import { float64Backend, withFloat64 } from '../../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../../src/engine/tensors/ops.ts';
import type { Tensor, Tensor2D } from '../../../../src/engine/tensors/tensorflow.ts';
import { reference } from '../../../reference.ts';
import { expectClose } from '../../../tolerance.ts';
import { normalMatrix, positiveDefiniteMatrix } from '../../dense/matrices.ts';

interface Case {
  name: string;
  A: number[][];
  Y: number[][];
  cholesky: number[][];
  inverse: number[][];
  logDeterminant: number;
  solution: number[][];
  logDensity: number;
  gradient: number[][];
  eigenvalues: number[];
}

const { cases } = reference<{ cases: Case[] }>('linalg.json');

/** Digits that the condition of the matrix leaves. */
const tolerances: Record<string, number> = {
  'well conditioned': 1e-13,
  'squared exponential': 1e-12,
  'Hilbert matrix, condition 1.5e10': 1e-6,
};

describe.each(cases)('against 60 digits: $name', (known) => {
  const tolerance = tolerances[known.name]!;
  const matrix = (values: number[][]) => op.tensor<Tensor2D>(values);
  const close = (compute: () => Tensor, expected: unknown, what: string) =>
    expectClose(
      withFloat64(() => doublesOf(compute())),
      expected,
      tolerance,
      what,
    );

  it('factors, solves, determinants and densities', () => {
    const S = known.Y.map((row) => known.Y.map((other) => row.reduce((sum, entry, d) => sum + entry * other[d]!, 0)));
    const columns = known.Y[0]!.length;
    close(() => op.cholesky(matrix(known.A)), known.cholesky, 'cholesky');
    close(() => op.choleskySolve(matrix(known.cholesky), matrix(known.Y)), known.solution, 'choleskySolve');
    close(
      () =>
        op.triangularSolve(matrix(known.cholesky), op.triangularSolve(matrix(known.cholesky), matrix(known.Y)), {
          transpose: true,
        }),
      known.solution,
      'triangularSolve, twice',
    );
    close(() => op.logDeterminant(matrix(known.A)), known.logDeterminant, 'logDeterminant');
    close(
      () => op.gaussianLogDensity(matrix(known.A), { observations: matrix(known.Y) }),
      known.logDensity,
      'density of Y',
    );
    close(
      () => op.gaussianLogDensity(matrix(known.A), { outerProduct: matrix(S), columns }),
      known.logDensity,
      'density of YYᵀ',
    );
    close(() => op.symmetricEigen(matrix(known.A)).values, known.eigenvalues, 'symmetricEigen');
  });

  it('the gradient of the density', () => {
    const gradient = tf.grad((K) => op.gaussianLogDensity(K as Tensor2D, { observations: matrix(known.Y) }));
    close(() => gradient(matrix(known.A)), known.gradient, 'gradient');
    const ofDeterminant = tf.grad((K) => op.logDeterminant(K as Tensor2D));
    close(() => ofDeterminant(matrix(known.A)), known.inverse, 'gradient of logDeterminant');
  });
});

it('takes matrices without rows, and without columns', () => {
  withFloat64(() => {
    const nothing = op.tensor<Tensor2D>([], [0, 0]);
    expect(op.cholesky(nothing).shape).toEqual([0, 0]);
    expect(op.valueOf(op.logDeterminant(nothing))).toBe(0);
    expect(op.symmetricEigen(nothing).values.shape).toEqual([0]);
    expect(op.choleskySolve(nothing, op.tensor<Tensor2D>([], [0, 3])).shape).toEqual([0, 3]);
    expect(op.valueOf(op.gaussianLogDensity(nothing, { observations: op.tensor<Tensor2D>([], [0, 2]) }))).toBeCloseTo(
      0,
    );
    const L = op.tensor<Tensor2D>([[2]]);
    expect(op.triangularSolve(L, op.tensor<Tensor2D>([], [1, 0])).shape).toEqual([1, 0]);
  });
});

it('takes integers', () => {
  withFloat64(() => {
    const A = tf.tensor2d([4, 2, 2, 5], [2, 2], 'int32');
    expect(doublesOf(op.cholesky(A))).toEqual(Float64Array.of(2, 0, 1, 2));
  });
});

describe.each(['cpu', 'wasm'])('the %s backend', (backendName) => {
  beforeAll(async () => {
    setWasmPaths(`${dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'))}/`);
    expect(await tf.setBackend(backendName)).toBe(true);
  });
  afterAll(async () => {
    await tf.setBackend('cpu');
  });

  const n = 40;
  const rounded = (A: Matrix) => new Matrix(A.data.map(Math.fround), A.rows, A.columns);
  const K = rounded(positiveDefiniteMatrix(n));
  const Y = rounded(normalMatrix(n, 3));
  const [k, y] = [() => op.tensor<Tensor2D>(K), () => op.tensor<Tensor2D>(Y)];
  const operations: Record<string, () => Tensor> = {
    cholesky: () => op.cholesky(k()),
    'cholesky gradient': () => tf.grad((x) => op.sum(op.cholesky(x as Tensor2D)))(k()),
    triangularSolve: () => op.triangularSolve(k(), y()),
    'triangularSolve gradient': () =>
      tf.grad((x) => op.sum(op.triangularSolve(x as Tensor2D, y(), { transpose: true })))(k()),
    choleskySolve: () => op.choleskySolve(k(), y()),
    'choleskySolve gradient': () => tf.grad((x) => op.sum(op.choleskySolve(x as Tensor2D, y())))(k()),
    logDeterminant: () => op.logDeterminant(k()),
    'logDeterminant gradient': () => tf.grad((x) => op.logDeterminant(x as Tensor2D))(k()),
    'symmetricEigen values': () => op.symmetricEigen(k()).values,
    'symmetricEigen vectors': () => op.symmetricEigen(k()).vectors,
    'symmetricEigen gradient': () => tf.grad((x) => op.sum(op.square(op.symmetricEigen(x as Tensor2D).values)))(k()),
    gaussianLogDensity: () => op.gaussianLogDensity(k(), { observations: y() }),
    'gaussianLogDensity gradient in K': () =>
      tf.grad((x) => op.gaussianLogDensity(x as Tensor2D, { observations: y() }))(k()),
    'gaussianLogDensity gradient in Y': () =>
      tf.grad((x) => op.gaussianLogDensity(k(), { observations: x as Tensor2D }))(y()),
    'gaussianLogDensity of an outer product': () => op.gaussianLogDensity(k(), { outerProduct: k(), columns: 7 }),
    'gaussianLogDensity of an outer product, gradient': () =>
      tf.grad((x) => op.gaussianLogDensity(x as Tensor2D, { outerProduct: k(), columns: 7 }))(k()),
  };

  it.each(Object.entries(operations))('%s, to float32 precision, leaving nothing behind', (_name, compute) => {
    const { memory64 } = float64Backend();
    const expected = withFloat64(() => doublesOf(compute()));
    const start = [tf.memory().numTensors, memory64.liveBlocks];
    tf.engine().startScope();
    const got = Float64Array.from(compute().dataSync());
    tf.engine().endScope();
    expect([tf.memory().numTensors, memory64.liveBlocks]).toEqual(start);
    expectClose(got, expected, 2e-6);
  });
});
