import { describe, expect, it } from 'vitest';
import { InvalidInputError, NumericalError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { type SymmetricOperator, symmetricEigenpairs, topEigenpairs } from '../../../src/engine/dense/eigenpairs.ts';
import {
  distance,
  fromEntries,
  identity,
  multiply,
  normalMatrix,
  positiveDefiniteMatrix,
  symmetricMatrix,
  transpose,
} from './matrices.ts';

function operatorOf(A: Matrix): SymmetricOperator {
  return (x, y) => {
    for (let i = 0; i < A.rows; i++) {
      let sum = 0;
      for (let j = 0; j < A.columns; j++) sum += A.at(i, j) * x[j]!;
      y[i] = sum;
    }
  };
}

const diagonal =
  (entry: (i: number) => number): SymmetricOperator =>
  (x, y) => {
    for (let i = 0; i < x.length; i++) y[i] = entry(i) * x[i]!;
  };

describe('the largest eigenpairs', () => {
  it.each([
    [1, 1],
    [5, 3],
    [64, 2],
    [65, 1],
    [65, 2],
    [120, 5],
    [257, 3],
    [90, 40],
  ])('agree with the whole decomposition, %i×·, %i pairs', (n, q) => {
    const A = symmetricMatrix(n);
    const all = symmetricEigenpairs(A);
    const { values, vectors } = topEigenpairs(operatorOf(A), n, q);
    const norm = Math.max(Math.abs(all.values[0]!), Math.abs(all.values[n - 1]!));
    for (let j = 0; j < q; j++) {
      expect(Math.abs(values[j]! - all.values[n - 1 - j]!) / norm).toBeLessThan(1e-13);
      const column = all.vectors.column(n - 1 - j);
      const gap = j + 1 < n ? all.values[n - 1 - j]! - all.values[n - 2 - j]! : 1;
      for (let i = 0; i < n; i++) {
        expect(Math.abs(vectors.at(i, j) - column[i]!)).toBeLessThan((1e-12 * norm) / Math.min(gap, 1) + 1e-10);
      }
    }
    expect(distance(multiply(transpose(vectors), vectors), identity(q))).toBeLessThan(1e-13);
  });

  it('come with their multiplicity', () => {
    const values = (operator: SymmetricOperator, n: number, q: number) =>
      Array.from(topEigenpairs(operator, n, q).values);
    expect(
      values(
        diagonal(() => 2),
        200,
        3,
      ),
    ).toEqual([2, 2, 2].map((value) => expect.closeTo(value, 13)));
    // The Laplacian of a ring: all but the two extreme eigenvalues are double.
    const n = 201;
    const ring: SymmetricOperator = (x, y) => {
      for (let i = 0; i < n; i++) y[i] = -(2 * x[i]! - x[(i + 1) % n]! - x[(i + n - 1) % n]!);
    };
    const exact = (k: number) => 2 * Math.cos((2 * Math.PI * k) / n) - 2;
    expect(values(ring, n, 3)).toEqual([0, exact(1), exact(1)].map((value) => expect.closeTo(value, 12)));
  });

  it('of low rank end with zeros', () => {
    const B = normalMatrix(150, 2);
    const A = multiply(B, transpose(B));
    const { values } = topEigenpairs(operatorOf(A), 150, 4);
    const small = symmetricEigenpairs(multiply(transpose(B), B)).values;
    expect(values[0]! / small[1]!).toBeCloseTo(1, 13);
    expect(values[1]! / small[0]!).toBeCloseTo(1, 13);
    expect(Math.abs(values[2]!) + Math.abs(values[3]!)).toBeLessThan(1e-10);
  });

  it('have the largest values, not moduli', () => {
    expect(
      Array.from(
        topEigenpairs(
          diagonal((i) => 3 - i),
          100,
          2,
        ).values,
      ),
    ).toEqual([3, 2].map((v) => expect.closeTo(v, 11)));
  });

  it('depend on the seed in the last digits only, and on nothing else', () => {
    const A = positiveDefiniteMatrix(120);
    const run = (seed: number) => topEigenpairs(operatorOf(A), 120, 2, { seed });
    expect(run(1).vectors.data).toEqual(run(1).vectors.data);
    expect(distance(run(1).vectors, run(2).vectors)).toBeLessThan(1e-9);
  });

  it('need a number of pairs that exists, and finite numbers', () => {
    expect(() =>
      topEigenpairs(
        diagonal(() => 1),
        5,
        6,
      ),
    ).toThrow(InvalidInputError);
    expect(() =>
      topEigenpairs(
        diagonal(() => 1),
        5,
        0,
      ),
    ).toThrow('0 eigenpairs of a matrix of order 5 were requested: request 1 to 5.');
    expect(() =>
      topEigenpairs(
        diagonal(() => Number.NaN),
        100,
        2,
      ),
    ).toThrow(NumericalError);
    expect(() =>
      topEigenpairs(
        diagonal(() => Number.NaN),
        5,
        2,
      ),
    ).toThrow('entry [0][0] is NaN');
  });
});

describe('all eigenpairs of a matrix', () => {
  it('need a square one', () => {
    expect(() => symmetricEigenpairs(Matrix.zeros(2, 3))).toThrow('need a square one, but it is 2×3');
  });

  it('leave the matrix as it was', () => {
    const A = fromEntries(3, 3, (i, j) => i + j);
    const copy = A.data.slice();
    const { values } = symmetricEigenpairs(A);
    expect(A.data).toEqual(copy);
    // Trace 6, sum of principal minors −6, determinant 0.
    expect(Array.from(values)).toEqual([3 - Math.sqrt(15), 0, 3 + Math.sqrt(15)].map((v) => expect.closeTo(v, 13)));
  });
});
