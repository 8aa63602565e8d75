import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { standardizationOf, standardized } from '../../../src/core/observations.ts';
import { isSearched, symmetricEigenpairs } from '../../../src/engine/dense/eigenpairs.ts';
import { principalAxes } from '../../../src/engine/dense/principalComponents.ts';
import { distance, fromEntries, identity, multiply, normalMatrix, transpose } from './matrices.ts';

/** Columns of falling deviations, so that directions have gaps. */
function observations(N: number, D: number): Matrix {
  const { data } = normalMatrix(N, D);
  const Y = new Matrix(
    data.map((entry, k) => entry / (1 + (k % D))),
    N,
    D,
  );
  return standardized(Y, standardizationOf(Y, true, false));
}

describe('principal axes', () => {
  it('point to where the largest score is, in any unit', () => {
    for (const unit of [1, 1e-3, 1e3]) {
      const Y = observations(60, 20);
      const { scores } = principalAxes(
        new Matrix(
          Y.data.map((entry) => unit * entry),
          60,
          20,
        ),
        4,
      );
      for (let c = 0; c < 4; c++) {
        const column = scores.column(c);
        const largest = column.reduce((most, entry) => (Math.abs(entry) > Math.abs(most) ? entry : most));
        expect(largest).toBeGreaterThan(0);
      }
    }
  });

  it.each([
    [300, 90, 3],
    [300, 90, 12],
    [90, 300, 3],
    [90, 300, 12],
    [2100, 70, 30],
  ])('of %i×%i observations, %i of them, are the singular vectors', (N, D, q) => {
    const Y = observations(N, D);
    const { eigenvalues, scores, axes } = principalAxes(Y, q);
    const all = symmetricEigenpairs(D > N ? multiply(Y, transpose(Y)) : multiply(transpose(Y), Y));
    const n = all.values.length;
    for (let c = 0; c < q; c++) {
      expect(Math.abs(eigenvalues[c]! * N - all.values[n - 1 - c]!)).toBeLessThan(1e-12 * all.values[n - 1]!);
    }
    expect(distance(multiply(transpose(axes), axes), identity(q))).toBeLessThan(1e-12);
    // YᵀYv = N·λ·v, and scores are Yv.
    expect(distance(multiply(Y, axes), scores)).toBeLessThan(1e-11);
    const scaled = fromEntries(D, q, (j, c) => N * eigenvalues[c]! * axes.at(j, c));
    expect(distance(multiply(transpose(Y), scores), scaled)).toBeLessThan(1e-11 * N * eigenvalues[0]!);
  });

  it('are searched for when few are requested, and all computed for many', () => {
    expect([
      isSearched(64, 1),
      isSearched(100, 4),
      isSearched(100, 5),
      isSearched(1000, 15),
      isSearched(1000, 16),
      isSearched(1000, 41, 24),
      isSearched(1000, 42, 24),
      isSearched(5000, 1600),
      isSearched(5000, 1700),
    ]).toEqual([false, true, false, true, false, true, false, true, false]);
  });
});
