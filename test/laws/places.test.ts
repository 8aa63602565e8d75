import { describe, expect, it } from 'vitest';
import {
  add,
  bias,
  defineModel,
  fit,
  fitAt,
  fixed,
  gaussian,
  gaussianProcess,
  gplvm,
  latent,
  linearMap,
  Matrix,
  mapped,
  observed,
  ppca,
  rbf,
  seededRandom,
  selectOptions,
  standardNormal,
} from '../../src/index.ts';
import { heldOutDensity } from '../../src/inference/index.ts';

// Law: what follows for a row whose latents are not known is an integral over its place. project, impute and reconstruct agree with quadrature over the place, whose integrand
// follows from predict alone.

const random = seededRandom(11);
const N = 30;
const curve = Matrix.from(
  Array.from({ length: N }, () => {
    const t = random.normal();
    return [Math.sin(2 * t), 0.4 * t * t - 0.5, t].map((entry) => entry + 0.1 * random.normal());
  }),
);
const NaNs = [
  [Number.NaN, 1, Number.NaN],
  [0.5, 0.6, Number.NaN],
  [Number.NaN, Number.NaN, 0.2],
];

const process = defineModel({
  name: 'process',
  variables: ({ y }: { y: Matrix }) => {
    const x = latent({ dim: 1, density: standardNormal() });
    return {
      x,
      y: observed(y, {
        density: gaussianProcess({ kernel: add(rbf({ lengthscale: fixed(1) }), bias()), noise: 0.01 }),
        given: x,
      }),
    };
  },
});

interface Filled {
  readonly mean: Matrix;
  readonly variance: Matrix;
}
interface Able {
  predict(X: number[][], options: object): Filled;
  project(
    Y: number[][],
    options?: object,
  ): Promise<{
    readonly latents: Matrix;
    readonly logDensity: Float64Array;
    readonly logDensityAtPlace?: Float64Array;
    readonly posterior?: {
      readonly mean: Matrix;
      readonly covariances: readonly Matrix[];
      readonly logDensityError: Float64Array;
      readonly effectiveSize: Float64Array;
    };
  }>;
  impute(Y: number[][], options?: object): Promise<Filled>;
  reconstruct(Y: number[][], options?: object): Promise<Matrix>;
}

const normal = (y: number, mean: number, variance: number) =>
  Math.exp((-0.5 * (y - mean) ** 2) / variance) / Math.sqrt(2 * Math.PI * variance);

