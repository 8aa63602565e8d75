import { describe, expect, it } from 'vitest';
import { fit, gplvm, seededRandom } from '../../src/index.ts';

describe('rows with two possible positions', () => {
  it('are filled in over both: mean and deviation agree with quadrature over the latent line', async () => {
    const random = seededRandom(82);
    const place = () => 3 * random.uniform() - 1.5;
    const row = (a: number) => [a * a, a, a ** 3, Math.cos(2 * a)].map((y) => y + 0.05 * random.normal());
    const Y = Array.from({ length: 60 }, () => row(place()));
    const result = await fit(gplvm(Y, { latentDim: 1 }), { maxIterations: 400 });
    // Nothing but even functions is observed: a and −a are as likely, and the curve has fewer points on one side.
    const { NaN: none } = Number;
    const rows = Array.from({ length: 30 }, (_, i) =>
      row(place()).map((y, d) => (d === 0 || (d === 3 && i % 2) ? y : none)),
    );
    const filled = await result.impute(rows);

    const nodes = Array.from({ length: 4001 }, (_, k) => -4 + 0.002 * k);
    const at = result.predict(
      nodes.map((x) => [x]),
      { noise: true },
    );
    rows.forEach((own, i) => {
      const logWeights = nodes.map((x, k) =>
        own.reduce(
          (sum, y, d) => {
            if (Number.isNaN(y)) return sum;
            const variance = at.variance.at(k, d);
            return sum - 0.5 * (Math.log(variance) + (y - at.mean.at(k, d)) ** 2 / variance);
          },
          -0.5 * x * x,
        ),
      );
      const most = Math.max(...logWeights);
      const weights = logWeights.map((weight) => Math.exp(weight - most));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      let [mean, square] = [0, 0];
      weights.forEach((weight, k) => {
        mean += (weight / total) * at.mean.at(k, 1);
        square += (weight / total) * (at.variance.at(k, 1) + at.mean.at(k, 1) ** 2);
      });
      const deviation = Math.sqrt(square - mean ** 2);
      expect(Math.abs(filled.mean.at(i, 1) - mean), `row ${i}`).toBeLessThan(0.2 * deviation);
      expect(Math.abs(Math.sqrt(filled.variance.at(i, 1)) / deviation - 1), `row ${i}`).toBeLessThan(0.1);
    });
  });
});
