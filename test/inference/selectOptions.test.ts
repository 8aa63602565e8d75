import { describe, expect, it } from 'vitest';
import {
  fit,
  fixed,
  gplrf,
  gplvm,
  InvalidInputError,
  kernelRegression,
  Matrix,
  pca,
  seededRandom,
  selectOptions,
  trustworthiness,
} from '../../src/index.ts';
import {
  heldOutDensity,
  nearestNeighborScore,
  type SelectionScore,
  type TrainingPart,
  trustworthinessScore,
} from '../../src/inference/index.ts';
import { rowsOf, splitsOf } from '../../src/inference/selection/scores.ts';

/** Three noisy clusters in five features. */
function clusters(perClass: number, spread: number) {
  const random = seededRandom(3);
  const labels = Array.from({ length: 3 * perClass }, (_, i) => i % 3);
  const rows = labels.map((label) =>
    Array.from({ length: 5 }, (_, d) => (d === label ? 3 : 0) + spread * random.normal()),
  );
  return { Y: Matrix.from(rows), labels };
}

describe('folds', () => {
  it('hold out every point once, each label in its share, and depend on the seed', () => {
    const labels = Array.from({ length: 23 }, (_, i) => (i < 11 ? 'a' : i < 20 ? 'b' : 'c'));
    const splits = splitsOf(23, 4, 1, labels);
    expect(splits.flatMap(({ held }) => Array.from(held)).sort((a, b) => a - b)).toEqual(labels.map((_, i) => i));
    for (const { training, held } of splits) {
      expect(training.length + held.length).toBe(23);
      expect(Array.from(held).filter((i) => training.includes(i))).toEqual([]);
      const count = (label: string) => Array.from(held).filter((i) => labels[i] === label).length;
      expect([count('a') >= 2, count('a') <= 3, count('b') >= 2, count('b') <= 3, count('c') <= 1]).toEqual(
        Array(5).fill(true),
      );
    }
    expect(splitsOf(23, 4, 1, labels)).toEqual(splits);
    expect(splitsOf(23, 4, 2, labels)).not.toEqual(splits);
  });

  it('take rows of matrices, arrays and typed arrays', () => {
    const rows = Int32Array.from([0, 2]);
    expect(rowsOf(Matrix.from([[1], [2], [3]]), rows).toArrays()).toEqual([[1], [3]]);
    expect(rowsOf(['a', 'b', 'c'], rows)).toEqual(['a', 'c']);
    expect(rowsOf(Int32Array.from([4, 5, 6]), rows)).toEqual(Int32Array.from([4, 6]));
    expect(() => rowsOf('abc', rows)).toThrow(InvalidInputError);
  });
});

