import { describe, expect, it, vi } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { completed } from '../../../src/core/progressiveWork.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { rowModelOf } from '../../../src/inference/fit/abilities.ts';
import { type PlacingSettings, placedRows } from '../../../src/inference/places/placedRows.ts';
import { weightedPlaces } from '../../../src/inference/places/weighted.ts';
import type { MappedPosterior, Mapping } from '../../../src/model/posterior.ts';

const settings = { starts: 3, maxIterations: 100, tolerance: 1e-10, draws: 256, seed: 0 };
const project = (posterior: MappedPosterior, y: Matrix, own: PlacingSettings) =>
  placedRows(rowModelOf(posterior), { y }, own);

/**
 * log p(y|x) = −(x − y)²/2 − x⁴/100, training latents on a line. With `broken` it has no value on the training latents below 0,
 * though their predictions are the nearest ones to any y.
 */
function quartic(rows: number, broken = false) {
  const sizes: number[] = [];
  const latents = Matrix.from(Array.from({ length: rows }, (_, k) => [k - 3]));
  const values = (X: Matrix, Y: Matrix) =>
    X.data.map((x, i) => (broken && x < 0 ? Number.NaN : -((x - Y.data[i]!) ** 2) / 2 - x ** 4 / 100));
  const posterior: MappedPosterior = {
    latents,
    mapping: {
      observedColumns: 1,
      predict: (X) => ({
        mean: Matrix.from(Array.from(X.data, (x) => [broken && x >= 0 ? 1e3 : x])),
        variance: Matrix.from(Array.from(X.data, () => [1])),
      }),
      predictiveDensity: (X, Y) => {
        sizes.push(X.rows);
        const density = values(X, Y);
        const gradient = Matrix.from(Array.from(X.data, (x, i) => [Y.data[i]! - x - x ** 3 / 25]));
        return { density, posterior: density, gradient };
      },
    },
  };
  return { posterior, sizes };
}

/** Where x + x³/25 = y. */
function optimumOf(y: number): number {
  let x = 0;
  for (let k = 0; k < 60; k++) x -= (x + x ** 3 / 25 - y) / (1 + (3 * x * x) / 25);
  return x;
}

