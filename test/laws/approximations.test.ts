import { describe, expect, it } from 'vitest';
import {
  add,
  bayesianGplvm,
  bias,
  defineModel,
  describe as described,
  evaluate,
  fit,
  fitAt,
  gaussian,
  gaussianLatents,
  gplvm,
  isomap,
  latent,
  latentVariableModel,
  loadFit,
  Matrix,
  mapped,
  matern32,
  mlpMap,
  mpme,
  observed,
  pca,
  ppca,
  rbf,
  seededRandom,
  standardNormal,
  white,
} from '../../src/index.ts';

/** A fit names each approximation behind it, and by how much its objective may be off. */

const random = seededRandom(5);
const normals = (rows: number, columns: number) =>
  Matrix.from(Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal())));
const [N, D] = [40, 5];
const X = normals(N, 2);
const smooth = (i: number, j: number) => Math.sin(X.at(i, 0) + j) + 0.5 * Math.cos(2 * X.at(i, 1) - j);
const Y = Matrix.from(
  Array.from({ length: N }, (_, i) => Array.from({ length: D }, (_, j) => smooth(i, j) + 0.1 * random.normal())),
);
const holes = Matrix.from(
  Array.from({ length: N }, (_, i) => Array.from(Y.row(i), (y, j) => ((i + 3 * j) % 7 === 0 ? NaN : y))),
);
const few = { maxIterations: 3 } as const;

describe('an exact model has none', () => {
  it.each([
    ['gplvm', gplvm(Y, { latentDim: 2 })],
    ['gplvm with holes', gplvm(holes, { latentDim: 2, missing: 'ignore' })],
    ['mpme', mpme(Y, { latentDim: 2 })],
    ['pca', pca(Y, { latentDim: 2 })],
    ['ppca', ppca(Y, { latentDim: 2 })],
    ['isomap', isomap(Y, { latentDim: 2 })],
  ] as const)('%s', async (_, model) => {
    const { diagnostics } = await fit(model, model.solve === undefined ? few : {});
    expect(diagnostics.approximations).toEqual([]);
  });
});

describe('the bound of inducing inputs', () => {
  const kernels = {
    rbf: add(rbf({ lengthscale: 1.5 }), bias(), white({ variance: 0.01 })),
    'short rbf': rbf({ lengthscale: 0.3 }),
    matern32: matern32({ lengthscale: 1, variance: 2 }),
  };
  const cases = Object.entries(kernels).flatMap(([name, kernel]) =>
    Object.entries({ complete: Y, 'with holes': holes }).map(([of, y]) => [name, of, kernel, y] as const),
  );
  it.each(cases)('is off by its reported error: %s, %s', (_name, _of, kernel, y) => {
    const exact = latentVariableModel({ observations: y, missing: 'ignore', latentDim: 2, kernel, noise: 0.05 });
    const { objective } = evaluate(exact, { latents: X });
    for (const inducing of [3, 10, N]) {
      const Z = Matrix.from(Array.from({ length: inducing }, (_, i) => Array.from(X.row(i))));
      const model = latentVariableModel({
        observations: y,
        missing: 'ignore',
        latentDim: 2,
        kernel,
        noise: 0.05,
        inducing: Z,
      });
      const found = fitAt(model, { latents: X });
      const [own] = found.diagnostics.approximations!;
      expect(own).toMatchObject({ name: 'inducingInputs', of: ['mapping'], count: inducing });
      expect(found.objective - own!.error!).toBeCloseTo(objective, 6);
      expect(found.objective).toBeLessThan(objective + 1e-6);
      expect(found.message).toMatch(/'mapping' goes through \d+ inducing inputs: .* too low by/);
      if (inducing === N) expect(Math.abs(own!.error!)).toBeLessThan(0.05);
    }
  });

  it('of many points is off by no more than its reported error', () => {
    const [many, kernel] = [2100, add(rbf({ lengthscale: 0.7 }), white({ variance: 0.01 }))] as const;
    const at = normals(many, 2);
    const y = Matrix.from(Array.from({ length: many }, (_, i) => [Math.sin(3 * at.at(i, 0)), at.at(i, 1)]));
    const options = { observations: y, latentDim: 2, kernel, noise: 0.05 } as const;
    const { objective } = evaluate(latentVariableModel(options), { latents: at });
    const found = fitAt(latentVariableModel({ ...options, inducing: 60 }), { latents: at });
    const [own] = found.diagnostics.approximations!;
    expect(found.objective).toBeLessThan(objective);
    expect(found.objective + own!.errorBound!).toBeGreaterThan(objective);
    expect(found.message).toMatch(/too low by \d+ at most/);
  });

  it('of Gaussian rows is named without an amount, by describe too', async () => {
    const model = bayesianGplvm(Y, { latentDim: 2, inducing: 8 });
    const found = await fit(model, few);
    expect(found.diagnostics.approximations).toEqual([{ name: 'inducingInputs', of: ['mapping'], count: 8 }]);
    expect(found.message).toMatch(/'mapping' goes through 8 inducing inputs: its log density is a lower bound\./);
    const ofKernel = bayesianGplvm(Y, { latentDim: 2, inducing: 8, kernel: matern32() });
    const { approximations } = (await fit(ofKernel, few)).diagnostics;
    expect(approximations).toMatchObject([
      { name: 'inducingInputs' },
      { name: 'quadrature', of: ['latents'], count: 10 },
    ]);
  });

  it('is kept by a saved fit', async () => {
    const found = await fit(gplvm(Y, { latentDim: 2, inducing: 8 }), few);
    expect(loadFit(JSON.parse(JSON.stringify(found))).diagnostics).toEqual(found.diagnostics);
  });
});

