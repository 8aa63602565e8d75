// @module-tag long
import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/app/io/index.ts';
import { fit, fixed, gplvm, latentVariableModel, linear, Matrix, seededRandom } from '../../src/index.ts';
import { sharedFile } from '../reference.ts';

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)('imputation of oil flow, 300 points, a fifth missing (shared/data/oil_train_X.npy)', () => {
  it('is better than by column means and by PPCA', async () => {
    const all = (await readTable(oil!)).observations;
    const complete = new Matrix(all.data.slice(0, 300 * 12), 300, 12);
    const random = seededRandom(1);
    const Y = Matrix.from(complete);
    const holes = Array.from(Y.data.keys()).filter(() => random.uniform() < 0.2);
    for (const index of holes) Y.data[index] = Number.NaN;
    const error = (filled: Matrix) =>
      Math.sqrt(holes.reduce((sum, k) => sum + (filled.data[k]! - complete.data[k]!) ** 2, 0) / holes.length);
    const means = Matrix.from(Y);
    for (const k of holes) {
      const observed = Y.column(k % 12).filter((entry) => !Number.isNaN(entry));
      means.data[k] = observed.reduce((sum, entry) => sum + entry, 0) / observed.length;
    }
    const kernel = linear({ variance: fixed(1) });
    const ppca = await fit(latentVariableModel({ observations: Y, latentDim: 2, kernel, missing: 'ignore' }), {
      maxIterations: 100,
    });
    const result = await fit(gplvm(Y, { latentDim: 2, missing: 'ignore' }), { maxIterations: 60 });
    const byModel = error(result.predict(result.latents).mean);
    // The optimum of PPCA in two dimensions is known; the GPLVM comes to 0.2276 in 60 iterations.
    expect(error(means)).toBeCloseTo(0.48747, 4);
    expect(error(ppca.predict(ppca.latents).mean)).toBeCloseTo(0.3618, 3);
    expect(byModel).toBeLessThan(0.235);
  });
});
