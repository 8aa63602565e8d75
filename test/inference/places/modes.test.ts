import { describe, expect, it } from 'vitest';
import { fit, fixed, gplvm, Matrix, rbf, seededRandom } from '../../../src/index.ts';
import { expectClose } from '../../tolerance.ts';

const { normal } = seededRandom(5);
const X = Array.from({ length: 60 }, () => [normal(), normal()]);
const waves = [0.7, 1.1, -0.6, 0.9, -1.2, 0.5];
const functionsOf = (x: readonly number[]) =>
  waves.map((w, j) => Math.sin(w * x[0]! + j) + Math.cos((j % 2 === 0 ? 1 : -1) * w * x[1]! - j));
const Y = X.map((x) => functionsOf(x).map((f) => f + 0.05 * normal()));
const fitted = fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 150 });
const holed = Y.slice(0, 6).map((row, i) => row.map((y, j) => (j === i ? Number.NaN : y)));

/** log p(y|x) + log p(x) of the entries that a row has, from predictions alone. */
function logPosterior(
  { mean, variance }: { mean: Matrix; variance: Matrix },
  row: number,
  y: readonly number[],
  x: readonly number[],
) {
  return y.reduce(
    (sum, entry, j) => {
      if (Number.isNaN(entry)) return sum;
      const v = variance.at(row, j);
      return sum - 0.5 * (Math.log(2 * Math.PI * v) + (entry - mean.at(row, j)) ** 2 / v);
    },
    x.reduce((sum, entry) => sum - 0.5 * entry ** 2, 0),
  );
}

describe('the position of a new row', () => {
  it('has the variances of the curvature of the density that placed it', async () => {
    const result = await fitted;
    const { latents, latentVariances } = await result.project(holed);
    const h = 1e-3;
    holed.forEach((y, i) => {
      const center = Array.from(latents.row(i));
      const at = (a: number, b: number) => {
        const x = [center[0]! + a, center[1]! + b];
        return logPosterior(result.predict([x], { noise: true }), 0, y, x);
      };
      const second = (a: number, b: number) => (at(a, b) - 2 * at(0, 0) + at(-a, -b)) / h ** 2;
      const [aa, bb] = [second(h, 0), second(0, h)];
      const ab = (second(h, h) - aa - bb) / 2;
      const determinant = aa * bb - ab * ab;
      expectClose([latentVariances!.row(i)], [[-bb / determinant, -aa / determinant]], 1e-3, `row ${i}`);
    });
  });

  it('gives what is missing the mean and variance that a fine grid of places gives', async () => {
    const result = await fitted;
    const { latents } = await result.project(holed);
    const { mean, variance } = await result.impute(holed);
    const there = result.predict(latents, { noise: true });
    const side = Array.from({ length: 141 }, (_, k) => -3.5 + 0.05 * k);
    const grid = side.flatMap((a) => side.map((b) => [a, b]));
    const predicted = result.predict(grid, { noise: true });
    const ratios = holed.map((y, i) => {
      const logs = grid.map((x, k) => logPosterior(predicted, k, y, x));
      const most = logs.reduce((largest, own) => Math.max(largest, own), Number.NEGATIVE_INFINITY);
      const weights = logs.map((own) => Math.exp(own - most));
      const total = weights.reduce((sum, own) => sum + own, 0);
      const over = (of: (k: number) => number) => weights.reduce((sum, own, k) => sum + (own / total) * of(k), 0);
      const center = over((k) => predicted.mean.at(k, i));
      const exact = over((k) => predicted.variance.at(k, i) + (predicted.mean.at(k, i) - center) ** 2);
      expect(variance.at(i, i)).toBeGreaterThan(there.variance.at(i, i));
      expect(Math.abs(mean.at(i, i) - center)).toBeLessThan(0.5 * Math.sqrt(exact));
      return [Math.abs(Math.log(variance.at(i, i) / exact)), Math.abs(Math.log(there.variance.at(i, i) / exact))];
    });
    const average = (of: number) => ratios.reduce((sum, pair) => sum + pair[of]!, 0) / ratios.length;
    // At the best place alone variances are less than half of what they are.
    expect(average(1)).toBeGreaterThan(0.8);
    expect(average(0)).toBeLessThan(0.4);
  });

  it('is a mixture where two positions explain the row equally well', async () => {
    // (x², x): what is known of the first column leaves the sign of the second open.
    const at = Array.from({ length: 41 }, (_, i) => [(i - 20) / 10]);
    const parabola = at.map(([x]) => [x! ** 2, x!]);
    const model = gplvm(parabola, {
      latentDim: 1,
      init: at,
      kernel: rbf({ variance: fixed(4), lengthscale: fixed(1) }),
      noise: fixed(1e-3),
      center: false,
    });
    const result = await fit(model, { maxIterations: 0 });
    const { mean, variance } = await result.impute([[1, Number.NaN]]);
    expect(Math.abs(mean.at(0, 1))).toBeLessThan(0.02);
    expect(Math.abs(variance.at(0, 1) - 1)).toBeLessThan(0.05);
    const { latents } = await result.project([[1, Number.NaN]]);
    expect(Math.abs(Math.abs(latents.at(0, 0)) - 1)).toBeLessThan(0.05);
  });

  it('is as wide as the fitted points where nothing is known along a direction', async () => {
    const model = gplvm(Y, { latentDim: 2, priors: [], kernel: rbf({ variance: 2, lengthscale: fixed(1e3) }) });
    const result = await fit(model, { maxIterations: 0 });
    const { latentVariances } = await result.project(Y.slice(0, 2));
    const spread = Math.max(
      ...[0, 1].map(
        (d) =>
          Matrix.from(result.latents)
            .column(d)
            .reduce((s, x) => s + x ** 2, 0) / 60,
      ),
    );
    for (const entry of latentVariances!.data) expect(entry).toBeLessThanOrEqual(2 * spread);
  });
});
