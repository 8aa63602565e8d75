import { fit, gplvm, Matrix, type Prediction, seededRandom } from 'latentfield';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../tolerance.ts';

// Waves of a place on a circle, with a little noise.
const { uniform, normal } = seededRandom(3);
const Y = Array.from({ length: 60 }, () => {
  const t = 2 * Math.PI * uniform();
  return [0, 1, 2, 3, 4, 5, 6, 7].map((j) => Math.cos(t - 0.8 * j) + 0.3 * Math.sin(2 * t + j) + 0.05 * normal());
});
const training = Y.slice(0, 45);
const later = Y.slice(45);
const fitted = () =>
  fit(gplvm(training, { latentDim: 2, backConstraint: 'kernel', priors: [] }), { maxIterations: 40, seed: 1 });

/** Σ_j log N(y_j; mean_j, variance_j) over the entries that are there. */
function density(row: readonly number[], { mean, variance }: Prediction): number {
  return row.reduce((sum, y, j) => {
    if (Number.isNaN(y)) return sum;
    const v = variance.at(0, j);
    return sum - 0.5 * (Math.log(2 * Math.PI * v) + (y - mean.at(0, j)) ** 2 / v);
  }, 0);
}

describe('new rows with missing entries, of a fit with a back-constraint', () => {
  const holed = later.map((row, i) => (i % 2 === 0 ? row : row.map((y, j) => ((i + j) % 3 === 0 ? Number.NaN : y))));

  it('lie where their observed entries are most probable; complete ones where the map puts them', async () => {
    const result = await fitted();
    const at = (x: readonly number[], row: readonly number[]) => density(row, result.predict([x], { noise: true }));
    const { latents, ...projection } = await result.project(holed);
    const logDensity = projection.logDensityAtPlace!;
    const mapped = await result.project(later);
    holed.forEach((row, i) => {
      const x = Array.from(latents.row(i));
      expect(Math.abs(at(x, row) - logDensity[i]!)).toBeLessThan(1e-8 * Math.abs(logDensity[i]!));
      // A place that a map computes has no density to integrate over.
      expect(projection.logDensity[i]).toBeNaN();
      if (i % 2 === 0) {
        expect(x).toEqual(Array.from(mapped.latents.row(i)));
        expect(logDensity[i]).toBe(mapped.logDensityAtPlace![i]);
        return;
      }
      // No training point, no place nearby and not the place of the complete row is better.
      for (const other of [...result.latents.toArrays(), Array.from(mapped.latents.row(i))]) {
        expect(at(other, row)).toBeLessThanOrEqual(logDensity[i]! + 1e-9 * Math.abs(logDensity[i]!));
      }
      for (const d of [0, 1]) {
        const moved = (step: number) =>
          at(
            x.map((entry, c) => (c === d ? entry + step : entry)),
            row,
          );
        const curvature = (moved(1e-3) - 2 * moved(0) + moved(-1e-3)) / 1e-6;
        expect(Math.abs((moved(1e-4) - moved(-1e-4)) / 2e-4)).toBeLessThan(1e-2 * Math.sqrt(Math.abs(curvature)));
      }
    });
  });

  it('are filled in: nearer the truth than column means', async () => {
    const result = await fitted();
    const { mean, variance } = await result.impute(holed);
    const means = training[0]!.map((_, j) => training.reduce((sum, row) => sum + row[j]!, 0) / training.length);
    let own = 0;
    let byMeans = 0;
    holed.forEach((row, i) => {
      row.forEach((y, j) => {
        if (!Number.isNaN(y)) expect([mean.at(i, j), variance.at(i, j)]).toEqual([y, 0]);
        else {
          expect(variance.at(i, j)).toBeGreaterThan(0);
          own += (mean.at(i, j) - later[i]![j]!) ** 2;
          byMeans += (means[j]! - later[i]![j]!) ** 2;
        }
      });
    });
    expect(own).toBeLessThan(0.1 * byMeans);
    // Complete rows are where the map says; of the others the uncertainty of their places counts too.
    const complete = holed.filter((_, i) => i % 2 === 0);
    const places = (await result.project(complete)).latents;
    expectClose(await result.reconstruct(complete), result.predict(places).mean, 1e-12);
  });

  it('may be incomplete all of them', async () => {
    const result = await fitted();
    const incomplete = holed.filter((row) => row.some(Number.isNaN));
    const alone = await result.project(incomplete);
    const together = await result.project(holed);
    expect(alone.latents).toEqual(Matrix.from(together.latents.toArrays().filter((_, i) => i % 2 === 1)));
  });
});
