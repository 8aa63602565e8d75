import { describe, expect, it } from 'vitest';
import { Matrix } from '../../../src/core/matrix.ts';
import { seededRandom } from '../../../src/core/random.ts';
import {
  add,
  bayesianGplvm,
  bias,
  defineModel,
  fit,
  fixed,
  fixedAt,
  gaussianProcess,
  geometry,
  isomap,
  latent,
  latentVariableModel,
  linear,
  linearMap,
  mapped,
  matern12,
  matern52,
  multiply,
  observed,
  periodic,
  ppca,
  rationalQuadratic,
  rbf,
  white,
} from '../../../src/index.ts';
import { surfaceOf } from '../../../src/inference/geometry/metricField.ts';
import { posteriorOf } from '../../../src/model/posterior.ts';

const points = (n: number, q: number, seed: number): number[][] => {
  const random = seededRandom(seed);
  return Array.from({ length: n }, () => Array.from({ length: q }, () => 2 * random.uniform() - 1));
};

const X = points(14, 2, 1);
const Y = X.map(([a, b]) => [Math.sin(2 * a!) + b!, a! * b!, Math.cos(a! - 2 * b!), 3 * b!]);
const NEW = points(3, 2, 2);

/** Solves A·Z = B by Gaussian elimination with pivots. */
function solve(A: number[][], B: number[][]): number[][] {
  const rows = A.map((row, i) => [...row, ...B[i]!]);
  const n = A.length;
  for (let k = 0; k < n; k++) {
    const best = rows
      .slice(k)
      .reduce((most, row, i) => (Math.abs(row[k]!) > Math.abs(rows[most]![k]!) ? k + i : most), k);
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k]![k]!;
      for (let j = k; j < rows[i]!.length; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  return rows.map((row, i) => row.slice(n).map((entry) => entry / row[i]!));
}

/** E[JᵀJ] of a process with variance v·exp(−r²/2l²) + b, by the formulas of Rasmussen & Williams §9.4. */
function closedForm(x: number[], v: number, l: number, b: number, noise: number): number[][] {
  const k = (p: number[], r: number[]) => v * Math.exp(-((p[0]! - r[0]!) ** 2 + (p[1]! - r[1]!) ** 2) / (2 * l * l));
  const K = X.map((p, i) => X.map((r, j) => k(p, r) + b + (i === j ? noise : 0)));
  const means = Y[0]!.map((_, d) => Y.reduce((sum, row) => sum + row[d]!, 0) / Y.length);
  const centered = Y.map((row) => row.map((entry, d) => entry - means[d]!));
  const slopes = X.map((p) => [0, 1].map((c) => (-(x[c]! - p[c]!) / (l * l)) * k(x, p)));
  const weights = solve(K, centered);
  const half = solve(K, slopes);
  const J = [0, 1].map((c) =>
    centered[0]!.map((_, d) => X.reduce((sum, _p, i) => sum + slopes[i]![c]! * weights[i]![d]!, 0)),
  );
  return [0, 1].map((c) =>
    [0, 1].map((e) => {
      const spread = (c === e ? v / (l * l) : 0) - X.reduce((sum, _p, i) => sum + slopes[i]![c]! * half[i]![e]!, 0);
      return J[c]!.reduce((sum, entry, d) => sum + entry * J[e]![d]!, 0) + centered[0]!.length * spread;
    }),
  );
}

const known = (kernel: ReturnType<typeof rbf>, noise = 0.01, observations = Y) =>
  fit(latentVariableModel({ observations, latentDim: 2, posterior: fixedAt(X), kernel, noise }), { maxIterations: 0 });

/** Largest entry of the difference of two matrices, as a part of the largest entry of the second. */
const difference = (a: number[][], b: number[][]) => {
  const largest = Math.max(...b.flat().map(Math.abs));
  return Math.max(...a.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - b[i]![j]!)))) / largest;
};

