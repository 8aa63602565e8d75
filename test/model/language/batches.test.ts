import {
  add,
  defineModel,
  evaluate,
  fit,
  gaussianLatents,
  gaussianProcess,
  gplvm,
  known,
  latent,
  linear,
  loadFit,
  Matrix,
  observed,
  pca,
  rbf,
  seededRandom,
  select,
  standardNormal,
  uncorrelated,
} from 'latentfield';
import { describe, expect, it } from 'vitest';

const N = 100;
const { normal, uniform } = seededRandom(1);
const X = Array.from({ length: N }, () => [normal(), normal()] as const);
const batch = Array.from({ length: N }, () => (uniform() < 0.5 ? [1, 0] : [0, 1]));
const weights = Array.from({ length: 10 }, () => Array.from({ length: 5 }, () => normal()));
/** Smooth functions of two latents, with what each batch adds to every column three times as large as they are. */
const Y = Matrix.from(
  X.map(([a, b], i) =>
    weights.map(
      ([p, q, r, s, effect]) =>
        p! * Math.sin(a) + q! * Math.cos(b) + r! * a + s! * b + 3 * effect! * batch[i]![0]! + 0.2 * normal(),
    ),
  ),
);
interface Data {
  readonly y: Matrix;
}
const kernel = () => add(select(rbf({ lengthscale: [1, 1] }), [0, 1]), select(linear(), [2, 3]));
const besideBatches = (options: { readonly init?: Matrix; readonly bound?: boolean; readonly apart?: boolean } = {}) =>
  defineModel({
    name: 'besideBatches',
    variables: ({ y }: Data) => {
      const measured = known(batch);
      const z = latent({
        dim: 2,
        density: standardNormal(),
        ...(options.bound && { posterior: gaussianLatents() }),
        ...(options.init && { init: options.init }),
        ...(options.apart && { factors: uncorrelated(batch) }),
      });
      const density = gaussianProcess({ kernel: kernel(), noise: 0.1, ...(options.bound && { inducing: 20 }) });
      return { measured, z, y: observed(y, { density, given: [z, measured] }) };
    },
  });

/** Largest correlation, up to its sign, of a column with the batch. */
function followed({ data, columns: q }: Matrix): number {
  const b = batch.map(([one]) => one!);
  const centered = (list: readonly number[]) => {
    const mean = list.reduce((sum, entry) => sum + entry / N, 0);
    return list.map((entry) => entry - mean);
  };
  const dot = (u: readonly number[], v: readonly number[]) => u.reduce((sum, entry, k) => sum + entry * v[k]!, 0);
  return Math.max(
    ...Array.from({ length: q }, (_, d) => {
      const [x, y] = [centered(Array.from(data).filter((_e, k) => k % q === d)), centered(b)];
      return Math.abs(dot(x, y)) / Math.sqrt(dot(x, x) * dot(y, y));
    }),
  );
}

describe('latents together with known batches', () => {
  it('follow them where the model does not know of them, or starts at principal components of all', {
    tags: 'long',
  }, async () => {
    expect(followed((await fit(gplvm(Y, { latentDim: 2 }), { maxIterations: 100 })).latents)).toBeGreaterThan(0.9);
    const init = (await fit(pca(Y, { latentDim: 2 }))).latents;
    const scaled = new Matrix(
      init.data.map((entry) => entry / 5),
      N,
      2,
    );
    const misled = await fit(besideBatches({ init: scaled })({ y: Y }), { maxIterations: 100 });
    const own = await fit(besideBatches()({ y: Y }), { maxIterations: 100 });
    expect(followed(misled.latents)).toBeGreaterThan(0.9);
    expect(own.objective).toBeGreaterThan(misled.objective);
  });

  for (const [kind, options] of [
    ['as points', {}],
    ['as Gaussian rows', { bound: true }],
  ] as const)
    it(`start at what these do not explain, and do not follow them: ${kind}`, {
      tags: kind === 'as points' ? [] : 'long',
    }, async () => {
      const truth = followed(Matrix.from(X.map((row) => [...row])));
      const model = besideBatches(options);
      const result = await fit(model({ y: Y }), { maxIterations: 100 });
      expect(followed(result.latents)).toBeLessThan(truth + 0.05);
      const apart = await fit(besideBatches({ ...options, apart: true })({ y: Y }), { maxIterations: 100 });
      expect(followed(apart.latents)).toBeLessThan(followed(result.latents));
    });

  it('predict in one batch what was measured in another', async () => {
    const result = await fit(besideBatches()({ y: Y }), { maxIterations: 100 });
    const other = batch.map(([one, two]) => [two!, one!]);
    const swapped = result.predict({ z: result.latents, measured: other }).y.mean;
    let [error, size] = [0, 0];
    X.forEach(([a, b], i) => {
      weights.forEach(([p, q, r, s, effect], d) => {
        const there = p! * Math.sin(a) + q! * Math.cos(b) + r! * a + s! * b + 3 * effect! * other[i]![0]!;
        error += (swapped.at(i, d) - there) ** 2;
        size += (there - Y.at(i, d)) ** 2;
      });
    });
    expect(Math.sqrt(error / size)).toBeLessThan(0.15);
    const placed = await result.project({ y: Matrix.from([Array.from(Y.row(3))]), measured: [batch[3]!] });
    for (const d of [0, 1]) expect(placed.latents.at(0, d)).toBeCloseTo(result.latents.at(3, d), 1);
  });
});

