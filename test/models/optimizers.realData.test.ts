// @module-tag long
import { describe, expect, it } from 'vitest';
import { add, bias, fit, gplvm, nearestNeighborError, rbf, tpslvm } from '../../src/index.ts';
import { sharedReference } from '../reference.ts';

interface Optimizers {
  Y: number[][];
  labels: number[];
}
const oil = sharedReference<Optimizers>('optimizers.json');

describe.runIf(oil)('oil flow, 100 points, from PCA without a prior (shared/reference/optimizers.json)', () => {
  const errors = (result: { latents: Parameters<typeof nearestNeighborError>[0] }) =>
    Math.round(100 * nearestNeighborError(result.latents, oil!.labels));

  it('TPSLVM reaches log likelihood 832 and at most 3 leave-one-out errors', async () => {
    const result = await fit(tpslvm(oil!.Y, { latentDim: 2, priors: [] }), { maxIterations: 1000 });
    expect(result.objective).toBeGreaterThanOrEqual(832);
    expect(errors(result)).toBeLessThanOrEqual(3);
  });

  it('GPLVM reaches log likelihood 1040 from the start of the reference', async () => {
    const kernel = add(rbf(), bias({ variance: Math.exp(-2) }));
    const model = gplvm(oil!.Y, { latentDim: 2, kernel, noise: Math.exp(-2), priors: [] });
    const result = await fit(model, { maxIterations: 1000 });
    expect(result.objective).toBeGreaterThanOrEqual(1040);
    expect(errors(result)).toBeLessThanOrEqual(3);
  });
});
