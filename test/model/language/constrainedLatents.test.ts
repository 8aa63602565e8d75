import {
  defineDensity,
  defineModel,
  evaluate,
  fit,
  gaussian,
  gaussianProcess,
  InvalidInputError,
  latent,
  loadFit,
  logDensityOf,
  Matrix,
  observed,
  rbf,
  samplePosterior,
  seededRandom,
  standardNormal,
} from 'latentfield';

import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { lgamma } from '../../../src/engine/special/gamma.ts';

const [SHAPE, RATE] = [2.5, 0.5];
/** Gamma rows: shape·log rate − lgamma(shape) + (shape − 1)·log x − rate·x for each entry. */
const gammaRows = defineDensity({
  name: 'gammaRows',
  support: { above: 0 },
  logDensity: (_, { value }) =>
    op.sum<op.Tensor1D>(
      op.add(op.sub(op.mul(SHAPE - 1, op.log(value)), op.mul(RATE, value)), SHAPE * Math.log(RATE) - lgamma(SHAPE)),
      1,
    ),
});
/** Counts of all columns with the rate of their row. */
const counted = defineDensity({
  name: 'counted',
  support: 'counts',
  logDensity: (_, { value, given: [x] }) =>
    op.sum<op.Tensor1D>(op.sub(op.sub(op.mul(value, op.log(x!)), x!), op.lgamma(op.add(value, 1))), 1),
});
const rates = defineModel({
  name: 'rates',
  variables: ({ y }: { y: Matrix }) => {
    const x = latent({ dim: 1, density: gammaRows(), transform: 'positive' });
    return { x, y: observed(y, { density: counted(), given: x }) };
  },
});
const D = 3;
const COUNTS = [
  [4, 7, 2],
  [0, 1, 0],
  [12, 9, 15],
  [3, 3, 5],
  [1, 0, 2],
  [8, 6, 4],
];
const totals = COUNTS.map((row) => row.reduce((sum, entry) => sum + entry, 0));

const ALPHA = [2, 3, 1.5];
const alphaSum = ALPHA.reduce((sum, a) => sum + a, 0);
const dirichlet = defineDensity({
  name: 'dirichlet',
  support: { above: 0, below: 1 },
  logDensity: (_, { value }) =>
    op.add(
      op.sum<op.Tensor1D>(op.mul(op.tensor([ALPHA.map((a) => a - 1)]), op.log(value)), 1),
      lgamma(alphaSum) - ALPHA.reduce((sum, a) => sum + lgamma(a), 0),
    ),
});
/** Σ y·log x: the order of draws is known, so there is no multinomial coefficient. */
const drawn = defineDensity({
  name: 'drawn',
  support: 'counts',
  normalized: false,
  logDensity: (_, { value, given: [x] }) => op.sum<op.Tensor1D>(op.mul(value, op.log(x!)), 1),
});
const shares = defineModel({
  name: 'shares',
  variables: ({ y }: { y: Matrix }) => {
    const x = latent({ dim: 3, density: dirichlet(), transform: 'simplex' });
    return { x, y: observed(y, { density: drawn(), given: x }) };
  },
});

const Y = Matrix.from(COUNTS);
const exact = { maxIterations: 500, tolerance: 1e-10 };

