import {
  defineModel,
  fit,
  fitAt,
  gaussian,
  gaussianProcess,
  kernelRegression,
  known,
  latent,
  loadFit,
  Matrix,
  mapped,
  observed,
  rbf,
  seededRandom,
} from 'latentfield';
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

it('a map that compares rows with the rows of the fit accepts one known variable', async () => {
  const of = (isLatent: boolean) =>
    defineModel({
      name: 'compared',
      variables: (own: Matrix) => {
        const t = known(own);
        const other = isLatent ? latent({ dim: 1 }) : known(own);
        const f = mapped(isLatent ? other : [t, other], kernelRegression(), { dim: 1 });
        return { ...(!isLatent && { t }), other, f, y: observed(y, { density: gaussian(), given: f }) };
      },
    })(x);
  await expect(fit(of(false))).rejects.toThrow(
    /'kernelRegression' of 'f' .* one known variable, but 't' and 'other' are given/,
  );
  await expect(fit(of(true))).rejects.toThrow(/but 'other' is inferred/);
});

it('rows that do not match are refused with their counts', async () => {
  const short = Matrix.from([[1], [2]]);
  expect(() => regression({ x: short, y })).toThrow("has 20 rows, but 't', which it is given, has 2.");
  const beside = (other: () => ReturnType<typeof known> | ReturnType<typeof latent>, given: Matrix) =>
    defineModel({
      name: 'both',
      variables: () => {
        const [t, u] = [other(), known(given)];
        return { t, u, y: observed(y, { density: gaussianProcess({ kernel: rbf(), noise: 0.01 }), given: [t, u] }) };
      },
    })({});
  expect(() => beside(() => known(x), short)).toThrow("has 20 rows, but 'u', which it is given, has 2.");
  // One row was taken for all of them.
  expect(() => beside(() => latent({ dim: 1 }), Matrix.from([[1]]))).toThrow("but 'u', which it is given, has 1.");
});

it('predict and sample refuse rows of the predicted variable', () => {
  const result = fitAt(regression({ x, y }));
  const given = { t: [[0.5]], y: [[1]] };
  for (const ask of ['predict', 'sample'] as const) {
    expect(() => result[ask](given)).toThrow(/variable 'y'.*t/);
  }
});
