import {
  defineModel,
  expectedMoments,
  fit,
  gaussianProcess,
  knnGraph,
  known,
  latent,
  loadFit,
  Matrix,
  maxEntropy,
  observed,
  rbf,
  squaredDifferences,
  standardNormal,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { describe, expect, it } from 'vitest';
import { swissRoll } from '../models/spectral/columns.ts';
import { expectClose } from '../tolerance.ts';

const Y = Matrix.from(swissRoll(16));
const graph = knnGraph(Y, 4);
const layers = {
  maxEntropy: () =>
    maxEntropy({ copies: 1, slack: 25, multipliers: bestMultipliers(), expect: { near: squaredDifferences(graph) } }),
  expectedMoments: () => expectedMoments({ graph }),
};

describe('a field layer among the factors of a custom latent variable', () => {
  it.each(Object.entries(layers))('shows its field on fits: %s', async (_, layer) => {
    const own = defineModel({
      name: 'own',
      variables: (data: Matrix) => {
        const x = latent({ dim: 2, factors: [layer()] });
        return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
      },
    });
    const mine = await fit(own(Y), { maxIterations: 5 });
    expect(mine.graph.size).toBe(16);
    expect(mine.graph.sources.length).toBeGreaterThan(4);
    expect(mine.diagnostics.kktResidual).toBeLessThan(1e-8);
    const [Q, U] = [mine.precision(), mine.covariance()];
    const identity = Array.from({ length: 16 }, (_, i) =>
      Array.from({ length: 16 }, (_, j) => Q.row(i).reduce((sum, entry, k) => sum + entry * U.at(k, j), 0)),
    );
    expectClose(
      identity,
      Array.from({ length: 16 }, (_, i) => Array.from({ length: 16 }, (_, j) => Number(i === j))),
      1e-9,
    );
    const again = loadFit(JSON.parse(JSON.stringify(mine)), { models: { own } });
    expect(again.graph!.weights).toEqual(mine.graph.weights);
  });

  it.each(Object.entries(layers))(
    'fills in missing entries by the moments of its field, not of the mapping: %s',
    async (_, layer) => {
      const own = defineModel({
        name: 'own',
        variables: (data: Matrix) => {
          const rows = known(data);
          return { rows, x: latent({ dim: 2, density: standardNormal(), given: rows, factors: [layer()] }) };
        },
      });
      const mine = await fit(own(Y), { maxIterations: 5 });
      const holed = Matrix.from(Y);
      holed.data[2 * Y.columns] = Number.NaN;
      const { mean, variance } = await mine.field('x').impute(holed);
      // One entry of a column is missing: y_m = −Σ Q'_mo·y_o / Q'_mm with Q' = Q − Q11ᵀQ/(1ᵀQ1), of variance s²/Q'_mm.
      const Q = mine.precision().toArrays();
      const sums = Q.map((row) => row.reduce((sum, entry) => sum + entry, 0));
      const total = sums.reduce((sum, entry) => sum + entry, 0);
      const row = Q[2]!.map((entry, j) => entry - (sums[2]! * sums[j]!) / total);
      const expected = -row.reduce((sum, entry, j) => (j === 2 ? sum : sum + entry * Y.at(j, 0)), 0) / row[2]!;
      expectClose(mean.at(2, 0), expected, 1e-9);
      expectClose(mean.at(3, 0), Y.at(3, 0), 0);
      expect(variance.at(2, 0)).toBeGreaterThan(0);
      expectClose(variance.at(3, 0), 0, 0);
    },
  );

  it('is not on the type, nor on the fit, of a model without one', async () => {
    const without = defineModel({
      name: 'without',
      variables: (data: Matrix) => {
        const x = latent({ dim: 2, density: standardNormal() });
        return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
      },
    });
    const result = await fit(without(Y), { maxIterations: 2 });
    // @ts-expect-error no layer, no graph
    expect(result.graph).toBeUndefined();
  });
});
