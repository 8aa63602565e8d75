import { describe, expect, it } from 'vitest';
import * as op from '../../../src/engine/tensors/ops.ts';
import {
  defineDensity,
  defineModel,
  gaussianProcess,
  halfNormal,
  known,
  latent,
  Matrix,
  normal,
  observed,
  positive,
  rbf,
  real,
  samplePosterior,
  seededRandom,
  standardNormal,
} from '../../../src/index.ts';
import { checkPredictive } from '../../../src/inference/index.ts';
import type { ParameterPrior } from '../../../src/model/index.ts';

const random = seededRandom(1);
const times = Matrix.from(Array.from({ length: 40 }, (_, i) => [i / 10 - 2]));
const rows = Matrix.from(times.toArrays().map(([t]) => [1 + 2 * t! + 0.3 * random.normal()]));

/** y ~ N(intercept + slope·t, noise²), the model of a reader of the documents. */
function line(ofNoise: ParameterPrior | undefined) {
  const prior = normal({ mean: 0, deviation: 5 });
  const density = defineDensity({
    name: 'aroundLine',
    parameters: {
      intercept: real(0, { prior }),
      slope: real(0, { prior }),
      noise: positive(1, ofNoise && { prior: ofNoise }),
    },
    logDensity: (p, { value, given: [t] }) => {
      const off = op.div(op.sub(value, op.add(op.mul(t!, p.slope), p.intercept)), p.noise);
      return op.sum<op.Tensor1D>(
        op.sub(op.mul(-0.5, op.square(off)), op.log(op.mul(Math.sqrt(2 * Math.PI), p.noise))),
        1,
      );
    },
    condition: (p) => ({
      moments: ([t]) => {
        const mean = op.add<op.Tensor2D>(op.mul(t!, p.slope), p.intercept);
        return { mean, variance: op.zerosLike(mean), noise: op.square(p.noise) };
      },
      sample: ([t], random) => {
        const mean = op.add<op.Tensor2D>(op.mul(t!, p.slope), p.intercept);
        return op.add(mean, op.mul(p.noise, op.tensor(Array.from({ length: mean.shape[0] }, () => [random.normal()]))));
      },
    }),
  });
  return defineModel({
    name: 'line',
    variables: (data: { readonly t: Matrix; readonly y: Matrix }) => {
      const t = known(data.t);
      return { t, y: observed(data.y, { density: density(), given: t }) };
    },
  });
}
const data = { t: times, y: rows };
const firstEight = (all: Matrix) => Matrix.from(all.toArrays().slice(0, 8));
const few = { chains: 4, warmup: 200, draws: 100, seed: 1 };

describe('draws of a model of one’s own', () => {
  it('refuse a parameter of the density of an observed variable that has no prior, by its name', async () => {
    await expect(samplePosterior(line(undefined)(data), few)).rejects.toThrow("no prior on 'y.noise'");
    const weak = await samplePosterior(line(undefined)(data), { ...few, priors: 'weak' });
    expect(weak.diagnostics.addedPriors).toEqual(['y.noise ~ logNormal({ mean: 0, deviation: 3 })']);
  });

  it('predict, sample and are checked at the known rows, with or without their name', async () => {
    const draws = await samplePosterior(line(halfNormal({ scale: 1 }))(data), few);
    const { 'y.intercept': intercept, 'y.slope': slope, 'y.noise': noise } = draws.summary();
    const { mean, variance } = draws.predict([[0], [1]], { draws: 400 });
    expect(Math.abs(mean.at(0, 0) - intercept!.mean)).toBeLessThan(1e-9);
    expect(Math.abs(mean.at(1, 0) - intercept!.mean - slope!.mean)).toBeLessThan(1e-9);
    // Without noise the variance at 0 is that of the draws of the intercept.
    expect(Math.abs((variance.at(0, 0) * 400) / 399 / intercept!.sd ** 2 - 1)).toBeLessThan(1e-9);
    const named = draws.predict({ t: [[0], [1]] }, { draws: 400 });
    expect(named.y!.mean.data).toEqual(mean.data);
    expect(draws.sample({ t: [[0]] }, 3).y!.data).toEqual(draws.sample([[0]], 3).data);

    expect(draws.observations!.data).toEqual(rows.data);
    const replicated = draws.predictive({ draws: 200, seed: 1 });
    const residuals = replicated.flatMap((Y) =>
      Array.from(Y.data, (y, n) => y - intercept!.mean - slope!.mean * times.at(n, 0)),
    );
    const deviation = Math.sqrt(residuals.reduce((sum, off) => sum + off ** 2, 0) / residuals.length);
    // The noise and, within a tenth of it, the doubt about the line.
    expect(deviation / noise!.mean).toBeGreaterThan(0.97);
    expect(deviation / noise!.mean).toBeLessThan(1.12);
    const spread = ({ data: all }: Matrix) => Math.max(...all) - Math.min(...all);
    const check = checkPredictive(draws, spread);
    expect(check.observed).toBe(spread(rows));
    expect(check.pValue).toBeGreaterThan(0.025);
    expect(check.pValue).toBeLessThan(0.975);
  });

  it('are replicated at latents and known rows together, of the observed variable that is meant', async () => {
    const both = defineModel({
      name: 'both',
      variables: ({ t, y }: typeof data) => {
        const time = known(t);
        const z = latent({ dim: 1, density: standardNormal() });
        const process = () => gaussianProcess({ kernel: rbf({ variance: 1, lengthscale: 1 }), noise: 0.1 });
        return {
          time,
          z,
          first: observed(y, { density: process(), given: [z, time] }),
          second: observed(y, { density: process(), given: time }),
        };
      },
    });
    const small = { t: firstEight(times), y: firstEight(rows) };
    const draws = await samplePosterior(both(small), { chains: 1, warmup: 20, draws: 5, seed: 1, priors: 'weak' });
    expect(draws.predictive({ view: 'first', draws: 2 }).map((Y) => [Y.rows, Y.columns])).toEqual([
      [8, 1],
      [8, 1],
    ]);
    expect(() => draws.predictive()).toThrow("name one, as in { view: 'first' }");
    expect(() => draws.predictive({ view: 'third' })).toThrow("no observed variable 'third'");
    expect(() => checkPredictive(draws, () => 1)).toThrow('has several observed variables');
  });

  it('start at a fit or at values, and at nothing else', async () => {
    await expect(samplePosterior(line(halfNormal({ scale: 1 }))(data), { ...few, start: 5 as never })).rejects.toThrow(
      'start must be a fit, or natural values by path, but 5 was given.',
    );
  });
});
