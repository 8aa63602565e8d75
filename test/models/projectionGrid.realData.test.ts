// @module-tag long
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { fit, gplvm, Matrix } from '../../src/index.ts';
import { sharedFile } from '../reference.ts';

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)('projection of oil flow (shared/data/oil_train_X.npy)', () => {
  it('is behind a fine grid of the latent plane for none of 100 rows', async () => {
    const { data } = (await readTable(oil!)).observations;
    const rows = (from: number, to: number) => new Matrix(data.slice(12 * from, 12 * to), to - from, 12);
    const fitted = await fit(gplvm(rows(0, 300), { latentDim: 2 }), { maxIterations: 300 });
    const Y = rows(300, 400);
    const { latents, logDensityAtPlace } = await fitted.project(Y);
    const SIDE = 121;
    const [low, high] = [0, 1]
      .map((d) => Array.from(fitted.latents.column(d)))
      .reduce(
        ([lows, highs], column) => [
          [...lows!, Math.min(...column) - 1],
          [...highs!, Math.max(...column) + 1],
        ],
        [[], []] as number[][],
      ) as [number[], number[]];
    const at = (d: number, k: number) => low[d]! + ((high[d]! - low[d]!) * k) / (SIDE - 1);
    const grid = Array.from({ length: SIDE ** 2 }, (_, g) => [at(0, Math.floor(g / SIDE)), at(1, g % SIDE)]);
    const { mean, variance } = fitted.predict(grid, { noise: true });
    // log p(y|x) + log p(x) under the standard normal prior, but for a constant of the prior.
    const prior = (x: ArrayLike<number>) => -0.5 * (x[0]! ** 2 + x[1]! ** 2);
    for (let i = 0; i < Y.rows; i++) {
      const y = Y.row(i);
      let best = Number.NEGATIVE_INFINITY;
      grid.forEach((x, g) => {
        let sum = prior(x);
        for (let j = 0; j < 12; j++) {
          const v = variance.at(g, j);
          sum -= 0.5 * (Math.log(2 * Math.PI * v) + (y[j]! - mean.at(g, j)) ** 2 / v);
        }
        best = Math.max(best, sum);
      });
      expect(logDensityAtPlace![i]! + prior(latents.row(i)), `row ${300 + i}`).toBeGreaterThanOrEqual(best - 1e-6);
    }
  });
});
