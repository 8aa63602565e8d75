import { join } from 'node:path';
import {
  type AnyModel,
  assess,
  continuity,
  type Fit,
  fit,
  gplvm,
  isomap,
  Matrix,
  pca,
  ppca,
  seededRandom,
  trustworthiness,
} from 'latentfield';
import { usualNeighbors } from 'latentfield/inference';
import { standardize, writeTable } from 'latentfield/io';
import { comparedRows } from 'latentfield/models';
import { describe, expect, it } from 'vitest';
import { latentfield } from '../app/cli/latentfield.ts';
import { temporaryFolder } from '../app/io/folder.ts';

const few = { starts: 0, bootstraps: 0, dimensions: [], shuffled: 0 };
const names = ['a', 'b', 'c', 'd', 'e'];
/** Five columns of a plane with noise, in units from 0.01 to 1000: the first two columns dominate all raw distances. */
const Y = (() => {
  const random = seededRandom(3);
  const units = [1000, 300, 1, 0.1, 0.01];
  const W = units.map(() => [random.normal(), random.normal()]);
  return Matrix.from(
    Array.from({ length: 60 }, () => {
      const z = [random.normal(), random.normal()];
      return W.map((w, j) => units[j]! * (w[0]! * z[0]! + w[1]! * z[1]! + 0.2 * random.normal()));
    }),
  );
})();
const inDeviations = standardize(Y).apply(Y);

describe('scores of columns in different units', () => {
  const models: Readonly<Record<string, AnyModel>> = {
    gplvm: gplvm(Y, { latentDim: 2 }),
    ppca: ppca(Y, { latentDim: 2 }),
    pca: pca(Y, { latentDim: 2 }),
    isomap: isomap(Y, { latentDim: 2 }),
  };
  it.each(Object.keys(models))(
    'are those on standardized columns in assess, score and a computation by hand: %s',
    async (name) => {
      const result = (await fit(models[name]!, { maxIterations: 20 })) as Fit;
      const k = usualNeighbors(60);
      const expected = {
        trustworthiness: trustworthiness(inDeviations, result.latents, k),
        continuity: continuity(inDeviations, result.latents, k),
      };
      // In the table's units, the two widest columns would decide alone.
      expect(trustworthiness(Y, result.latents, k)).not.toBeCloseTo(expected.trustworthiness, 2);

      const { scores } = await assess(result, few);
      expect(scores.overall.trustworthiness).toBeCloseTo(expected.trustworthiness, 12);
      expect(scores.overall.continuity).toBeCloseTo(expected.continuity, 12);
      expect(trustworthiness(await comparedRows(result), result.latents, k)).toBe(expected.trustworthiness);

      const { path, write } = temporaryFolder();
      write('fit.json', JSON.stringify(result.toJSON()));
      const data = join(path, 'data.csv');
      await writeTable(data, Y, names);
      const { stdout } = await latentfield(['score', path, '--data', data, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ neighbors: k, ...expected });
    },
  );

  it('agree with maps fitted to standardized columns in compare, which reports it', async () => {
    const { path } = temporaryFolder();
    const data = join(path, 'data.csv');
    await writeTable(data, Y, names);
    const args = [
      'compare',
      data,
      '--models',
      'ppca,isomap',
      '--max-seconds',
      '30',
      '--json',
      '--out',
      join(path, 'maps'),
    ];
    const { stdout, stderr } = await latentfield(args);
    expect(stderr).toContain('divided by their standard deviations');
    const { rows } = JSON.parse(stdout) as { rows: { model: string; trustworthiness: number }[] };
    const byHand: AnyModel[] = [ppca(inDeviations, { latentDim: 2 }), isomap(inDeviations, { latentDim: 2 })];
    for (const [at, model] of byHand.entries()) {
      const { latents } = (await fit(model)) as Fit;
      expect(rows[at]!.trustworthiness).toBeCloseTo(trustworthiness(inDeviations, latents, usualNeighbors(60)), 12);
    }
  });
});