describe('the prior uncorrelated', () => {
  it('is −strength·N/2·Σ R² of columns of unit variance, and its gradient agrees with differences', async () => {
    const rows = Matrix.from(X.map((row) => [...row]));
    const model = (own: Matrix) =>
      gplvm(Y, { latentDim: 2, init: own, priors: [uncorrelated(batch, { strength: 7 })], scale: false });
    const at = async (own: Matrix) => (await evaluate(model(own))).terms.uncorrelated!;
    const mean = (list: readonly number[]) => list.reduce((sum, entry) => sum + entry / list.length, 0);
    // Two batches: the projection on their columns is the difference of the means.
    const sizes = [0, 1].map((k) => batch.filter((row) => row[k] === 1).length);
    const explained = [0, 1].map((d) => {
      const [one, two] = [0, 1].map((k) => mean(X.filter((_, i) => batch[i]![k] === 1).map((row) => row[d]!)));
      return ((sizes[0]! * sizes[1]!) / N) * (one! - two!) ** 2;
    });
    expect(await at(rows)).toBeCloseTo(-3.5 * (explained[0]! + explained[1]!), 10);
    const shifted = new Matrix(
      rows.data.map((entry) => entry + 5),
      N,
      2,
    );
    expect(await at(shifted)).toBeCloseTo(await at(rows), 8);
  });

  it('has its expectation under Gaussian rows in closed form', async () => {
    const variance = 0.3;
    const terms = async (posterior: object) => {
      const model = defineModel({
        name: 'both',
        variables: ({ y }: Data) => {
          const z = latent({ dim: 2, density: standardNormal(), factors: uncorrelated(batch), ...posterior });
          const density = gaussianProcess({ kernel: rbf({ lengthscale: [1, 1] }), noise: 0.1, inducing: 5 });
          return { z, y: observed(y, { density, given: z }) };
        },
      });
      return (await evaluate(model({ y: Y }))).terms as Record<string, number>;
    };
    const own = (await terms({ posterior: gaussianLatents({ variance }) }))['z.uncorrelated']!;
    const points = (await terms({}))['z.uncorrelated']!;
    // tr(UUᵀS) of one direction is the variance, in each of two columns.
    expect(own).toBeCloseTo(points - 50 * 2 * variance, 8);
  });

  it('is saved with its covariates, and refuses invalid ones', async () => {
    const result = await fit(gplvm(Y, { latentDim: 2, priors: [standardNormal(), uncorrelated(batch)] }), {
      maxIterations: 3,
    });
    expect(loadFit(JSON.parse(JSON.stringify(result))).objective).toBe(result.objective);
    expect(() => uncorrelated([[Number.NaN]])).toThrow(/covariates/);
    expect(() => uncorrelated(batch, { strength: -1 })).toThrow(/from 0/);
    expect(() => uncorrelated(batch, { weight: 1 } as never)).toThrow(/weight/);
    const short = gplvm(Y, { latentDim: 2, priors: [uncorrelated(batch.slice(1))] });
    await expect(fit(short)).rejects.toThrow('covariates of 99 rows, but there are 100 points');
  });
});
