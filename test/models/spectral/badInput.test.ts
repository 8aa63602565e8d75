import {
  alle,
  classicalMds,
  drill,
  evaluate,
  fit,
  InvalidInputError,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  lle,
  loadFit,
  type Model,
  mvu,
  pca,
  ppca,
  rbf,
} from 'latentfield';
import { describe, expect, it } from 'vitest';
import { swissRoll } from './columns.ts';

const Y = swissRoll(24);
const distances = Y.map((a) => Y.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
/** Two clouds far apart. */
const apart = [...swissRoll(12), ...swissRoll(10).map(([x, y, z]) => [x! + 1000, y!, z!])];

describe('points that are all the same have no embedding', () => {
  // Their mean is rounded, so that centered they are not 0.
  const same = Array.from({ length: 30 }, () => [10.0386, 1.9222, 0.3892]);
  it.each([alle, drill, laplacianEigenmaps, lle, mvu, pca, ppca])('%o', (model: (Y: number[][]) => unknown) => {
    expect(() => model(same)).toThrow(InvalidInputError);
    expect(() => model(same)).toThrow(
      /^All 30 points are the same, so \w+ has nothing to embed\. Give points that differ\.$/,
    );
    const [first, ...rest] = same;
    expect(() => model([first!.map((entry) => entry + 1), ...rest])).not.toThrow(/are the same/);
  });
});

describe('the spectral family refuses', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['k ≥ N of isomap', () => isomap(Y, { neighbors: 24 }), /from 1 to 23/],
    ['k ≥ N of lle', () => lle(Y, { neighbors: 24 }), /from 1 to 23/],
    ['k ≥ N of laplacianEigenmaps', () => laplacianEigenmaps(Y, { neighbors: 24 }), /from 1 to 23/],
    ['neighbors and a radius', () => isomap(Y, { neighbors: 3, radius: 1 }), /either neighbors or radius/],
    [
      'NaN',
      () =>
        pca([
          [1, 2],
          [3, Number.NaN],
        ]),
      /entry \[1\]\[1\] is NaN/,
    ],
    ['distances that are not square', () => isomap([[0, 1]], { input: 'distances' }), /N×N/],
    ['a kernel that is none', () => kernelPca(Y, { kernel: 'rbf' as never }), /takes kernels/],
    ['a dimension of 0', () => pca(Y, { latentDim: 0 }), /whole number from 1/],
    ['to be evaluated', () => evaluate(pca(Y)), /closed form/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(InvalidInputError);
    expect(make).toThrow(message);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a graph that is not connected',
      () => fit(isomap(apart, { neighbors: 4, disconnected: 'error' })),
      /2 components, the largest of 12 of 22/,
    ],
    [
      'a point that the radius leaves alone',
      () => fit(laplacianEigenmaps([...Y, [500, 0, 0]], { radius: 11, disconnected: 'error' })),
      /2 components, the largest of 24 of 25/,
    ],
    [
      'a width at which all weights are 0',
      () => fit(laplacianEigenmaps(Y, { weights: 'heat', width: 1e-3, normalized: false })),
      /All \d+ edges of laplacianEigenmaps have weight 0.*larger width/,
    ],
    ['more dimensions than there are', () => fit(pca(Y, { latentDim: 4 })), /at most 3 principal components/],
    [
      'no noise for ppca of two columns',
      () =>
        fit(
          ppca(
            Y.map((row) => row.slice(0, 2)),
            { latentDim: 2 },
          ),
        ),
      /vary in 2 directions only/,
    ],
    ['no noise for ppca', () => fit(ppca(Y, { latentDim: 3 })), /vary in 3 directions only/],
    ['points at one place', () => fit(classicalMds([[1], [1], [1]])), /All 3 points are the same/],
  ])('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(InvalidInputError);
    await expect(run()).rejects.toThrow(message);
  });
});

