import {
  bernoulli,
  defineLikelihood,
  defineModel,
  evaluate,
  gplvm,
  type Likelihood,
  latent,
  Matrix,
  negativeBinomial,
  observed,
  ordinal,
  poisson,
  standardNormal,
  studentT,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/core/random.ts';
import { doublesOf } from '../../src/engine/tensors/doubles.ts';
import { withFloat64 } from '../../src/engine/tensors/float64/scope.ts';
import type { Tensor2D } from '../../src/engine/tensors/tensorflow.ts';
import {
  expectedLogDensity,
  logPredictiveDensity,
  normalExpectation,
} from '../../src/model/entrywise/normalExpectation.ts';
import { entriesOf, shapeOf } from '../../src/model/parameter.ts';
import { expectClose } from '../tolerance.ts';

const tensors = ({ parameters }: Likelihood) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { initial }]) => [name, op.tensor(entriesOf(initial), shapeOf(initial))]),
  );

/** Observations that between them are all there are, or a fine grid. */
const supports: [string, Likelihood, number[], number][] = [
  ['poisson', poisson(), Array.from({ length: 200 }, (_, y) => y), 1],
  ['negativeBinomial', negativeBinomial({ size: 2.5 }), Array.from({ length: 2000 }, (_, y) => y), 1],
  ['bernoulli, logit', bernoulli(), [0, 1], 1],
  ['bernoulli, probit', bernoulli({ link: 'probit' }), [0, 1], 1],
  ['ordinal', ordinal({ levels: 5 }), [0, 1, 2, 3, 4], 1],
  ['ordinal of two', ordinal({ levels: 2 }), [0, 1], 1],
  ['studentT', studentT({ scale: 0.5 }), Array.from({ length: 20001 }, (_, i) => (i - 10000) / 20), 1 / 20],
];

describe.each(supports)('the likelihood %s', (name, likelihood, support, step) => {
  const tolerance = name === 'studentT' ? 1e-8 : 1e-12;

  it('has probabilities that add up to 1, and the moments that it reports', () => {
    withFloat64(() => {
      const p = tensors(likelihood);
      for (const [a, s] of [
        [0.3, 0],
        [-1.1, 0.4],
      ] as const) {
        const grid = [support.length, 1] as [number, number];
        const y = op.tensor<Tensor2D>(support, grid);
        const at = (value: number) => op.mul<Tensor2D>(value, op.ones(grid));
        const logs = logPredictiveDensity(likelihood, p, at(a), at(s), y);
        const weights = doublesOf(op.exp(logs)).map((entry) => entry * step);
        expect(Math.abs(weights.reduce((sum, w) => sum + w) - 1)).toBeLessThan(tolerance);
        if (name === 'studentT') continue;
        const one = (value: number) => op.tensor<Tensor2D>([[value]]);
        const { mean, variance } = likelihood.moments(p, one(a), one(s));
        const average = weights.reduce((sum, w, i) => sum + w * support[i]!, 0);
        const square = weights.reduce((sum, w, i) => sum + w * (support[i]! - average) ** 2, 0);
        expect(Math.abs(op.valueOf(mean) - average)).toBeLessThan(1e-8 * (1 + average));
        expect(Math.abs(op.valueOf(variance) - square)).toBeLessThan(1e-7 * (1 + square));
      }
    });
  });
});

describe.each(supports)('draws of the likelihood %s', (name, likelihood, support, step) => {
  it.each([-1.1, 0.3, 3.2])(
    'at f = %d have the distribution function of its density, by Kolmogorov and Smirnov',
    (f) => {
      const n = 20_000;
      const { drawn, weights } = withFloat64(() => {
        const p = tensors(likelihood);
        const at = (rows: number) => op.mul<Tensor2D>(f, op.ones([rows, 1]));
        const grid = op.tensor<Tensor2D>(support, [support.length, 1]);
        const random = seededRandom(11);
        return {
          drawn: doublesOf(likelihood.sample!(p, random, [n, 1], [at(n)])),
          weights: doublesOf(op.exp(likelihood.entryDensity(p, at(support.length), grid))),
        };
      });
      // On a grid, an entry stands for what is nearest to it.
      const half = name === 'studentT' ? step / 2 : 0;
      const sorted = drawn.slice().sort();
      let cumulative = 0;
      let count = 0;
      let most = 0;
      support.forEach((y, i) => {
        cumulative += weights[i]! * step;
        while (count < n && sorted[count]! <= y + half) count++;
        most = Math.max(most, Math.abs(count / n - cumulative));
      });
      // Exceeded with a probability of .001, less for distributions that are not continuous.
      expect(most).toBeLessThan(1.95 / Math.sqrt(n));
      expect(most).toBeGreaterThan(0);
    },
  );
});

