import { fit, InvalidInputError, loadFit, Matrix, pca, ppca, seededRandom } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { logDeterminantOf, solved } from '../field/dense.ts';

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
  it('leave a dimension for the noise, as complete rows do', async () => {
    const two = Y.toArrays()
      .map(([a, b]) => [a!, b!])
      .filter((row) => row.some((entry) => !Number.isNaN(entry)));
    const result = await fit(ppca(two, { missing: 'ignore' }));
    expect([result.latents.columns, result.status]).toEqual([1, 'converged']);
    await expect(fit(ppca(two, { latentDim: 2, missing: 'ignore' }))).rejects.toThrow(/no noise is left/);
  });

  it('ended by a limit are a step on the way that does not count as converged, in the units of the result', async () => {
    const unequal = Matrix.from(Y.toArrays().map((row) => row.map((entry, d) => (d === 0 ? 1000 * entry : entry))));
    const model = ppca(unequal, { latentDim: 2, missing: 'ignore' });
    const [short, whole] = [await fit(model, { maxIterations: 3 }), await fit(model)];
    expect([short.status, whole.status]).toEqual(['maxIterations', 'converged']);
    expect([short.latents.rows, short.latents.columns]).toEqual([80, 2]);
    expect(short.message).toContain('A step on the way');
    for (const { objective, trace } of [short, whole]) {
      expect(Math.abs(trace.at(-1)!.objective - objective)).toBeLessThan(1e-6 * Math.abs(objective));
    }
    expect(short.objective).toBeLessThan(whole.objective);
    expect(whole.diagnostics.kktResidual).toBeLessThan(1e-3);
    expect(short.diagnostics.kktResidual).toBeGreaterThan(whole.diagnostics.kktResidual!);
  });

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
    const result = await fit(ppca(complete));
    await expect(result.impute!([Array.from({ length: 12 }, () => Number.NaN)])).rejects.toThrow(InvalidInputError);
    const dual = await fit(ppca(complete, { dual: true }));
    expect(dual.impute).toBeUndefined();
    await expect(dual.project([[Number.NaN, ...complete.row(0).subarray(1)]])).rejects.toThrow(InvalidInputError);
  });
});

/** Σ_n log N(y_n,o; mean_o, (WWᵀ + σ²I)_oo) by Gaussian elimination. */
function observedLikelihood(Y: Matrix, W: Matrix, mean: readonly number[], noise: number): number {
  const covariance = (a: number, b: number) =>
    W.row(a).reduce((sum, w, c) => sum + w * W.at(b, c), a === b ? noise : 0);
  let total = 0;
  for (let i = 0; i < Y.rows; i++) {
    const there = Array.from({ length: Y.columns }, (_, j) => j).filter((j) => !Number.isNaN(Y.at(i, j)));
    const rows = there.map((a) => [...there.map((b) => covariance(a, b)), Y.at(i, a) - mean[a]!]);
    let [logDeterminant, form] = [0, 0];
    rows.forEach((pivot, k) => {
      logDeterminant += Math.log(pivot[k]!);
      form += pivot.at(-1)! ** 2 / pivot[k]!;
      for (const row of rows.slice(k + 1)) {
        const factor = row[k]! / pivot[k]!;
        for (let j = k; j < row.length; j++) row[j]! -= factor * pivot[j]!;
      }
    });
    total -= 0.5 * (there.length * Math.log(2 * Math.PI) + logDeterminant + form);
  }
  return total;
}

