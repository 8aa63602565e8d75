import { describe, expect, it } from 'vitest';
import {
  bayesianGplvm,
  fit,
  fixedAt,
  gplvm,
  latentVariableModel,
  loadFit,
  Matrix,
  pca,
  ppca,
  rbf,
  seededRandom,
} from '../../src/index.ts';

const { normal } = seededRandom(4);
/** Rows of a linear model with two latent dimensions. */
const W = Array.from({ length: 7 }, () => [normal(), normal()]);
const Y = Matrix.from(
  Array.from({ length: 80 }, () => {
    const z = [normal(), normal()];
    return W.map(([a, b]) => a! * z[0]! + b! * z[1]! + 0.05 * normal());
  }),
);
const plane = Matrix.from(
  Array.from({ length: 30 }, () => [normal(), normal()]).map(([a, b]) => [a!, b!, a! + b! + 5e-4 * normal()]),
);

const held = Matrix.from(Array.from({ length: 80 }, () => [normal(), normal()]));

describe('latent dimensions that are not used', () => {
  it('of an automatic relevance determination are named', { tags: 'long' }, async () => {
    const found = await fit(bayesianGplvm(Y, { latentDim: 4, inducing: 20 }), { maxIterations: 600 });
    const [warning] = found.diagnostics.warnings!;
    expect(warning).toMatchObject({ code: 'unusedDimensions' });
    const most = Math.max(...found.relevance!);
    const unused = Array.from(found.relevance!.keys()).filter((d) => found.relevance![d]! < 0.01 * most);
    expect(warning!.dimensions).toEqual(unused);
    expect(found.message).toContain(warning!.message);
    expect(warning!.message).toContain(`latentDim: ${4 - unused.length}`);
    const again = loadFit(JSON.parse(JSON.stringify(found)));
    expect(again.diagnostics).toEqual(found.diagnostics);
    expect(again.message).toBe(found.message);
  });

  it('of a closed form are named', async () => {
    const { diagnostics } = await fit(pca(plane, { latentDim: 3 }));
    expect(diagnostics.warnings).toMatchObject([{ code: 'unusedDimensions', dimensions: [2] }]);
  });

  it.each([
    ['pca', pca(Y, { latentDim: 2 })],
    ['ppca', ppca(Y, { latentDim: 2 })],
    ['gplvm', gplvm(Y, { latentDim: 2 })],
    ['bayesianGplvm', bayesianGplvm(Y, { latentDim: 2, inducing: 20 })],
  ] as const)('are not there where all are used: %s', async (_, model) => {
    const { diagnostics } = await fit(model, model.solve === undefined ? { maxIterations: 100 } : {});
    expect(diagnostics).not.toHaveProperty('warnings');
  });
});

describe('more latent coordinates than a table with missing entries supports', () => {
  const { uniform } = seededRandom(5);
  const holed = new Matrix(
    Y.data.map((entry) => (uniform() < 0.2 ? Number.NaN : entry)),
    Y.rows,
    Y.columns,
  );
  const missing = 'ignore';
  it('are named of points, with models that integrate them out', async () => {
    const many = await fit(gplvm(holed, { latentDim: 2, missing }), { maxIterations: 5 });
    expect(many.diagnostics.warnings).toMatchObject([{ code: 'manyDimensions', dimensions: [0, 1] }]);
    expect(many.message).toMatch(/2 latent coordinates for 5\.\d observed entries .* ppca, bayesianGplvm/);
  });

  it.each([
    ['one dimension', gplvm(holed, { latentDim: 1, missing })],
    [
      'held points',
      latentVariableModel({ observations: holed, latentDim: 2, missing, posterior: fixedAt(held), kernel: rbf() }),
    ],
    ['latents that are integrated out', bayesianGplvm(holed, { latentDim: 2, inducing: 10, missing })],
    ['a complete table', gplvm(Y, { latentDim: 4 })],
  ] as const)('not of %s', async (_, model) => {
    expect((await fit(model, { maxIterations: 5 })).diagnostics.warnings ?? []).toEqual([]);
  });
});
