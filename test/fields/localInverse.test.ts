import { describe, expect, it } from 'vitest';
import { laplacianFactor } from '../../src/engine/sparse/index.ts';
import { localInverse } from '../../src/fields/solvers/localInverse.ts';
import { denseInverse } from '../engine/sparse/dense.ts';
import { completeGraph, denseLaplacian, type pathGraph, randomWeights, rollGraph } from '../engine/sparse/graphs.ts';
import { expectClose } from '../tolerance.ts';

/** S + diag(shift) from a dense covariance. */
function scaledHessian(
  graph: ReturnType<typeof pathGraph>,
  weights: Float64Array,
  shift: Float64Array,
  base: number,
): number[][] {
  const { inverse: U } = denseInverse(denseLaplacian(graph, weights, base));
  const ends = Array.from(graph.sources, (i, e) => [i, graph.targets[e]!] as const);
  const across = ends.map(([i, j]) => ends.map(([k, l]) => U.at(i, k) + U.at(j, l) - U.at(i, l) - U.at(j, k)));
  return across.map((row, e) =>
    row.map((entry, f) => (entry * entry) / (across[e]![e]! * across[f]![f]!) + (e === f ? shift[e]! : 0)),
  );
}

function applied(graph: ReturnType<typeof pathGraph>, weights: Float64Array, shift: Float64Array, base: number) {
  const factor = laplacianFactor(graph);
  factor.update(weights, base);
  const inverse = localInverse(factor, graph, shift);
  return (r: ArrayLike<number>) => {
    const x = new Float64Array(r.length);
    inverse(Float64Array.from(r), x);
    return x;
  };
}

const some = (count: number) => Float64Array.from({ length: count }, (_, e) => Math.sin(1 + 3 * e));

describe('the local inverse of the Hessian', () => {
  it.each([0.01, 5])('is exact on a triangle, where all edges meet, λ = %s', (base) => {
    const graph = completeGraph(3);
    const weights = Float64Array.of(1, 2, 0.7);
    const shift = some(weights.length).map((entry) => 0.1 + 0.05 * entry);
    const A = scaledHessian(graph, weights, shift, base);
    const z = some(weights.length);
    const product = A.map((row) => row.reduce((sum, entry, e) => sum + entry * z[e]!, 0));
    expectClose(applied(graph, weights, shift, base)(product), z, 1e-9);
  });

  it('has rows g with gᵀAg = 1, so that the trace of GᵀGA is the number of edges, even where more edges meet than a row contains', () => {
    const graph = completeGraph(14);
    const weights = randomWeights(graph, 3);
    const shift = some(weights.length).map((entry) => 0.1 + 0.05 * entry);
    const inverse = applied(graph, weights, shift, 0.01);
    const trace = scaledHessian(graph, weights, shift, 0.01).reduce((sum, row, e) => sum + inverse(row)[e]!, 0);
    expectClose(trace, weights.length, 1e-9);
  });

  it('makes the condition number small on a neighborhood graph', () => {
    const graph = rollGraph(60, 4);
    const weights = randomWeights(graph, 5);
    const count = weights.length;
    const shift = new Float64Array(count);
    const A = scaledHessian(graph, weights, shift, 0.01);
    const inverse = applied(graph, weights, shift, 0.01);
    const unit = (e: number) => Float64Array.from({ length: count }, (_, f) => (e === f ? 1 : 0));
    const columns = Array.from({ length: count }, (_, e) => inverse(unit(e)));
    columns.forEach((column, e) => {
      for (let f = 0; f < count; f++)
        expect(Math.abs(column[f]! - columns[f]![e]!)).toBeLessThan(1e-12 * Math.abs(column[e]!));
    });
    const extremes = (apply: (x: Float64Array) => Float64Array) => {
      let x = some(count);
      let value = 0;
      for (let k = 0; k < 3000; k++) {
        const y = apply(x);
        value = Math.hypot(...y);
        x = y.map((entry) => entry / value);
      }
      return value;
    };
    const times = (x: Float64Array) =>
      Float64Array.from(A, (row) => row.reduce((sum, entry, e) => sum + entry * x[e]!, 0));
    const condition = (apply: (x: Float64Array) => Float64Array) => {
      const most = extremes(apply);
      return most / (most - extremes((x) => apply(x).map((entry, e) => most * x[e]! - entry)));
    };
    const without = condition(times);
    const withIt = condition((x) => inverse(times(x)));
    expect(without).toBeGreaterThan(4 * withIt);
    expect(withIt).toBeLessThan(20);
  });
});
