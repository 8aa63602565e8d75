import {
  bernoulli,
  defineModel,
  fixed,
  gaussian,
  type Likelihood,
  latent,
  negativeBinomial,
  observed,
  ordinal,
  poisson,
  samplePosterior,
  standardNormal,
  studentT,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { doublesOf } from '../../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../../src/engine/tensors/float64/scope.ts';
import * as op from '../../../src/engine/tensors/ops.ts';
import type { Tensor2D } from '../../../src/engine/tensors/tensorflow.ts';
import { valueTensors } from '../../../src/model/part.ts';

const counts = [
  [3, 0],
  [1, 2],
  [0, 4],
];
const yesNo = counts.map((row) => row.map((y) => Math.min(1, y)));
const likelihoods: [string, Likelihood, number[][]][] = [
  ['gaussian', gaussian({ variance: fixed(0.3) }), counts],
  ['poisson', poisson(), counts],
  ['negativeBinomial', negativeBinomial({ size: fixed(3) }), counts],
  ['bernoulli, logit', bernoulli(), yesNo],
  ['bernoulli, probit', bernoulli({ link: 'probit' }), yesNo],
  ['ordinal', ordinal({ levels: 5, first: fixed(-1), gaps: fixed([1, 0.5, 1]) }), counts],
  ['studentT', studentT({ scale: fixed(0.4), degreesOfFreedom: fixed(8) }), counts],
];

describe('replicated observations have the mean and variance of observations at the functions of their draws', () => {
  // Chains of the others take several times as long.
  for (const [name, likelihood, Y] of likelihoods)
    it(`under the likelihood ${name}`, {
      tags: ['gaussian', 'poisson', 'bernoulli, logit'].includes(name) ? [] : 'long',
    }, async () => {
      const model = defineModel({
        name: 'functions',
        variables: () => {
          const f = latent({ dim: 2, density: standardNormal() });
          return { f, y: observed(Y, { density: likelihood, given: f, center: false }) };
        },
      })(undefined);
      const draws = await samplePosterior(model, { chains: 1, warmup: 150, draws: 400, seed: 2 });
      const replicated = draws.predictive({ draws: 400, seed: 3 });
      expect(replicated).toHaveLength(400);
      // z-scores of residuals: independent given the functions, of mean 0 and variance 1.
      const scores = replicated.flatMap((y, k) => {
        const f = Matrix.from(draws.at(0, k).f as Matrix);
        const { mean, variance } = withFloat64(() => {
          const at = op.tensor<Tensor2D>(f.data, [3, 2]);
          const held = Object.fromEntries(
            Object.entries(likelihood.parameters).map(([name, { initial }]) => [name, initial]),
          );
          const moments = likelihood.moments(valueTensors(held), at, op.zerosLike(at));
          return {
            mean: doublesOf(op.add(moments.mean, op.zerosLike(at))),
            variance: doublesOf(op.add(moments.variance, op.zerosLike(at))),
          };
        });
        return Array.from(y.data, (entry, i) => (entry - mean[i]!) / Math.sqrt(variance[i]!));
      });
      const n = scores.length;
      const average = scores.reduce((sum, z) => sum + z, 0) / n;
      const square = scores.reduce((sum, z) => sum + z * z, 0) / n;
      const fourth = scores.reduce((sum, z) => sum + z ** 4, 0) / n;
      expect(Math.abs(average)).toBeLessThan(4 / Math.sqrt(n));
      expect(Math.abs(square - 1)).toBeLessThan(4 * Math.sqrt((fourth - square ** 2) / n));
    });
});