describe('a radius below the distance of the nearest two points is refused by', () => {
  const nearest = Math.min(...distances.flatMap((row) => row.filter((distance) => distance > 0)));
  it.each<[string, (options: { radius: number }) => Model]>([
    ['isomap', (options) => isomap(Y, options)],
    ['isomap of the largest component', (options) => isomap(Y, { ...options, disconnected: 'largest' })],
    ['isomap of distances', (options) => isomap(distances, { ...options, input: 'distances' })],
    ['laplacianEigenmaps', (options) => laplacianEigenmaps(Y, options)],
    ['laplacianEigenmaps not normalized', (options) => laplacianEigenmaps(Y, { ...options, normalized: false })],
    ['mvu', (options) => mvu(Y, options)],
    ['mvu of the largest component', (options) => mvu(Y, { ...options, disconnected: 'largest' })],
    ['mvu of distances', (options) => mvu(distances, { ...options, input: 'distances' })],
  ])('%s', async (_, make) => {
    const run = () => fit(make({ radius: 0.999 * nearest }));
    await expect(run()).rejects.toThrow(InvalidInputError);
    await expect(run()).rejects.toThrow(
      `none of the 24 points has a neighbor, so the graph has no edges: the nearest two points are ${Number(nearest.toPrecision(4))} apart`,
    );
  });

  it.each<[string, (options: { radius: number; disconnected: 'error' }) => Model]>([
    ['isomap', (options) => isomap(Y, options)],
    ['mvu', (options) => mvu(Y, options)],
  ])('%s when it leaves points apart', async (_, make) => {
    await expect(fit(make({ radius: 1.001 * nearest, disconnected: 'error' }))).rejects.toThrow(
      /graph of neighbors has \d+ components.*larger radius/,
    );
  });
});

describe.each<[string, (given: number[][]) => Model]>([
  ['classicalMds', (given) => classicalMds(given, { input: 'distances' })],
  ['isomap', (given) => isomap(given, { input: 'distances', neighbors: 1 })],
  ['mvu', (given) => mvu(given, { input: 'distances', neighbors: 1 })],
])('%s refuses distances', (_, make) => {
  const changed = (i: number, j: number, entry: number) =>
    distances.map((row, a) => row.map((distance, b) => (a === i && b === j ? entry : distance)));
  it.each<[string, number[][], RegExp]>([
    ['that are negative', changed(2, 7, -1), /from 0, but entry \[2\]\[7\] .* is -1/],
    ['that are not numbers', changed(9, 4, Number.NaN), /entry \[9\]\[4\] .* is NaN/],
    ['that are not finite', changed(9, 4, Infinity), /entry \[9\]\[4\] .* is Infinity/],
    ['that are not symmetric', changed(8, 3, 500), /symmetric, but entry \[3\]\[8\] .* and entry \[8\]\[3\] is 500/],
    ['that are similarities', changed(5, 5, 1), /entry \[5\]\[5\]\) is 1, not 0.*not similarities/],
    ['that are not square', distances.slice(1), /N×N matrix, N ≥ 2, but it is 23×24/],
  ])('%s', (__, given, message) => {
    expect(() => make(given)).toThrow(InvalidInputError);
    expect(() => make(given)).toThrow(message);
  });

  it('but not those that differ from symmetric ones by rounding', () => {
    expect(make(changed(8, 3, distances[8]![3]! * (1 + 1e-12))).name).toBeTypeOf('string');
  });
});

describe('the spectral family', () => {
  it('shows the largest component on request, and reports it', async () => {
    const result = await fit(isomap(apart, { neighbors: 4, disconnected: 'largest' }));
    expect(result.latents.rows).toBe(12);
    expect(result.parameters.points).toEqual(Array.from({ length: 12 }, (_, i) => i));
    const alone = await fit(isomap(apart.slice(0, 12), { neighbors: 4 }));
    expect(result.latents.data).toEqual(alone.latents.data);
  });

  it.each([
    ['pca', () => pca(Y)],
    ['ppca', () => ppca(Y, { dual: true })],
    ['kernelPca', () => kernelPca(Y, { kernel: rbf({ lengthscale: 5 }) })],
    ['classicalMds', () => classicalMds(Y)],
    ['isomap', () => isomap(Y, { neighbors: 5 })],
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
    if ('project' in result && typeof result.project === 'function') {
      const placed = await result.project(Y.slice(0, 3));
      expect((await again.project(Y.slice(0, 3))).latents.data).toEqual(placed.latents.data);
    }
  });
});
