import { InvalidInputError, seededRandom } from 'latentfield';
import { SparseMatrix } from 'latentfield/core';
import { sparseNeighbors, sparsePrincipalComponents } from 'latentfield/numerics';
import { describe, expect, it } from 'vitest';
import { parseMatrixMarket } from '../../../src/app/io/matrixMarket.ts';
import { nearestNeighbors } from '../../../src/engine/neighbors/index.ts';
import { reference } from '../../reference.ts';

interface Case {
  readonly text: string;
  readonly indptr: number[];
  readonly indices: number[];
  readonly data: number[];
  readonly columns: number;
  readonly eigenvalues: number[];
  readonly scores: number[][];
  readonly neighbors: Record<'euclidean' | 'cosine', { distances: number[][]; indices: number[][] }>;
}
const cases = Object.entries(reference<Record<string, Case>>('sparse.json'));
const read = (text: string) => parseMatrixMarket(new TextEncoder().encode(text), 'given.mtx');

describe.each(cases)('a sparse table, %s', (_, given) => {
  const Y = read(given.text);

  it('is read as SciPy reads it', () => {
    expect(Array.from(Y.starts)).toEqual(given.indptr);
    expect(Array.from(Y.indices)).toEqual(given.indices);
    expect(Array.from(Y.values)).toEqual(given.data);
    expect(Y.columns).toBe(given.columns);
    const back = Y.transposed().transposed();
    expect(back).toEqual(Y);
  });

  it('has the principal components of scikit-learn, to 1e-9', () => {
    const found = sparsePrincipalComponents(Y, 4);
    given.eigenvalues.forEach((value, c) => {
      expect(Math.abs(found.eigenvalues[c]! / value - 1)).toBeLessThan(1e-9);
      const sign = Math.sign(given.scores[0]![c]! * found.scores.at(0, c));
      given.scores.forEach((row, i) => {
        expect(Math.abs(sign * found.scores.at(i, c) - row[c]!)).toBeLessThan(1e-9 * Math.sqrt(value));
      });
    });
    const again = found.project(Y);
    expect(again.data.every((entry, k) => Math.abs(entry - found.scores.data[k]!) < 1e-10)).toBe(true);
  });

  it.each(['euclidean', 'cosine'] as const)('has the neighbors of scikit-learn by the metric %s', (metric) => {
    const { indices, distances } = sparseNeighbors(Y, 6, { metric });
    const wanted = given.neighbors[metric];
    wanted.distances.flat().forEach((distance, p) => {
      expect(Math.abs(distances[p]! - distance)).toBeLessThan(1e-7);
    });
    expect(Array.from(indices)).toEqual(wanted.indices.flat());
  });

  it('has the neighbors of the same table with its zeros', () => {
    const dense = nearestNeighbors(Y.toDense(), 6);
    const found = sparseNeighbors(Y, 6);
    expect(found.indices).toEqual(dense.indices);
    found.distances.forEach((distance, p) => {
      expect(distance).toBeCloseTo(dense.distances[p]!, 12);
    });
  });
});

it('neighbors of equal rows have lower numbers first', () => {
  const random = seededRandom(4);
  const rows = Array.from({ length: 20 }, (_, i) => (i % 2 ? [1, 0, 2] : [random.integer(2), 1, 0]));
  const starts = [0];
  const [indices, values]: [number[], number[]] = [[], []];
  for (const row of rows) {
    row.forEach((y, j) => {
      if (y !== 0) {
        indices.push(j);
        values.push(y);
      }
    });
    starts.push(indices.length);
  }
  const Y = new SparseMatrix({
    ...{ rows: 20, columns: 3, starts: Int32Array.from(starts) },
    ...{ indices: Int32Array.from(indices), values: Float64Array.from(values) },
  });
  expect(sparseNeighbors(Y, 3).indices).toEqual(nearestNeighbors(rows, 3).indices);
});

describe('Matrix Market', () => {
  it('symmetric, skew-symmetric, pattern and array forms are filled in', () => {
    const head = '%%MatrixMarket matrix';
    expect(
      read(`${head} coordinate integer symmetric\n% a comment\n2 2 2\n1 1 3\n2 1 4\n`).toDense().toArrays(),
    ).toEqual([
      [3, 4],
      [4, 0],
    ]);
    expect(read(`${head} coordinate real skew-symmetric\n2 2 1\n2 1 4e0\n`).toDense().toArrays()).toEqual([
      [0, -4],
      [4, 0],
    ]);
    expect(read(`${head} coordinate pattern general\n2 3 2\n1 3\n2 1\n`).toDense().toArrays()).toEqual([
      [0, 0, 1],
      [1, 0, 0],
    ]);
    expect(read(`${head} array real general\n2 2\n1\n0\n3\n4\n`).toDense().toArrays()).toEqual([
      [1, 3],
      [0, 4],
    ]);
    expect(read(`${head} array real symmetric\n2 2\n1\n5\n3\n`).toDense().toArrays()).toEqual([
      [1, 5],
      [5, 3],
    ]);
  });

  it.each([
    ['a,b\n1,2\n', /line 1 is not a Matrix Market file/],
    ['%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n', /'complex' numbers/],
    [
      '%%MatrixMarket matrix coordinate real general\n2 2\n',
      /line 2 must contain the numbers of rows, columns and entries/,
    ],
    ['%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 4\n', /line 3 names row 3, column 1 of a 2×2/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 4\n', /line 3 names row 0/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n', /announces 2 entries, but contains 1/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 4\n2 1 4\n', /line 4 is entry 2 of 1/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n1 1 5\n', /row 1, column 1 \(from 1\) twice/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 x\n', /line 3 must contain row, column and value/],
    ['%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e999\n', /line 3 must contain/],
    ['%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n', /symmetric matrix is square/],
  ])('%j is refused', (text, message) => {
    expect(() => read(text)).toThrow(InvalidInputError);
    expect(() => read(text)).toThrow(message);
  });
});

it('mismatched compressed rows and invalid components and metrics are refused', () => {
  const parts = {
    rows: 2,
    columns: 2,
    starts: Int32Array.of(0, 1, 2),
    indices: Int32Array.of(0, 1),
    values: Float64Array.of(1, 2),
  };
  const Y = new SparseMatrix(parts);
  expect(() => new SparseMatrix({ ...parts, starts: Int32Array.of(0, 2) })).toThrow(/3 starts/);
  expect(() => new SparseMatrix({ ...parts, indices: Int32Array.of(0, 2) })).toThrow(/column index 2/);
  expect(() => new SparseMatrix({ ...parts, starts: Int32Array.of(0, 2, 2), indices: Int32Array.of(1, 0) })).toThrow(
    /rise/,
  );
  expect(() => new SparseMatrix({ ...parts, values: Float64Array.of(1, Number.NaN) })).toThrow(/NaN at \[1\]/);
  expect(() => sparsePrincipalComponents(Y, 2)).toThrow(/from 1 to 1/);
  expect(() => sparsePrincipalComponents([[1, 2]] as never, 1)).toThrow(/a SparseMatrix/);
  expect(() => sparseNeighbors(Y, 2)).toThrow(InvalidInputError);
  expect(() => sparseNeighbors(Y, 1, { metric: 'jaccard' as 'cosine' })).toThrow(/'euclidean' or 'cosine'/);
  const empty = new SparseMatrix({ ...parts, starts: Int32Array.of(0, 2, 2), indices: Int32Array.of(0, 1) });
  expect(() => sparseNeighbors(empty, 1, { metric: 'cosine' })).toThrow(/Row index 1 is 0 throughout/);
});
