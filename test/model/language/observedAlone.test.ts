import {
  defineDensity,
  defineModel,
  describe as described,
  fit,
  gamma,
  knnGraph,
  loadFit,
  maxEntropy,
  meu,
  normal,
  observed,
  positive,
  real,
  samplePosterior,
  squaredDifferences,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';

const draws = seededRandom(5);
const Y = Array.from({ length: 40 }, (_, i) => [Math.sin(i / 3) + 0.3 * draws.normal(), Math.cos(i / 5)]);
const entries = Y.flat();
const mean = entries.reduce((sum, y) => sum + y, 0) / entries.length;
const variance = entries.reduce((sum, y) => sum + (y - mean) ** 2, 0) / entries.length;

/** Entries are independent: y ~ N(mean, deviation²). */
const entrywise = defineDensity({
  name: 'entrywise',
  parameters: {
    mean: real(0, { prior: normal({ mean: 0, deviation: 10 }) }),
    deviation: positive(1, { prior: gamma({ shape: 1, rate: 0.01 }) }),
  },
  logDensity: (p, { value }) => {
    const z = op.div(op.sub(value, p.mean), p.deviation);
    return op.sum(op.sub(op.mul(-0.5, op.square(z)), op.add(op.log(p.deviation), Math.log(2 * Math.PI) / 2)), 1);
  },
});
const table = defineModel({
  name: 'table',
  variables: ({ y, flat }: { y: number[][]; flat?: boolean }) => ({
    y: observed(y, { density: flat ? entrywise({ mean: real(0), deviation: positive(1) }) : entrywise() }),
  }),
});
const near = squaredDifferences(knnGraph(Y, 4));
const field = defineModel({
  name: 'fieldOverRows',
  variables: ({ y }: { y: number[][] }) => ({
    y: observed(y, { density: maxEntropy({ base: 0.1, slack: 25, expect: { near } }) }),
  }),
});

describe('a model whose variables are observed alone', () => {
  it('has the maximum of its density in closed form, and fits without latents', async () => {
    const result = await fit(table({ y: Y, flat: true }), { seed: 1 });
    expect(result.status).toBe('converged');
    expect(result.parameters['y.mean']).toBeCloseTo(mean, 6);
    expect(result.parameters['y.deviation']).toBeCloseTo(Math.sqrt(variance), 6);
    expect(result.objective).toBeCloseTo((-entries.length / 2) * (Math.log(2 * Math.PI * variance) + 1), 9);
    expect('latents' in result).toBe(false);
    expect(result.values).toEqual({});
    // @ts-expect-error -- it has none, nor has its type
    expect(result.latents).toBeUndefined();
  });

  it('explains in its description why it places and predicts nothing', () => {
    const text = described(table({ y: Y }));
    expect(text).toContain('table: 40 points');
    expect(text).toMatch(/project: all variables of the model 'table' are observed, so new rows have no latents/);
    expect(text).toMatch(/predict: all variables/);
  });

  it('is saved and loaded with the same text', async () => {
    const result = await fit(table({ y: Y }), { seed: 1, engine: 'wasm' });
    const text = JSON.stringify(result);
    const loaded = loadFit(JSON.parse(text), { models: { table } }, { engine: 'wasm' });
    expect(JSON.stringify(loaded)).toBe(text);
    expect('latents' in loaded).toBe(false);
  });

  it('is drawn from its posterior, and judged by leaving rows out', { tags: 'long' }, async () => {
    const drawn = await samplePosterior(table({ y: Y }), { draws: 500, warmup: 300, chains: 2, seed: 1 });
    const means = Array.from({ length: 1000 }, (_, i) => {
      const { parameters } = drawn.fitAt(Math.floor(i / 500), i % 500);
      return parameters['y.mean'] as number;
    });
    const error = Math.sqrt(variance / entries.length);
    const average = means.reduce((sum, own) => sum + own, 0) / means.length;
    expect(Math.abs(average - mean)).toBeLessThan(0.3 * error);
    const spread = Math.sqrt(means.reduce((sum, own) => sum + (own - average) ** 2, 0) / means.length);
    expect(spread / error).toBeGreaterThan(0.85);
    expect(spread / error).toBeLessThan(1.15);
    const { elpd } = await drawn.loo();
    // The plug-in density of each row without it, which the posterior of two parameters from 80 entries changes little.
    const plugged = Y.reduce((sum, row, i) => {
      const others = Y.filter((_, j) => j !== i).flat();
      const center = others.reduce((all, y) => all + y, 0) / others.length;
      const own = others.reduce((all, y) => all + (y - center) ** 2, 0) / others.length;
      return sum + row.reduce((all, y) => all - ((y - center) ** 2 / own + Math.log(2 * Math.PI * own)) / 2, 0);
    }, 0);
    expect(Math.abs(elpd - plugged)).toBeLessThan(1);
  });

  it('may be a random field over the rows, the one of maximum entropy unfolding', async () => {
    const result = await fit(field({ y: Y }), { seed: 1 });
    const whole = await fit(
      meu(Y, { latentDim: 1, graph: knnGraph(Y, 4), basePrecision: 0.1, slackPenalty: 25, scale: false }),
      { seed: 1 },
    );
    expect(result.status).toBe('converged');
    const weights = Array.from(result.field('y').multipliers.near as ArrayLike<number>);
    const theirs = Array.from(whole.parameters['field.weights'] as ArrayLike<number>);
    expect(weights).toHaveLength(theirs.length);
    weights.forEach((weight, e) => {
      expect(weight).toBeCloseTo(theirs[e]!, 6);
    });
    expect('latents' in result).toBe(false);
  });
});
