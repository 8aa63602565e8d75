import {
  defineModel,
  fit,
  fixed,
  gaussian,
  gaussianProcess,
  known,
  latent,
  linearMap,
  Matrix,
  mapped,
  observed,
  rbf,
} from 'latentfield';
import { expect, it } from 'vitest';

const N = 14;
const times = Matrix.from(Array.from({ length: N }, (_, i) => [i / 4 - 1.6]));
const Y = Matrix.from(Array.from({ length: N }, (_, i) => [Math.sin(i / 2), Math.cos(i / 3)]));

it('predictions through a random layer are exact where what follows is linear in it', async () => {
  const layered = defineModel({
    name: 'layered',
    variables: ({ t, y }: { t: Matrix; y: Matrix }) => {
      const time = known(t);
      const process = gaussianProcess({
        kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }),
        noise: fixed(0.01),
      });
      const h = latent({ dim: 2, density: process, given: time });
      const weights = fixed(
        Matrix.from([
          [1, -0.5],
          [0.3, 2],
        ]),
      );
      const line = mapped(h, linearMap({ weights }), { dim: 2 });
      return {
        time,
        h,
        line,
        y: observed(y, { density: gaussian({ variance: fixed(0.04) }), given: line, center: false }),
      };
    },
  });
  const result = await fit(layered({ t: times, y: Y }), { seed: 1, maxIterations: 40 });
  const at = [[0.1], [2.4]];
  const { y, h } = result.predict({ time: at }, { noise: true });
  const W = [
    [1, -0.5],
    [0.3, 2],
  ];
  at.forEach((_, i) => {
    for (const j of [0, 1]) {
      const mean = W[0]![j]! * h!.mean.at(i, 0) + W[1]![j]! * h!.mean.at(i, 1);
      const variance = W[0]![j]! ** 2 * h!.variance.at(i, 0) + W[1]![j]! ** 2 * h!.variance.at(i, 1);
      expect(y.mean.at(i, j)).toBeCloseTo(mean, 10);
      expect(y.variance.at(i, j)).toBeCloseTo(variance + 0.04, 10);
      expect(y.meanError!.at(i, j)).toBeCloseTo(Math.sqrt(variance / 128), 10);
    }
  });
  // A row by itself has the same predictions.
  expect(Array.from(result.predict({ time: [[2.4]] }, { noise: true }).y.mean.row(0))).toEqual(
    Array.from(y.mean.row(1)),
  );
});

it('predictions through a random layer are near the integral over it, within their error', async () => {
  const deep = defineModel({
    name: 'deep',
    variables: ({ t, y }: { t: Matrix; y: Matrix }) => {
      const time = known(t);
      const h = latent({
        dim: 1,
        density: gaussianProcess({ kernel: rbf({ variance: fixed(1), lengthscale: fixed(1) }), noise: fixed(0.01) }),
        given: time,
      });
      const above = gaussianProcess({
        kernel: rbf({ variance: fixed(1), lengthscale: fixed(0.7) }),
        noise: fixed(0.05),
      });
      return { time, h, y: observed(y, { density: above, given: h }) };
    },
  });
  const result = await fit(deep({ t: times, y: Y }), { seed: 1, maxIterations: 40 });
  const { y, h } = result.predict({ time: [[2.4]] }, { noise: true });
  const deviation = Math.sqrt(h!.variance.at(0, 0));
  const nodes = Array.from({ length: 301 }, (_, i) => (i - 150) / 20);
  const weights = nodes.map((z) => Math.exp(-0.5 * z * z));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const through = result.predict({
    time: nodes.map(() => [2.4]),
    h: nodes.map((z) => [h!.mean.at(0, 0) + deviation * z]),
  });
  for (const j of [0, 1]) {
    const exact = nodes.reduce((sum, _, i) => sum + (weights[i]! / total) * through.y.mean.at(i, j), 0);
    expect(y.meanError!.at(0, j)).toBeGreaterThan(0);
    expect(Math.abs(y.mean.at(0, j) - exact)).toBeLessThan(4 * y.meanError!.at(0, j));
  }
  expect(through.y).not.toHaveProperty('meanError');
});
