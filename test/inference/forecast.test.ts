import { describe, expect, it } from 'vitest';
import {
  add,
  bayesianGplvm,
  defineModel,
  fit,
  fixed,
  gaussian,
  gaussianProcess,
  gplvm,
  InvalidInputError,
  latent,
  linearMap,
  Matrix,
  mapped,
  markov,
  observed,
  rbf,
  seededRandom,
  white,
} from '../../src/index.ts';

// Law: forecasts are the moments of p(y ahead | the rows so far), the paths of the latents and the noise integrated out.

const [a, s2, noise] = [0.8, 0.3, 0.05];
const weights = [
  [1, 0.5, -0.3],
  [-0.4, 1, 0.6],
];

/** A linear Gaussian state-space model of which everything but the states is known. */
const stateSpace = defineModel({
  name: 'stateSpace',
  variables: ({ y }: { y: Matrix }) => {
    const x = latent({ dim: 2, density: markov({ coefficient: a, variance: s2 }) });
    const line = mapped(x, linearMap({ weights: fixed(Matrix.from(weights)) }), { dim: 3 });
    return { x, line, y: observed(y, { density: gaussian({ variance: fixed(noise) }), given: line, center: false }) };
  },
});

function simulated(N: number, seed: number): Matrix {
  const random = seededRandom(seed);
  let x = [random.normal(), random.normal()];
  return Matrix.from(
    Array.from({ length: N }, (_, t) => {
      if (t > 0) x = x.map((entry) => a * entry + Math.sqrt(s2) * random.normal());
      return [0, 1, 2].map(
        (j) => x[0]! * weights[0]![j]! + x[1]! * weights[1]![j]! + Math.sqrt(noise) * random.normal(),
      );
    }),
  );
}

describe('forecasts of a linear Gaussian state-space model', () => {
  it('agree with the closed form, from the fitted states', async () => {
    const result = await fit(stateSpace({ y: simulated(30, 4) }), { seed: 1 });
    const steps = 20;
    const { latents, latentVariances, mean, variance, meanError } = result.forecast(steps);
    const functions = result.forecast(steps, { noise: false });
    const last = result.latents.row(29);
    for (let k = 0; k < steps; k++) {
      const shrunk = a ** (k + 1);
      const spread = (s2 * (1 - a ** (2 * k + 2))) / (1 - a ** 2);
      for (let d = 0; d < 2; d++) {
        expect(latents.at(k, d)).toBeCloseTo(shrunk * last[d]!, 10);
        expect(Math.abs(latentVariances.at(k, d) / spread - 1)).toBeLessThan(1e-9);
      }
      for (let j = 0; j < 3; j++) {
        const [v, w] = [weights[0]![j]!, weights[1]![j]!];
        const ofFunction = spread * (v * v + w * w);
        expect(mean.at(k, j)).toBeCloseTo(shrunk * (last[0]! * v + last[1]! * w), 10);
        expect(Math.abs(variance.at(k, j) / (ofFunction + noise) - 1)).toBeLessThan(1e-9);
        expect(Math.abs(functions.variance.at(k, j) / ofFunction - 1)).toBeLessThan(1e-9);
        expect(Math.abs(meanError.at(k, j) / Math.sqrt(ofFunction / 256) - 1)).toBeLessThan(1e-9);
      }
    }
  });

  it('begin alike, for any number of steps, and are refused for none', async () => {
    const result = await fit(stateSpace({ y: simulated(12, 5) }), { seed: 1 });
    const short = result.forecast(2);
    expect(result.forecast(5).variance.data.slice(0, 6)).toEqual(short.variance.data);
    expect(result.forecast(2, { seed: 7 }).variance).not.toEqual(short.variance);
    expect(() => result.forecast(0)).toThrow(InvalidInputError);
    expect(() => result.forecast(2, { draws: 1 })).toThrow(/draws/);
  });

  it('cover 90 % of the following values in intervals of 90 %', { tags: 'long' }, async () => {
    let held = 0;
    let all = 0;
    for (let seed = 0; seed < 60; seed++) {
      const whole = simulated(60, 100 + seed);
      const result = await fit(stateSpace({ y: Matrix.from(whole.toArrays().slice(0, 40)) }), { seed: 1 });
      const { mean, variance } = result.forecast(20);
      for (let k = 0; k < 20; k++)
        for (let j = 0; j < 3; j++, all++) {
          if (Math.abs(whole.at(40 + k, j) - mean.at(k, j)) < 1.645 * Math.sqrt(variance.at(k, j))) held++;
        }
    }
    expect(held / all).toBeGreaterThan(0.87);
    expect(held / all).toBeLessThan(0.93);
  });
});

