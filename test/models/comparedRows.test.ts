import { expect, it } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { fit, gplvm, Matrix } from '../../src/index.ts';
import { comparedRows } from '../../src/models/index.ts';

it('fills in the missing entries of fitted rows by reconstructing these rows only', async () => {
  // As many latents as columns: points follow the noise, so impute refuses.
  const whole = pipeFlow({ points: 24, seed: 1 }).observations.map((entry) => entry);
  const rows = Matrix.from(whole.toArrays().map((row) => row.slice(0, 3)));
  const holed = rows.map((entry, i, j) => ((i === 4 && j === 1) || (i === 17 && j === 2) ? Number.NaN : entry));
  const fitted = await fit(gplvm(holed, { latentDim: 2, missing: 'ignore' }), { maxIterations: 300, seed: 0 });
  await expect(fitted.impute(holed)).rejects.toMatchObject({ code: 'followsNoise' });
  const asked: number[] = [];
  const spied = {
    ...fitted,
    reconstruct: (Y: Matrix) => {
      asked.push(Y.rows);
      return fitted.reconstruct(Y);
    },
  };
  const found = await comparedRows(spied as typeof fitted, holed);
  const means = await fitted.reconstruct(holed);
  const unit = (j: number) => holed.at(0, j) / found.at(0, j);
  expect(asked).toEqual([2]);
  expect(found.at(4, 1) * unit(1)).toBeCloseTo(means.at(4, 1), 6);
  expect(found.at(17, 2) * unit(2)).toBeCloseTo(means.at(17, 2), 6);
  expect(found.at(5, 1) * unit(1)).toBeCloseTo(rows.at(5, 1), 12);
});
