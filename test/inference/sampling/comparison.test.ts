import {
  compareModels,
  fixedAt,
  InvalidInputError,
  type Kernel,
  latentVariableModel,
  linear,
  positive,
  rbf,
  samplePosterior,
  seededRandom,
} from 'latentfield';
import { checkPredictive, compareElpd } from 'latentfield/inference';
import { describe, expect, test } from 'vitest';
import { expectClose } from '../../tolerance.ts';

const accuracy = (pointwise: readonly number[]) => ({
  pointwise: Float64Array.from(pointwise),
  elpd: pointwise.reduce((sum, entry) => sum + entry, 0),
  se: 1,
  effectiveParameters: 1,
});

describe('compareElpd', () => {
  test('differences have the standard error of their parts', () => {
    const [first, second] = compareElpd([accuracy([-1, -2, -3]), accuracy([-2, -2, -5])]);
    expect([first!.difference, first!.differenceSe]).toEqual([0, 0]);
    expect(second!.difference).toBe(-3);
    // Parts −1, 0, −2: variance 1.
    expectClose(second!.differenceSe, Math.sqrt(3), 1e-14);
  });

  test('stacking weights make the mixture that predicts best', () => {
    const random = seededRandom(1);
    const lists = [0, 1, 2].map((k) => Array.from({ length: 40 }, () => -1 - 0.1 * k + 0.7 * random.normal()));
    const weights = compareElpd(lists.map(accuracy)).map(({ stackingWeight }) => stackingWeight);
    expectClose(
      weights.reduce((sum, entry) => sum + entry, 0),
      1,
      1e-12,
    );
    const score = (w: readonly number[]) =>
      lists[0]!.reduce(
        (sum, _, n) => sum + Math.log(w.reduce((total, entry, k) => total + entry * Math.exp(lists[k]![n]!), 0)),
        0,
      );
    // Conditions of a maximum on the simplex: the slope in each weight is N where it is above 0, and no more elsewhere.
    weights.forEach((weight, k) => {
      const slope = lists[k]!.reduce(
        (sum, entry, n) =>
          sum + Math.exp(entry) / weights.reduce((total, w, j) => total + w * Math.exp(lists[j]![n]!), 0),
        0,
      );
      if (weight > 1e-4) expectClose(slope, 40, 1e-5);
      else expect(slope).toBeLessThan(40.01);
    });
    for (const k of [0, 1, 2]) expect(score(weights)).toBeGreaterThan(score([0, 1, 2].map((j) => (j === k ? 1 : 0))));
    // Of a model and the same again with a worse one, the worse one gets nothing.
    const alone = compareElpd([accuracy([-1, -1]), accuracy([-9, -9])]);
    expect(alone[1]!.stackingWeight).toBeLessThan(1e-8);
  });

  test('accuracies of other observations are refused', () => {
    expect(() => compareElpd([accuracy([-1]), accuracy([-1, -2])])).toThrow(InvalidInputError);
    expect(() => compareElpd([])).toThrow(InvalidInputError);
  });
});

test('checkPredictive finds what a model misses, and what it does not', async () => {
  const random = seededRandom(2);
  const inputs = Array.from({ length: 16 }, (_, i) => [i / 4 - 2]);
  const Y = inputs.map(([t]) => [Math.sin(3 * t!) + 0.05 * random.normal()]);
  const roughness = ({ data }: { data: Float64Array }) =>
    data.reduce((sum, entry, i) => sum + (i === 0 ? 0 : (entry - data[i - 1]!) ** 2), 0);
  const drawn = (kernel: Kernel) =>
    samplePosterior(
      latentVariableModel({
        observations: Y,
        latentDim: 1,
        posterior: fixedAt(inputs),
        kernel,
        noise: positive(0.1),
        center: false,
      }),
      {
        chains: 2,
        warmup: 50,
        draws: 30,
        priors: 'weak',
        seed: 1,
      },
    );
  const curved = checkPredictive(await drawn(rbf()), roughness, { draws: 60 });
  expectClose(curved.observed, roughness({ data: Float64Array.from(Y.flat()) }), 1e-14);
  expect(curved.replicated.length).toBe(60);
  expect(curved.pValue).toBeGreaterThan(0.05);
  expect(curved.message).toMatch('reproduces this statistic');
  // A straight line takes the waves for noise, whose steps are much rougher.
  const straight = checkPredictive(await drawn(linear()), roughness, { draws: 60 });
  expect(straight.pValue).toBeGreaterThan(0.975);
  expect(straight.message).toMatch('misses this statistic');
});

describe('compareModels of draws', () => {
  test('is compareElpd of their leave-one-out, by name', async () => {
    const t = Array.from({ length: 12 }, (_, i) => i / 4 - 1.5);
    const drawn = (kernel: Kernel) =>
      samplePosterior(
        latentVariableModel({
          observations: t.map((x) => [Math.sin(3 * x) + 0.05 * Math.cos(40 * x)]),
          latentDim: 1,
          posterior: fixedAt(t.map((x) => [x])),
          kernel,
          noise: 0.1,
          center: false,
        }),
        { priors: 'weak', chains: 2, warmup: 50, draws: 50, seed: 2 },
      );
    const [curved, straight] = [await drawn(rbf()), await drawn(linear())];
    const compared = await compareModels([curved, straight]);
    const { table } = compared;
    const rows = compareElpd([curved.loo(), straight.loo()]);
    expect(table.map(({ elpd }) => elpd)).toEqual(rows.map(({ elpd }) => elpd));
    expect(table.map(({ name }) => name)).toEqual(['latentVariableModel', 'latentVariableModel 2']);
    expect(table[1]!.difference).toBeLessThan(-2 * table[1]!.differenceSe);
    expect(table[0]!.stackingWeight).toBeGreaterThan(0.9);
    expect(String(compared).split('\n').length).toBe(3);
    await expect(compareModels([curved, {}] as never)).rejects.toThrow(InvalidInputError);
    await expect(
      (compareModels as (...given: unknown[]) => Promise<unknown>)([curved], { laplace: false }),
    ).rejects.toThrow(/laplace/);
  });
});