const N = 30;
const wave = Matrix.from(
  Array.from({ length: N }, (_, i) => [Math.sin(i / 4), Math.cos(i / 4), Math.sin(i / 4 + 1), Math.cos(i / 3)]),
);

describe('forecasts through a Gaussian process', () => {
  it('are the integrals over the position of the row that follows', async () => {
    const walking = defineModel({
      name: 'walking',
      variables: ({ y }: { y: Matrix }) => {
        const x = latent({ dim: 1, density: markov({ variance: fixed(0.05) }) });
        const kernel = rbf({ variance: fixed(1), lengthscale: fixed(1) });
        return { x, y: observed(y, { density: gaussianProcess({ kernel, noise: 0.02 }), given: x }) };
      },
    });
    const result = await fit(walking({ y: wave }), { seed: 1, maxIterations: 60 });
    const forecast = result.forecast(3, { draws: 4000 });
    const last = result.latents.at(N - 1, 0);
    for (const k of [0, 1, 2]) {
      const deviation = Math.sqrt(0.05 * (k + 1));
      const nodes = Array.from({ length: 401 }, (_, i) => (i - 200) / 25);
      const weight = nodes.map((z) => Math.exp(-0.5 * z * z));
      const total = weight.reduce((sum, w) => sum + w, 0);
      const at = result.predict(
        nodes.map((z) => [last + deviation * z]),
        { noise: true },
      );
      for (let j = 0; j < 4; j++) {
        const average = (of: (i: number) => number) => nodes.reduce((sum, _, i) => sum + weight[i]! * of(i), 0) / total;
        const mean = average((i) => at.mean.at(i, j));
        const variance = average((i) => at.variance.at(i, j) + (at.mean.at(i, j) - mean) ** 2);
        expect(Math.abs(forecast.mean.at(k, j) - mean)).toBeLessThan(4 * forecast.meanError.at(k, j));
        expect(Math.abs(forecast.variance.at(k, j) / variance - 1)).toBeLessThan(0.05);
      }
    }
  });

  it('of dynamics have the noise of the process and of the observations', async () => {
    const kernel = add(rbf({ lengthscale: fixed(1) }), white({ variance: 0.01 }));
    const result = await fit(gplvm(wave, { latentDim: 2, dynamics: { kernel } }), { seed: 1, maxIterations: 30 });
    const { variance, latentVariances } = result.forecast(6);
    const functions = result.forecast(6, { noise: false }).variance;
    // A step has at least the noise of the process.
    const noise = result.parameters['priors.dynamics.kernel.white.variance'] as number;
    for (let d = 0; d < 2; d++) expect(latentVariances.at(0, d)).toBeGreaterThan(noise);
    variance.data.forEach((v, i) => {
      expect(v).toBeGreaterThan(functions.data[i]!);
    });
  });
});

describe('the way between two rows', () => {
  it('has the noise of observations, unless functions are requested', async () => {
    const result = await fit(gplvm(wave, { latentDim: 2 }), { seed: 1, maxIterations: 20 });
    const { latents, mean, variance } = result.interpolate(0, 9, 4);
    const noisy = result.predict(latents, { noise: true });
    expect([mean, variance]).toEqual([noisy.mean, noisy.variance]);
    expect(result.interpolate(0, 9, 4, { noise: false }).variance).toEqual(result.predict(latents).variance);
  });

  it('has the variances of rows that are Gaussians', async () => {
    const result = await fit(bayesianGplvm(wave, { latentDim: 2, inducing: 10 }), { seed: 1, maxIterations: 20 });
    const { latents, latentVariances, variance } = result.interpolate(3, 9, 3);
    const between = Array.from(result.latentVariances.row(3), (s, d) => (s + result.latentVariances.at(9, d)) / 4);
    between.forEach((s, d) => {
      expect(latentVariances!.at(1, d)).toBeCloseTo(s, 12);
    });
    const predicted = result.predict(latents, { latentVariances: latentVariances!, noise: true });
    expect(variance).toEqual(predicted.variance);
  });
});
