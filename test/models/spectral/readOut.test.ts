import {
  alle,
  classicalMds,
  clusteringAccuracy,
  drill,
  fit,
  InvalidInputError,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  lle,
  loadFit,
  type Matrix,
  meu,
  mpme,
  seededRandom,
} from 'latentfield';
import { kMeans } from 'latentfield/inference';
import type { AnyPaths, Model, Placing, Spectral } from 'latentfield/model';
import { describe, expect, it } from 'vitest';
import { expectClose } from '../../tolerance.ts';
import { swissRoll } from './columns.ts';

const Y = swissRoll(30);
const rows = Y.slice(3, 7).map((row, i) => row.map((entry, d) => entry + 0.1 * Math.sin(i + d)));

/** V with columns, and then rows, divided by their lengths. */
function unitRows(latents: Matrix, lengths: readonly number[]): number[][] {
  return latents.toArrays().map((row) => {
    const entries = row.map((entry, c) => entry / lengths[c]!);
    return entries.map((entry) => entry / Math.hypot(...entries));
  });
}
const columnLengths = (X: Matrix) => Array.from({ length: X.columns }, (_, c) => Math.hypot(...X.column(c)));

describe('eigenvectors become latents with rows of unit length, for new rows too', () => {
  it.each([
    ['alle', alle, { neighbors: 6 }],
    ['classicalMds', classicalMds, {}],
    ['drill', drill, { neighbors: 8 }],
    ['isomap', isomap, {}],
    ['kernelPca', kernelPca, {}],
    ['laplacianEigenmaps', laplacianEigenmaps, {}],
    ['lle', lle, { neighbors: 6 }],
    ['meu', meu, {}],
    ['mpme', mpme, {}],
  ] as const)('%s', async (_, factory, options) => {
    const make = factory as (Y: number[][], options: object) => Model<AnyPaths, Placing & Spectral>;
    const plain = await fit(make(Y, { ...options, latentDim: 3 }));
    const whole = (await plain.project(rows)).latents;
    for (const columns of [undefined, 'unit'] as const) {
      const read = await fit(make(Y, { ...options, embedding: { vectors: 3, rows: 'unit', columns } }));
      const lengths = columns === undefined ? [1, 1, 1] : columnLengths(plain.latents);
      expectClose(read.latents, unitRows(plain.latents, lengths), 1e-12);
      expectClose(read.eigenvalues, plain.eigenvalues, 1e-12);
      const { latents } = await read.project(rows);
      expectClose(latents, unitRows(whole, lengths), 1e-12);
      const again = loadFit(JSON.parse(JSON.stringify(read)));
      expect(again.latents).toEqual(read.latents);
      expect((await again.project!(rows)).latents).toEqual(latents);
      expect(JSON.stringify(again)).toBe(JSON.stringify(read));
    }
  });
});

it.each([
  ['alle', alle],
  ['drill', drill],
  ['lle', lle],
] as const)('omitted options are saved in the order of reading: %s', async (_, factory) => {
  const result = await fit(factory(Y));
  expect(JSON.stringify(loadFit(JSON.parse(JSON.stringify(result))))).toBe(JSON.stringify(result));
});

describe('as many vectors as clusters', () => {
  const random = seededRandom(5);
  const labels = Array.from({ length: 90 }, (_, i) => i % 5);
  const clusters = labels.map((label) => [0, 1, 2, 3].map((d) => (d === label ? 6 : 0) + random.normal()));

  it('whose clusters k-means recovers', async () => {
    const { latents } = await fit(mpme(clusters, { embedding: { vectors: 5, rows: 'unit' } }));
    expect(latents.columns).toBe(5);
    expect(clusteringAccuracy(labels, kMeans(latents, 5, { seed: 1 }).clusters)).toBeGreaterThan(0.95);
  });

  it('are read of a field of other copies, which only change its scale', async () => {
    const few = await fit(mpme(clusters, { embedding: { vectors: 4 } }));
    const many = await fit(mpme(clusters, { latentDim: 8, embedding: { vectors: 4 } }));
    expectClose(
      many.latents,
      few.latents.toArrays().map((row) => row.map((x) => x / Math.sqrt(2))),
      1e-6,
    );
  });

  it('leave a row of zeros where it is', async () => {
    const cross = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
      [0, 0],
    ];
    const { latents } = await fit(classicalMds(cross, { embedding: { rows: 'unit' } }));
    expectClose(latents.row(4), [0, 0], 1e-15);
  });
});

it('the option embedding lists its accepted values', () => {
  expect(() => isomap(Y, { embedding: { vectors: 0 } })).toThrow(InvalidInputError);
  expect(() => isomap(Y, { latentDim: 2, embedding: { vectors: 3 } })).toThrow(
    '3 vectors were requested from isomap in embedding, but latentDim is 2. Leave latentDim out.',
  );
  expect(() => mpme(Y, { embedding: { row: 'unit' } as never })).toThrow(/embedding/);
  expect(() => meu(Y, { embedding: 'other' as never })).toThrow(/'kernelPca', 'eigenmap' or \{ method/);
});