describe('latents with a constraint', () => {
  it('are the modes of their posterior: (a + Σy − 1)/(b + D) of gamma rows with counts, saved and loaded, from any start', async () => {
    const result = await fit(rates({ y: Y }), exact);
    totals.forEach((sum, i) => {
      expect(result.latents.at(i, 0)).toBeCloseTo((SHAPE + sum - 1) / (RATE + D), 7);
    });
    expect(loadFit(JSON.parse(JSON.stringify(result)), { models: { rates } }).latents.data).toEqual(
      result.latents.data,
    );
    const restarted = await fit(rates({ y: Y }), { ...exact, restarts: 2, seed: 3 });
    expect(restarted.objective).toBeCloseTo(result.objective, 8);
    const init = Matrix.from(COUNTS.map(() => [1]));
    const begun = defineModel({
      name: 'rates',
      variables: () => {
        const x = latent({ dim: 1, density: gammaRows(), transform: 'positive', init });
        return { x, y: observed(Y, { density: counted(), given: x }) };
      },
    });
    expect((await fit(begun({}), exact)).objective).toBeCloseTo(result.objective, 8);
  });

  it('of a simplex are the modes (α_k + y_k − 1)/(Σα + n − K), and add up to 1', async () => {
    const { latents } = await fit(shares({ y: Y }), exact);
    COUNTS.forEach((row, i) => {
      row.forEach((entry, k) => {
        expect(latents.at(i, k)).toBeCloseTo((ALPHA[k]! + entry - 1) / (alphaSum + totals[i]! - 3), 6);
      });
    });
  });

  it('have gradients and Jacobians that agree with differences', () => {
    for (const transform of ['positive', 'simplex', 'ordered'] as const) {
      const model = defineModel({
        name: 'any',
        variables: () => {
          const x = latent({ dim: 3, density: standardNormal(), transform, init: 'random' });
          return { x, y: observed(Y, { density: drawn(), given: x }) };
        },
      })({});
      const open = logDensityOf(transform === 'ordered' ? withoutLog(transform) : model, { jacobian: true, seed: 2 });
      const { random } = { random: seededRandom(5) };
      const at = open.start.map((entry) => entry + 0.3 * random.normal());
      const { gradient } = open.evaluate(at);
      at.forEach((_, k) => {
        const moved = (by: number) => open.evaluate(at.map((entry, j) => entry + (j === k ? by : 0))).value;
        expect(Math.abs((moved(1e-5) - moved(-1e-5)) / 2e-5 - gradient[k]!)).toBeLessThan(
          1e-6 * (1 + Math.abs(gradient[k]!)),
        );
      });
      open.dispose();
    }
  });

  it('are drawn from their posterior: means and variances of the gamma and Dirichlet distributions', {
    tags: 'long',
  }, async () => {
    const settings = { chains: 2, warmup: 300, draws: 1500, seed: 1 };
    const draws = await samplePosterior(rates({ y: Y }), settings);
    const summary = draws.summary();
    totals.forEach((sum, i) => {
      const row = summary[`x[${i}, 0]`]!;
      const [mean, sd] = [(SHAPE + sum) / (RATE + D), Math.sqrt(SHAPE + sum) / (RATE + D)];
      expect(Math.abs(row.mean - mean)).toBeLessThan(5 * row.mcseMean);
      expect(Math.abs(row.sd / sd - 1)).toBeLessThan(0.1);
    });
    const ofShares = (await samplePosterior(shares({ y: Y }), settings)).summary();
    COUNTS.forEach((row, i) => {
      row.forEach((entry, k) => {
        const own = ofShares[`x[${i}, ${k}]`]!;
        expect(Math.abs(own.mean - (ALPHA[k]! + entry) / (alphaSum + totals[i]!))).toBeLessThan(5 * own.mcseMean);
      });
    });
  });

  it('of new rows lie within the constraint, with the marginal density and the posterior mean in closed form', async () => {
    const result = await fit(rates({ y: Y }), exact);
    const rows = [
      [5, 2, 6],
      [0, 0, 0],
    ];
    const placed = await result.project(rows, { draws: 4096 });
    rows.forEach((row, i) => {
      const sum = row.reduce((all, entry) => all + entry, 0);
      expect(placed.latents.at(i, 0)).toBeCloseTo((SHAPE + sum - 1) / (RATE + D), 4);
      // ∫ Π Poisson(y|x)·gamma(x) dx
      const marginal =
        SHAPE * Math.log(RATE) -
        lgamma(SHAPE) +
        lgamma(SHAPE + sum) -
        (SHAPE + sum) * Math.log(RATE + D) -
        row.reduce((all, entry) => all + lgamma(entry + 1), 0);
      expect(Math.abs(placed.logDensity[i]! - marginal)).toBeLessThan(0.01);
      const mean = (SHAPE + sum) / (RATE + D);
      expect(Math.abs(placed.posterior!.mean.at(i, 0) / mean - 1)).toBeLessThan(0.01);
      const variance = (SHAPE + sum) / (RATE + D) ** 2;
      expect(Math.abs(placed.posterior!.covariances[i]!.at(0, 0) / variance - 1)).toBeLessThan(0.03);
    });
    const ofShares = await (await fit(shares({ y: Y }), exact)).project([[3, 0, 5]]);
    [3, 0, 5].forEach((entry, k) => {
      expect(ofShares.latents.at(0, k)).toBeCloseTo((ALPHA[k]! + entry - 1) / (alphaSum + 8 - 3), 4);
      expect(Math.abs(ofShares.posterior!.mean.at(0, k) - (ALPHA[k]! + entry) / (alphaSum + 8))).toBeLessThan(0.01);
    });
  });

  it('are evaluated and predicted at values that meet it only', async () => {
    const regressed = defineModel({
      name: 'regressed',
      variables: () => {
        const x = latent({ dim: 1, density: standardNormal(), transform: 'positive' });
        return { x, y: observed(Y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
      },
    });
    const result = await fit(regressed({}), { maxIterations: 3 });
    expect(result.predict([[0.5]]).mean.columns).toBe(D);
    expect(() => result.predict([[-0.5]])).toThrow(
      /predict takes 'x' as 'positive' in each row, but row index 0 is not: it is to be numbers above 0/,
    );
    expect(() => evaluate(rates({ y: Y }), { x: Matrix.from(COUNTS.map(() => [-1])) })).toThrow(/'x'.*greater than 0/);
    const halves = Matrix.from(COUNTS.map(() => [0.5, 0.4, 0.2]));
    expect(() => evaluate(shares({ y: Y }), { x: halves })).toThrow(
      /'x'.*'simplex' in each row, but row index 0 is not: .*add up to 1/,
    );
  });
});

/** Ordered rows under densities that take any numbers. */
const withoutLog = (transform: 'ordered') =>
  defineModel({
    name: 'any',
    variables: () => {
      const x = latent({ dim: 3, density: standardNormal(), transform, init: 'random' });
      return { x, y: observed(Y, { density: squares(), given: x }) };
    },
  })({});
const squares = defineDensity({
  name: 'squares',
  logDensity: (_, { value, given: [x] }) => op.mul(-0.5, op.sum<op.Tensor1D>(op.square(op.sub(value, x!)), 1)),
  normalized: false,
});

describe('a constraint that cannot be', () => {
  it.each([
    ['an unknown one', { transform: 'negative' }, /'transform' of latent must be 'positive', 'simplex', 'ordered'/],
    ['Gaussian rows', { transform: 'positive', posterior: gaussian({ variance: 0.1 }) }, /constrains points/],
    ['a t-SNE map', { transform: 'positive', init: 'tsne' }, /does not start at a t-SNE map/],
    ['a simplex of one', { transform: 'simplex', dim: 1 }, /at least 2 columns/],
  ])('is refused: %s', (_, options, message) => {
    const make = () => latent({ dim: 2, density: standardNormal(), ...options } as never);
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it('is refused where the start does not meet it', async () => {
    const model = defineModel({
      name: 'begun',
      variables: () => {
        const x = latent({
          dim: 1,
          density: gammaRows(),
          transform: 'positive',
          init: Matrix.from(COUNTS.map(() => [0])),
        });
        return { x, y: observed(Y, { density: counted(), given: x }) };
      },
    });
    await expect(async () => fit(model({}))).rejects.toThrow(/start of 'x' must be 'positive' in each row/);
  });
});

describe('rows at known positions', () => {
  const at = [
    [1.5, -0.5],
    [-2, 1],
  ];
  const held = (more: object = {}) =>
    defineModel({
      name: 'held',
      variables: ({ y }: { y: Matrix }) => {
        const x = latent({ dim: 2, density: standardNormal(), init: 'random', held: { rows: [4, 1], at, ...more } });
        return { x, y: observed(y, { density: plain(), given: x }) };
      },
    });
  /** −½·Σ (y − [x, x_1 + x_2])² of each row, the constants left out. */
  const plain = defineDensity({
    name: 'plain',
    normalized: false,
    logDensity: (_, { value, given: [x] }) =>
      op.mul(-0.5, op.sum<op.Tensor1D>(op.square(op.sub(value, op.concat([x!, op.sum(x!, 1, true)], 1))), 1)),
  });
  /** The maximum of −½xᵀ(I + AᵀA)x + xᵀAᵀy with A = [I; 1 1]: (I + AᵀA)⁻¹Aᵀy; AᵀA = [[2, 1], [1, 2]]. */
  const modeOf = ([a, b, c]: readonly number[], pull = 0, to: readonly number[] = [0, 0]) => {
    const [d, u, v] = [3 + pull, a! + c! + pull * to[0]!, b! + c! + pull * to[1]!];
    return [(d * u - v) / (d * d - 1), (d * v - u) / (d * d - 1)];
  };

  it('stay where they are while the others reach the mode in closed form, and are neither searched for nor drawn', async () => {
    const model = held()({ y: Y });
    const result = await fit(model, exact);
    COUNTS.forEach((row, i) => {
      const expected = i === 4 ? at[0]! : i === 1 ? at[1]! : modeOf(row);
      expect(result.latents.row(i)[0]).toBeCloseTo(expected[0]!, 7);
      expect(result.latents.row(i)[1]).toBeCloseTo(expected[1]!, 7);
    });
    const open = logDensityOf(model);
    expect(open.size).toBe(2 * (COUNTS.length - 2));
    open.dispose();
    expect(loadFit(JSON.parse(JSON.stringify(result)), { models: { held: held() } }).latents.data).toEqual(
      result.latents.data,
    );
    const [again] = [await fit(model, { ...exact, restarts: 1, seed: 1 })];
    expect(again.latents.row(4)).toEqual(Float64Array.from(at[0]!));
    const draws = await samplePosterior(model, { chains: 2, warmup: 200, draws: 1000, seed: 1, priors: 'inTerms' });
    const summary = draws.summary();
    expect([summary['x[4, 0]']!.mean, summary['x[4, 0]']!.sd]).toEqual([1.5, 0]);
    const own = summary['x[0, 0]']!;
    expect(Math.abs(own.mean - modeOf(COUNTS[0]!)[0]!)).toBeLessThan(5 * own.mcseMean);
    expect(Math.abs(own.sd / Math.sqrt(3 / 8) - 1)).toBeLessThan(0.1);
    const elsewhere = Matrix.from(COUNTS.map(() => [0, 0]));
    expect(() => evaluate(model, { x: elsewhere })).toThrow(
      /at its known position: row index 4 is to be \[1\.5, -0\.5\]/,
    );
  });

  it('are drawn there by a strength, as a quadratic factor; new rows are not', async () => {
    const result = await fit(held({ strength: 5 })({ y: Y }), exact);
    [4, 1].forEach((row, k) => {
      const expected = modeOf(COUNTS[row]!, 5, at[k]!);
      expect(result.latents.row(row)[0]).toBeCloseTo(expected[0]!, 6);
      expect(result.latents.row(row)[1]).toBeCloseTo(expected[1]!, 6);
    });
    const placed = await result.project([COUNTS[4]!]);
    expect(placed.latents.at(0, 0)).toBeCloseTo(modeOf(COUNTS[4]!)[0]!, 4);
  });

  it.each([
    ['a row that is not there', { rows: [0, 99] }, /lists row index 99, but there are 6 rows/],
    ['a row twice', { rows: [1, 1] }, /entry 1 is 1 again/],
    ['other positions', { at: [[1, 2]] }, /needs 2×2 positions.*1×2 matrix was given/],
    ['no strength', { strength: 0 }, /number above 0, but 0 was given/],
  ])('are refused: %s', async (_, wrong, message) => {
    await expect(async () => fit(held(wrong)({ y: Y }))).rejects.toThrow(message);
  });
});