describe('the expected metric', () => {
  it('of an rbf and a bias agrees with the closed form to 1e-8', async () => {
    const result = await known(add(rbf({ variance: 1.3, lengthscale: 0.8 }), bias({ variance: 0.5 })) as never);
    geometry(result)
      .metric(NEW)
      .forEach((G, i) => {
        expect(difference(G.toArrays(), closedForm(NEW[i]!, 1.3, 0.8, 0.5, 0.01))).toBeLessThan(1e-8);
      });
    expect(geometry(result).includesVariance).toBe(true);
  });

  it('leaves white noise of the kernel out, as it has no slopes', async () => {
    const kernel = add(rbf({ variance: 1.3, lengthscale: 0.8 }), white({ variance: 0.004 }));
    const result = await known(kernel as never, 0.006);
    const [G] = geometry(result).metric(NEW);
    expect(difference(G!.toArrays(), closedForm(NEW[0]!, 1.3, 0.8, 0, 0.01))).toBeLessThan(1e-8);
  });

  it('through a linear map that turns and stretches the latents agrees with the closed form on the latents', async () => {
    const weights = Matrix.from([
      [1.5, 2],
      [-2, 1.5],
    ]);
    const turned = defineModel({
      name: 'turned',
      variables: ({ y }: { y: number[][] }) => {
        const x = latent({ dim: 2, init: X });
        const f = mapped(x, linearMap({ weights: fixed(weights) }), { dim: 2 });
        const kernel = rbf({ variance: 1.3, lengthscale: 2.5 * 0.8 });
        return { x, f, y: observed(y, { density: gaussianProcess({ kernel, noise: 0.01 }), given: f }) };
      },
    });
    const result = await fit(turned({ y: Y }), { maxIterations: 0 });
    geometry(result)
      .metric(NEW)
      .forEach((G, i) => {
        expect(difference(G.toArrays(), closedForm(NEW[i]!, 1.3, 0.8, 0, 0.01))).toBeLessThan(1e-8);
      });
  });

  it('agrees with draws of the Jacobian, within 3 standard errors', { tags: 'long' }, async () => {
    const result = await known(rbf({ variance: 1.3, lengthscale: 0.8 }), 0.05);
    const [x] = NEW;
    const h = 0.02;
    const around = [0, 1].flatMap((c) => [h, -h].map((step) => x!.map((entry, k) => entry + (k === c ? step : 0))));
    const draws = Array.from({ length: 3000 }, (_, seed) => {
      const f = result.sample(around, { seed, noise: false }).toArrays();
      const J = [0, 1].map((c) => f[0]!.map((_v, d) => (f[2 * c]![d]! - f[2 * c + 1]![d]!) / (2 * h)));
      return [0, 1].map((c) => [0, 1].map((e) => J[c]!.reduce((sum, entry, d) => sum + entry * J[e]![d]!, 0)));
    });
    const [G] = geometry(result).metric([x!]);
    for (const [c, e] of [
      [0, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const own = draws.map((draw) => draw[c]![e]!);
      const mean = own.reduce((sum, entry) => sum + entry, 0) / own.length;
      const variance = own.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / (own.length - 1);
      expect(Math.abs(G!.at(c, e) - mean)).toBeLessThan(3 * Math.sqrt(variance / own.length));
    }
  });

  it.each([
    ['matern52', matern52({ lengthscale: 1.2 })],
    ['rationalQuadratic', rationalQuadratic()],
    ['periodic', periodic({ period: 3 })],
    ['a product', multiply(rbf({ lengthscale: 2 }), linear())],
  ])('has the squared slopes of the predicted mean in it, by %s, to 1e-6', async (_, kernel) => {
    const result = await known(kernel as never);
    const h = 1e-4;
    for (const x of NEW) {
      const around = [0, 1].flatMap((c) => [h, -h].map((step) => x.map((entry, k) => entry + (k === c ? step : 0))));
      const f = result.predict(around).mean.toArrays();
      const J = [0, 1].map((c) => f[0]!.map((_v, d) => (f[2 * c]![d]! - f[2 * c + 1]![d]!) / (2 * h)));
      const own = [0, 1].map((c) => [0, 1].map((e) => J[c]!.reduce((sum, entry, d) => sum + entry * J[e]![d]!, 0)));
      const { mean, spread } = surfaceOf(posteriorOf(result)!, undefined, 'test').metric(Matrix.from([x]));
      expect(
        difference(
          [
            [mean.data[0]!, mean.data[1]!],
            [mean.data[2]!, mean.data[3]!],
          ],
          own,
        ),
      ).toBeLessThan(1e-6);
      // Uncertain slopes add a matrix without negative eigenvalues.
      const [a, b, , d] = spread!.data;
      expect(a).toBeGreaterThan(0);
      expect(a! * d! - b! * b!).toBeGreaterThan(0);
    }
  });

  it('refuses a kernel whose functions have no slopes', async () => {
    const result = await known(matern12() as never);
    expect(() => geometry(result).metric(NEW)).toThrow(/no slopes along column index 0/);
  });

  it('is the same through inducing inputs at the latents, and grows with the square of the unit', async () => {
    const whole = await known(rbf({ variance: 1.3, lengthscale: 0.8 }));
    const options = {
      latentDim: 2,
      posterior: fixedAt(X),
      kernel: rbf({ variance: 1.3, lengthscale: 0.8 }),
      noise: 0.01,
    };
    const sparse = await fit(latentVariableModel({ observations: Y, ...options, inducing: X }), { maxIterations: 0 });
    expect(
      difference(geometry(sparse).metric(NEW)[0]!.toArrays(), geometry(whole).metric(NEW)[0]!.toArrays()),
    ).toBeLessThan(1e-5);
    const scaled = { ...options, scale: true } as const;
    const [plain, larger] = await Promise.all(
      [1, 10].map((unit) =>
        fit(latentVariableModel({ observations: Y.map((row) => row.map((y) => unit * y)), ...scaled }), {
          maxIterations: 0,
        }),
      ),
    );
    const times = geometry(plain!)
      .metric(NEW)[1]!
      .toArrays()
      .map((row) => row.map((entry) => 100 * entry));
    expect(difference(geometry(larger!).metric(NEW)[1]!.toArrays(), times)).toBeLessThan(1e-9);
  });

  it('of a Bayesian GPLVM whose latents are certain and whose inducing inputs are their means agrees with the GPLVM', async () => {
    const kernel = rbf({ variance: 1.3, lengthscale: 0.8 });
    const model = bayesianGplvm(Y, { latentDim: 2, inducing: X, kernel, noise: 0.01, init: X, latentVariance: 1e-10 });
    const variational = await fit(model, { maxIterations: 0 });
    const [G] = geometry(variational).metric(NEW);
    expect(difference(G!.toArrays(), closedForm(NEW[0]!, 1.3, 0.8, 0, 0.01))).toBeLessThan(1e-5);
  });

  it('of two views is the sum of theirs', async () => {
    const views = {
      a: { observations: Y.map((row) => row.slice(0, 2)), kernel: rbf(), noise: 0.1 },
      b: { observations: Y.map((row) => row.slice(2)), kernel: matern52(), noise: 0.2 },
    };
    const result = await fit(latentVariableModel({ latentDim: 2, posterior: fixedAt(X), views }), { maxIterations: 0 });
    const [a, b, both] = [{ view: 'a' }, { view: 'b' }, {}].map((options) => geometry(result, options).metric(NEW)[0]!);
    both!.data.forEach((entry, i) => {
      expect(entry).toBeCloseTo(a!.data[i]! + b!.data[i]!, 10);
    });
    expect(() => geometry(result, { view: 'c' })).toThrow(/'c'/);
  });

  it('of a map without uncertainty is JᵀJ of its mean: for PPCA the constant metric of its loadings', async () => {
    const result = await fit(ppca(Y, { latentDim: 2 }));
    const found = geometry(result);
    const [origin, first, second] = result
      .predict([
        [0, 0],
        [1, 0],
        [0, 1],
      ])
      .mean.toArrays() as [number[], number[], number[]];
    const W = [first, second].map((row) => row.map((entry, d) => entry - origin[d]!));
    const own = W.map((a) => W.map((b) => a.reduce((sum, entry, d) => sum + entry * b[d]!, 0)));
    for (const G of found.metric(NEW)) expect(difference(G.toArrays(), own)).toBeLessThan(1e-8);
    expect(found.includesVariance).toBe(false);
  });

  it('refuses models without a mapping, values that are not fits, and points of another width', async () => {
    const embedded = await fit(isomap(Y, { latentDim: 2, neighbors: 6 }));
    expect(() => geometry(embedded)).toThrow(/without|mapping/);
    expect(() => geometry({})).toThrow(/takes a fit/);
    expect(() => geometry(1 as never)).toThrow(/takes a fit/);
    const result = await known(rbf());
    expect(() => geometry(result).metric([[1]])).toThrow(/2 columns/);
    expect(() => geometry(result, { views: 'a' } as never)).toThrow(/views/);
    expect(() => geometry(result).distance(0, 99)).toThrow(/0 to 13/);
    expect(() => geometry(result).geodesic(0, 1, { points: 1 })).toThrow(/from 2/);
  });
});
