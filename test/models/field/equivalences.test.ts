import { alle, fit, lle, Matrix, mpme } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { completed } from '../../../src/core/progressiveWork.ts';
import { connectedComponents } from '../../../src/engine/graph/connectedComponents.ts';
import {
  nearestLists,
  precisionOf,
  reconstructionFactor,
} from '../../../src/models/spectral/neighborhood/localReconstruction.ts';
import { expectClose } from '../../tolerance.ts';
import { expectColumns, swissRoll } from '../spectral/columns.ts';
import { jacobi } from '../spectral/jacobi.ts';
import { logDeterminantOf, solved } from './dense.ts';

describe('equivalences', () => {
  it('the eigenmap of MPME with λ → 0 is Laplacian eigenmaps on its learned graph', async () => {
    const points = swissRoll(40).map((row) => row.map((entry) => entry / 10));
    const {
      graph: learned,
      latents,
      eigenvalues,
    } = await fit(mpme(points, { basePrecision: 1e-8, slackPenalty: 1, embedding: 'eigenmap' }));
    const { sources, targets, weights } = learned!;
    expect(connectedComponents(learned!).sizes.length).toBe(1);
    expect(Math.max(...weights) / Math.min(...weights)).toBeGreaterThan(5);
    // Lf = μDf by D^−½·L·D^−½·v = μv, f = D^−½·v.
    const W = points.map(() => new Array<number>(40).fill(0));
    weights.forEach((weight, e) => {
      W[sources[e]!]![targets[e]!] = weight;
      W[targets[e]!]![sources[e]!] = weight;
    });
    const degrees = W.map((row) => row.reduce((sum, weight) => sum + weight, 0));
    const { values, vectors } = jacobi(
      W.map((row, i) =>
        row.map((weight, j) => ((i === j ? degrees[i]! : 0) - weight) / Math.sqrt(degrees[i]! * degrees[j]!)),
      ),
    );
    expect(Math.abs(values[0]!)).toBeLessThan(1e-12);
    expectClose(eigenvalues, values.slice(1, 3), 1e-6);
    expectColumns(
      latents,
      vectors.map((row, i) => row.slice(1, 3).map((entry) => entry / Math.sqrt(degrees[i]!))),
      1e-6,
    );
  });

  it("ALLE's log-determinant factorizes", async () => {
    const points = swissRoll(25);
    const gamma = 1e-9;
    const result = await fit(alle(points, { neighbors: 2, basePrecision: gamma }));
    // The last point has no parents: log|MMᵀ + γI| → Σ log m_ii² + log(γ·N) as γ → 0, 1 being the null vector of M.
    const Q = result.precision!();
    const logDeterminant = logDeterminantOf(Q.toArrays());
    const diagonals = (result.objective + 0.5 * 24 * 3 * (Math.log(2 * Math.PI) + 1)) / (3 / 2);
    expectClose(logDeterminant - Math.log(gamma * 25), diagonals, 1e-5);
  });

  it('generalized LLE multiplies the eigenvalues of LLE by D/‖r‖² where all residuals are the same', async () => {
    // A regular pentagon, each point made of its two neighbors, whose mean is cos 72° times as far from the center.
    const pentagon = Array.from({ length: 5 }, (_, i) => {
      const angle = (2 * Math.PI * i) / 5;
      return [Math.cos(angle), Math.sin(angle)];
    });
    const plain = await fit(lle(pentagon, { neighbors: 2, latentDim: 2 }));
    const general = await fit(lle(pentagon, { neighbors: 2, latentDim: 2, generalized: true }));
    const squaredResidual = (1 - Math.cos((2 * Math.PI) / 5)) ** 2;
    expectClose(
      general.eigenvalues!,
      plain.eigenvalues!.map((value) => (2 / squaredResidual) * value),
      1e-9,
    );
    // Lv = (1 − cos 72°)²v for v the coordinates themselves, and (1 − cos 144°)²v for the pentagram's.
    expectClose(plain.eigenvalues!, [squaredResidual, squaredResidual], 1e-9);
  });

  it('generalized LLE normalized is LLE', async () => {
    const points = swissRoll(60);
    const lists = completed(nearestLists(Matrix.from(points), 6));
    const { reconstruction, diagonal, residuals } = reconstructionFactor(Matrix.from(points), lists, 1e-3, false);
    // M of the generalized form, its weights by a solve of their own.
    const M = points.map(() => new Array<number>(60).fill(0));
    points.forEach((y, i) => {
      const own = Array.from(lists[i]!);
      const C = own.map((a) =>
        own.map((b) => y.reduce((sum, entry, d) => sum + (entry - points[a]![d]!) * (entry - points[b]![d]!), 0)),
      );
      const trace = C.reduce((sum, row, a) => sum + row[a]!, 0);
      const weights = solved(
        C.map((row, a) => row.map((entry, b) => entry + (a === b ? 1e-3 * trace : 0))),
        own.map(() => 1),
      );
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const residual = y.map((entry, d) =>
        own.reduce((rest, j, a) => rest - (weights[a]! / total) * points[j]![d]!, entry),
      );
      const squares = residual.reduce((sum, entry) => sum + entry * entry, 0);
      expectClose(residuals[i]!, squares, 1e-8);
      expectClose(diagonal[i]!, Math.sqrt(3 / squares), 1e-8);
      M[i]![i] = Math.sqrt(3 / squares);
      own.forEach((j, a) => {
        M[j]![i] = (-M[i]![i]! * weights[a]!) / total;
      });
    });
    expect(Math.max(...diagonal) / Math.min(...diagonal)).toBeGreaterThan(5);
    const product = (A: number[][]) => A.map((a) => A.map((b) => a.reduce((sum, entry, c) => sum + entry * b[c]!, 0)));
    const generalized = jacobi(product(M));
    const general = await fit(lle(points, { neighbors: 6, generalized: true }));
    expectClose(general.eigenvalues!, generalized.values.slice(1, 3), 1e-8);
    expectColumns(
      general.latents,
      generalized.vectors.map((row) => row.slice(1, 3)),
      1e-8,
    );
    // Column i divided by m_ii.
    const L = product(M.map((row) => row.map((entry, i) => entry / M[i]![i]!)));
    const { pattern, values } = precisionOf({ reconstruction, residuals, diagonal: diagonal.map(() => 1) });
    const sparse = L.map((row) => row.map(() => 0));
    for (let j = 0; j < pattern.size; j++) {
      for (let p = pattern.starts[j]!; p < pattern.starts[j + 1]!; p++) {
        sparse[pattern.rows[p]!]![j] = values[p]!;
        sparse[j]![pattern.rows[p]!] = values[p]!;
      }
    }
    expectClose(sparse.flat(), L.flat(), 1e-10);
    const normalized = jacobi(L);
    const plain = await fit(lle(points, { neighbors: 6 }));
    expectClose(plain.eigenvalues!, normalized.values.slice(1, 3), 1e-8);
    expectColumns(
      plain.latents,
      normalized.vectors.map((row) => row.slice(1, 3)),
      1e-8,
    );
  });
});
