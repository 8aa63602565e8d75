import { describe, expect, test } from 'vitest';
import {
  alle,
  drill,
  type Fit,
  fit,
  gplvm,
  InvalidInputError,
  isomap,
  laplacianEigenmaps,
  lle,
  llGplvm,
  loadFit,
  meu,
  mpme,
  mvu,
  tsneGplvm,
} from '../../src/index.ts';

const ROWS = [
  [5.1, 3.5, 1.4, 0.2],
  [4.9, 3.0, 1.4, 0.3],
  [4.7, 3.2, 1.3, 0.2],
  [6.4, 3.1, 4.5, 1.5],
  [5.0, 3.6, 1.4, 0.2],
  [5.4, 3.9, 1.7, 0.4],
  [4.6, 3.4, 1.5, 0.3],
  [7.0, 3.2, 4.7, 1.4],
];
const first = (N: number) => ROWS.slice(0, N);

describe('fewer points than the usual 7 neighbors take', () => {
  const run = { maxIterations: 5, seed: 1 };
  const plane = { latentDim: 2 };
  test.each<[string, (Y: number[][]) => Promise<Fit>]>([
    ['alle', (Y) => fit(alle(Y, plane), run)],
    ['drill', (Y) => fit(drill(Y, plane), run)],
    ['meu', (Y) => fit(meu(Y, plane), run)],
    ['isomap', (Y) => fit(isomap(Y, plane), run)],
    ['laplacianEigenmaps', (Y) => fit(laplacianEigenmaps(Y, plane), run)],
    ['lle', (Y) => fit(lle(Y, plane), run)],
    ['mvu', (Y) => fit(mvu(Y, plane), run)],
    ['llGplvm', (Y) => fit(llGplvm(Y, plane), run)],
  ])('%s uses all others, and reports it', async (_, fitOf) => {
    for (const N of [4, 7]) {
      const result = await fitOf(first(N));
      expect(result.message).toContain(`There are only ${N} points, so each has ${N - 1} neighbors and not 7.`);
      expect(loadFit(JSON.parse(JSON.stringify(result.toJSON()))).message).toBe(result.message);
    }
    const usual = await fitOf(first(8));
    expect(usual.message).not.toContain('There are only');
  });

  test('llGplvm starts from the requested neighbors all the same, and reports both', async () => {
    const options = { ...plane, init: 'tsne' } as const;
    const { message } = await fit(llGplvm(first(6), options), run);
    expect(message).toContain('The latents started at a t-SNE map. There are only 6 points');
    const [fromMap, fromAxes] = await Promise.all(
      [options, plane].map((own) => fit(llGplvm(first(6), own), { maxIterations: 0 })),
    );
    expect(fromMap!.latents).not.toEqual(fromAxes!.latents);
  });

  test('an explicit number is an error still', () => {
    expect(() => isomap(first(4), { neighbors: 7 })).toThrow(/from 1 to 3 for 4 points/);
  });

  test('two points in two dimensions: how many are needed', async () => {
    await expect((async () => fit(isomap(first(2))))()).rejects.toThrow(/give at least 3 points/);
    await expect((async () => fit(meu(first(2))))()).rejects.toThrow(/give at least 3 points/);
    await expect((async () => fit(gplvm(first(2), { latentDim: 2 })))()).rejects.toThrow(/give at least 3 points/);
  });

  test('tsneGplvm works with three points, and reports that two are too few', async () => {
    const three = await fit(tsneGplvm(first(3), { latentDim: 2 }), { maxIterations: 5, seed: 1 });
    expect(three.latents.rows).toBe(3);
    await expect((async () => fit(tsneGplvm(first(2), { latentDim: 1 })))()).rejects.toThrow(/takes at least 3 points/);
  });
});

test('the probable intention, where no model is passed to fit', async () => {
  const mistaken = async (given: unknown) => fit(given as ReturnType<typeof meu>);
  await expect(mistaken(gplvm)).rejects.toThrow(/the function gplvm was given.*fit\(gplvm\(Y, \{ latentDim: 2 \}\)\)/);
  await expect(mistaken('gplvm')).rejects.toThrow(/Import the function of that name/);
  await expect(mistaken(first(4))).rejects.toThrow(/observations \(an array of 4\) were given/);
  await expect(mistaken(Promise.resolve(1))).rejects.toThrow(/a promise was given. Await it first/);
  const guarded = new Proxy(
    {},
    {
      get() {
        throw new TypeError('nobody looks in here');
      },
    },
  );
  await expect(mistaken(guarded)).rejects.toThrow(InvalidInputError);
});

test('rows that are all the same are called that', async () => {
  const same = first(8).map(() => [1, 2, 3]);
  await expect((async () => fit(gplvm(same, { latentDim: 2 })))()).rejects.toThrow(/All points are the same/);
  await expect((async () => fit(isomap(same)))()).rejects.toThrow(/All 8 points are the same/);
});

test("the string 'Infinity' stands for the number in slackPenalty", async () => {
  const { latents } = await fit(mpme(first(6), { slackPenalty: 'Infinity' }));
  expect(latents.toArrays()).toEqual((await fit(mpme(first(6)))).latents.toArrays());
});
