// @module-tag long
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { add, bias, fit, fixed, gplvm, latentVariableModel, linear, Matrix, rbf, white } from '../../src/index.ts';
import { nearestNeighborError } from '../../src/inference/scores/neighborScores.ts';
import { reference, sharedFile } from '../reference.ts';

describe('a GPLVM with a linear kernel', () => {
  it('reaches the optimum of dual PPCA to 1e-6', async () => {
    const { Y, dualPpca } = reference<{ Y: number[][]; dualPpca: { logLik: number } }>('spectral.json');
    const model = latentVariableModel({
      observations: Y,
      latentDim: 2,
      kernel: linear({ variance: fixed(1) }),
    });
    const result = await fit(model, { maxIterations: 2000, tolerance: 1e-8 });
    expect(Math.abs(result.objective - dualPpca.logLik)).toBeLessThan(1e-6 * Math.abs(dualPpca.logLik));
    expect(result.status).toBe('converged');
  });
});

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)('oil flow, first 300 rows (shared/data/oil_train_X.npy)', () => {
  it('reaches log likelihood 4050 and at most 4 leave-one-out errors in 500 iterations', async () => {
    const table = await readTable(oil!);
    const Y = new Matrix(table.observations.data.slice(0, 300 * 12), 300, 12);
    const labels = Array.from(
      new Int32Array(readFileSync(sharedFile('data/oil_train_y.npy')!).buffer.slice(128)),
    ).slice(0, 300);
    const model = gplvm(Y, {
      latentDim: 2,
      kernel: add(rbf(), bias({ variance: 0.1 }), white({ variance: 0.1 })),
      noise: fixed(1e-6),
      priors: [],
    });
    const result = await fit(model, { maxIterations: 500 });
    expect(result.objective).toBeGreaterThanOrEqual(4050);
    expect(nearestNeighborError(result.latents, labels) * 300).toBeLessThanOrEqual(4 + 1e-9);
    expect(result.diagnostics.iterations).toBeLessThanOrEqual(500);
  });
});
