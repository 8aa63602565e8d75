import { fit, InvalidInputError, loadFit, Matrix, ppca, seededRandom } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { solved } from '../field/dense.ts';

const complete = pipeFlow({ points: 80, seed: 3 }).observations;
const random = seededRandom(6);
const Y = Matrix.from(complete);
for (let k = 0; k < Y.data.length; k++) if (random.uniform() < 0.3) Y.data[k] = Number.NaN;

/** Mean and variance of one entry given the observed ones of its row, by the covariance WWᵀ + σ²I of the whole row. */
function conditional(W: Matrix, mean: readonly number[], noise: number, row: Float64Array, d: number) {
  const covariance = (a: number, b: number) =>
    W.row(a).reduce((sum, w, c) => sum + w * W.at(b, c), a === b ? noise : 0);
  const there = Array.from(row.keys()).filter((j) => !Number.isNaN(row[j]));
  const block = there.map((a) => there.map((b) => covariance(a, b)));
  const across = there.map((a) => covariance(a, d));
  const pull = solved(block, across);
  return {
    mean: there.reduce((sum, a, k) => sum + pull[k]! * (row[a]! - mean[a]!), mean[d]!),
    variance: across.reduce((rest, entry, k) => rest - entry * pull[k]!, covariance(d, d)),
  };
}

describe('missing entries of ppca', () => {
  it('have the moments and densities of a Gaussian given the rest of their row', async () => {
    const result = await fit(ppca(complete, { latentDim: 3 }));
    const { weights, mean, noise } = result.parameters as { weights: Matrix; mean: number[]; noise: number };
    const filled = await result.impute!(Y);
    const densities = result.missingLogDensity!(Y, complete);
    const wanted: [number, number, number][] = [];
    const found: [number, number, number][] = [];
    Y.data.forEach((entry, k) => {
      if (!Number.isNaN(entry)) {
        expect([filled.mean.data[k], filled.variance.data[k]]).toEqual([entry, 0]);
        expect(densities.data[k]).toBeNaN();
        return;
      }
      const [i, d] = [Math.floor(k / 12), k % 12];
      const { mean: center, variance } = conditional(weights, mean, noise, Y.row(i), d);
      const density = -0.5 * (Math.log(2 * Math.PI * variance) + (complete.data[k]! - center) ** 2 / variance);
      wanted.push([center, variance, density]);
      found.push([filled.mean.data[k]!, filled.variance.data[k]!, densities.data[k]!]);
    });
    expect(wanted.length).toBeGreaterThan(200);
    for (const moment of [0, 1, 2] as const) {
      expectClose(
        found.map((entry) => entry[moment]),
        wanted.map((entry) => entry[moment]),
        1e-11,
      );
    }
    const again = await loadFit(JSON.parse(JSON.stringify(result)));
    expect(await again.impute!(Y)).toEqual(filled);
  });

  it('are filled in by rows alone, not where the weights are integrated out', async () => {
    expect((await fit(ppca(complete, { dual: true }))).impute).toBeUndefined();
    const result = await fit(ppca(complete));
    await expect(result.impute!([Array.from({ length: 12 }, () => Number.NaN)])).rejects.toThrow(InvalidInputError);
    await expect(result.project([[Number.NaN, ...complete.row(0).subarray(1)]])).rejects.toThrow(InvalidInputError);
  });
});