describe('ppca of a table with missing entries', () => {
  it('is at the maximum of the likelihood of the observed entries', async () => {
    const result = await fit(ppca(Y, { latentDim: 2, missing: 'ignore' }));
    expect(result.status).toBe('converged');
    const { weights, mean, noise } = result.parameters as { weights: Matrix; mean: number[]; noise: number };
    const likelihood = (W = weights, center: readonly number[] = mean, s = noise) =>
      observedLikelihood(Y, W, center, s);
    expect(Math.abs(result.objective / likelihood() - 1)).toBeLessThan(1e-10);
    const moved = (of: Matrix, k: number, by: number) => {
      const data = of.data.slice();
      data[k]! += by;
      return new Matrix(data, of.rows, of.columns);
    };
    // Central differences along every parameter vanish beside their curvature.
    const step = 1e-4;
    const along = (at: (by: number) => number) => {
      const [up, down, here] = [at(step), at(-step), likelihood()];
      expect(up + down).toBeLessThan(2 * here);
      expect(Math.abs(up - down) / (2 * here - up - down)).toBeLessThan(0.1);
    };
    for (let k = 0; k < weights.data.length; k += 5) along((by) => likelihood(moved(weights, k, by)));
    for (const d of [0, 6, 11])
      along((by) =>
        likelihood(
          weights,
          mean.map((m, j) => (j === d ? m + by : m)),
        ),
      );
    along((by) => likelihood(weights, mean, noise * (1 + by)));
    // Its axes are orthogonal.
    const products = weights.column(0).reduce((sum, w, d) => sum + w * weights.at(d, 1), 0);
    expect(Math.abs(products)).toBeLessThan(1e-10);
    // E[x | y_o] = W_oᵀ(W_oW_oᵀ + σ²I)⁻¹(y_o − mean_o)
    const there = Array.from({ length: 12 }, (_, j) => j).filter((j) => !Number.isNaN(Y.at(3, j)));
    const block = there.map((a) =>
      there.map((b) => weights.row(a).reduce((s, w, c) => s + w * weights.at(b, c), a === b ? noise : 0)),
    );
    const pull = solved(
      block,
      there.map((a) => Y.at(3, a) - mean[a]!),
    );
    result.latents.row(3).forEach((x, c) => {
      expect(x).toBeCloseTo(
        there.reduce((sum, a, k) => sum + weights.at(a, c) * pull[k]!, 0),
        10,
      );
    });
  });

  it('is the closed form where nothing is missing, and near it where little is', async () => {
    const whole = await fit(ppca(complete, { latentDim: 2 }));
    expect((await fit(ppca(complete, { latentDim: 2, missing: 'ignore' }))).latents).toEqual(whole.latents);
    const holed = Matrix.from(complete);
    holed.data[5] = Number.NaN;
    const near = await fit(ppca(holed, { latentDim: 2, missing: 'ignore' }));
    expect(near.objective).toBeGreaterThan(whole.objective);
    expectClose(near.parameters.noise as number, whole.parameters.noise as number, 0.02);
    expectClose(near.latents.row(40), whole.latents.row(40), 0.02);
  });

  it('comes back from its file, and refuses what it cannot take', async () => {
    const result = await fit(ppca(Y, { latentDim: 2, missing: 'ignore' }));
    const again = await loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents).toEqual(result.latents);
    expect(await again.impute!(Y)).toEqual(await result.impute!(Y));
    expect(() => ppca(Y)).toThrow(InvalidInputError);
    expect(() => ppca(Y, { dual: true, missing: 'ignore' })).toThrow(/dual/);
    const empty = Matrix.from(Y);
    for (let i = 0; i < Y.rows; i++) empty.data[12 * i + 4] = Number.NaN;
    await expect(fit(ppca(empty, { latentDim: 2, missing: 'ignore' }))).rejects.toThrow(/Column index 4/);
  });

  it('covers 90 % of hidden entries in intervals of 90 %', { tags: 'long' }, async () => {
    let [held, all] = [0, 0];
    for (let seed = 0; seed < 20; seed++) {
      const own = seededRandom(seed);
      const W = Array.from({ length: 12 }, () => [own.normal(), own.normal()]);
      const rows = Matrix.from(
        Array.from({ length: 200 }, () => {
          const x = [own.normal(), own.normal()];
          return W.map(([a, b]) => a! * x[0]! + b! * x[1]! + 0.5 * own.normal());
        }),
      );
      const holed = Matrix.from(rows);
      for (let k = 0; k < holed.data.length; k++) if (own.uniform() < 0.2) holed.data[k] = Number.NaN;
      const { mean, variance } = await (await fit(ppca(holed, { latentDim: 2, missing: 'ignore' }))).impute!(holed);
      holed.data.forEach((entry, k) => {
        if (!Number.isNaN(entry)) return;
        all++;
        if (Math.abs(rows.data[k]! - mean.data[k]!) < 1.645 * Math.sqrt(variance.data[k]!)) held++;
      });
    }
    expect(held / all).toBeGreaterThan(0.87);
    expect(held / all).toBeLessThan(0.93);
  });
});

