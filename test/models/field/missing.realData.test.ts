// @module-tag long
import { fit, Matrix, meu, seededRandom } from 'latentfield';
import { readTable } from 'latentfield/io';
import { describe, expect, it } from 'vitest';
import { sharedFile } from '../../reference.ts';
import { expectClose } from '../../tolerance.ts';

const oil = sharedFile('data/oil_train_X.npy');
describe.runIf(oil)(
  'the maximum of oil flow with two entries in five missing, 150 points (shared/data/oil_train_X.npy)',
  () => {
    it('is reached as nearly as rounding lets it, with a pair of rows that differ by 1e-4 where both are observed', async () => {
      const all = (await readTable(oil!)).observations;
      const random = seededRandom(3);
      const entries = all.data.slice(0, 150 * 12).map((entry) => (random.uniform() < 0.4 ? Number.NaN : entry));
      const result = await fit(meu(new Matrix(entries, 150, 12), { missing: 'ignore' }));
      expect(result.status).toBe('converged');
      expect(result.diagnostics.kktResidual).toBeLessThan(1e-7);
      // EM from the same start comes to 1848.66797393, its conditions to 1.8e-5, and gets no further.
      expectClose(result.objective, 1848.667974202, 1e-11);
    });
  },
);
