import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { withEngine } from '../../../src/engine/dense/activeEngine.ts';
import { type EdgeList, laplacianFactor } from '../../../src/engine/sparse/index.ts';
import { float64Backend } from '../../../src/engine/tensors/float64/scope.ts';
import { expectClose } from '../../tolerance.ts';
import { denseInverse } from './dense.ts';
import {
  completeGraph,
  cubeTorus,
  cycleGraph,
  denseLaplacian,
  graphOf,
  gridGraph,
  pathGraph,
  randomGraph,
  randomWeights,
  rollGraph,
  starGraph,
} from './graphs.ts';

const equal = (graph: EdgeList, weight = 1) => new Float64Array(graph.sources.length).fill(weight);

function updated(graph: EdgeList, weights: Float64Array, base: number) {
  const factor = laplacianFactor(graph);
  factor.update(weights, base);
  return factor;
}

/** Largest relative difference of the entries. */
function relativeError(actual: Float64Array, expected: (e: number) => number): number {
  return actual.reduce((worst, value, e) => Math.max(worst, Math.abs(value / expected(e) - 1)), 0);
}

describe('the factor of L(w) + λI', () => {
  it.each([
    ['one point', graphOf(1, [])],
    ['points without edges', graphOf(5, [])],
    ['a path', pathGraph(30)],
    ['a star', starGraph(30)],
    ['a complete graph', completeGraph(90)],
    ['a grid', gridGraph(9, 14)],
    ['a neighborhood graph', rollGraph(250, 6)],
    ['a graph of several components', randomGraph(60, 0.02, 3)],
  ])('agrees with dense algebra on %s', (_, graph) => {
    const weights = randomWeights(graph);
    // Large enough for the dense inverse to be good to twelve digits.
    const base = 3;
    const { inverse: U, logDeterminant } = denseInverse(denseLaplacian(graph, weights, base));
    const factor = updated(graph, weights, base);
    expect(Math.abs(factor.logDeterminant - logDeterminant)).toBeLessThan(
      1e-12 * Math.max(1, Math.abs(logDeterminant)),
    );
    const ends = Array.from(graph.sources, (i, e) => [i, graph.targets[e]!] as const);
    const variance = (i: number) => U.at(i, i);
    expectClose(
      factor.variances(),
      Float64Array.from({ length: graph.size }, (_, i) => variance(i)),
      1e-12,
    );
    expectClose(
      factor.covariances(),
      ends.map(([i, j]) => U.at(i, j)),
      1e-12,
    );
    expectClose(
      factor.resistances(),
      ends.map(([i, j]) => variance(i) + variance(j) - 2 * U.at(i, j)),
      1e-12,
    );
    const b = Float64Array.from({ length: graph.size }, (_, i) => Math.sin(i + 1));
    expectClose(
      factor.solve(b),
      Array.from({ length: graph.size }, (_, i) => U.row(i).reduce((s, u, j) => s + u * b[j]!, 0)),
      1e-12,
    );
  });

  // On a torus R of an edge along a row is (1/N)·Σ 4sin²(θ_k/2)/(4sin²(θ_k/2) + 4sin²(θ_l/2) + λ): sums of positive terms.
  it.each([
    [100, 100, 1e-4],
    [100, 100, 1e-12],
    [7, 31, 1e-4],
    [3, 5, 1e-15],
  ])('has the resistances and the log-determinant of a %i×%i torus, λ = %f, to 13 digits', (rows, columns, base) => {
    const along = (count: number, k: number) => 4 * Math.sin((Math.PI * k) / count) ** 2;
    let [alongRow, alongColumn, logDeterminant, variance] = [0, 0, 0, 0];
    for (let k = 0; k < rows; k++) {
      for (let l = 0; l < columns; l++) {
        const eigenvalue = along(rows, k) + along(columns, l) + base;
        alongRow += along(columns, l) / eigenvalue / (rows * columns);
        alongColumn += along(rows, k) / eigenvalue / (rows * columns);
        variance += 1 / eigenvalue / (rows * columns);
        logDeterminant += Math.log(eigenvalue);
      }
    }
    const graph = gridGraph(rows, columns, true);
    const factor = updated(graph, equal(graph), base);
    expect(relativeError(factor.resistances(), (e) => (e % 2 === 0 ? alongRow : alongColumn))).toBeLessThan(1e-13);
    expect(relativeError(factor.variances(), () => variance)).toBeLessThan(1e-13);
    expect(Math.abs(factor.logDeterminant / logDeterminant - 1)).toBeLessThan(1e-13);
  });

  it.each(['typescript', 'wasm'] as const)(
    'has resistances of a torus in three dimensions, with its large blocks, by the %s engine',
    (choice) => {
      const side = 11;
      const base = 1e-6;
      const along = Array.from({ length: side }, (_, k) => 4 * Math.sin((Math.PI * k) / side) ** 2);
      let [resistance, logDeterminant] = [0, 0];
      for (const x of along) {
        for (const y of along) {
          for (const z of along) {
            resistance += (x + y + z) / 3 / (x + y + z + base) / side ** 3;
            logDeterminant += Math.log(x + y + z + base);
          }
        }
      }
      const graph = cubeTorus(side);
      withEngine(float64Backend().memory64, choice, () => {
        const factor = updated(graph, equal(graph), base);
        expect(relativeError(factor.resistances(), () => resistance)).toBeLessThan(1e-13);
        expect(Math.abs(factor.logDeterminant / logDeterminant - 1)).toBeLessThan(1e-13);
      });
    },
  );

  it('has resistance 1/w on the edges of a tree, less one part in N·λ/w', () => {
    const graph = pathGraph(2000);
    const weights = randomWeights(graph, 5);
    const R = updated(graph, weights, 1e-20).resistances();
    expect(relativeError(R, (e) => 1 / weights[e]!)).toBeLessThan(1e-14);
  });

  it('has resistance (n − 1)/(n·w) on the edges of a cycle, and 2/(n·w) on the edges of a complete graph', () => {
    const cycle = cycleGraph(501);
    expect(relativeError(updated(cycle, equal(cycle, 3), 1e-20).resistances(), () => 500 / 501 / 3)).toBeLessThan(
      1e-13,
    );
    const complete = completeGraph(120);
    expect(relativeError(updated(complete, equal(complete, 3), 1e-20).resistances(), () => 2 / 360)).toBeLessThan(
      1e-13,
    );
  });

  it('keeps its digits when weights differ by sixteen orders of magnitude', () => {
    // Two edges in series between ends of a third: R of the third is 1/(w + ab/(a + b)).
    const graph = graphOf(3, [
      [0, 1],
      [0, 2],
      [1, 2],
    ]);
    const [a, b, w] = [1e8, 1e-8, 3e-8];
    const R = updated(graph, Float64Array.of(a, w, b), 1e-30).resistances();
    const pair = (x: number, y: number, z: number) => 1 / (x + (y * z) / (y + z));
    expect(relativeError(R, (e) => [pair(a, w, b), pair(w, a, b), pair(b, a, w)][e]!)).toBeLessThan(1e-14);
  });

  it.each([1e-4, 1e-10])('adds up: Σ w_e·R_e + λ·tr U = N on a neighborhood graph, λ = %f', (base) => {
    const graph = rollGraph(3000, 6);
    const weights = randomWeights(graph, 4);
    const factor = updated(graph, weights, base);
    const edges = factor.resistances().reduce((sum, R, e) => sum + weights[e]! * R, 0);
    const ground = factor.variances().reduce((sum, u) => sum + base * u, 0);
    expect(Math.abs((edges + ground) / 3000 - 1)).toBeLessThan(1e-13);
  });

  it('has R_e = ∂log|Q|/∂w_e, by differences', () => {
    const graph = rollGraph(200, 5);
    const weights = randomWeights(graph, 7);
    const factor = updated(graph, weights, 0.01);
    const R = factor.resistances();
    for (const e of [0, 57, 311]) {
      const step = 1e-3 * weights[e]!;
      const at = (shift: number) => {
        const moved = weights.slice();
        moved[e]! += shift;
        factor.update(moved, 0.01);
        return factor.logDeterminant;
      };
      const slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      expect(Math.abs(slope / R[e]! - 1)).toBeLessThan(1e-8);
    }
  });

  it('has the derivative of R along any direction, and is then as it was', () => {
    const graph = rollGraph(150, 5);
    const weights = randomWeights(graph, 3);
    weights[4] = 0;
    const direction = Float64Array.from(weights, (_, e) => Math.cos(e));
    const { inverse: U } = denseInverse(denseLaplacian(graph, weights, 0.3));
    const ends = Array.from(graph.sources, (i, e) => [i, graph.targets[e]!] as const);
    const wanted = ends.map(([i, j]) =>
      ends.reduce(
        (sum, [k, l], f) => sum + direction[f]! * (U.at(i, k) + U.at(j, l) - U.at(i, l) - U.at(j, k)) ** 2,
        0,
      ),
    );
    const factor = updated(graph, weights, 0.3);
    const before = factor.resistances();
    const b = Float64Array.from({ length: 150 }, (_, i) => Math.sin(i));
    const solution = factor.solve(b);
    expectClose(factor.resistanceDecrease(direction), wanted, 5e-6);
    expect(factor.resistances()).toEqual(before);
    expect(factor.solve(b)).toEqual(solution);
    expect(factor.resistanceDecrease(new Float64Array(weights.length))).toEqual(new Float64Array(weights.length));
  });

  it('shows all resistances within fronts that cover every edge', () => {
    const graph = rollGraph(150, 5);
    const weights = randomWeights(graph, 3);
    const { inverse: U } = denseInverse(denseLaplacian(graph, weights, 0.3));
    const key = (i: number, j: number) => Math.min(i, j) * 150 + Math.max(i, j);
    const uncovered = new Set(Array.from(graph.sources, (i, e) => key(i, graph.targets[e]!)));
    let columns = 0;
    updated(graph, weights, 0.3).eachFront(({ size, nodes, columns: own, resistances }) => {
      columns += own;
      for (let a = 0; a < size; a++) {
        for (let c = 0; c < size; c++) {
          const [i, j] = [nodes[a]!, nodes[c]!];
          uncovered.delete(key(i, j));
          const wanted = U.at(i, i) + U.at(j, j) - 2 * U.at(i, j);
          expect(Math.abs(resistances[a * size + c]! - wanted)).toBeLessThan(1e-12);
        }
      }
    });
    expect(columns).toBe(150);
    expect(uncovered.size).toBe(0);
  });

  it('leaves edges of weight 0 out: points apart have variance 1/λ, and R_e = 2/λ across', () => {
    const graph = pathGraph(3);
    const factor = updated(graph, Float64Array.of(0, 2), 0.5);
    expectClose(factor.variances(), [2, 1.1111111111111112, 1.1111111111111112], 1e-15);
    expectClose(factor.resistances(), [2 + 1.1111111111111112, 1 / 2.25], 1e-15);
  });

  it('is updated as if it were new, and gives the same bits', () => {
    const graph = rollGraph(400, 6);
    const factor = updated(graph, randomWeights(graph, 1), 1e-3);
    factor.resistances();
    factor.update(randomWeights(graph, 2), 1e-4);
    const fresh = updated(graph, randomWeights(graph, 2), 1e-4);
    expect(factor.logDeterminant).toBe(fresh.logDeterminant);
    expect(factor.resistances()).toEqual(fresh.resistances());
  });

  it('takes edges in any order and direction', () => {
    const sorted = updated(
      graphOf(4, [
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
      Float64Array.of(1, 2, 3),
      0.1,
    ).resistances();
    const mixed = updated(
      graphOf(4, [
        [3, 2],
        [1, 0],
        [2, 1],
      ]),
      Float64Array.of(3, 1, 2),
      0.1,
    ).resistances();
    expect([mixed[1], mixed[2], mixed[0]]).toEqual([...sorted]);
  });

  it('refuses weights and bases that it cannot use, and results before there are weights', () => {
    const factor = laplacianFactor(pathGraph(3));
    expect(() => factor.resistances()).toThrow('call update(weights, base) first');
    expect(() => factor.logDeterminant).toThrow(InvalidInputError);
    expect(() => factor.update(Float64Array.of(1), 1)).toThrow('2 edges, but 1 weight was given');
    expect(() => factor.update(Float64Array.of(1, -2), 1)).toThrow('Weight 1 of the graph is -2');
    expect(() => factor.update(Float64Array.of(1, Number.NaN), 1)).toThrow('Weight 1 of the graph is NaN');
    expect(() => factor.update(Float64Array.of(1, 2), 0)).toThrow('The base precision is 0');
  });
});
