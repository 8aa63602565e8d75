import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { add, bias, fit, gplvm, loadFit, matern52, rbf, white } from '../../src/index.ts';

const { observations } = pipeFlow({ points: 600, seed: 1 });
const options = { maxIterations: 0, engine: 'wasm' } as const;
const kernel = add(rbf({ lengthscale: 2 }), bias(), white({ variance: 0.05 }));

it('diagnostics name the rank of a smooth covariance of many points, and a saved fit keeps it', async () => {
  const result = await fit(gplvm(observations, { latentDim: 2, kernel }), options);
  const { covarianceRank } = result.diagnostics;
  expect(covarianceRank).toBeGreaterThan(20);
  expect(covarianceRank).toBeLessThanOrEqual(180);
  const again = loadFit(JSON.parse(JSON.stringify(result.toJSON())));
  expect(again.diagnostics.covarianceRank).toBe(covarianceRank);
});

it('0 is a rank: a covariance that is negligible compared with the noise', async () => {
  const nothing = rbf({ variance: 1e-14, lengthscale: 2 });
  const { diagnostics } = await fit(gplvm(observations, { latentDim: 2, kernel: nothing, noise: 10 }), options);
  expect(diagnostics.covarianceRank).toBe(0);
});

it('they name none where the covariance was factored whole', async () => {
  const models = [
    gplvm(observations, { latentDim: 2, kernel: add(rbf({ lengthscale: 0.02 }), bias()), noise: 0.05 }),
    gplvm(observations, { latentDim: 2, kernel: matern52({ lengthscale: 2 }), noise: 0.05 }),
    gplvm(pipeFlow({ points: 100, seed: 1 }).observations, { latentDim: 2, kernel }),
  ];
  for (const model of models) expect((await fit(model, options)).diagnostics).not.toHaveProperty('covarianceRank');
});
