import {
  classicalMds,
  evaluate,
  fit,
  InvalidInputError,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  lle,
  loadFit,
  pca,
  ppca,
  rbf,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { swissRoll } from './columns.ts';

const Y = swissRoll(24);
/** Two clouds far apart. */
const apart = [...swissRoll(12), ...swissRoll(10).map(([x, y, z]) => [x! + 1000, y!, z!])];

describe('the spectral family refuses', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['k ≥ N of isomap', () => isomap(Y, { neighbours: 24 }), /from 1 to 23/],
    ['k ≥ N of lle', () => lle(Y, { neighbours: 24 }), /from 1 to 23/],
    ['k ≥ N of laplacianEigenmaps', () => laplacianEigenmaps(Y, { neighbours: 24 }), /from 1 to 23/],
    ['neighbours and a radius', () => isomap(Y, { neighbours: 3, radius: 1 }), /either neighbours or radius/],
    [
      'NaN',
      () =>
        pca([
          [1, 2],
          [3, Number.NaN],
        ]),
      /row 1, column 1 is NaN/,
    ],
    [
      'negative distances',
      () =>
        classicalMds(
          [
            [0, -1],
            [-1, 0],
          ],
          { input: 'distances' },
        ),
      /not negative.*is -1/,
    ],
    [
      'asymmetric distances',
      () =>
        classicalMds(
          [
            [0, 1],
            [2, 0],
          ],
          { input: 'distances' },
        ),
      /symmetric/,
    ],
    [
      'similarities',
      () =>
        classicalMds(
          [
            [1, 0],
            [0, 1],
          ],
          { input: 'distances' },
        ),
      /to itself is 1/,
    ],
    ['distances that are not square', () => isomap([[0, 1]], { input: 'distances' }), /N×N/],
    ['a kernel that is none', () => kernelPca(Y, { kernel: 'rbf' as never }), /must be a kernel/],
    ['a dimension of 0', () => pca(Y, { latentDim: 0 }), /whole number from 1/],
    ['to be evaluated', () => evaluate(pca(Y)), /closed form/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a graph that is not connected',
      () => fit(isomap(apart, { neighbours: 4 })),
      /2 components, the largest of 12 of 22/,
    ],
    ['a radius that is too small', () => fit(laplacianEigenmaps(Y, { radius: 1e-3 })), /Point 0 has no neighbour/],
    ['more dimensions than there are', () => fit(pca(Y, { latentDim: 4 })), /at most 3 principal components/],
    ['no noise for ppca', () => fit(ppca(Y, { latentDim: 3 })), /more than 3 directions/],
    ['new points without a formula', async () => (await fit(lle(Y))).project(Y), /cannot place new ones/],
    ['predictions without a mapping', async () => (await fit(lle(Y))).predict([[0, 0]]), /no mapping from latents/],
    ['points at one place', () => fit(classicalMds([[1], [1], [1]])), /0 positive eigenvalues/],
  ])('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(InvalidInputError);
    await expect(run()).rejects.toThrow(message);
  });
});

describe('the spectral family', () => {
  it('shows the largest component when told to, and says so', async () => {
    const result = await fit(isomap(apart, { neighbours: 4, disconnected: 'largest' }));
    expect(result.latents.rows).toBe(12);
    expect(result.parameters.points).toEqual(Array.from({ length: 12 }, (_, i) => i));
    const alone = await fit(isomap(apart.slice(0, 12), { neighbours: 4 }));
    expect(result.latents.data).toEqual(alone.latents.data);
  });

  it('says when the graph of neighbours is not connected', async () => {
    expect((await fit(lle(apart, { neighbours: 4 }))).message).toContain('2 components');
    expect((await fit(laplacianEigenmaps(apart, { neighbours: 4 }))).message).toContain('2 components');
  });

  it.each([
    ['pca', () => pca(Y)],
    ['ppca', () => ppca(Y, { dual: true })],
    ['kernelPca', () => kernelPca(Y, { kernel: rbf({ lengthscale: 5 }) })],
    ['classicalMds', () => classicalMds(Y)],
    ['isomap', () => isomap(Y, { neighbours: 5 })],
    ['lle', () => lle(Y)],
    ['laplacianEigenmaps', () => laplacianEigenmaps(Y, { weights: 'heat', width: 3 })],
  ])('%s survives JSON and repeats bit for bit', async (name, make) => {
    const result = await fit(make());
    expect(result.model).toBe(name);
    expect((await fit(make())).latents.data).toEqual(result.latents.data);
    const again = loadFit(JSON.parse(JSON.stringify(result)));
    expect(again.latents.data).toEqual(result.latents.data);
    expect(again.eigenvalues).toEqual(result.eigenvalues);
    expect(again.objective).toBe(result.objective);
    if (['pca', 'ppca', 'kernelPca'].includes(name)) {
      const placed = await result.project(Y.slice(0, 3));
      expect((await again.project(Y.slice(0, 3))).latents.data).toEqual(placed.latents.data);
    }
  });
});
