import { defineModel, fit, gaussianProcess, known, loadFit, Matrix, observed, rbf, seededRandom } from 'latentfield';
import { expect, it } from 'vitest';

const x = Matrix.from(Array.from({ length: 20 }, (_, i) => [i / 5]));
const { normal } = seededRandom(1);
const y = Matrix.from(Array.from({ length: 20 }, (_, i) => [Math.sin(i / 5) + 0.05 * normal()]));
const regression = defineModel({
  name: 'regression',
  variables: (data: { x: Matrix; y: Matrix }) => {
    const t = known(data.x);
    return { t, y: observed(data.y, { density: gaussianProcess({ kernel: rbf(), noise: 0.01 }), given: t }) };
  },
});

it('a regression of observed on known rows, without a latent variable, is fitted, predicts, is drawn and saved', async () => {
  const result = await fit(regression({ x, y }), { maxIterations: 100 });
  expect(result.latents).toEqual(x);
  const { mean, variance } = result.predict({ t: [[0.5], [2.9]] }, { noise: true }).y;
  mean.data.forEach((entry, i) => {
    expect(Math.abs(entry - Math.sin([0.5, 2.9][i]!))).toBeLessThan(3 * Math.sqrt(variance.data[i]!));
  });
  expect(variance.data.every((own) => own < 0.01)).toBe(true);
  const draws = Array.from({ length: 200 }, (_, seed) => result.sample({ t: [[0.5]] }, { seed }).y.data[0]!);
  const average = draws.reduce((sum, one) => sum + one, 0) / draws.length;
  expect(Math.abs(average - mean.data[0]!)).toBeLessThan(5 * Math.sqrt(variance.data[0]! / draws.length));
  expect('project' in result).toBe(false);
  const again = loadFit(JSON.parse(JSON.stringify(result)), { models: { regression } });
  expect(again.predict({ t: [[0.5], [2.9]] }, { noise: true }).y).toEqual({ mean, variance });
});
