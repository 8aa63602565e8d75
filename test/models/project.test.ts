import { describe, expect, it } from 'vitest';
import {
  add,
  bias,
  fixed,
  latentVariableModel,
  Matrix,
  rbf,
  seededRandom,
  standardNormal,
  white,
} from '../../src/index.ts';
import { placedRows } from '../../src/inference/places/placedRows.ts';
import type { AnyPosterior } from '../../src/model/posterior.ts';
import type { RowModel } from '../../src/model/rowModel.ts';
import { reference } from '../reference.ts';
import { expectClose } from '../tolerance.ts';

interface Optimum {
  x_star: number[][];
  value: number[];
}
interface Case {
  tag: string;
  X: number[][];
  Y: number[][];
  params: Record<string, number[]>;
  noise_variance: number;
  jitter: number;
  infer: {
    Ynew: number[][];
    numpy_optimum_of_log_predictive_density: { nlpd: Optimum; nlpd_plus_unit_prior: Optimum };
  };
}

const cases = reference<{ models: Case[] }>('gpy-predict-tiny.json').models;
const project = (model: RowModel, mapping: Matrix) => placedRows(model, { mapping }, settings);
const settings = { starts: 10, maxIterations: 200, tolerance: 1e-7, draws: 512, seed: 0 };

function posteriorOf({ X, Y, params, noise_variance, jitter }: Case, withPrior: boolean): RowModel {
  const noises = params['white.variance'] === undefined ? [] : [white({ variance: params['white.variance'][0]! })];
  const kernel = add(
    rbf({ variance: params['rbf.variance']![0]!, lengthscale: params['rbf.lengthscale']![0]! }),
    bias({ variance: params['bias.variance']![0]! }),
    ...noises,
  );
  const latents = Matrix.from(X);
  const model = latentVariableModel({
    observations: Y,
    latentDim: 2,
    init: latents,
    kernel,
    noise: fixed(noise_variance + jitter),
    priors: withPrior ? [standardNormal()] : [],
    center: false,
  });
  const values = Object.fromEntries(
    Object.entries(kernel.parameters).map(([path, { initial }]) => [`mapping.kernel.${path}`, initial]),
  );
  const prior = { 'priors.standardNormal.precision': 1 };
  const noise = { 'mapping.noise': noise_variance + jitter };
  const posterior: AnyPosterior = model.posterior({ latents, ...values, ...noise, ...(withPrior && prior) });
  return posterior.variables!;
}

describe.each(cases.map((entry) => [entry.tag, entry] as const))('projection of new observations: %s', (_, entry) => {
  const { Ynew, numpy_optimum_of_log_predictive_density: optimum } = entry.infer;

  it('is at least as probable as where SciPy ends from the nearest latents', async () => {
    const { logDensity } = await project(posteriorOf(entry, false), Matrix.from(Ynew));
    optimum.nlpd.value.forEach((value, i) => {
      expect(logDensity[i]).toBeGreaterThanOrEqual(-value - 1e-6 * Math.abs(value));
    });
  });

  it('adds the prior on the latents', async () => {
    const posterior = posteriorOf(entry, true);
    const { latents, logDensity } = await project(posterior, Matrix.from(Ynew));
    optimum.nlpd_plus_unit_prior.value.forEach((value, i) => {
      const squared = latents.row(i).reduce((sum, x) => sum + x * x, 0);
      expect(logDensity[i]! - 0.5 * squared).toBeGreaterThanOrEqual(-value - 1e-6 * Math.abs(value));
    });
  });

  it('has a density and a gradient that agree with prediction and with differences', () => {
    const posterior = posteriorOf(entry, true);
    const random = seededRandom(1);
    const X = new Matrix(
      Float64Array.from({ length: 6 }, () => random.normal()),
      3,
      2,
    );
    const Y = Matrix.from(Ynew);
    Y.data[4] = Number.NaN;
    const { density, gradient } = posterior.density!(X, { mapping: Y });
    const { mean, variance } = posterior.predict!({ latents: X }, true).mapping!;
    const expected = Array.from({ length: 3 }, (_, i) => {
      let sum = 0;
      for (let j = 0; j < Y.columns; j++) {
        if (Number.isNaN(Y.at(i, j))) continue;
        const v = variance.at(i, j);
        sum -= 0.5 * (Math.log(2 * Math.PI * v) + (Y.at(i, j) - mean.at(i, j)) ** 2 / v);
      }
      return sum;
    });
    expectClose(density, expected, 1e-12, 'density');
    const differences = Array.from({ length: 6 }, (_, k) => {
      const at = (step: number) => {
        const moved = Matrix.from(X);
        moved.data[k] = moved.data[k]! + step;
        return posterior.density!(moved, { mapping: Y }).posterior[Math.floor(k / 2)]!;
      };
      const h = 1e-2;
      const odd = (m: number) => at(m * h) - at(-m * h);
      return (45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h);
    });
    expectClose(gradient, differences, 1e-8, 'gradient');
  });
});