/** Moments of a row by the midpoint rule over its place, x ~ N(0, I) beforehand. */
function byQuadrature(result: Able, row: readonly number[], q: number) {
  const side = q === 1 ? 2000 : 200;
  const step = 12 / side;
  const axis = Array.from({ length: side }, (_, i) => -6 + (i + 0.5) * step);
  const X = q === 1 ? axis.map((x) => [x]) : axis.flatMap((a) => axis.map((b) => [a, b]));
  const { mean, variance } = result.predict(X, { noise: true, calibrated: false });
  const weights = X.map((x, k) =>
    row.reduce(
      (product, y, d) => (Number.isNaN(y) ? product : product * normal(y, mean.at(k, d), variance.at(k, d))),
      x.reduce((product, entry) => product * normal(entry, 0, 1), step ** q),
    ),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const expected = (of: (k: number) => number) => weights.reduce((sum, weight, k) => sum + weight * of(k), 0) / total;
  const moments = row.map((_, d) => {
    const center = expected((k) => mean.at(k, d));
    return { mean: center, variance: expected((k) => variance.at(k, d) + (mean.at(k, d) - center) ** 2) };
  });
  const center = Array.from({ length: q }, (_, d) => expected((k) => X[k]![d]!));
  const covariance = center.map((a, d) => center.map((b, e) => expected((k) => (X[k]![d]! - a) * (X[k]![e]! - b))));
  return { logDensity: Math.log(total), moments, center, covariance };
}

const models: [string, number, () => Promise<unknown>][] = [
  ['gplvm with q = 1', 1, () => fit(gplvm(curve, { latentDim: 1 }), { seed: 1 })],
  ['gplvm with q = 2', 2, () => fit(gplvm(curve, { latentDim: 2, noise: fixed(0.1) }), { seed: 1, maxIterations: 60 })],
  ['a model of variables', 1, () => fit(process({ y: curve }), { seed: 1, maxIterations: 100 })],
];

describe.each(models)('rows of %s', (name, q, make) => {
  it('have the moments of quadrature over their positions', {
    tags: name === 'gplvm with q = 1' ? [] : 'long',
  }, async () => {
    const result = (await make()) as Able;
    const settings = { calibrated: false, draws: 8192 };
    const imputed = await result.impute(NaNs, settings);
    const placed = await result.project(NaNs, settings);
    const means = await result.reconstruct(NaNs, settings);
    const quick = await result.impute(NaNs, { calibrated: false });
    for (const [i, row] of NaNs.entries()) {
      const { logDensity, moments, center, covariance } = byQuadrature(result, row, q);
      const where = `row ${i}`;
      expect(placed.posterior!.effectiveSize[i], where).toBeGreaterThan(500);
      const { [i]: error } = placed.posterior!.logDensityError;
      expect(error, where).toBeLessThan(0.05);
      expect(Math.abs(placed.logDensity[i]! - logDensity), where).toBeLessThan(4 * error! + 1e-3);
      for (let d = 0; d < row.length; d++) {
        const { mean, variance } = moments[d]!;
        const sd = Math.sqrt(variance);
        expect(Math.abs(means.at(i, d) - mean) / sd, `${where} mean ${d}`).toBeLessThan(0.05);
        if (!Number.isNaN(row[d]!)) continue;
        expect(Math.abs(imputed.mean.at(i, d) - mean) / sd, `${where} mean ${d}`).toBeLessThan(0.05);
        expect(Math.abs(imputed.variance.at(i, d) / variance - 1), `${where} variance ${d}`).toBeLessThan(0.05);
        if (i === 0) expect(Math.abs(quick.variance.at(i, d) / variance - 1), `variance ${d}`).toBeLessThan(0.15);
      }
      for (let d = 0; d < q; d++) {
        const deviation = Math.sqrt(covariance[d]![d]!);
        expect(Math.abs(placed.posterior!.mean.at(i, d) - center[d]!) / deviation, where).toBeLessThan(0.05);
        for (let e = 0; e < q; e++) {
          const scale = deviation * Math.sqrt(covariance[e]![e]!);
          const apart = placed.posterior!.covariances[i]!.at(d, e) - covariance[d]![e]!;
          expect(Math.abs(apart) / scale, `${where} covariance ${d}, ${e}`).toBeLessThan(0.05);
        }
      }
    }
  });
});

describe('log p(y*)', () => {
  it('of factor analysis as variables agrees with its normal distribution', async () => {
    const linear = defineModel({
      name: 'linear',
      variables: ({ y }: { y: Matrix }) => {
        const x = latent({ dim: 2, density: standardNormal() });
        const mean = mapped(x, linearMap(), { dim: 3 });
        return { x, mean, y: observed(y, { density: gaussian({ variance: 0.1 }), given: mean }) };
      },
    });
    const result = await fit(linear({ y: curve }), { seed: 2, maxIterations: 30 });
    const rows = [[0.3, -0.2, 0.5]];
    const placed = await result.project(rows, { draws: 2048 });
    // The density of N(m, WWᵀ + σ²I) by the points of a map that is linear.
    const at = (x: number[]) => Array.from((result.predict([x], { noise: false }) as Filled).mean.row(0));
    const m = at([0, 0]);
    const W = [at([1, 0]), at([0, 1])].map((column) => column.map((entry, d) => entry - m[d]!));
    const noise = (result.predict([[0, 0]], { noise: true }) as Filled).variance.row(0);
    const C = m.map((_, d) =>
      m.map((_, e) => W[0]![d]! * W[0]![e]! + W[1]![d]! * W[1]![e]! + (d === e ? noise[d]! : 0)),
    );
    const [a, b, c, , d, e, , , f] = C.flat() as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
    const inverse = [
      [d * f - e * e, c * e - b * f, b * e - c * d],
      [c * e - b * f, a * f - c * c, b * c - a * e],
      [b * e - c * d, b * c - a * e, a * d - b * b],
    ].map((row) => row.map((entry) => entry / determinant));
    const apart = rows[0]!.map((y, i) => y - m[i]!);
    const square = apart.reduce(
      (sum, x, i) => sum + x * apart.reduce((part, y, j) => part + inverse[i]![j]! * y, 0),
      0,
    );
    const expected = -0.5 * (3 * Math.log(2 * Math.PI) + Math.log(determinant) + square);
    expect(Math.abs(placed.logDensity[0]! - expected)).toBeLessThan(0.01);
    expect(placed.logDensityAtPlace![0]!).toBeGreaterThan(expected + 0.5);
  });

  it('does not rise with dimensions that are not there: selectOptions without labels chooses two of them', {
    tags: 'long',
  }, async () => {
    const source = seededRandom(4);
    const loadings = Array.from({ length: 2 }, () => Array.from({ length: 8 }, () => source.normal()));
    const Y = Array.from({ length: 80 }, () => {
      const z = [source.normal(), source.normal()];
      return loadings[0]!.map((_, d) => z[0]! * loadings[0]![d]! + z[1]! * loadings[1]![d]! + 0.4 * source.normal());
    });
    const factors = (dim: number) =>
      defineModel({
        name: 'factors',
        variables: ({ y }: { y: Matrix }) => {
          const x = latent({ dim, density: standardNormal() });
          const mean = mapped(x, linearMap(), { dim: 8 });
          return { x, mean, y: observed(y, { density: gaussian({ variance: 0.2 }), given: mean }) };
        },
      });
    const { best } = await selectOptions(
      ({ dim }, { take }) => factors(dim)({ y: Matrix.from(take(Y)) }) as never,
      { dim: [1, 2, 3, 5] },
      { score: heldOutDensity(Y), folds: 3, seed: 1, fit: { maxIterations: 40 } },
    );
    expect(best).toEqual({ dim: 2 });
  });
});

it('selectOptions without labels finds 2, 4 and 8 factors in 18 of 20 simulated tables each', {
  tags: 'long',
}, async () => {
  const tableOf = (count: number, seed: number) => {
    const source = seededRandom(1000 * count + seed);
    const loadings = Array.from({ length: count }, () => Array.from({ length: 12 }, () => source.normal()));
    return Array.from({ length: 300 }, () => {
      const z = loadings.map(() => source.normal());
      return loadings[0]!.map((_, d) => loadings.reduce((y, row, k) => y + z[k]! * row[d]!, 0.5 * source.normal()));
    });
  };
  for (const count of [2, 4, 8]) {
    let found = 0;
    for (let seed = 0; seed < 20; seed++) {
      const Y = tableOf(count, seed);
      const { best } = await selectOptions(
        ({ latentDim }, { take }) => ppca(take(Y), { latentDim }),
        { latentDim: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] },
        { score: heldOutDensity(Y), folds: 5, seed: 1 },
      );
      if (best.latentDim === count) found++;
    }
    expect(found, `${count} factors`).toBeGreaterThanOrEqual(18);
  }
});