describe('log p(y) of ppca', () => {
  it.each([false, true])('agrees with a normal distribution, with columns divided: %s', async (scale) => {
    const result = await fit(ppca(complete, { latentDim: 3, scale }));
    const {
      weights: W,
      mean,
      noise,
    } = result.parameters as { weights: Matrix; mean: number[]; noise: number | number[] };
    const { logDensity, logDensityAtPlace } = await result.project(complete);
    const noises = typeof noise === 'number' ? mean.map(() => noise) : noise;
    // In units of each column's noise, where it is 1.
    const scaled = new Matrix(
      W.data.map((w, k) => w / Math.sqrt(noises[Math.floor(k / 3)]!)),
      12,
      3,
    );
    const log = noises.reduce((sum, s) => sum + 0.5 * Math.log(s), 0);
    for (const i of [0, 40, 79]) {
      const row = Matrix.from([mean.map((m, d) => (complete.at(i, d) - m) / Math.sqrt(noises[d]!))]);
      const expected =
        observedLikelihood(
          row,
          scaled,
          mean.map(() => 0),
          1,
        ) - log;
      expect(Math.abs(logDensity[i]! / expected - 1)).toBeLessThan(1e-9);
      expect(logDensityAtPlace![i]).toBeGreaterThan(expected);
    }
    if (!scale) {
      const total = logDensity.reduce((sum, entry) => sum + entry, 0);
      expect(Math.abs(total / result.objective - 1)).toBeLessThan(1e-9);
    }
  });
});

describe('project', () => {
  it('of ppca places rows by their observed entries, with the log density of these', async () => {
    const result = await fit(ppca(complete, { latentDim: 3, scale: true }));
    const { weights, mean, noise } = result.parameters as { weights: Matrix; mean: number[]; noise: number[] };
    const { latents, latentVariances, logDensity } = await result.project(Y);
    for (const i of [0, 17, 40, 79]) {
      const there = Array.from(Y.row(i).keys()).filter((j) => !Number.isNaN(Y.at(i, j)));
      const covariance = there.map((a) =>
        there.map((b) => weights.row(a).reduce((sum, w, c) => sum + w * weights.at(b, c), a === b ? noise[a]! : 0)),
      );
      const off = there.map((a) => Y.at(i, a) - mean[a]!);
      const pull = solved(covariance, off);
      const energy = off.reduce((sum, own, k) => sum + own * pull[k]!, 0);
      const wanted = -0.5 * (there.length * Math.log(2 * Math.PI) + logDeterminantOf(covariance) + energy);
      expect(Math.abs(logDensity[i]! / wanted - 1)).toBeLessThan(1e-9);
      for (let c = 0; c < 3; c++) {
        const w = there.map((a) => weights.at(a, c));
        const [place, explained] = [pull, solved(covariance, w)].map((own) =>
          own.reduce((sum, each, k) => sum + each * w[k]!, 0),
        );
        expectClose([latents.at(i, c), latentVariances!.at(i, c)], [place!, 1 - explained!], 1e-8);
      }
    }
  });

  it.each([
    ['pca', pca(complete, { latentDim: 3 }), false],
    ['ppca', ppca(complete, { latentDim: 3 }), true],
    ['ppca of columns that are divided', ppca(complete, { latentDim: 3, scale: true }), true],
    ['dual ppca', ppca(complete, { latentDim: 3, dual: true }), false],
  ] as const)(
    'has the density of predictions at the position, and a density of rows where latents are integrated out: %s',
    async (_, model, isMarginal) => {
      const result = await fit(model);
      const { latents, logDensity, logDensityAtPlace } = await result.project(complete);
      const { mean, variance } = result.predict(latents, { noise: true });
      const wanted = Array.from({ length: 80 }, (__, i) =>
        complete.row(i).reduce((sum, y, d) => {
          const v = variance.at(i, d);
          return sum - 0.5 * (Math.log(2 * Math.PI * v) + (y - mean.at(i, d)) ** 2 / v);
        }, 0),
      );
      expectClose(logDensityAtPlace!, wanted, 1e-10);
      expect(logDensity.every(Number.isFinite)).toBe(isMarginal);
      expect(logDensity.every(Number.isNaN)).toBe(!isMarginal);
    },
  );
});