it('refuses a log density that is not one number per entry', () => {
  const summed = defineLikelihood({
    name: 'summed',
    logDensity: (_, f, y) => op.sum(op.mul(f, y), 1, true) as Tensor2D,
  });
  const model = defineModel({
    name: 'summed',
    variables: ({ y }: { y: Matrix }) => {
      const x = latent({ dim: 2, density: standardNormal() });
      return { x, y: observed(y, { density: summed(), given: x }) };
    },
  })({
    y: Matrix.from([
      [1, 2],
      [3, 5],
      [2, 4],
    ]),
  });
  expect(() => evaluate(model)).toThrow(/each of the 3×2 entries of y, but a tensor of shape \[3,1\]/);
});

describe('expectations of log densities', () => {
  it("of the poisson in closed form are Gauss–Hermite's, to 1e-10", () => {
    withFloat64(() => {
      const mean = op.tensor<Tensor2D>([[0.2, -1.3, 2.1]]);
      const variance = op.tensor<Tensor2D>([[0.5, 0.01, 1.2]]);
      const y = op.tensor<Tensor2D>([[3, 0, 11]]);
      const likelihood = poisson();
      const closed = expectedLogDensity(likelihood, {}, mean, variance, y);
      const nodes = normalExpectation(mean, variance, (f) => likelihood.entryDensity({}, f, y));
      expectClose(doublesOf(closed), doublesOf(nodes), 1e-10);
    });
  });

  it('of the logarithm of the normal distribution function are accurate far out', () => {
    withFloat64(() => {
      // log Φ by mpmath with 40 digits.
      const x = op.tensor([-40, -5, -1, 0, 2]);
      const expected = [
        -804.6084420137538,

        -15.064998393988727,
        -1.8410216450092638,
        -Math.LN2,
        -0.023012909328963493,
      ];
      expectClose(doublesOf(op.logNormalCdf(x)).subarray(1), expected.slice(1), 1e-14);
      expect(doublesOf(op.logNormalCdf(x))[0]! / expected[0]! - 1).toBeCloseTo(0, 13);
    });
  });
});

describe("offset: 'rowSums'", () => {
  const y = [
    [3, 0, 1, 4],
    [0, 2, 0, 0],
  ];
  const f = [
    [0.2, -1, 0.4, 1.3],
    [-0.7, 0.1, -2, 0.5],
  ];

  it.each([
    ['poisson', poisson],
    ['negativeBinomial', negativeBinomial],
  ] as const)('adds the logarithm of the mean count of its row to the functions of %s', (_, factory) => {
    const make = factory as (options?: { readonly offset?: 'rowSums' }) => Likelihood;
    withFloat64(() => {
      const [own, plain] = [make({ offset: 'rowSums' }), make()];
      const shifted = f.map((row, i) => row.map((entry) => entry + Math.log([2, 0.5][i]!)));
      const densities = (likelihood: Likelihood, at: number[][]) =>
        doublesOf(likelihood.entryDensity(tensors(likelihood), op.tensor<Tensor2D>(at), op.tensor<Tensor2D>(y)));
      expectClose(densities(own, f), densities(plain, shifted), 1e-13);
      const variance = op.mul<Tensor2D>(0.3, op.ones([2, 4]));
      const expected = (likelihood: Likelihood, at: number[][]) =>
        doublesOf(
          expectedLogDensity(
            likelihood,
            tensors(likelihood),
            op.tensor<Tensor2D>(at),
            variance,
            op.tensor<Tensor2D>(y),
          ),
        );
      expectClose(expected(own, f), expected(plain, shifted), 1e-13);
    });
  });

  it('starts where a row of another length of time starts', () => {
    const own = poisson({ offset: 'rowSums' });
    expect(own.start(6, 3)).toBeCloseTo(own.start(2, 1), 14);
  });

  it('is refused where a row has no sum to divide by, and by another name', () => {
    const model = (counts: number[][]) =>
      gplvm(counts, { latentDim: 1, inducing: 2, likelihood: poisson({ offset: 'rowSums' }) });
    expect(() => model([...y, [0, 0, 0, 0]])).toThrow(/sum is above 0.*but row index 2 is not/);
    expect(() => poisson({ offset: 'library' as 'rowSums' })).toThrow(/'rowSums', or left out, but .*library/);
  });
});
