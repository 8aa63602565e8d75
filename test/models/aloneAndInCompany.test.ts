import {
  add,
  bayesianGplvm,
  bernoulli,
  bias,
  dgplvm,
  type Fit,
  fit,
  gplrf,
  gplvm,
  isomap,
  kernelPca,
  linear,
  lle,
  Matrix,
  type Model,
  matern32,
  meu,
  mpme,
  pca,
  poisson,
  ppca,
  rbf,
  tpslvm,
} from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { describe, expect, it } from 'vitest';

const { observations: Y, labels } = pipeFlow({ points: 24, seed: 1 });
const { observations: others } = pipeFlow({ points: 9, seed: 9 });
const counts = (of: Matrix) => of.toArrays().map((row) => row.map((y) => Math.floor(Math.abs(3 * y))));
const signs = (of: Matrix) => of.toArrays().map((row) => row.map((y) => Number(y > 1)));
const holed = Matrix.from(others);
holed.data[3] = Number.NaN;
holed.data[holed.columns * 8 + 1] = Number.NaN;

interface Case {
  readonly model: () => Model;
  readonly rows?: Matrix | number[][];
}
const cases: Record<string, Case> = {
  gplvm: { model: () => gplvm(Y, { latentDim: 2 }) },
  'gplvm of a sum of kernels': { model: () => gplvm(Y, { latentDim: 2, kernel: add(rbf(), linear(), bias()) }) },
  'gplvm, rows with missing entries': { model: () => gplvm(Y, { latentDim: 2 }), rows: holed },
  'gplvm of one column': {
    model: () =>
      gplvm(
        Y.toArrays().map((row) => row.slice(0, 1)),
        { latentDim: 1 },
      ),
    rows: others.toArrays().map((row) => row.slice(0, 1)),
  },
  'gplvm with a back-constraint': { model: () => gplvm(Y, { latentDim: 2, backConstraint: 'mlp' }) },
  'gplvm with a kernel regression': { model: () => gplvm(Y, { latentDim: 2, backConstraint: 'kernel' }) },
  tpslvm: { model: () => tpslvm(Y, { latentDim: 2 }) },
  gplrf: { model: () => gplrf(Y, labels, { latentDim: 2 }) },
  dgplvm: { model: () => dgplvm(Y, labels, { latentDim: 2 }) },
  bayesianGplvm: { model: () => bayesianGplvm(Y, { latentDim: 2, inducing: 8 }) },
  'bayesianGplvm, rows with missing entries': {
    model: () => bayesianGplvm(Y, { latentDim: 2, inducing: 8 }),
    rows: holed,
  },
  pca: { model: () => pca(Y, { latentDim: 2 }) },
  ppca: { model: () => ppca(Y, { latentDim: 2 }) },
  kernelPca: { model: () => kernelPca(Y, { latentDim: 2 }) },
  isomap: { model: () => isomap(Y, { latentDim: 2, neighbors: 8 }) },
  lle: { model: () => lle(Y, { latentDim: 2, neighbors: 8 }) },
  meu: { model: () => meu(Y, { latentDim: 2, neighbors: 6 }) },
  mpme: { model: () => mpme(Y, { latentDim: 2 }) },
};

/** More of the same, whose densities of places are integrated by draws or nodes. */
const byDraws: Record<string, Case> = {
  'bayesianGplvm by quadrature': {
    model: () => bayesianGplvm(Y, { latentDim: 2, inducing: 8, kernel: matern32(), bound: 'uncollapsed' }),
  },
  'bayesianGplvm of counts': {
    model: () => bayesianGplvm(counts(Y), { latentDim: 1, inducing: 8, likelihood: poisson() }),
    rows: counts(others),
  },
  'bayesianGplvm of signs, by draws': {
    model: () => bayesianGplvm(signs(Y), { latentDim: 3, inducing: 8, likelihood: bernoulli() }),
    rows: signs(others),
  },
};

const search = { starts: 5, maxIterations: 20 };

describe('a row that is projected alone has the bits that it has in company', () => {
  const isSame = async (_: string, { model, rows = others }: Case) => {
    const result = (await fit(model(), { maxIterations: 6, seed: 1, engine: 'wasm' })) as Fit;
    const all = Matrix.from(rows);
    const together = await result.project!(all, search);
    for (const i of [3, 8]) {
      const alone = await result.project!([all.row(i)], search);
      expect(alone.latents.row(0)).toEqual(together.latents.row(i));
      expect(alone.logDensity[0]).toBe(together.logDensity[i]);
      expect(alone.latentVariances?.row(0)).toEqual(together.latentVariances?.row(i));
    }
  };
  // What test/laws has one table of, or another case has with more.
  const ofLaws = ['gplvm', 'tpslvm', 'bayesianGplvm', 'pca', 'ppca', 'isomap', 'meu'];
  for (const [name, own] of Object.entries(cases))
    it(name, { tags: ofLaws.includes(name) ? 'long' : [] }, () => isSame(name, own));
  it.each(Object.entries(byDraws))('%s', { tags: 'long' }, isSame);
});
