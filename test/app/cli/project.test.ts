import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { readTable, writeTable } from '../../../src/app/io/index.ts';
import { bayesianGplvm, fit, gplrf, gplvm, isomap, knnGraph, loadFit, Matrix, meu } from '../../../src/index.ts';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield } from './latentfield.ts';

const all = pipeFlow({ points: 35 });
const rows = (from: number, to: number) => Matrix.from(all.observations.toArrays().slice(from, to));
const seen = rows(0, 32);
const unseen = rows(32, 35);

/** What `latentfield fit` would leave of some models, as text. */
const saved = { gplvm: '', gplrf: '', isomap: '', meu: '' };
beforeAll(async () => {
  const labels = all.labels.slice(0, 32);
  const text = async (result: ReturnType<typeof fit>) => JSON.stringify((await result).toJSON());
  saved.gplvm = await text(fit(gplvm(seen, { latentDim: 2 }), { maxIterations: 20 }));
  saved.gplrf = await text(fit(gplrf(seen, labels, { latentDim: 2 }), { maxIterations: 5 }));
  saved.meu = await text(fit(meu(seen, { neighbors: 6 })));
  // A graph alone has no observations to compare new ones with.
  saved.isomap = await text(fit(isomap({ graph: knnGraph(seen, 8) }, { disconnected: 'largest' })));
});

/** A folder with a fit, and a table of the unseen points with their labels. */
async function prepared(model: keyof typeof saved = 'gplvm') {
  const { path, write } = temporaryFolder();
  write('fit.json', saved[model]);
  const data = join(path, 'new.csv');
  const flow = Array.from(all.labels.slice(32), (label) => all.labelNames[label]!);
  await writeTable(data, unseen, all.columnNames, { name: 'flow', values: flow });
  return { path, write, data };
}

