import { describe, expect, it } from 'vitest';
import {
  covariance,
  defineModel,
  fit,
  fitAt,
  fixed,
  fixedAt,
  gaussianProcess,
  latent,
  latentVariableModel,
  linear,
  Matrix,
  observed,
  ppca,
  type Random,
  rbf,
  seededRandom,
  standardNormal,
  symmetricEigenpairs,
} from '../../src/index.ts';

const DRAWS = 200;
const D = 5;
const N = 15;
/** The 0.999 quantile of χ² with 9 degrees of freedom. */
const MOST = 27.88;

const normals = (random: Random, rows: number, columns: number) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));

/** D functions of covariance K, in columns, with noise. */
function drawnColumns(random: Random, K: Matrix, deviation: number): number[][] {
  const { values, vectors } = symmetricEigenpairs(K);
  const columns = Array.from({ length: D }, () => {
    const weights = Array.from(values, (value) => Math.sqrt(Math.max(0, value)) * random.normal());
    return Array.from({ length: K.rows }, (_, i) =>
      weights.reduce((sum, w, e) => sum + w * vectors.at(i, e), deviation * random.normal()),
    );
  });
  return Matrix.from(columns[0]!.map((_, i) => columns.map((column) => column[i]!))).toArrays();
}

/** Distribution function of the standard normal distribution, to 1e-7 (Abramowitz & Stegun 26.2.17). */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce((sum, a) => (sum + a) * t, 0);
  const upper = (tail * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z < 0 ? upper : 1 - upper;
}
const rank = (truth: number, mean: number, variance: number) => normalCdf((truth - mean) / Math.sqrt(variance));
const withoutFirst = (row: readonly number[]) => row.map((y, d) => (d === 0 ? Number.NaN : y));

/** χ² of ranks in ten bins. */
function misfit(ranks: readonly number[]): number {
  const counts = new Array<number>(10).fill(0);
  for (const u of ranks) counts[Math.min(9, Math.floor(10 * u))]!++;
  return counts.reduce((sum, count) => sum + (count - DRAWS / 10) ** 2 / (DRAWS / 10), 0);
}

interface Ranks {
  readonly place: number;
  readonly entry: number;
}

/** Rows whose latents are known up to the last, whose place and first entry are predicted. */
async function mappingRanks(random: Random): Promise<Ranks> {
  const X = normals(random, N + 1, 2);
  const rows = drawnColumns(random, covariance(linear(), Matrix.from(X)), 0.5);
  const [x, y] = [X[N]!, rows[N]!];
  const result = fitAt(
    latentVariableModel({
      observations: rows.slice(0, N),
      latentDim: 2,
      latents: fixedAt(X.slice(0, N)),
      kernel: linear({ variance: fixed(1) }),
      noise: fixed(0.25),
      centre: false,
      scale: false,
    }),
  );
  const { latents, latentVariances } = await result.project([y], { starts: 6 });
  const { mean, variance } = await result.impute([withoutFirst(y)], { starts: 6 });
  return {
    place: rank(x[0]!, latents.at(0, 0), latentVariances!.at(0, 0)),
    entry: rank(y[0]!, mean.at(0, 0), variance.at(0, 0)),
  };
}

const curved = defineModel({
  name: 'curved',
  variables: (Y: Matrix) => {
    const kernel = rbf({ variance: fixed(1), lengthscale: fixed(2) });
    const density = gaussianProcess({ kernel, noise: fixed(0.09) });
    const x = latent({ dim: 1, density: standardNormal() });
    return { x, y: observed(Y, { density, given: x, centre: false }) };
  },
});

async function ownRanks(random: Random): Promise<Ranks> {
  const X = normals(random, N + 1, 1);
  const rows = drawnColumns(random, covariance(rbf({ lengthscale: 2 }), Matrix.from(X)), 0.3);
  const [x, y] = [X[N]!, rows[N]!];
  const result = fitAt(curved(Matrix.from(rows.slice(0, N))), { x: Matrix.from(X.slice(0, N)) });
  const { latents, latentVariances } = await result.project({ y: [y] }, { starts: 6 });
  const { y: found } = await result.impute!({ y: [withoutFirst(y)] }, { starts: 6 });
  return {
    place: rank(x[0]!, latents.at(0, 0), latentVariances!.at(0, 0)),
    entry: rank(y[0]!, found!.mean.at(0, 0), found!.variance.at(0, 0)),
  };
}

/** Latents of ppca are known up to rotation: what is compared is the part of the first column that they explain. */
async function ppcaRanks(random: Random): Promise<Ranks> {
  const many = 1000;
  const [X, W] = [normals(random, many + 1, 2), normals(random, 2, D)];
  const explained = (x: readonly number[], d: number) => x[0]! * W[0]![d]! + x[1]! * W[1]![d]!;
  const rows = X.map((x) => Array.from({ length: D }, (_, d) => explained(x, d) + 0.5 * random.normal()));
  const y = rows[many]!;
  const result = await fit(ppca(rows.slice(0, many), { latentDim: 2 }));
  const { latents, latentVariances } = await result.project([y]);
  const { mean, variance } = await result.impute!([withoutFirst(y)]);
  const weights = (result.parameters.weights as Matrix).row(0);
  const spread = weights.reduce((sum, w, c) => sum + w * w * latentVariances!.at(0, c), 0);
  return {
    place: rank(explained(X[many]!, 0), result.predict(latents).mean.at(0, 0), spread),
    entry: rank(y[0]!, mean.at(0, 0), variance.at(0, 0)),
  };
}

describe('ranks of what was drawn among what is predicted of it (simulation-based calibration)', () => {
  it.each([
    ['a linear mapping at held parameters', mappingRanks],
    ['a curved mapping of an own model', ownRanks],
    ['ppca', ppcaRanks],
  ])('are uniform for places and missing entries: %s', { timeout: 600_000 }, async (_, ranksOf) => {
    const found: Ranks[] = [];
    for (let draw = 0; draw < DRAWS; draw++) found.push(await ranksOf(seededRandom(40_000 + draw)));
    expect(misfit(found.map(({ place }) => place))).toBeLessThan(MOST);
    expect(misfit(found.map(({ entry }) => entry))).toBeLessThan(MOST);
  });
});