describe('expectations over fixed draws', () => {
  const variables = (data: Matrix) => {
    const z = latent({ dim: 4, density: standardNormal(), posterior: gaussianLatents() });
    const f = mapped(z, mlpMap({ hidden: 3 }));
    return { z, f, y: observed(data, { density: gaussian({ variance: 0.2 }), given: f, center: true }) };
  };
  const decoder = defineModel({ name: 'decoder', variables })(Y);

  it('are compared with other draws: the objective of a search is too high, by the error over 400 new draws', {
    tags: 'long',
  }, async () => {
    const found = await fit(decoder, { maxIterations: 300 });
    const [own] = found.diagnostics.approximations!;
    expect(own).toMatchObject({ name: 'draws', of: ['z'], count: 8 });
    const others = Array.from(
      { length: 50 },
      (_, seed) => evaluate(decoder, found.parameters, { seed: seed + 1 }).objective,
    );
    const mean = others.reduce((sum, other) => sum + other / others.length, 0);
    expect(own!.error).toBeGreaterThan(0);
    expect(Math.abs(own!.error! - (found.objective - mean))).toBeLessThan(4 * own!.standardError!);
    expect(found.message).toMatch(/means over 8 draws: .* ± /);
  });

  it('appear in describe, without a measurement', () => {
    expect(described(decoder)).toMatch(
      /Approximations\n {2}Expectations under the Gaussian rows of 'z' are means over 8 draws/,
    );
  });

  it('of quadrature are measured with more nodes', async () => {
    const narrow = defineModel({
      name: 'narrow',
      variables: (data: Matrix) => {
        const z = latent({ dim: 1, density: standardNormal(), posterior: gaussianLatents() });
        const f = mapped(z, mlpMap({ hidden: 3 }));
        return { z, f, y: observed(data, { density: gaussian({ variance: 0.2 }), given: f, center: true }) };
      },
    })(Y);
    const found = await fit(narrow, { maxIterations: 30 });
    expect(found.diagnostics.approximations).toMatchObject([{ name: 'quadrature', of: ['z'], count: 10 }]);
    expect(Math.abs(found.diagnostics.approximations![0]!.error!)).toBeLessThan(0.1);
  });
});