describe('projection', () => {
  const random = seededRandom(2);
  const Y = Matrix.from(Array.from({ length: 70 }, () => [3 * random.normal()]));

  it('reaches the optimum of every row, in blocks of at most 2²¹ covariances', { tags: 'long' }, async () => {
    const { posterior, sizes } = quartic(50_000);
    const { latents, logDensity } = await project(posterior, Y, settings);
    for (let i = 0; i < Y.rows; i++) {
      const x = optimumOf(Y.at(i, 0));
      expect(latents.at(i, 0)).toBeCloseTo(x, 7);
      expect(logDensity[i]).toBeCloseTo(-((x - Y.at(i, 0)) ** 2) / 2 - x ** 4 / 100, 12);
    }
    expect(Math.max(...sizes)).toBe(3 * Math.floor(2 ** 21 / (3 * 50_000)));
  });

  it('takes a start without a density for the worst', async () => {
    const { posterior } = quartic(8, true);
    const { latents, logDensity } = await project(posterior, Matrix.from([[1], [2]]), { ...settings, starts: 4 });
    expect(latents.at(0, 0)).toBeCloseTo(optimumOf(1), 7);
    expect(latents.at(1, 0)).toBeCloseTo(optimumOf(2), 7);
    expect([...logDensity].every(Number.isFinite)).toBe(true);
  });

  // log p(y|x) = −(x² − 4)²/8 + x/10: maxima near −2 and 2, the second one higher.
  const twoHills = (predict: Mapping['predict'], latents: number[][]): MappedPosterior => ({
    latents: Matrix.from(latents),
    mapping: {
      observedColumns: 1,
      predict,
      predictiveDensity: (X) => {
        const density = X.data.map((x) => -((x * x - 4) ** 2) / 8 + x / 10);
        return {
          density,
          posterior: density,
          gradient: Matrix.from(Array.from(X.data, (x) => [0.1 - (x * (x * x - 4)) / 2])),
        };
      },
    },
  });
  /** Where x·(x² − 4) = 0.2. */
  const [LOW, HIGH] = [-1.9746875, 2.0246925].map((x) => {
    let root = x;
    for (let k = 0; k < 9; k++) root -= (root ** 3 - 4 * root - 0.2) / (3 * root * root - 4);
    return root;
  }) as [number, number];

  it('starts where the row is most probable by its prediction, not by the mean alone', async () => {
    const predicted: Mapping['predict'] = () => ({
      mean: Matrix.from([
        [0.5, 1],
        [1.5, 2],
        [0, 9],
      ]),
      variance: Matrix.from([
        [9, 9],
        [1, 1],
        [1, 1],
      ]),
    });
    const posterior = twoHills(predicted, [[-2.1], [2.1], [-1.9]]);
    const from = async (...y: number[]) =>
      (await project(posterior, Matrix.from([y]), { ...settings, starts: 1 })).latents.at(0, 0);
    // −½·(log v + (y − m)²/v): −2.2 − …, against −½·1 each, though the first mean is as near.
    expect(await from(1, 1)).toBeCloseTo(HIGH, 7);
    // The third prediction is the best one of what is there.
    expect(await from(0, 9)).toBeCloseTo(LOW, 7);
    expect(await from(1.6, Number.NaN)).toBeCloseTo(HIGH, 7);
    expect(await from(20, 20)).toBeCloseTo(LOW, 7);
  });

  it('keeps the best result of its starts, from any of them', async () => {
    const alike: Mapping['predict'] = (X) => ({
      mean: Matrix.zeros(X.rows, 1),
      variance: Matrix.from(Array.from(X.data, () => [1])),
    });
    for (const latents of [
      [[-2.1], [2.1]],
      [[2.1], [-2.1]],
    ]) {
      const found = await project(twoHills(alike, latents), Matrix.from([[0]]), { ...settings, starts: 2 });
      expect(found.latents.at(0, 0)).toBeCloseTo(HIGH, 7);
    }
  });

  it('leaves the thread while it looks for starts, and stops there too', async () => {
    const { posterior, sizes } = quartic(2000);
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 50));
    try {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new RangeError('enough')));
      await expect(project(posterior, Y, { ...settings, signal: controller.signal })).rejects.toThrow(
        new RangeError('enough'),
      );
      expect(sizes).toEqual([]);
    } finally {
      clock.mockRestore();
    }
  });

  it('takes the logarithms of the predicted variances once', async () => {
    const { posterior } = quartic(50);
    const log = vi.spyOn(Math, 'log');
    try {
      await project(posterior, Y, { ...settings, maxIterations: 1 });
      expect(log.mock.calls.length).toBeLessThan(51);
    } finally {
      log.mockRestore();
    }
  });

  it('ends at the maximum of the density itself, where an approximation led it', async () => {
    const { posterior } = quartic(60);
    const exactRows: number[] = [];
    const rough: MappedPosterior = {
      ...posterior,
      mapping: {
        ...posterior.mapping,
        predictiveDensity: (X, rows, accuracy) => {
          if (accuracy !== 'rough') exactRows.push(X.rows);
          const moved = accuracy === 'rough' ? Matrix.from(rows.toArrays().map(([y]) => [y! + 0.3])) : rows;
          return posterior.mapping.predictiveDensity!(X, moved);
        },
      },
    };
    const { latents, logDensity } = await project(rough, Y, { ...settings, starts: 20 });
    for (let i = 0; i < Y.rows; i++) {
      const x = optimumOf(Y.at(i, 0));
      expect(latents.at(i, 0)).toBeCloseTo(x, 7);
      expect(logDensity[i]).toBeCloseTo(-((x - Y.at(i, 0)) ** 2) / 2 - x ** 4 / 100, 12);
    }
    // The starts themselves are evaluated by the approximation only, and a few steps suffice at the end.
    expect(Math.max(...exactRows)).toBeLessThanOrEqual(2 * Y.rows);
    expect(exactRows.reduce((sum, own) => sum + own, 0)).toBeLessThan(10 * Y.rows);
  });

  it('stops at its signal', async () => {
    const { posterior, sizes } = quartic(8);
    const controller = new AbortController();
    await project(posterior, Y, { ...settings, signal: controller.signal });
    const evaluations = sizes.length;
    const aborting: MappedPosterior = {
      ...posterior,
      mapping: {
        ...posterior.mapping,
        predictiveDensity: (X, rows) => {
          if (sizes.length === evaluations + 2) controller.abort(new RangeError('enough'));
          return posterior.mapping.predictiveDensity!(X, rows);
        },
      },
    };
    await expect(project(aborting, Y, { ...settings, signal: controller.signal })).rejects.toThrow(
      new RangeError('enough'),
    );
    expect(sizes.length).toBe(evaluations + 3);
  });
});

describe('weighted places of a row', () => {
  it('have the moments of a gamma density, to 2 %, where the Gaussian at its maximum is 25 % off', () => {
    // x³·exp(−x), of mean 4, variance 4 and E[1/x] = 1/3, has its maximum at 3 and the curvature −1/3 there.
    const density = (X: Matrix) => {
      const posterior = X.data.map((x) => (x > 0 ? 3 * Math.log(x) - x : Number.NEGATIVE_INFINITY));
      return { density: posterior, posterior, gradient: X };
    };
    const mode = { point: Float64Array.of(3), weight: 1, axes: Matrix.from([[Math.sqrt(3)]]) };
    const latents = Matrix.from(Array.from({ length: 11 }, (_, k) => [k]));
    const [found] = completed(
      weightedPlaces(density, [[mode]], { latents, length: 1, reach: 3.2 }, { draws: 512, seed: 0 }),
    );
    const { places } = found!;
    const mean = (of: (x: number) => number) =>
      places.reduce((sum, { point, weight }) => sum + weight * of(point[0]!), 0);
    expect(Math.abs(mean((x) => x) / 4 - 1)).toBeLessThan(0.02);
    expect(Math.abs(mean((x) => (x - 4) ** 2) / 4 - 1)).toBeLessThan(0.02);
    expect(Math.abs(3 * mean((x) => 1 / x) - 1)).toBeLessThan(0.02);
  });
});
