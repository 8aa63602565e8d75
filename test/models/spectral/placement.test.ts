import {
  alle,
  classicalMds,
  drill,
  type Fit,
  fit,
  InvalidInputError,
  isomap,
  laplacianEigenmaps,
  lle,
  loadFit,
  type Model,
  mvu,
} from 'latentfield';
import type { AnyPaths, Placing } from 'latentfield/model';
import { describe, expect, it } from 'vitest';
import { joiningEntries } from '../../../src/fields/placement/joiningEntries.ts';
import { placeByEquation } from '../../../src/models/spectral/placement/byWeights.ts';
import { expectClose, flat } from '../../tolerance.ts';
import { inverseOf, logDeterminantOf, solved } from '../field/dense.ts';
import { swissRoll } from './columns.ts';
import { floydWarshall } from './floydWarshall.ts';

const Y = swissRoll(60);
const fresh = [
  [1, 9, -4.2],
  [-7, 3.5, 2],
  [30, 30, 30],
];
const apart = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((entry, d) => entry - b[d]!));
const distances = Y.map((a) => Y.map((b) => apart(a, b)));
const freshDistances = fresh.map((a) => Y.map((b) => apart(a, b)));
const nearest = (row: readonly number[], k: number) =>
  Array.from(row.keys())
    .sort((a, b) => row[a]! - row[b]! || a - b)
    .slice(0, k);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const models: [string, Model<AnyPaths, Placing>, number[][]][] = [
  ['classicalMds', classicalMds(Y), Y],
  ['classicalMds of distances', classicalMds(distances, { input: 'distances' }), distances],
  ['isomap', isomap(Y, { latentDim: 3 }), Y],
  ['isomap with a radius', isomap(Y, { radius: 12 }), Y],
  ['isomap of distances', isomap(distances, { input: 'distances' }), distances],
  ['lle', lle(Y), Y],
  ['lle of residuals that count', lle(Y, { generalized: true, neighbors: 5 }), Y],
  ['laplacianEigenmaps', laplacianEigenmaps(Y), Y],
  ['laplacianEigenmaps not normalized', laplacianEigenmaps(Y, { normalized: false, weights: 'heat', width: 4 }), Y],
  ['mvu', mvu(Y, { neighbors: 4 }), Y],
  ['mvu of distances', mvu(distances, { neighbors: 4, input: 'distances' }), distances],
  ['alle', alle(Y), Y],
  ['drill', drill(Y, { latentDim: 3 }), Y],
];

describe('a training point put in again lands on its own latents', () => {
  it.each(models)('%s', async (_, model, rows) => {
    const result = await fit(model);
    const { latents } = await result.project(rows);
    expectClose(latents, result.latents, 1e-8);
    const saved = await loadFit(JSON.parse(JSON.stringify(result.toJSON())));
    expect((await saved.project(rows)).latents).toEqual(latents);
  });
});

