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

/** A linear Gaussian state-space model of which everything but the states is known, with this variance of the noise. */
const stateSpaceWith = (noise: number) =>
  defineModel({
    name: 'stateSpace',
    variables: ({ y }: { y: Matrix }) => {
      const x = latent({ dim: 2, density: markov({ coefficient: a, variance: s2 }) });
      const line = mapped(x, linearMap({ weights: fixed(Matrix.from(weights)) }), { dim: 3 });
      return { x, line, y: observed(y, { density: gaussian({ variance: fixed(noise) }), given: line, center: false }) };
    },
  });
const stateSpace = stateSpaceWith(noise);

function simulated(N: number, seed: number, of = noise): Matrix {
  const random = seededRandom(seed);
  let x = [random.normal(), random.normal()];
  return Matrix.from(
    Array.from({ length: N }, (_, t) => {
      if (t > 0) x = x.map((entry) => a * entry + Math.sqrt(s2) * random.normal());
      return [0, 1, 2].map((j) => x[0]! * weights[0]![j]! + x[1]! * weights[1]![j]! + Math.sqrt(of) * random.normal());
    }),
  );
}

type Square = readonly [number, number, number];
const inverse = ([p, r, q]: Square): Square => {
  const determinant = p * q - r * r;
  return [q / determinant, -r / determinant, p / determinant];
};
/** Mean and covariance [11, 12, 22] of the last state given the rows, by the Kalman filter; the state of row `known` is known. */
function filtered(rows: Matrix, noise: number, known = -1): { mean: readonly [number, number]; P: Square } {
  const [u, v] = weights as [number[], number[]];
  const dot = (b: ArrayLike<number>, c: ArrayLike<number>) =>
    Array.from(b).reduce((sum, entry, j) => sum + entry * c[j]!, 0) / noise;
  let P: Square = [1, 0, 1];
  let mean: readonly [number, number] = [0, 0];
  for (let t = 0; t < rows.rows; t++) {
    if (t > 0) {
      P = [a * a * P[0] + s2, a * a * P[1], a * a * P[2] + s2];
      mean = [a * mean[0], a * mean[1]];
    }
    const [p, r, q] = inverse(P);
    P = inverse([p + dot(u, u), r + dot(u, v), q + dot(v, v)]);
    const rest = Array.from(rows.row(t), (y, j) => y - mean[0] * u[j]! - mean[1] * v[j]!);
    const [b, c] = [dot(u, rest), dot(v, rest)];
    mean = [mean[0] + P[0] * b + P[1] * c, mean[1] + P[1] * b + P[2] * c];
    if (t === known) P = [0, 0, 0];
  }
  return { mean, P };
}

describe('forecasts of a linear Gaussian state-space model', () => {
  // With exact moments of a normal distribution their intervals contain what they state.
  it.each([
    { of: noise, N: 30, within: 1e-8 },
    { of: 1, N: 20, within: 1e-6 },
  ])('agree with the Kalman filter, with noise $of', async ({ of, N, within }) => {
    const rows = simulated(N, 4, of);
    const result = await fit(stateSpaceWith(of)({ y: rows }), { seed: 1 });
    const steps = 20;
    const { start, latents, latentVariances, mean, variance, meanError } = result.forecast(steps);
    expect(start).toBe('laplace');
    const { mean: state, P: whole } = filtered(rows, of);
    // The rows before the last ten are fixed.
    const { P } = filtered(rows, of, N - 11);
    for (let d = 0; d < 2; d++) expect(Math.abs(P[2 * d]! / whole[2 * d]! - 1)).toBeLessThan(1e-3);
    const functions = result.forecast(steps, { noise: false });
    const last = result.latents.row(N - 1);
    for (let d = 0; d < 2; d++) expect(Math.abs(last[d]! - state[d]!) / Math.sqrt(P[2 * d]!)).toBeLessThan(1e-3);
    for (let k = 0; k < steps; k++) {
      const shrunk = a ** (k + 1);
      const spread = (s2 * (1 - a ** (2 * k + 2))) / (1 - a ** 2);
      for (let d = 0; d < 2; d++) {
        expect(latents.at(k, d)).toBeCloseTo(shrunk * last[d]!, 10);
        expect(Math.abs(latentVariances.at(k, d) / (shrunk ** 2 * P[2 * d]! + spread) - 1)).toBeLessThan(within);
      }
      for (let j = 0; j < 3; j++) {
        const [v, w] = [weights[0]![j]!, weights[1]![j]!];
        const ofFunction = spread * (v * v + w * w) + shrunk ** 2 * (P[0] * v * v + 2 * P[1] * v * w + P[2] * w * w);
        expect(mean.at(k, j)).toBeCloseTo(shrunk * (last[0]! * v + last[1]! * w), 10);
        expect(Math.abs(variance.at(k, j) / (ofFunction + of) - 1)).toBeLessThan(within);
        expect(Math.abs(functions.variance.at(k, j) / ofFunction - 1)).toBeLessThan(within);
        expect(Math.abs(meanError.at(k, j) / Math.sqrt(ofFunction / 256) - 1)).toBeLessThan(within);
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
});

const N = 30;
const wave = Matrix.from(
  Array.from({ length: N }, (_, i) => [Math.sin(i / 4), Math.cos(i / 4), Math.sin(i / 4 + 1), Math.cos(i / 3)]),
);

describe('forecasts through a Gaussian process', () => {
  it('are the integrals over the position of the row that follows', { tags: 'long' }, async () => {
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
    // The variance of the last row is that of the paths without their steps.
    const ofLast = forecast.latentVariances.at(0, 0) - 0.05;
    expect(ofLast).toBeGreaterThan(0);
    for (const k of [0, 1, 2]) {
      const deviation = Math.sqrt(ofLast + 0.05 * (k + 1));
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

it('intervals of 90 % of 20 forecast steps contain .87 to .93 of simulated oscillations', {
  tags: 'long',
}, async () => {
  const [ahead, speed, decay] = [20, 0.25, 0.98];
  let [all, within] = [0, 0];
  for (let seed = 0; seed < 12; seed++) {
    const random = seededRandom(seed);
    const loadings = [0, 1].map(() => Array.from({ length: 6 }, () => random.normal()));
    let [x, y] = [1, 0];
    const rows = Array.from({ length: 100 + ahead }, () => {
      [x, y] = [
        decay * (Math.cos(speed) * x - Math.sin(speed) * y) + 0.15 * random.normal(),
        decay * (Math.sin(speed) * x + Math.cos(speed) * y) + 0.15 * random.normal(),
      ];
      return loadings[0]!.map((weight, d) => weight * x + loadings[1]![d]! * y + 0.1 * random.normal());
    });
    const result = await fit(gplvm(rows.slice(0, 100), { latentDim: 2, dynamics: true }), { maxIterations: 500 });
    const { mean, variance } = result.forecast(ahead);
    for (let k = 0; k < ahead; k++) {
      for (let d = 0; d < 6; d++) {
        all++;
        if (Math.abs(rows[100 + k]![d]! - mean.at(k, d)) <= 1.645 * Math.sqrt(variance.at(k, d))) within++;
      }
    }
  }
  expect(within / all).toBeGreaterThan(0.87);
  expect(within / all).toBeLessThan(0.93);
});