describe('latentfield project', () => {
  it('writes the variances of rows that are placed as Gaussians', async () => {
    const { path, write, data } = await prepared();
    const fitted = await fit(bayesianGplvm(seen, { latentDim: 2, inducing: 6 }), { maxIterations: 10 });
    write('fit.json', JSON.stringify(fitted.toJSON()));
    const { latents, latentVariances, logDensity } = await fitted.project(unseen);
    const ran = await latentfield(['project', path, data, '--drop', 'flow']);
    const printed = await readTable(write('printed.csv', ran.stdout));
    expect(printed.columns).toEqual(['x1', 'x2', 'variance1', 'variance2', 'logDensity']);
    const variances = latentVariances!.toArrays();
    expect(printed.observations.toArrays()).toEqual(
      latents.toArrays().map((row, i) => [...row, ...variances[i]!, logDensity[i]]),
    );
    const object = await latentfield(['project', path, data, '--drop', 'flow', '--json']);
    expect(JSON.parse(object.stdout).latentVariances).toEqual(variances);
  });

  it('estimates how long many rows take', async () => {
    const { path } = await prepared('gplrf');
    const many = join(path, 'many.csv');
    await writeTable(
      many,
      Matrix.from(Array.from({ length: 300 }, (_, i) => all.observations.toArrays()[i % 35]!)),
      all.columnNames,
    );
    let hours = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 3_600_000 * hours++);
    const ran = await latentfield(['project', path, many]).finally(() => clock.mockRestore());
    expect(ran.stderr).toMatch(/^note: placing 300 rows takes about \d+ min\ngplrf: 300 points placed/);
    expect((await latentfield(['project', path, many])).stderr).toMatch(/^gplrf: 300 points placed/);
  });

  it.each(['gplvm', 'gplrf', 'meu'] as const)('writes what project of the fit (%s) finds', async (model) => {
    const { path, write, data } = await prepared(model);
    const { latents, latentVariances, ...placed } = await loadFit(JSON.parse(saved[model])).project(unseen);
    // A back-constraint computes the place, which leaves nothing to integrate over.
    const name = model === 'gplrf' ? 'logDensityAtPlace' : 'logDensity';
    const logDensity = placed[name]!;
    const ran = await latentfield(['project', path, data, '--drop', 'flow']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(
      new RegExp(`^${model}: 3 points placed in latent dimension 2, mean log density -?[\\d.]+\n$`),
    );
    const printed = await readTable(write('printed.csv', ran.stdout));
    // Places that a density says are known so far only.
    const names = model === 'gplvm' ? ['variance1', 'variance2'] : [];
    expect(printed.columns).toEqual(['x1', 'x2', ...names, name]);
    expect(printed.observations.toArrays()).toEqual(
      latents.toArrays().map((row, i) => [...row, ...(latentVariances?.row(i) ?? []), logDensity[i]]),
    );

    const out = join(path, 'placed.tsv');
    const quiet = await latentfield(['project', path, data, '--drop', '12', '--out', out]);
    expect(quiet.stdout).toBe('');
    expect(quiet.stderr).toBe(`${ran.stderr}wrote ${out}\n`);
    expect((await readTable(out)).observations).toEqual(printed.observations);

    const object = await latentfield(['project', path, data, '--drop', 'flow', '--json', '--force', '--out', out]);
    expect(object.stderr).toBe('');
    expect(JSON.parse(object.stdout)).toEqual({
      model,
      latents: latents.toArrays(),
      ...(latentVariances && { latentVariances: latentVariances.toArrays() }),
      [name]: Array.from(logDensity),
      files: [out],
    });
  });

  it.each(['gplvm', 'meu'] as const)('uses the entries that are there (%s)', async (model) => {
    const { path, data } = await prepared(model);
    const holes = Matrix.from(unseen);
    for (const k of [3, 30, 31]) holes.data[k] = Number.NaN;
    await writeTable(data, holes, all.columnNames);
    const refused = await latentfield(['project', path, data, '--missing', 'error']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(`new.csv', line 2, column '${all.columnNames[3]}' is 'NaN'`);
    const { latents } = await loadFit(JSON.parse(saved[model])).project(holes);
    const ran = await latentfield(['project', path, data, '--json']);
    expect(JSON.parse(ran.stdout).latents).toEqual(latents.toArrays());
  });

  it('ends with 2 for wrong input', async () => {
    const { path, write, data } = await prepared();
    const { path: empty } = temporaryFolder();
    const { path: other, write: writeOther } = temporaryFolder();
    writeOther('fit.json', '{"format": "something"}');
    const { path: broken, write: writeBroken } = temporaryFolder();
    writeBroken('fit.json', saved.gplvm.slice(0, 100));
    const { path: spectral } = await prepared('isomap');
    const narrow = write('narrow.csv', 'a,b\n1,2\n3,4\n');
    const cases: [readonly string[], string][] = [
      [[], "missing required argument 'dir'"],
      [[path], "missing required argument 'data'"],
      [
        [empty, data, '--drop', 'flow'],
        "contains no fit.json. Give the folder that 'latentfield fit' wrote with --out",
      ],
      [[other, data, '--drop', 'flow'], 'loadFit takes the object that fit.toJSON() wrote'],
      [[broken, data, '--drop', 'flow'], "fit.json' is not JSON"],
      [[path, narrow], 'project takes observations with 12 columns, but a 2×2 matrix was given.'],
      [[path, join(path, 'absent.csv')], 'there is no such file'],
      [[path, data, '--drop', 'flow', '--out', join(path, 'no', 'where.csv')], 'cannot be written'],
      [[path, data, '--drop', 'flow', '--out', join(path, 'placed.npy')], 'tables are written as .csv or .tsv'],
      [[spectral, data, '--drop', 'flow'], 'This fit of isomap cannot place new points. Fit it to observations'],
    ];
    for (const [args, message] of cases) {
      const ran = await latentfield(['project', ...args]);
      expect(ran.stderr).toContain(message);
      expect(ran.stdout).toBe('');
      expect(ran.exitCode).toBe(2);
    }
  });
});

it('demonstrates the three commands in a row', async () => {
  const { path, data } = await prepared();
  const training = join(path, 'training.csv');
  await writeTable(training, seen, all.columnNames);
  const out = join(path, 'results');
  const placed = join(path, 'placed.csv');
  expect((await latentfield(['fit', training, '--model', 'pca', '--out', out])).exitCode).toBe(0);
  expect((await latentfield(['project', out, data, '--drop', 'flow', '--out', placed])).exitCode).toBe(0);
  expect((await latentfield(['score', out, '--data', training])).exitCode).toBe(0);
  expect(existsSync(placed)).toBe(true);
  const { latents } = await loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'))).project(unseen);
  expect((await readTable(placed, { allowMissing: true, columns: '*' })).observations.column(0)).toEqual(
    latents.column(0),
  );
});
