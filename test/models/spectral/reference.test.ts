import {
  classicalMds,
  covariance,
  defineKernel,
  evaluate,
  fit,
  gplvm,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  linear,
  lle,
  loadFit,
  type Matrix,
  pca,
  ppca,
  rbf,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { describe, expect, it } from 'vitest';
import { reference } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';
import { expectColumns } from './columns.ts';

interface Spectral {
  Y: number[][];
  pca: { mean: number[]; scores: number[][]; components: number[][]; varianceN: number[] };
  ppca: { sigma2: number; W: number[][]; posteriorMean: number[][]; logLik: number };
  dualPpca: { eigenvaluesYYtOverP: number[]; sigma2: number; X: number[][]; logLik: number };
  cmds: { eigenvalues: number[]; X: number[][] };
  isomap: { eigenvalues: number[]; X: number[][] };
  lle: { eigenvalues: number[]; X: number[][] };
  laplacianEigenmaps: {
    weights: 'binary' | 'heat';
    sigma: number | null;
    unnormalizedEigenvalues: number[];
    unnormalized: number[][];
    generalizedEigenvalues: number[];
    generalized: number[][];
  }[];
  kernelPca: { gamma: number; eigenvalues: number[]; X: number[][]; newY: number[][]; newX: number[][] };
}

const expected = reference<Spectral>('spectral.json');
const { Y } = expected;

describe('the spectral family agrees with scikit-learn and numpy to 1e-8', () => {
  it('pca', async () => {
    const result = await fit(pca(Y));
    expectColumns(result.latents, expected.pca.scores, 1e-12);
    expectClose(result.latents, expected.pca.scores, 1e-12, 'signs');
    expectClose(result.eigenvalues, expected.pca.varianceN.slice(0, 2), 1e-12);
    expectClose(result.parameters.components, expected.pca.components, 1e-12);
    expectClose(result.parameters.mean, expected.pca.mean, 1e-12);
    expect(result.status).toBe('converged');
    const placed = await result.project(Y);
    expectClose(placed.latents, result.latents, 1e-12);
    const all = await fit(pca(Y, { latentDim: 3 }));
    expectClose(all.predict(all.latents).mean, Y, 1e-12, 'all components give the points back');
    expect(all.parameters.noise).toBe(0);
  });

  it.each([false, true])(
    'ppca of two directions has one dimension unless more are requested (dual: %s)',
    async (dual) => {
      // Two columns, and a third that is their difference.
      const flat = Y.map(([a, b]) => [a!, b!, a! - b!]);
      const usual = await fit(ppca(flat, { dual }));
      expect(usual.latents).toEqual((await fit(ppca(flat, { dual, latentDim: 1 }))).latents);
      expect(usual.message).toContain('and noise takes one: there is 1 latent dimension');
      expect(loadFit(JSON.parse(JSON.stringify(usual))).latents).toEqual(usual.latents);
      expect((await fit(ppca(Y))).latents.columns).toBe(2);
    },
  );

  it('ppca, and its dual', async () => {
    const result = await fit(ppca(Y));
    expectClose(result.parameters.weights, expected.ppca.W, 1e-12);
    expectClose(result.parameters.noise, expected.ppca.sigma2, 1e-12);
    expectClose(result.latents, expected.ppca.posteriorMean, 1e-12);
    expectClose(result.objective, expected.ppca.logLik, 1e-12);
    expectClose((await result.project(Y)).latents, result.latents, 1e-12);

    const dual = await fit(ppca(Y, { dual: true }));
    expectClose(dual.eigenvalues, expected.dualPpca.eigenvaluesYYtOverP.slice(0, 2), 1e-12);
    expectClose(dual.latents, expected.dualPpca.X, 1e-12);
    expectClose(dual.objective, expected.dualPpca.logLik, 1e-12);
    // The dual is a GPLVM with a linear kernel: same likelihood, no gradient left, same predictions.
    const model = gplvm(Y, { latentDim: 2, kernel: linear(), priors: [], init: dual.latents });
    const at = { latents: dual.latents, 'mapping.noise': dual.parameters.noise as number };
    const { objective, gradients } = evaluate(model, at);
    expectClose(objective, dual.objective, 1e-12);
    for (const entry of (gradients.latents as Matrix).data) expect(Math.abs(entry)).toBeLessThan(1e-9);
    const process = await fit(
      gplvm(Y, {
        latentDim: 2,
        kernel: linear(),
        priors: [],
        scale: false,
        init: dual.latents,
        noise: dual.parameters.noise as number,
      }),
      { maxIterations: 0 },
    );
    const points = [
      [0.1, -2],
      [3, 1],
    ];
    expectClose(dual.predict(points).mean, process.predict(points).mean, 1e-11);
    expectClose(
      dual.predict(points, { noise: true }).variance,
      process.predict(points, { noise: true }).variance,
      1e-10,
    );
  });

  it('classical multidimensional scaling, of points and of distances, and so PCA', async () => {
    const result = await fit(classicalMds(Y));
    expectClose(result.latents, expected.cmds.X, 1e-11);
    expectClose(result.eigenvalues, expected.cmds.eigenvalues, 1e-12);
    const distances = Y.map((a) => Y.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
    const again = await fit(classicalMds(distances, { input: 'distances' }));
    expectClose(again.latents, expected.cmds.X, 1e-11);
    expectClose(again.latents, (await fit(pca(Y))).latents, 1e-11, 'PCA');
  });

  it('isomap', async () => {
    const result = await fit(isomap(Y, { neighbors: 7 }));
    expectClose(result.latents, expected.isomap.X, 1e-11);
    expectClose(result.eigenvalues, expected.isomap.eigenvalues.slice(0, 2), 1e-12);
    expect(result.message).toContain('not Euclidean');
    const distances = Y.map((a) => Y.map((b) => Math.hypot(...a.map((entry, d) => entry - b[d]!))));
    const again = await fit(isomap(distances, { neighbors: 7, input: 'distances' }));
    expectClose(again.latents, expected.isomap.X, 1e-11);
  });

  it('lle', async () => {
    const result = await fit(lle(Y, { neighbors: 7 }));
    expectClose(result.latents, expected.lle.X, 1e-8);
    expectClose(result.eigenvalues, expected.lle.eigenvalues.slice(1, 3), 1e-8);
  });

  it.each(expected.laplacianEigenmaps)('laplacianEigenmaps with $weights weights', async (values) => {
    const { weights, sigma } = values;
    const options = { neighbors: 7, weights, ...(sigma === null ? {} : { width: sigma }) };
    const normalized = await fit(laplacianEigenmaps(Y, options));
    expectClose(normalized.latents, values.generalized, 1e-9);
    expectClose(normalized.eigenvalues, values.generalizedEigenvalues.slice(1, 3), 1e-9);
    const plain = await fit(laplacianEigenmaps(Y, { ...options, normalized: false }));
    expectClose(plain.latents, values.unnormalized, 1e-9);
    expectClose(plain.eigenvalues, values.unnormalizedEigenvalues.slice(1, 3), 1e-9);
  });

  it('kernelPca, and new points', async () => {
    const { gamma, eigenvalues, X, newY, newX } = expected.kernelPca;
    const kernel = rbf({ lengthscale: 1 / Math.sqrt(2 * gamma) });
    const result = await fit(kernelPca(Y, { latentDim: 3, kernel }));
    expectClose(result.latents, X, 1e-11);
    expectClose(result.eigenvalues, eigenvalues, 1e-12);
    expectClose((await result.project(newY)).latents, newX, 1e-11);
    expectClose((await result.project(Y)).latents, X, 1e-11, 'training points');
    expect(covariance(kernel, Y).rows).toBe(40);
  });
});

describe('an indefinite kernel', () => {
  const sigmoid = defineKernel({
    name: 'sigmoid',
    parameters: {},
    covariance: (_, A, B) => op.tanh(op.mul(4, op.matMul(A, B, false, true))),
  });
  const rows = [
    [0.77, 0.68, 0.39, 0.76, 0.42],
    [0.23, 0.22, 0.85, 0.59, 0.77],
    [0.84, 0.62, 0.59, 0.01, 0.37],
    [0.11, 0.24, 0.32, 0.87, 0.97],
    [0.49, 0.37, 0.89, 0.19, 0.19],
    [0.39, 0.81, 0.1, 0.98, 0.17],
  ];

  it('has shares of the sum of its positive eigenvalues, and its negative ones are named', async () => {
    // Two of the six eigenvalues of the centered matrix are positive.
    const shares = await Promise.all(
      [1, 2].map(async (latentDim) => (await fit(kernelPca(rows, { latentDim, kernel: sigmoid() }))).message),
    );
    expect(shares[0]).toMatch('81.4 % of the variance');
    expect(shares[1]).toMatch('100.0 % of the variance');
    for (const message of shares) expect(message).toMatch('negative eigenvalues, 43.7 % as much as the positive ones');
  });
});
