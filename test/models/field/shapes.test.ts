import {
  completeGraph,
  drill,
  evaluate,
  fit,
  InvalidInputError,
  knnGraph,
  Matrix,
  meu,
  seededRandom,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { float64Backend } from '../../../src/engine/tensors/float64/scope.ts';
import { fieldFactor } from '../../../src/fields/density/fieldDensity.ts';
import { momentFindings } from '../../../src/fields/density/momentSearch.ts';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from '../spectral/columns.ts';

function normals(points: number, columns: number, seed = 7): number[][] {
  const { normal } = seededRandom(seed);
  return Array.from({ length: points }, () => Array.from({ length: columns }, () => normal()));
}

describe('a sparse field', () => {
  it('of two far clouds is joined by their shortest edge, and reports it', async () => {
    const near = swissRoll(210);
    const far = swissRoll(230).map(([x, y, z]) => [x! + 1000, y!, z!]);
    const result = await fit(meu([...near, ...far], { neighbors: 5, scale: false }));
    expect(result.status).toBe('converged');
    expect(result.message).toContain(
      'is connected. The candidate edges leave 2 components. The shortest edge between them joins them.',
    );
    const { sources, targets } = result.graph!;
    const across = Array.from(sources.keys()).filter((e) => sources[e]! < 210 && targets[e]! >= 210);
    expect(across).toHaveLength(1);
    const distance = (i: number, j: number) => near[i]!.reduce((sum, x, d) => sum + (x - far[j]![d]!) ** 2, 0);
    const all = near.flatMap((_, i) => far.map((_, j) => distance(i, j)));
    expect(distance(sources[across[0]!]!, targets[across[0]!]! - 210)).toBe(Math.min(...all));
    expect(result.diagnostics.kktResidual).toBeLessThan(1e-11);
  });

  it('of many dimensions, whose factor fills, needs no dense array for its evaluations either', async () => {
    const Y = normals(600, 30);
    const graph = knnGraph(Matrix.from(Y), 10);
    // By its fill alone such a factor would be dense.
    expect(fieldFactor(graph).sparse).toBe(false);
    const { memory64 } = float64Backend();
    memory64.resetPeak();
    const { objective } = evaluate(meu(Y, { neighbors: 10, basePrecision: 1e-4 }), {});
    expectClose(objective, 15 * 600 * Math.log(1e-4), 1e-12);
    expect(memory64.peakBytes).toBeLessThan(8 * 600 * 600);
  });
});

describe('drill without a penalty', () => {
  it('has the moments of the observations at its edges, and no entries elsewhere', async () => {
    const Y = normals(40, 12);
    const result = await fit(drill(Y, { neighbors: 3, penalty: 0 }));
    expect(result.status).toBe('converged');
    expect(result.diagnostics.iterations).toBeLessThan(100);
    const means = Y[0]!.map((_, d) => Y.reduce((sum, row) => sum + row[d]!, 0) / 40);
    const moment = (i: number, j: number) =>
      Y[i]!.reduce((sum, entry, d) => sum + (entry - means[d]!) * (Y[j]![d]! - means[d]!), 0) / 12;
    const { sources, targets } = knnGraph(Matrix.from(Y), 3);
    const covariance = result.covariance!();
    const precision = result.precision!();
    const joined = new Set(Array.from(sources, (i, e) => i * 40 + targets[e]!));
    for (let i = 0; i < 40; i++) {
      for (let j = i; j < 40; j++) {
        if (i === j || joined.has(i * 40 + j)) expect(Math.abs(covariance.at(i, j) - moment(i, j))).toBeLessThan(1e-8);
        else expect(precision.at(i, j)).toBe(0);
      }
    }
  });

  it('is refused where points that are all neighbors are more than the columns', () => {
    const Y = normals(30, 3);
    expect(() => drill(Y, { neighbors: 10, penalty: 0 })).toThrow(InvalidInputError);
    expect(() => drill(Y, { neighbors: 10, penalty: 0 })).toThrow(
      /no maximum.*4 points that are all joined.*3 columns/,
    );
    expect(() => drill(Y, { neighbors: 'all', penalty: 0 })).toThrow(/no maximum/);
    expect(() => drill(Y, { neighbors: 10, penalty: 0.1 })).not.toThrow();
  });

  it.each([
    ['fewer', 12],
    ['as many', 20],
    ['more', 40],
  ])('is refused where all points are neighbors, %s than there are columns (N = 20, D = %i)', (_, columns) => {
    const Y = normals(20, columns);
    for (const neighbors of ['all', 19] as const) {
      expect(() => drill(Y, { neighbors, penalty: 0 })).toThrow(InvalidInputError);
      expect(() => drill(Y, { neighbors, penalty: 0 })).toThrow(
        columns < 20 ? /13 points that are all joined/ : /all 20 points are joined.*sum of all points/,
      );
    }
    expect(() => drill(Y, { neighbors: 'all', penalty: 1e-6 })).not.toThrow();
  });

  it('is not converged where the gradient vanishes on the way to no maximum', () => {
    // S = [[1, −1], [−1, 1]]: W = S + ε·11ᵀ has an excess of ε, and log|Θ| grows as ε falls.
    const along = 1 / (4 * 1e-9);
    const problem = {
      ...completeGraph(2),
      variances: Float64Array.of(1, 1),
      covariances: Float64Array.of(-1),
      penalty: 0,
    };
    const entries = {
      diagonal: Float64Array.of(0.25 + along, 0.25 + along),
      edges: Float64Array.of(along - 0.25),
    };
    const { kktResidual, message } = momentFindings(problem, entries);
    expect(kktResidual).toBeLessThan(1e-8);
    expect(message).toMatch(/grown to 2\.5e\+8 times .* without bound: with penalty 0 the density seems to have no/);
  });

  it('calls it converged where points are near each other, but less so than rounding', async () => {
    const Y = normals(30, 12);
    Y[1] = Y[0]!.map((entry, d) => entry + 1e-2 * Y[1]![d]!);
    const result = await fit(drill(Y, { neighbors: 3, penalty: 0 }));
    const means = Y[0]!.map((_, d) => Y.reduce((sum, row) => sum + row[d]!, 0) / 30);
    const moment = Y[0]!.reduce((sum, entry, d) => sum + (entry - means[d]!) * (Y[1]![d]! - means[d]!), 0) / 12;
    expect(result.status).toBe('converged');
    expect(result.precision!().at(0, 0) * moment).toBeGreaterThan(1e3);
    expectClose(result.covariance!().at(0, 1), moment, 1e-8);
  });

  it('is refused early where the Hessian would not fit', () => {
    const large = normals(3000, 3);
    expect(() => drill(large, { neighbors: 10, penalty: 0 })).toThrow(InvalidInputError);
    expect(() => drill(large, { neighbors: 10, penalty: 0 })).toThrow(
      /up to 12000 .*, but 3000 points and, at penalty 0, \d{5} pairs of neighbors have \d{5} or more/,
    );
    expect(() => drill(normals(160, 300), { neighbors: 'all', penalty: 0 })).toThrow(/12720 pairs of neighbors/);
  });
});

describe('drill with a penalty', () => {
  it('counts the entries that differ from 0, not the covariances above the penalty', () => {
    const Y = normals(300, 5);
    for (const neighbors of ['all', 299] as const) expect(() => drill(Y, { neighbors })).not.toThrow();
    expect(() => drill(normals(12_001, 2), { neighbors: 1 })).toThrow(
      /up to 12000 .*, but 12001 points have 12001 or more/,
    );
  });
});