describe('selectOptions', () => {
  it('tries every combination on every fold and chooses the smallest mean error', async () => {
    const seen: [number, number, number][] = [];
    const score: SelectionScore = {
      name: 'distance from (3, 20)',
      best: 'smallest',
      points: 12,
      of: ({ latents }, { training, held }) => {
        expect(latents.rows).toBe(training.length);
        return (
          held.length +
          seen
            .at(-1)!
            .slice(0, 2)
            .reduce((sum, entry, k) => sum + Math.abs(entry - [3, 20][k]!), 0)
        );
      },
    };
    const Y = clusters(4, 1).Y;
    const progress: number[] = [];
    const { best, table } = await selectOptions(
      ({ a, b }: { a: number; b: number }, { rows, take }) => {
        seen.push([a, b, rows.length]);
        return pca(take(Y), { latentDim: 1 });
      },
      { a: [1, 3], b: [10, 20, 30] },
      { score, folds: 3, onProgress: (done) => progress.push(done) },
    );
    expect(seen).toHaveLength(18);
    expect(table.map(({ options }) => options)).toEqual([
      { a: 1, b: 10 },
      { a: 1, b: 20 },
      { a: 1, b: 30 },
      { a: 3, b: 10 },
      { a: 3, b: 20 },
      { a: 3, b: 30 },
    ]);
    expect(table.map((row) => row.score)).toEqual([16, 6, 16, 14, 4, 14]);
    expect(best).toEqual({ a: 3, b: 20 });
    expect(progress).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
  });

  it('waits for models whose start is fitted to the same part of the points', async () => {
    const { Y, labels } = clusters(4, 1);
    const table = async (isPromised: boolean) => {
      const outcome = await selectOptions(
        ({ latentDim }: { latentDim: number }, { take }) => {
          const model = pca(take(Y), { latentDim });
          return isPromised ? fit(model).then(() => model) : model;
        },
        { latentDim: [1, 2] },
        { score: nearestNeighborScore(Y, labels), folds: 3 },
      );
      return outcome.table.map(({ score, failure }) => [score, failure]);
    };
    expect(await table(true)).toEqual(await table(false));
  });

  it.each(['smallest', 'largest'] as const)(
    'chooses the first combination when several have the %s score',
    async (best) => {
      const score: SelectionScore = { name: 'width', best, points: 12, of: ({ latents }) => latents.columns };
      const chosen = await selectOptions(
        ({ latentDim }: { latentDim: number; scale: boolean }, { take }) => pca(take(clusters(4, 1).Y), { latentDim }),
        { latentDim: [2, 1], scale: [true, false] },
        { score, folds: 3 },
      );
      expect(chosen.best).toEqual({ latentDim: best === 'smallest' ? 1 : 2, scale: true });
    },
  );

  it('scores held-out points by their nearest training neighbor in the latent space', async () => {
    const { Y, labels } = clusters(8, 0.3);
    const { best, table } = await selectOptions(
      ({ gamma }: { gamma: number }, { take }) =>
        gplrf(take(Y), take(labels), { latentDim: 2, strength: 10, backConstraint: kernelRegression({ gamma }) }),
      // So narrow a map sends every new point to the origin, nearest to whatever lies there.
      { gamma: [1e4, 0.1] },
      { score: nearestNeighborScore(Y, labels), folds: 3, seed: 2, fit: { maxIterations: 30 } },
    );
    expect(best).toEqual({ gamma: 0.1 });
    expect(table[1]!.scores).toEqual([0, 0, 0]);
    expect(table[0]!.score).toBeGreaterThan(0.5);
  });

  it('prefers the noise under which held-out observations are likelier, and the dimension with more trustworthy latents', async () => {
    const { Y } = clusters(6, 0.2);
    const settings = { folds: 3, seed: 1, fit: { maxIterations: 10 } };
    const byDensity = await selectOptions(
      ({ noise }: { noise: number }, { take }) => gplvm(take(Y), { latentDim: 2, noise: fixed(noise), scale: false }),
      { noise: [25, 0.04] },
      { ...settings, score: heldOutDensity(Y) },
    );
    expect(byDensity.best).toEqual({ noise: 0.04 });
    // No density of five features is above that of its noise alone: Σ −½·log 2πσ².
    for (const { options, score } of byDensity.table)
      expect(score).toBeLessThan(-2.5 * Math.log(2 * Math.PI * options.noise));
    const ofDimension = ({ latentDim }: { latentDim: number }, { take }: TrainingPart) => pca(take(Y), { latentDim });
    // Three clusters at the corners of a triangle need a plane.
    const byOrder = await selectOptions(
      ofDimension,
      { latentDim: [1, 2] },
      { ...settings, score: trustworthinessScore(Y, 3) },
    );
    expect(byOrder.best).toEqual({ latentDim: 2 });
    const whole = await selectOptions(ofDimension, { latentDim: [2] }, { folds: 0, score: trustworthinessScore(Y, 3) });
    expect(whole.table[0]!.scores).toEqual([trustworthiness(Y, (await fit(pca(Y, { latentDim: 2 }))).latents, 3)]);
  });

  it('keeps a combination that fails as a row with its reason, and reports it when all fail', async () => {
    const { Y } = clusters(4, 1);
    const make = ({ latentDim }: { latentDim: number }, { take }: { take: <T>(table: T) => T }) =>
      pca(take(Y), { latentDim });
    const score = trustworthinessScore(Y, 2);
    const { best, table } = await selectOptions(make, { latentDim: [9, 1] }, { score, folds: 2 });
    expect(best).toEqual({ latentDim: 1 });
    expect(table[0]!.score).toBeNaN();
    expect(table[0]!.failure).toMatch(/9/);
    await expect(selectOptions(make, { latentDim: [9] }, { score, folds: 2 })).rejects.toThrow(/No combination/);
  });

  it('refuses an empty grid, folds that cannot be, and unknown settings', async () => {
    const { Y } = clusters(2, 1);
    const make = () => pca(Y, { latentDim: 1 });
    const score = trustworthinessScore(Y, 1);
    await expect(selectOptions(make, { a: [] }, { score })).rejects.toThrow(/list of values for 'a'/);
    await expect(selectOptions(make, { a: [1] }, { score, folds: 7 })).rejects.toThrow(/6 points .* 7 folds/);
    await expect(selectOptions(make, { a: [1] }, { score, folds: 1 })).rejects.toThrow(InvalidInputError);
    await expect(selectOptions(make, { a: [1] }, { score, fold: 2 } as never)).rejects.toThrow(/fold/);
  });
});