describe('new points are placed by the formulas of Bengio et al. 2004', () => {
  /** v_cᵀk̃/√λ_c with all means of k̃, from squared distances. */
  const byProducts = (result: Fit, squares: readonly number[][], row: readonly number[]) => {
    const N = squares.length;
    const means = squares.map((own) => sum(own) / N);
    const products = row.map((square, n) => -0.5 * (square - means[n]! - sum([...row]) / N + sum(means) / N));
    return Array.from(result.eigenvalues!, (value, c) =>
      sum(products.map((product, n) => (product * result.latents.at(n, c)) / value)),
    );
  };

  it('classicalMds', async () => {
    const squares = distances.map((row) => row.map((d) => d * d));
    const rows = freshDistances.map((row) => row.map((d) => d * d));
    const result = await fit(classicalMds(Y, { latentDim: 3 }));
    const wanted = rows.map((row) => byProducts(result, squares, row));
    expectClose((await result.project(fresh)).latents, wanted, 1e-11);
    const again = await fit(classicalMds(distances, { input: 'distances', latentDim: 3 }));
    expectClose((await again.project(freshDistances)).latents, wanted, 1e-10);
    // Three columns of Euclidean distances keep them.
    const placed = (await result.project(fresh)).latents.toArrays();
    expectClose(
      placed.map((a) => result.latents.toArrays().map((b) => apart(a, b))),
      freshDistances,
      1e-10,
    );
  });

  it.each<[string, { neighbors?: number; radius?: number }]>([
    ['neighbors', { neighbors: 5 }],
    ['a radius', { radius: 12 }],
  ])('isomap, %s', async (_, options) => {
    const edges = Y.flatMap((__, i) => {
      const others = distances[i]!.map((d, j) => (i === j ? Infinity : d));
      const own =
        options.radius !== undefined
          ? Array.from(others.keys()).filter((j) => others[j]! <= options.radius!)
          : nearest(others, options.neighbors!);
      return own.map((j) => [i, j, distances[i]![j]!] as const);
    });
    const paths = floydWarshall(60, edges);
    const rows = freshDistances.map((row) => {
      const within = Array.from(row.keys()).filter((j) => row[j]! <= (options.radius ?? 0));
      const near = within.length > 0 ? within : nearest(row, options.neighbors ?? 1);
      return paths.map((own) => Math.min(...near.map((j) => row[j]! + own[j]!)) ** 2);
    });
    const squares = paths.map((row) => row.map((d) => d * d));
    const result = await fit(isomap(Y, options));
    const wanted = rows.map((row) => byProducts(result, squares, row));
    expectClose((await result.project(fresh)).latents, wanted, 1e-10);
    const again = await fit(isomap(distances, { ...options, input: 'distances' }));
    expectClose((await again.project(freshDistances)).latents, wanted, 1e-10);
  });

  it.each([
    ['normalized', true, 'binary', {}],
    ['normalized, heat', true, 'heat', {}],
    ['not normalized, heat', false, 'heat', {}],
    ['normalized, heat, mutual neighbors twice', true, 'heat', { preset: 'lawrence2012' }],
  ] as const)('laplacianEigenmaps, %s', async (_, normalized, weights, more) => {
    const width = 3;
    const k = 6;
    const result = await fit(laplacianEigenmaps(Y, { normalized, weights, width, neighbors: k, ...more }));
    const reach = distances.map((row) => row.toSorted((a, b) => a - b)[k]!);
    const wanted = freshDistances.map((row) => {
      const near = nearest(row, k);
      const joined = Array.from(row.keys()).filter((j) => near.includes(j) || row[j]! < reach[j]!);
      const times = (j: number) => ('preset' in more && near.includes(j) && row[j]! < reach[j]! ? 2 : 1);
      const w = joined.map((j) => times(j) * (weights === 'heat' ? Math.exp(-(row[j]! ** 2) / (2 * width ** 2)) : 1));
      return Array.from(result.eigenvalues!, (mu, c) => {
        const numerator = sum(joined.map((j, a) => w[a]! * result.latents.at(j, c)));
        const s = sum(w);
        return numerator / (normalized ? (1 - mu) * s : Math.max(s - mu, mu));
      });
    });
    expectClose((await result.project(fresh)).latents, wanted, 1e-10);
  });

  /** Weights of locally linear embedding, by the equations themselves. */
  const reconstruction = (row: readonly number[], near: readonly number[], regularization: number) => {
    const C = near.map((a) => near.map((b) => sum(row.map((entry, d) => (entry - Y[a]![d]!) * (entry - Y[b]![d]!)))));
    const trace = sum(C.map((own, a) => own[a]!));
    const w = solved(
      C.map((own, a) => own.map((entry, b) => entry + (a === b ? regularization * trace : 0))),
      near.map(() => 1),
    );
    const weights = w.map((entry) => entry / sum(w));
    const left = row.map((entry, d) => entry - sum(near.map((j, a) => weights[a]! * Y[j]![d]!)));
    return { weights, residual: sum(left.map((entry) => entry * entry)) };
  };

  it.each([
    ['lle', false],
    ['generalized', true],
  ])('%s', async (_, generalized) => {
    const result = await fit(lle(Y, { generalized, neighbors: 5 }));
    const wanted = fresh.map((row, i) => {
      const near = nearest(freshDistances[i]!, 5);
      const { weights, residual } = reconstruction(row, near, 1e-3);
      const own = generalized ? 3 / residual : 1;
      return Array.from(result.eigenvalues!, (mu, c) => {
        const place = sum(near.map((j, a) => weights[a]! * result.latents.at(j, c)));
        return place / Math.max(1 - mu / own, mu / own);
      });
    });
    expectClose((await result.project(fresh)).latents, wanted, 1e-9);
  });

  it('mvu, of points and of distances', async () => {
    const result = await fit(mvu(Y, { neighbors: 4 }));
    const wanted = fresh.map((row, i) => {
      const near = nearest(freshDistances[i]!, 4);
      const { weights } = reconstruction(row, near, 1e-3);
      return [0, 1].map((c) => sum(near.map((j, a) => weights[a]! * result.latents.at(j, c))));
    });
    expectClose((await result.project(fresh)).latents, wanted, 1e-9);
    const again = await fit(mvu(distances, { neighbors: 4, input: 'distances' }));
    expectClose((await again.project(freshDistances)).latents, wanted, 1e-5);
  });

  it('alle: the new point comes first, and adds its own term to the likelihood', async () => {
    const options = { neighbors: 3, regularization: 0, basePrecision: 1e-4 };
    const result = await fit(alle(Y, options));
    const { latents, logDensity } = await result.project(fresh);
    const wanted = fresh.map((row, i) => {
      const near = nearest(freshDistances[i]!, 3);
      const { weights, residual } = reconstruction(row, near, 0);
      const own = 3 / residual;
      return Array.from(result.eigenvalues!, (value, c) => {
        const mu = 1 / value - 1e-4;
        const place = sum(near.map((j, a) => weights[a]! * result.latents.at(j, c)));
        return place / Math.max(1 - mu / own, mu / own);
      });
    });
    expectClose(latents, wanted, 1e-8);
    for (let i = 0; i < fresh.length; i++) {
      const extended = await fit(alle([fresh[i]!, ...Y], options));
      expectClose(logDensity[i], extended.objective - result.objective, 1e-9);
    }
  });
});

