import { describe, expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import {
  type AnyModel,
  evaluate,
  fit,
  gplrf,
  InvalidInputError,
  llGplvm,
  loadFit,
  type Matrix,
  rankGplvm,
  tsneGplvm,
} from '../../src/index.ts';

const { observations: Y, labels } = pipeFlow({ points: 24, seed: 3 });
const [N, D] = [Y.rows, Y.columns];

describe('strengths by the size of the data', () => {
  it.each<[string, number, (strength?: number | 'auto') => AnyModel]>([
    ['locality', D, (strength) => llGplvm(Y, { latentDim: 2, strength })],
    ['tsne', N * D, (strength) => tsneGplvm(Y, { latentDim: 2, strength })],
    ['rank', (N * D) / 100, (strength) => rankGplvm(Y, { latentDim: 2, strength })],
    ['laplacian', (9 * D) / 2, (strength) => gplrf(Y, labels, { latentDim: 2, strength })],
  ])('%s', async (prior, strength, make) => {
    const term = async (model: AnyModel) => (await evaluate(model)).terms[prior]!;
    const one = await term(make(1));
    expect(await term(make())).toBeCloseTo(strength * one, 8);
    expect(await term(make('auto'))).toBeCloseTo(strength * one, 8);
  });
});

describe("gplrf({ strength: 'validate' })", () => {
  const model = (points: Matrix, known: readonly (string | number | undefined)[]) =>
    gplrf(points, known, { latentDim: 2, strength: 'validate' });

  it('fits with the best of four strengths, reports it, and comes back from JSON', async () => {
    const result = await fit(model(Y, labels), { maxIterations: 5, seed: 1 });
    const strength = result.parameters['priors.laplacian.strength'] as number;
    expect([0.1, 1, 10, 100].map((multiple) => (multiple * 9 * D) / 2)).toContainEqual(strength);
    const tried = [...result.message.matchAll(/([\d.]+) \(error ([\d.]+)\)/g)].map(([, s, e]) => [
      Number(s),
      Number(e),
    ]);
    expect(tried).toHaveLength(4);
    const least = Math.min(...tried.map(([, error]) => error!));
    expect(tried.find(([, error]) => error === least)![0]).toBeCloseTo(strength, 6);
    const plain = await fit(gplrf(Y, labels, { latentDim: 2, strength }), { maxIterations: 5, seed: 1 });
    expect(result.objective).toBe(plain.objective);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.predict([[0, 0]]).mean.data).toEqual(result.predict([[0, 0]]).mean.data);
  });

  it('is the one of auto where nothing is fitted', async () => {
    const auto = gplrf(Y, labels, { latentDim: 2 });
    expect((await evaluate(model(Y, labels))).objective).toBe((await evaluate(auto)).objective);
  });

  it('asks points with labels only', async () => {
    const some = labels.map((label, i) => (i % 4 === 0 ? undefined : label));
    const result = await fit(model(Y, some), { maxIterations: 2 });
    expect(result.latents.rows).toBe(N);
    expect(result.message).toContain('was chosen among');
  });

  it('takes points with missing entries, which only their own columns fill in', { tags: 'long' }, async () => {
    const holes = Y.toArrays().map((row, i) => row.map((entry, j) => ((i + 2 * j) % 9 === 0 ? Number.NaN : entry)));
    const options = { latentDim: 2, strength: 'validate', neighbors: 4, missing: 'ignore' } as const;
    const result = await fit(gplrf(holes, labels, options), { maxIterations: 5 });
    expect(result.message).toMatch(/Strength [\d.]+ was chosen among (.*\(error 0\.\d+\)){4}/);
    const strength = result.parameters['priors.laplacian.strength'] as number;
    const plain = await fit(gplrf(holes, labels, { ...options, strength }), { maxIterations: 5 });
    expect(result.objective).toBe(plain.objective);
  });

  it('refuses another word', () => {
    expect(() => gplrf(Y, labels, { latentDim: 2, strength: 'best' as 'auto' })).toThrow(InvalidInputError);
  });
});
