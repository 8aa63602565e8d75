import { expect, it } from 'vitest';
import { errorFrom, LatentFieldError, OptimizationError, plainError } from '../../src/core/errors.ts';
import { checkEach, Matrix } from '../../src/core/matrix.ts';
import { savedObservations } from '../../src/core/observations.ts';
import { joinedRows, rowsOf } from '../../src/core/rowMatrices.ts';
import { nearestRow } from '../../src/engine/neighbors/nearest.ts';

const X = Matrix.from([
  [1, 2, 3],
  [4, 5, 6],
]);

it('map makes a matrix of the same shape from entries with their row and column', () => {
  const mapped = X.map((entry, i, j) => 100 * entry + 10 * i + j);
  expect(mapped.toArrays()).toEqual([
    [100, 201, 302],
    [410, 511, 612],
  ]);
  expect(X.at(0, 0)).toBe(1);
  expect(Matrix.zeros(0, 3).map(() => 1).rows).toBe(0);
});

it('an entry that fails a test is named with its row and column', () => {
  expect(checkEach(X, 'Entries are positive', (entry) => entry > 0)).toBe(X);
  expect(() => checkEach(X, 'Entries are at most 5', (entry) => entry <= 5)).toThrow(
    'Entries are at most 5, but entry [1][2] is 6.',
  );
});

it('rows are selected, joined, and found by their distance, the first if tied', () => {
  expect(rowsOf(X, Int32Array.of(1, 0, 1)).toArrays()).toEqual([X.toArrays()[1], X.toArrays()[0], X.toArrays()[1]]);
  expect(joinedRows([X, rowsOf(X, [0])]).toArrays()).toEqual([...X.toArrays(), [1, 2, 3]]);
  expect(nearestRow(joinedRows([X, X]), Float64Array.of(4, 5, 5))).toBe(1);
});

it('saved observations have NaN where a file has null, and none without rows', () => {
  expect(savedObservations({ observations: [[1, null]] })?.toArrays()).toEqual([[1, Number.NaN]]);
  expect(savedObservations({ observations: [] })).toBeUndefined();
  expect(savedObservations({})).toBeUndefined();
});

it('errors keep their class between threads, and others become failures of the thread', () => {
  const sent = (error: unknown) => errorFrom(structuredClone(plainError(error)), 'A worker');
  expect(sent(new OptimizationError('No progress.'))).toBeInstanceOf(OptimizationError);
  const failure = sent(new TypeError('x is undefined'));
  expect(failure.constructor).toBe(LatentFieldError);
  expect(failure.message).toBe('A worker failed: x is undefined');
  expect(sent('thrown text').message).toBe('A worker failed: thrown text');
});