describe('drill joins a new point by one more row of its precision', () => {
  it.each([0, 0.05, 2])('which maximizes the objective, penalty %d', (penalty) => {
    const k = 6;
    const B = Array.from({ length: k }, (_, i) =>
      Array.from({ length: k }, (__, j) => Math.sin(1 + i * k + j) + (i === j ? 3 : 0)),
    );
    const theta = B.map((row) => B.map((other) => sum(row.map((entry, c) => entry * other[c]!))));
    const W = inverseOf(theta);
    const variance = 1.7;
    const moments = Array.from({ length: k }, (_, j) => Math.cos(2 * j));
    const objective = (entries: readonly number[], own: number) =>
      logDeterminantOf([...theta.map((row, i) => [...row, entries[i]!]), [...entries, own]]) -
      variance * own -
      2 * sum(entries.map((entry, j) => moments[j]! * entry)) -
      2 * penalty * sum(entries.map(Math.abs));
    const { entries, own } = joiningEntries({
      covariances: Float64Array.from(W.flat()),
      variance,
      moments: Float64Array.from(moments),
      penalty,
    });
    const best = objective(Array.from(entries), own);
    for (const step of [1e-3, -1e-3]) {
      expect(objective(Array.from(entries), own + step)).toBeLessThan(best);
      entries.forEach((_, j) => {
        const moved = Array.from(entries).with(j, entries[j]! + step);
        expect(objective(moved, own)).toBeLessThan(best);
      });
    }
    // First order: half the largest change of the objective's smooth part is the penalty's.
    const h = 1e-5;
    const smooth = (at: readonly number[]) => objective(at, own) + 2 * penalty * sum(at.map(Math.abs));
    entries.forEach((entry, j) => {
      const slope =
        (smooth(Array.from(entries).with(j, entry + h)) - smooth(Array.from(entries).with(j, entry - h))) / (2 * h);
      if (entry === 0) expect(Math.abs(slope)).toBeLessThanOrEqual(2 * penalty * (1 + 1e-8));
      else expect(Math.abs(slope - 2 * penalty * Math.sign(entry))).toBeLessThan(1e-6);
    });
  });

  it('and a point joined by its own row lands on its latents', async () => {
    const result = await fit(drill(Y, { latentDim: 3 }));
    const theta = result.precision!().toArrays();
    const W = result.covariance!().toArrays();
    const precisions = Array.from(result.eigenvalues!, (value) => 1 / value);
    const columnSums = W.map((row) => sum(row));
    const constant = precisions.map(
      (mu, c) => (-mu * sum(columnSums.map((entry, i) => entry * result.latents.at(i, c)))) / Y.length,
    );
    theta.forEach((row, i) => {
      const neighbors = Int32Array.from(row.keys()).filter((j) => j !== i && row[j] !== 0);
      const own = row[i]!;
      const place = new Float64Array(3);
      const weights = Float64Array.from(neighbors, (j) => -row[j]! / own);
      expect(own).toBeGreaterThan(2 * precisions[2]!);
      placeByEquation(result.latents, precisions, { neighbors, weights, own }, place, constant);
      expectClose(place, result.latents.row(i), 1e-8, `point ${i}`);
    });
  });

  it("with the density of its observations given its neighbors' observations", async () => {
    const result = await fit(drill(Y, { neighbors: 8 }));
    const { logDensity } = await result.project(fresh);
    const mean = [0, 1, 2].map((d) => sum(Y.map((row) => row[d]!)) / 60);
    const W = result.covariance!().toArrays();
    const penalty = (0.01 * sum(Y.map((row) => sum(row.map((y, d) => (y - mean[d]!) ** 2)) / 3))) / 60;
    fresh.forEach((row, i) => {
      const near = nearest(freshDistances[i]!, 8);
      const y = row.map((entry, d) => entry - mean[d]!);
      const product = (j: number) => sum(y.map((entry, d) => entry * (Y[j]![d]! - mean[d]!))) / 3;
      const { entries, own } = joiningEntries({
        covariances: Float64Array.from(near.flatMap((a) => near.map((b) => W[a]![b]!))),
        variance: sum(y.map((entry) => entry * entry)) / 3,
        moments: Float64Array.from(near, product),
        penalty,
      });
      const density = y.map((entry, d) => {
        const expected = -sum(near.map((j, a) => (entries[a]! * (Y[j]![d]! - mean[d]!)) / own));
        return 0.5 * (Math.log(own / (2 * Math.PI)) - own * (entry - expected) ** 2);
      });
      expectClose(logDensity[i], sum(density), 1e-8);
    });
    const atMean = await result.project([mean]);
    expect(flat(atMean.latents).every(Number.isFinite)).toBe(true);
  });
});

describe('project refuses', () => {
  it.each<[string, Model<AnyPaths, Placing>, number[][], RegExp]>([
    ['missing entries', isomap(Y), [[1, Number.NaN, 2]], /entry \[0\]\[1\] is NaN/],
    ['missing entries of lle', lle(Y), [[1, 2, Number.NaN]], /entry \[0\]\[2\] is NaN/],
    ['missing entries of drill', drill(Y), [[Number.NaN, 2, 1]], /entry \[0\]\[0\] is NaN/],
    ['rows of another length', laplacianEigenmaps(Y), [[1, 2]], /3 columns, but a 1×2 matrix/],
    ['points where distances are due', classicalMds(distances, { input: 'distances' }), fresh, /60 columns/],
    [
      'distances below 0',
      isomap(distances, { input: 'distances' }),
      [freshDistances[0]!.with(4, -1)],
      /Row index 0 of Y.*the one to point index 4 is -1/,
    ],
  ])('%s', async (_, model, rows, message) => {
    const result = await fit(model);
    await expect(result.project(rows)).rejects.toThrow(InvalidInputError);
    await expect(result.project(rows)).rejects.toThrow(message);
  });
});
