import { describe, expect, it } from 'vitest';
import { InvalidInputError, NumericalError } from '../../../src/core/errors.ts';
import { Matrix } from '../../../src/core/matrix.ts';
import { symmetricEigenpairs } from '../../../src/engine/dense/eigenpairs.ts';
import { bottomEigenpairs, type EdgeList, laplacianFactor } from '../../../src/engine/sparse/index.ts';
import { expectClose } from '../../tolerance.ts';
import { cycleGraph, denseLaplacian, graphOf, gridGraph, pathGraph, randomWeights, rollGraph } from './graphs.ts';

const ones = (size: number) => new Float64Array(size).fill(1);

function factorOf(graph: EdgeList, weights: Float64Array, base: number) {
  const factor = laplacianFactor(graph);
  factor.update(weights, base);
  return factor;
}

describe('the bottom eigenpairs', () => {
  it('of a path of 3000 points are its cosines', () => {
    const n = 3000;
    const shift = 1e-7;
    const { solve } = factorOf(pathGraph(n), ones(n - 1), shift);
    const { values, vectors } = bottomEigenpairs(n, solve, 3, { shift, known: [ones(n)] });
    for (let k = 1; k <= 3; k++) {
      const expected = 4 * Math.sin((Math.PI * k) / (2 * n)) ** 2;
      expect(Math.abs(values[k - 1]! / expected - 1)).toBeLessThan(1e-9);
      // The entries of largest modulus are those at the ends: the first is positive, as it is in the cosine.
      const cosine = Float64Array.from(
        { length: n },
        (_, i) => Math.sqrt(2 / n) * Math.cos((Math.PI * k * (i + 0.5)) / n),
      );
      const v = vectors.column(k - 1);
      const sign = Math.sign(v[0]!);
      expectClose(
        v,
        cosine.map((value) => sign * value),
        1e-8,
        `vector ${k}`,
      );
    }
  });

  it('of a cycle come twice', () => {
    const n = 400;
    const { solve } = factorOf(cycleGraph(n), ones(n), 1e-6);
    const { values, vectors } = bottomEigenpairs(n, solve, 5, { shift: 1e-6 });
    const expected = [0, 1, 1, 2, 2].map((k) => 4 * Math.sin((Math.PI * k) / n) ** 2);
    expectClose(values, expected, 1e-11);
    for (let j = 1; j < 5; j++) {
      const sine = vectors
        .column(j)
        .reduce((sum, v, i) => sum + v * Math.sin((2 * Math.PI * expectedMode(j) * i) / n), 0);
      const cosine = vectors
        .column(j)
        .reduce((sum, v, i) => sum + v * Math.cos((2 * Math.PI * expectedMode(j) * i) / n), 0);
      expect((sine ** 2 + cosine ** 2) * (2 / n)).toBeCloseTo(1, 10);
    }
  });

  it('of L·v = μ·D·v agree with the dense matrix D^−½·L·D^−½', () => {
    const graph = rollGraph(300, 6);
    const weights = randomWeights(graph, 3);
    const degree = denseLaplacian(graph, weights, 0);
    const metric = Float64Array.from({ length: 300 }, (_, i) => degree.at(i, i));
    const base = 1e-3;
    const dense = Matrix.zeros(300, 300);
    const Q = denseLaplacian(graph, weights, base);
    for (let i = 0; i < 300; i++) {
      for (let j = 0; j < 300; j++) dense.data[i * 300 + j] = Q.at(i, j) / Math.sqrt(metric[i]! * metric[j]!);
    }
    const all = symmetricEigenpairs(dense);
    const { values, vectors } = bottomEigenpairs(300, factorOf(graph, weights, base).solve, 4, { metric });
    expectClose(values, all.values.slice(0, 4), 1e-12);
    for (let j = 0; j < 4; j++) {
      const v = vectors.column(j);
      expect(v.reduce((sum, value, i) => sum + metric[i]! * value * value, 0)).toBeCloseTo(1, 12);
      const largest = v.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
      expect(largest).toBeGreaterThan(0);
      const expected = all.vectors.column(j).map((value, i) => value / Math.sqrt(metric[i]!));
      const sign = Math.sign(expected.reduce((sum, value, i) => sum + value * v[i]!, 0));
      expectClose(
        v,
        expected.map((value) => sign * value),
        1e-9,
      );
    }
  });

  it('leave out a null vector for each component', () => {
    const paths = graphOf(
      150,
      Array.from({ length: 149 }, (_, i) => [i, i + 1] as const).filter(([i]) => i !== 69),
    );
    const first = Float64Array.from({ length: 150 }, (_, i) => (i < 70 ? 1 : 0));
    const both = ones(150);
    const { solve } = factorOf(paths, ones(148), 1e-8);
    const { values, vectors } = bottomEigenpairs(150, solve, 2, { shift: 1e-8, known: [both, first] });
    expectClose(
      values,
      [80, 70].map((n) => 4 * Math.sin(Math.PI / (2 * n)) ** 2),
      1e-10,
    );
    for (const known of [both, first]) {
      for (const j of [0, 1]) {
        expect(Math.abs(vectors.column(j).reduce((sum, v, i) => sum + v * known[i]!, 0))).toBeLessThan(1e-12);
      }
    }
  });

  it('are the same bits every time, for one seed', () => {
    const graph = gridGraph(20, 31);
    const weights = randomWeights(graph);
    const run = () => bottomEigenpairs(graph.size, factorOf(graph, weights, 1e-3).solve, 3);
    expect(run()).toEqual(run());
  });

  it('refuse more pairs than there are, and a metric that is not positive', () => {
    const { solve } = factorOf(pathGraph(5), ones(4), 1);
    expect(() => bottomEigenpairs(5, solve, 5, { known: [ones(5)] })).toThrow(InvalidInputError);
    expect(() => bottomEigenpairs(5, solve, 5, { known: [ones(5)] })).toThrow('ask for 1 to 4');
    expect(() => bottomEigenpairs(5, solve, 1, { metric: Float64Array.of(1, 1, 0, 1, 1) })).toThrow(
      'Entry 2 of the metric is 0',
    );
    expect(() => bottomEigenpairs(5, solve, 1, { metric: ones(4) })).toThrow('The metric has 4 numbers');
    expect(() => bottomEigenpairs(5, (_, x) => x.fill(Number.NaN), 1)).toThrow(NumericalError);
  });
});

const expectedMode = (j: number) => (j < 3 ? 1 : 2);
