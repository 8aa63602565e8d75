import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInputError, NumericalError } from '../../../src/core/errors.ts';
import { seededRandom } from '../../../src/core/random.ts';
import {
  analyze,
  type EdgeList,
  factorize,
  logDeterminant,
  multiplySparse,
  patternOfGraph,
  type SparseSymmetric,
  selectedInverse,
  solve,
  sparseSymmetric,
} from '../../../src/engine/sparse/index.ts';
import { expectClose } from '../../tolerance.ts';
import { denseInverse, denseOf } from './dense.ts';
import { completeGraph, graphOf, gridGraph, pathGraph, randomGraph, rollGraph, starGraph } from './graphs.ts';

/** Normal entries on the graph, and a diagonal that makes the matrix positive definite. */
function matrixOn(graph: EdgeList, seed = 1): SparseSymmetric {
  const { normal, uniform } = seededRandom(seed);
  const { pattern } = patternOfGraph(graph);
  const values = Float64Array.from(pattern.rows, () => normal());
  const sums = new Float64Array(graph.size);
  for (let j = 0; j < graph.size; j++) {
    for (let p = pattern.starts[j]! + 1; p < pattern.starts[j + 1]!; p++) {
      sums[j]! += Math.abs(values[p]!);
      sums[pattern.rows[p]!]! += Math.abs(values[p]!);
    }
  }
  for (let j = 0; j < graph.size; j++) values[pattern.starts[j]!] = sums[j]! + 0.1 + uniform();
  return { pattern, values };
}

function expectFactor(matrix: SparseSymmetric, order?: Int32Array): void {
  const { pattern, values } = matrix;
  const { inverse, logDeterminant: expected } = denseInverse(denseOf(matrix));
  const factor = factorize(analyze(pattern, order === undefined ? {} : { order }), values);
  expect(Math.abs(logDeterminant(factor) - expected)).toBeLessThan(1e-12 * Math.max(1, Math.abs(expected)));
  const U: number[] = [];
  for (let j = 0; j < pattern.size; j++) {
    for (let p = pattern.starts[j]!; p < pattern.starts[j + 1]!; p++) U.push(inverse.at(pattern.rows[p]!, j));
  }
  expectClose(selectedInverse(factor), U, 1e-12, 'selected inverse');
  const { normal } = seededRandom(2);
  const b = Float64Array.from({ length: pattern.size }, () => normal());
  const x = solve(factor, b);
  const expectedX = Array.from({ length: pattern.size }, (_, i) =>
    inverse.row(i).reduce((s, u, j) => s + u * b[j]!, 0),
  );
  expectClose(x, expectedX, 1e-12, 'solution');
  expect(solve(factor, b, b)).toBe(b);
  expect(b).toEqual(x);
}