describe('fitted rows with missing entries', () => {
  const open = defineModel({
    name: 'open',
    variables: ({ y }: { y: Matrix }) => {
      const x = latent({ dim: 1, density: standardNormal() });
      const density = gaussianProcess({ kernel: add(rbf({ lengthscale: fixed(1) }), bias()), noise: 0.01 });
      return { x, y: observed(y, { density, given: x, missing: 'ignore', center: false }) };
    },
  });
  const table = curve.toArrays().slice(0, 10);
  table[3]![1] = Number.NaN;
  table[7]![0] = Number.NaN;
  table[7]![2] = Number.NaN;

  it('are filled in like new rows of the model fitted to the others', { tags: 'long' }, async () => {
    const result = await fit(open({ y: Matrix.from(table) }), { seed: 1, maxIterations: 60 });
    const settings = { calibrated: false, draws: 8192 };
    const { mean, variance } = await result.impute(table, settings);
    for (const i of [3, 7]) {
      const others = Matrix.from(table.filter((_, row) => row !== i));
      const x = result.latents.toArrays().filter((_, row) => row !== i);
      const without = fitAt(open({ y: others }), { ...result.parameters, x: Matrix.from(x) }) as unknown as Able;
      const { moments } = byQuadrature(without, table[i]!, 1);
      for (const [d, entry] of table[i]!.entries()) {
        if (!Number.isNaN(entry)) continue;
        const expected = moments[d]!;
        expect(Math.abs(mean.at(i, d) - expected.mean) / Math.sqrt(expected.variance)).toBeLessThan(0.05);
        expect(Math.abs(variance.at(i, d) / expected.variance - 1)).toBeLessThan(0.05);
      }
    }
    // One row alone has the same answer as beside the others of its fold.
    const thrice = Matrix.from([...table, ...table, ...table].map((row, i) => row.map((entry) => entry + 0.01 * i)));
    const many = await fit(open({ y: thrice }), { maxIterations: 3 });
    const together = await many.impute(thrice);
    expect((await many.impute([thrice.row(13)])).variance.at(0, 1)).toBe(together.variance.at(13, 1));
    // Rows that are not in the table are given all of it.
    const [moved, held] = [table[3]!.map((entry) => entry + 1e-9), table[3]!];
    const both = await result.impute([moved, held], settings);
    expect(both.variance.at(1, 1)).toBe(variance.at(3, 1));
    expect(both.variance.at(0, 1)).toBeLessThan(0.9 * variance.at(3, 1));
  });

  it('are refused where the points follow the noise', async () => {
    const wide = Matrix.from(
      Array.from({ length: 12 }, (_, i) =>
        Array.from({ length: 4 }, (__, d) => (i === 2 && d === 1 ? Number.NaN : random.normal())),
      ),
    );
    const model = gplvm(wide, { latentDim: 2, noise: fixed(1e-5), missing: 'ignore' });
    const result = await fit(model, { seed: 1, maxIterations: 5 });
    await expect(result.impute(wide)).rejects.toMatchObject({ code: 'followsNoise' });
    expect((await result.impute([[0.1, Number.NaN, 0.3, 0.2]])).variance.at(0, 1)).toBeGreaterThan(0);
    const noisy = await fit(gplvm(wide, { latentDim: 2, noise: fixed(0.1), missing: 'ignore' }), { maxIterations: 5 });
    expect((await noisy.impute(wide)).variance.at(2, 1)).toBeGreaterThan(0);
  });
});
