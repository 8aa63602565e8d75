import { fit, isomap, laplacianEigenmaps } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { expectColumns, swissRoll } from './columns.ts';
import { floydWarshall } from './floydWarshall.ts';
import { jacobi } from './jacobi.ts';

const N = 36;
const Y = swissRoll(N);
const radius = 11;
const distances = Y.map((a) => Y.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
const edges: [number, number, number][] = [];
for (let i = 0; i < N; i++) {
  for (let j = i + 1; j < N; j++) if (distances[i]![j]! <= radius) edges.push([i, j, distances[i]![j]!]);
}

/** The q columns from `first` on, each times a factor. */
const columns = (vectors: number[][], chosen: number[], factors: number[]) =>
  vectors.map((row, i) => chosen.map((c, n) => row[c]! * (factors.length === N ? factors[i]! : factors[n]!)));

describe('neighbors within a radius', () => {
  it('are some, not all and not the same number for every point', () => {
    const degrees = Y.map((_, i) => edges.filter(([a, b]) => a === i || b === i).length);
    expect(Math.min(...degrees)).toBeGreaterThan(0);
    expect(Math.max(...degrees)).toBeGreaterThan(Math.min(...degrees) + 3);
    expect(edges.length).toBeLessThan((N * (N - 1)) / 4);
  });

  it.each(['points', 'distances'] as const)('isomap of %s is MDS of shortest paths between them', async (input) => {
    const geodesic = floydWarshall(N, edges);
    const squares = geodesic.map((row) => row.map((length) => length * length));
    const means = squares.map((row) => row.reduce((sum, square) => sum + square, 0) / N);
    const mean = means.reduce((sum, entry) => sum + entry, 0) / N;
    const B = squares.map((row, i) => row.map((square, j) => -0.5 * (square - means[i]! - means[j]! + mean)));
    const { values, vectors } = jacobi(B);
    const result = await fit(isomap(input === 'points' ? Y : distances, { radius, input }));
    const top = [N - 1, N - 2];
    expectClose(
      result.eigenvalues,
      top.map((c) => values[c]!),
      1e-11,
    );
    expectColumns(
      result.latents,
      columns(
        vectors,
        top,
        top.map((c) => Math.sqrt(values[c]!)),
      ),
      1e-10,
    );
  });

  it.each([
    ['binary', true],
    ['binary', false],
    ['heat', true],
    ['heat', false],
  ] as const)(
    'laplacianEigenmaps with %s weights, normalized %s, solves the dense eigenproblem',
    async (weights, normalized) => {
      const width = 6;
      const W = Y.map(() => new Array<number>(N).fill(0));
      for (const [i, j, length] of edges) {
        W[i]![j] = weights === 'heat' ? Math.exp(-(length ** 2) / (2 * width ** 2)) : 1;
        W[j]![i] = W[i]![j]!;
      }
      const degrees = W.map((row) => row.reduce((sum, weight) => sum + weight, 0));
      const metric = normalized ? degrees : degrees.map(() => 1);
      const { values, vectors } = jacobi(
        W.map((row, i) =>
          row.map((weight, j) => ((i === j ? degrees[i]! : 0) - weight) / Math.sqrt(metric[i]! * metric[j]!)),
        ),
      );
      const result = await fit(
        laplacianEigenmaps(Y, { radius, weights, normalized, ...(weights === 'heat' && { width }) }),
      );
      expectClose(result.eigenvalues, values.slice(1, 3), 1e-9);
      expectColumns(
        result.latents,
        columns(
          vectors,
          [1, 2],
          metric.map((entry) => 1 / Math.sqrt(entry)),
        ),
        1e-8,
      );
    },
  );
});