describe('a sparse Cholesky factor', () => {
  it.each([
    ['a point', graphOf(1, [])],
    ['points without edges', graphOf(6, [])],
    ['a path', pathGraph(40)],
    ['a star', starGraph(40)],
    ['a complete graph wider than a block', completeGraph(150)],
    ['a grid', gridGraph(13, 17)],
    ['a neighborhood graph', rollGraph(300, 6)],
    [
      'two components and a point',
      graphOf(6, [
        [0, 3],
        [3, 5],
        [1, 4],
      ]),
    ],
  ])('agrees with dense algebra on %s', (_, graph) => {
    expectFactor(matrixOn(graph));
  });

  it('agrees with dense algebra on any graph, in any order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.nat(),
        (n, p, seed) => {
          const matrix = matrixOn(randomGraph(n, p, seed), seed + 1);
          const { integer } = seededRandom(seed);
          const order = Int32Array.from({ length: n }, (_, k) => k);
          for (let k = n - 1; k > 0; k--) {
            const other = integer(k + 1);
            [order[k], order[other]] = [order[other]!, order[k]!];
          }
          expectFactor(matrix);
          expectFactor(matrix, order);
        },
      ),
      { numRuns: 40, seed: 1 },
    );
  });

  it('stores each value of a matrix once, and serves other values with the same analysis', () => {
    const graph = gridGraph(6, 5);
    const symbolic = analyze(patternOfGraph(graph).pattern);
    expect(new Set(symbolic.entries).size).toBe(symbolic.entries.length);
    for (const seed of [1, 2]) {
      const matrix = matrixOn(graph, seed);
      expect(logDeterminant(factorize(symbolic, matrix.values))).toBeCloseTo(
        denseInverse(denseOf(matrix)).logDeterminant,
        11,
      );
    }
  });

  it('names the row and the pivot where a matrix is not positive definite', () => {
    const { pattern, values } = sparseSymmetric(
      3,
      Int32Array.of(0, 1, 2, 0),
      Int32Array.of(0, 1, 2, 1),
      Float64Array.of(1, 1, -4, 0.5),
    );
    const fail = () => factorize(analyze(pattern), values);
    expect(fail).toThrow(NumericalError);
    expect(fail).toThrow('The sparse 3×3 matrix is not positive definite: the pivot of row index 2 is -4');
    const order = Int32Array.of(0, 1, 2);
    expect(() => factorize(analyze(pattern, { order }), Float64Array.of(1, 2, 1, 1))).toThrow(
      'row index 1 is -3 after 1 others',
    );
    expect(() => factorize(analyze(pattern, { order }), Float64Array.of(1, Number.NaN, 1, 1))).toThrow(
      'row index 1 is NaN',
    );
  });

  it('refuses a right-hand side of another length', () => {
    const { pattern, values } = matrixOn(pathGraph(4));
    const factor = factorize(analyze(pattern), values);
    expect(() => solve(factor, new Float64Array(3))).toThrow(InvalidInputError);
    expect(() => solve(factor, new Float64Array(3))).toThrow(
      'The matrix is 4×4, but the right-hand side has 3 entries.',
    );
  });
});

describe('a sparse matrix from its terms', () => {
  it('adds terms of equal position, in either triangle, and has the whole diagonal', () => {
    const A = sparseSymmetric(
      4,
      Int32Array.of(2, 0, 0, 3, 2),
      Int32Array.of(0, 2, 0, 1, 2),
      Float64Array.of(1, 2, 5, -1, 7),
    );
    expect(denseOf(A).toArrays()).toEqual([
      [5, 0, 3, 0],
      [0, 0, 0, -1],
      [3, 0, 7, 0],
      [0, -1, 0, 0],
    ]);
    const y = new Float64Array(4).fill(9);
    multiplySparse(A, Float64Array.of(1, 2, 3, 4), y);
    expect(y).toEqual(Float64Array.of(14, -4, 24, -2));
  });

  it('refuses terms outside of the matrix, and lists that differ in length', () => {
    const one = Int32Array.of(1);
    expect(() => sparseSymmetric(1, one, one, Float64Array.of(1))).toThrow(
      'Term 0 of the sparse 1×1 matrix is at (1, 1)',
    );
    expect(() => sparseSymmetric(2, one, one, new Float64Array(2))).toThrow('1 rows, 1 columns and 2 values');
  });
});

describe('the pattern of a graph', () => {
  it('refuses loops, nodes that are not there, and edges that come twice', () => {
    expect(() => patternOfGraph(graphOf(3, [[1, 1]]))).toThrow('Edge 0 of the graph is (1, 1)');
    expect(() =>
      patternOfGraph(
        graphOf(3, [
          [0, 1],
          [1, 3],
        ]),
      ),
    ).toThrow('Edge 1 of the graph is (1, 3)');
    expect(() =>
      patternOfGraph(
        graphOf(3, [
          [0, 1],
          [1, 0],
        ]),
      ),
    ).toThrow('The edge (0, 1) comes more than once');
  });
});
