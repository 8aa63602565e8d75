import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { inFlags } from '../../../src/app/cli/flags.ts';
import { LABELED_MODELS, MODEL_NAMES } from '../../../src/app/cli/modelHelp.ts';
import { modelOptions } from '../../../src/app/cli/modelOptions.ts';
import { readTable, writeTable } from '../../../src/app/io/index.ts';
import { fit, gplvm, loadFit, Matrix } from '../../../src/index.ts';
import { describedModel } from '../../../src/models/index.ts';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield, prepared } from './latentfield.ts';

/** A path that is walked at an even pace: what follows is known. */
const walk = Matrix.from(
  Array.from({ length: 24 }, (_, i) => [Math.sin(i / 4), Math.cos(i / 4), i / 10, Math.sin(i / 8)]),
);
let text = '';
beforeAll(async () => {
  const result = await fit(gplvm(walk, { latentDim: 2, dynamics: true }), { maxIterations: 25 });
  text = JSON.stringify({
    ...result.toJSON(),
    table: {
      columns: ['a', 'b', 'c', 'd'],
      isNamed: true,
      others: ['who'],
      idColumn: 'who',
      ids: Array.from({ length: 24 }, (_, i) => `w${i}`),
      standardized: { mean: [10, 0, 0, 0], deviation: [2, 1, 1, 1] },
    },
  });
});

function saved() {
  const folder = temporaryFolder();
  folder.write('fit.json', text);
  const { table, ...json } = JSON.parse(text);
  return { ...folder, result: loadFit(json), table };
}

const json = (...args: string[]) => jsonWith('', ...args);

/** What a command prints as JSON, beside notes. */
async function jsonWith(notes: string, ...args: string[]) {
  const ran = await latentfield([...args, '--json']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: notes });
  return JSON.parse(ran.stdout);
}

/** In the units of the table. */
const inUnits = (rows: number[][]) => rows.map(([a, ...rest]) => [10 + 2 * a!, ...rest]);
const roots = (rows: number[][]) => rows.map(([a, ...rest]) => [2 * Math.sqrt(a!), ...rest.map(Math.sqrt)]);

describe('uses of a saved fit', () => {
  it('predict: at its latents, or at the latents of a table', async () => {
    const { path, write, result } = saved();
    const expected = result.predict(result.latents, { noise: true });
    const own = await json('predict', path);
    expect(own.columns).toEqual(['a', 'b', 'c', 'd']);
    expect(own.mean).toEqual(inUnits(expected.mean.toArrays()));
    expect(own.deviation).toEqual(roots(expected.variance.toArrays()));
    const latents = write('x.csv', 'who,x2,x1\nann,0.5,-1\nbob,0,0.25\n');
    const there = result.predict([
      [-1, 0.5],
      [0.25, 0],
    ]);
    expect((await json('predict', path, latents, '--no-noise')).mean).toEqual(inUnits(there.mean.toArrays()));
    const out = join(path, 'predicted.csv');
    const ran = await latentfield(['predict', path, '--out', out]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: '', stderr: `wrote ${out}\n` });
    const written = await readTable(out);
    expect(written.columns).toEqual(['a', 'b', 'c', 'd', 'a deviation', 'b deviation', 'c deviation', 'd deviation']);
    expect(written.ids?.[3]).toBe('w3');
    const narrow = await latentfield(['predict', path, write('y.csv', 'x\n1\n2\n')]);
    expect(narrow).toMatchObject({ exitCode: 2 });
    expect(narrow.stderr).toContain('has 1 columns, but the fit has 2 latent dimensions');
  });

  it('sample, interpolate and forecast', async () => {
    const { path, result } = saved();
    const drawn = result.sample(result.latents, { seed: 5 });
    expect((await json('sample', path, '--seed', '5')).sample).toEqual(inUnits(drawn.toArrays()));
    const between = result.interpolate(2, 20, 4);
    const found = await json('interpolate', path, '--from', 'w2', '--to', '20', '--steps', '4');
    expect(found.latents).toEqual(between.latents.toArrays());
    expect(found.mean).toEqual(inUnits(between.mean.toArrays()));
    const table = (await latentfield(['interpolate', path, '--from', '2', '--to', '20'])).stdout;
    expect(table.split('\n')[0]).toBe('x1,x2,a,b,c,d,a deviation,b deviation,c deviation,d deviation');
    const ahead = result.forecast!(3);
    const forecast = await json('forecast', path, '--steps', '3');
    expect(forecast.mean).toEqual(inUnits(ahead.mean.toArrays()));
    expect(forecast.deviation).toEqual(roots(ahead.variance.toArrays()));
    const nobody = await latentfield(['interpolate', path, '--from', 'w99', '--to', '1']);
    expect(nobody.stderr).toContain("There is no point 'w99'. Give an id, or a number from 0 to 23.");
  });

  it('impute: new rows with holes', async () => {
    const { path, write, result } = saved();
    const rows = [3, 11].map((i) => Array.from(walk.row(i)));
    const lines = rows.map(([a, b, c], i) => `v${i},${10 + 2 * a!},${b},${c},\n`).join('');
    const holes = write('holes.csv', `who,a,b,c,d\n${lines}`);
    const { mean, deviation } = await jsonWith('note: 2 of 8 entries are missing.\n', 'impute', path, holes);
    const Y = rows.map((row) => [...row.slice(0, 3), Number.NaN]);
    const expected = await result.impute(Y);
    for (const i of [0, 1]) {
      expect(mean[i][0]).toBeCloseTo(10 + 2 * rows[i]![0]!, 12);
      expect(mean[i][3]).toBeCloseTo(expected.mean.at(i, 3), 8);
      expect(mean[i][3]).toBeCloseTo(rows[i]![3]!, 1);
      expect(deviation[i].slice(0, 3)).toEqual([0, 0, 0]);
      expect(deviation[i][3]).toBeCloseTo(Math.sqrt(expected.variance.at(i, 3)), 8);
    }
  });

  it('project: densities are of the columns in the units of the table', async () => {
    const { path, write, result } = saved();
    const row = Array.from(walk.row(7));
    const file = write('new.csv', `b,a,c,d\n${row[1]},${10 + 2 * row[0]!},${row[2]},${row[3]}\n`);
    const ran = await latentfield(['project', path, file, '--json']);
    // Dynamics say nothing of a row by itself, so that there is no density of places to integrate over.
    const { logDensityAtPlace } = JSON.parse(ran.stdout);
    const expected = (await result.project([row])).logDensityAtPlace![0]!;
    expect(logDensityAtPlace[0]).toBeCloseTo(expected - Math.log(2), 8);
  });

  it('info: facts and sentences', async () => {
    const { path, result } = saved();
    const facts = await json('info', path);
    expect(facts).toMatchObject({ model: 'gplvm', points: 24, latentDim: 2, idColumn: 'who', standardized: true });
    expect(facts.objective).toBe(result.objective);
    expect(facts.abilities).toContain('forecast');
    const { stdout } = await latentfield(['info', path]);
    expect(stdout).toContain("gplvm: 24 points, latent dimension 2\n4 columns, standardized: a, b, c, d\nids: 'who'\n");
    expect(stdout).toContain(`mapping.noise = ${result.parameters['mapping.noise']}\n`);
  });

  it('refuses a damaged record of the table', async () => {
    const { path, write } = saved();
    const damaged = JSON.parse(text);
    damaged.table.standardized.deviation[1] = 0;
    write('fit.json', JSON.stringify(damaged));
    const ran = await latentfield(['info', path]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('This saved fit is damaged at table.standardized.deviation.1. Fit the data again.');
    damaged.table.standardized.deviation = [1, 1];
    write('fit.json', JSON.stringify(damaged));
    expect((await latentfield(['info', path])).stderr).toContain('damaged at table.standardized.');
  });
});

it('select chooses options by cross-validation', async () => {
  const { data } = await prepared();
  const args = ['select', data, '--model', 'pca', '--labels', 'flow', '--grid', '{"latentDim":[1,3]}', '--folds', '3'];
  const { best, table, score } = await json(...args);
  expect(score).toBe('nearestNeighborError');
  const inWords = await latentfield(args);
  expect(inWords.stderr).toMatch(/^score: nearestNeighborError; the smallest is best$/m);
  expect(table.map((row: { options: object }) => row.options)).toEqual([{ latentDim: 1 }, { latentDim: 3 }]);
  const [one, three] = table.map((row: { score: number }) => row.score);
  expect(best).toEqual({ latentDim: three < one ? 3 : 1 });
  for (const [flags, message] of [
    [['--grid', '[1]'], '--grid takes lists of values by option'],
    [['--grid', '{"latentDim":2}'], '--grid takes lists of values by option'],
    [['--grid', '{x'], '--grid is not JSON'],
    [['--score', 'beauty'], 'Allowed choices are nearest-neighbor, density, trustworthiness.'],
  ] as const) {
    const ran = await latentfield([...args, ...flags]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(message);
  }
});

it('select places rows with missing entries, and lists the models that cannot', { tags: 'long' }, async () => {
  const { data } = await prepared();
  const [head, ...rows] = readFileSync(data, 'utf8').trimEnd().split('\n');
  const holes = rows.map((row, i) => (i % 5 === 0 ? row.replace(/^[^,]*/, '') : row));
  const file = data.replace('.csv', 'WithHoles.csv');
  writeFileSync(file, [head, ...holes].join('\n'));
  const select = (model: string) => {
    const given = ['--model', model, '--labels', 'flow', '--grid', '{"latentDim":[1]}', '--max-iterations', '3'];
    return latentfield(['select', file, ...given, '--missing', 'ignore', '--folds', '2']);
  };
  expect((await select('gplvm')).stdout).toMatch(/^0\.\d+ .*\nbest {"latentDim":1}\n$/);
  expect((await select('gplrf')).stdout).toMatch(/^0\.\d+ .*\nbest {"latentDim":1}\n$/);
  expect((await select('pca')).stderr).toContain('pca cannot use a table with missing entries. Drop their rows');
});

it('interpolate names latents apart from observations of the same name', async () => {
  const { path } = temporaryFolder();
  const rows = Array.from({ length: 12 }, (_, i) => `${Math.sin(i)},${Math.cos(i)},${i % 5}.5`);
  const data = join(path, 'data.csv');
  writeFileSync(data, ['x1,x2,y', ...rows].join('\n'));
  const out = join(path, 'out');
  await latentfield(['fit', data, '--model', 'pca', '--out', out]);
  const { stdout } = await latentfield(['interpolate', out, '--from', '0', '--to', '3']);
  expect(stdout.split('\n')[0]).toMatch(/^latent x1,latent x2,x1,x2,y,x1 deviation/);
});

describe('results that are there', () => {
  it('are kept without --force', async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'pca', '--labels', 'flow', '--out', out];
    expect((await latentfield(args, { force: false })).exitCode).toBe(0);
    const before = readFileSync(join(out, 'fit.json'), 'utf8');
    const again = await latentfield([...args, '--dim', '3'], { force: false });
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toBe(
      `error: '${join(out, 'latents.csv')}' already exists. Give --force to replace it, or another --out.\n`,
    );
    expect(readFileSync(join(out, 'fit.json'), 'utf8')).toBe(before);
    const placed = join(out, 'latents.csv');
    const projected = await latentfield(['project', out, data, '--drop', 'flow', '--out', placed]);
    expect(projected).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('are kept where only a completed table is there', async () => {
    const { data, out } = await prepared();
    mkdirSync(out, { recursive: true });
    const completed = join(out, 'completedDeviations.csv');
    writeFileSync(completed, 'mine');
    const again = await latentfield(['fit', data, '--model', 'pca', '--labels', 'flow', '--out', out], {
      force: false,
    });
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(`'${completed}' already exists. Give --force to replace it`);
    expect(readFileSync(completed, 'utf8')).toBe('mine');
  });
});

/** Parts of the library, what takes the place of a table, and workers. */
const NOT_IN_JSON = new Set(['posterior', 'approximation', 'graph', 'squaredDistances', 'shards']);

describe('help', () => {
  it('names what is required, every model with every option it takes, and examples', async () => {
    const { stdout } = await latentfield(['fit', '--help']);
    expect(stdout).toContain('the model (default: gplvm)');
    expect(stdout).toContain('(default: results)');
    expect(stdout).toContain('latentfield fit flowers.csv --model gplvm --labels species --out results');
    const { observations, flow } = await prepared();
    for (const name of MODEL_NAMES) {
      const labels = LABELED_MODELS.includes(name) ? flow : undefined;
      const make = () => describedModel(name, observations, labels, { latentDim: 2, nothing: 1 });
      const known = (/Known are (.*)\.$/.exec(errorOf(make))?.[1] ?? '')
        .split(', ')
        .filter((option) => !NOT_IN_JSON.has(option));
      const { options } = modelOptions[name]!;
      expect(Object.keys(options).sort(), name).toEqual(known.sort());
      const one = (await latentfield(['info', name])).stdout.replace(/\s+/g, ' ');
      for (const [option, what] of Object.entries(options)) expect(one).toContain(` ${option} ${what}`);
      expect(stdout).toContain(`  ${name}: `);
    }
  });

  it('answers near misses: models, flags, commands, columns', async () => {
    const { data, out } = await prepared();
    const fitted = ['fit', data, '--out', out, '--model'];
    const cases: [readonly string[], string][] = [
      [[...fitted, 'GPLVM'], "Did you mean 'gplvm'?"],
      [[...fitted, 'laplacian-eigenmap'], "Did you mean 'laplacianEigenmaps'?"],
      [[...fitted, 'pca', '--label', 'flow'], 'Did you mean --labels?'],
      [['fit', data, '--out', out, '--modle', 'pca'], 'Did you mean --model?'],
      [['interpolate', out, '--to', '3'], "required option '--from <point>' not specified"],
      [['projekt', out], 'Did you mean project?'],
      [[...fitted, 'pca', '--labels', 'Flow'], "has no column 'Flow' for the labels. Did you mean 'flow'?"],
    ];
    for (const [args, message] of cases) {
      const ran = await latentfield(args);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain(message);
      expect(existsSync(out)).toBe(false);
    }
  });
});

it('options that a message of the library names are flags of the command, or JSON for --options', () => {
  const options = [
    new Option('--max-bytes <n>'),
    new Option('--missing <how>'),
    new Option('--missing-values <list>'),
    new Option('--header <how>').choices(['yes', 'no']),
    new Option('--flatten'),
    new Option('--priors <kind>').choices(['weak', 'in-terms']),
    new Option('--hold <paths>'),
    new Option('--no-scale'),
    new Option('-d, --dim <q>'),
    new Option('--options <json>'),
  ];
  const text =
    "`maxBytes`, `maxBytes: 100`, `allowMissing: true`, `missingValues: ['-999', '.']`, `missingValues: []`, `missingValues: [';']`, `header: false`, `flatten: true`, `priors: 'inTerms'`, `hold: […]`, `scale: false`, `latentDim: 1`, `neighbors: 20`, `noise: fixed(0.01)`, `meu`";
  expect(inFlags(text, options)).toBe(
    '--max-bytes, --max-bytes 100, --missing ignore, --missing-values -999,., --missing-values "", --missing-values ";", --header no, --flatten, --priors in-terms, --hold …, --no-scale, --dim 1, --options \'{"neighbors": 20}\', --options \'{"noise": {"fixed": 0.01}}\', meu',
  );
  expect(inFlags(text, [])).toBe(text.replaceAll('`', ''));
});

it('sparse models are reached by a flag', async () => {
  const { data, out } = await prepared();
  const rest = ['--labels', 'flow', '--max-iterations', '1', '--out', out];
  expect((await latentfield(['fit', data, '--model', 'tpslvm', '--centers', '9', ...rest])).exitCode).toBe(0);
  const spline = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')).model.kernel;
  expect(JSON.stringify(spline)).toMatch(/"centers":(\[\[|\[\s)/);
  const batches = ['--inducing', '7', '--likelihood', 'gaussian', '--batch-size', '10'];
  const ran = await latentfield(['fit', data, '--model', 'bayesian-gplvm', ...batches, ...rest]);
  expect(ran.exitCode).toBe(0);
  const { values, model } = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
  expect(values['mapping.inducing']).toHaveLength(7);
  expect(values['mapping.variational.mean']).toBeDefined();
  expect(model.likelihood.likelihood).toBe('gaussian');
  expect((await latentfield(['fit', data, '--model', 'gplvm', '--inducing', '8', ...rest])).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')).values['mapping.inducing']).toHaveLength(8);
  const refused = await latentfield(['fit', data, '--model', 'pca', '--inducing', '7', ...rest]);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain("pca has no option 'inducing'");
});

it('counts are fitted in batches by flags', async () => {
  const { path } = temporaryFolder();
  const [data, out] = [join(path, 'counts.csv'), join(path, 'out')];
  const row = (i: number) => [i % 3, (i * i) % 5, i % 7].join();
  writeFileSync(data, `a,b,c\n${Array.from({ length: 40 }, (_, i) => row(i)).join('\n')}\n`);
  const model = ['--model', 'bayesian-gplvm', '--inducing', '5', '--likelihood', 'poisson', '--dim', '1'];
  const rest = ['--batch-size', '16', '--max-epochs', '1', '--out', out];
  expect((await latentfield(['fit', data, ...model, ...rest])).exitCode).toBe(0);
  const fit = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
  expect(fit.diagnostics.iterations).toBe(3);
  expect(fit.model).toMatchObject({ model: 'bayesianGplvm', likelihood: { likelihood: 'poisson' } });
  const refused = await latentfield(['fit', data, ...model, '--batch-size', '41', '--out', out, '--force']);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('40');
});

it('counts are normalized by flags, and so are the tables that a fit is later asked of', async () => {
  const { path } = temporaryFolder();
  const [data, later, out] = ['cells.csv', 'later.csv', 'out'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  const rows = Array.from({ length: 12 }, (_, i) => [1 + (i % 3), 2 + ((i * i) % 5), i % 7]);
  const csv = (of: number[][]) => `a,b,c\n${of.map((row) => row.join()).join('\n')}\n`;
  writeFileSync(data, csv(rows));
  writeFileSync(later, csv(rows.map((row) => row.map((y) => 10 * y))));
  const flags = ['--row-sums', 'median', '--log1p'];
  expect((await latentfield(['fit', data, '--model', 'pca', ...flags, '--out', out])).stderr).toMatch(/sum to/);
  expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')).table.counts).toMatchObject({ log1p: true });
  const placed = async (file: string) => {
    const { stdout, stderr } = await latentfield(['project', out, file, '--json']);
    expect(stderr).toMatch(/sum to .*log\(1 \+ y\)/);
    return JSON.parse(stdout);
  };
  const [same, deeper] = [await placed(data), await placed(later)];
  deeper.latents.flat().forEach((x: number, k: number) => {
    expect(x).toBeCloseTo(same.latents.flat()[k], 12);
  });
  const refused = await latentfield(['fit', data, '--model', 'pca', '--row-sums', '-3', '--out', out, '--force']);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain("a number above 0, or 'median'");
});

it('latents that are distributions are written with their variances, which predict leaves out', async () => {
  const { path } = temporaryFolder();
  const [data, out] = [join(path, 'digits.csv'), join(path, 'out')];
  const row = (i: number) => [i % 2, Number(i % 5 > 2), Number(i % 7 < 3)].join();
  writeFileSync(data, `a,b,c\n${Array.from({ length: 20 }, (_, i) => row(i)).join('\n')}\n`);
  const model = ['--model', 'bayesian-gplvm', '--inducing', '5', '--likelihood', 'bernoulli'];
  expect((await latentfield(['fit', data, ...model, '--max-iterations', '2', '--out', out])).exitCode).toBe(0);
  const { columns, observations } = await readTable(join(out, 'latents.csv'));
  expect(columns).toEqual(['x1', 'x2', 'variance1', 'variance2']);
  const fit = loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')));
  const variances = 'latentVariances' in fit ? (fit.latentVariances as Matrix).toArrays() : [];
  expect(observations.toArrays()).toEqual(fit.latents.toArrays().map((x, i) => [...x, ...variances[i]!]));
  const [own, given] = [
    await latentfield(['predict', out]),
    await latentfield(['predict', out, join(out, 'latents.csv')]),
  ];
  expect(given).toMatchObject({ exitCode: 0, stdout: own.stdout });
});

it('a model with N×N matrices mentions its sparse form for many points', async () => {
  const { path } = temporaryFolder();
  const data = join(path, 'many.csv');
  writeFileSync(data, `a,b\n${Array.from({ length: 3000 }, (_, i) => `${i % 71},${i % 53}`).join('\n')}\n`);
  const offered = async (...flags: string[]) =>
    (await latentfield(['fit', data, '--max-iterations', '0', '--out', join(path, 'out'), '--force', ...flags])).stderr;
  expect(await offered('--model', 'pca')).not.toContain('--inducing 50');
  // The fit itself is not what this is about: it ends at its kernel.
  const rankGplvm = ['--model', 'rank-gplvm', '--kernel', 'none'];
  expect(await offered(...rankGplvm, '--inducing', '5')).not.toContain('--inducing 50');
  expect(await offered(...rankGplvm)).toContain('--inducing 50 fits a bound');
});

it('writes tables that no spreadsheet calculates, on demand', async () => {
  const { path } = temporaryFolder();
  const file = join(path, 't.csv');
  const ids = { name: 'id', values: ['=1+1', '@x', '-7', 'plain'] };
  await writeTable(file, [[1], [2], [3], [4]], ['a'], undefined, { ids, guardFormulas: true });
  expect(readFileSync(file, 'utf8')).toBe("id,a\n'=1+1,1\n'@x,2\n-7,3\nplain,4\n");
  await writeTable(file, [[1], [2], [3], [4]], ['a'], undefined, { ids });
  expect(readFileSync(file, 'utf8')).toBe('id,a\n=1+1,1\n@x,2\n-7,3\nplain,4\n');
});

function errorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('tables with holes', () => {
  async function holed() {
    const { path } = temporaryFolder();
    const data = join(path, 'holes.csv');
    const row = (i: number) => [
      Math.cos(i / 5).toFixed(3),
      i % 7 === 3 ? '' : Math.sin(i / 5).toFixed(3),
      i % 2 ? 'a' : 'b',
    ];
    const rows = Array.from({ length: 30 }, (_, i) => row(i).join());
    writeFileSync(data, `x,y,kind\n${[...rows, rows[4]].join('\n')}\n`);
    return { data, out: join(path, 'out') };
  }

  it('lists the models that can use them', async () => {
    const { data, out } = await holed();
    const ran = await latentfield(['fit', data, '--model', 'isomap', '--missing', 'ignore', '--out', out]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/^error: isomap cannot use a table with missing entries\. .*gplvm.*meu.*ppca\.\n$/);
    expect(existsSync(out)).toBe(false);
  });

  it('are filled in by a back-constrained model, where it was fitted to them and in new rows', {
    tags: 'long',
  }, async () => {
    const { data, out } = await holed();
    const flags = ['--missing', 'ignore', '--labels', 'kind', '--max-iterations', '5'];
    await latentfield(['fit', data, '--model', 'gplrf', ...flags, '--out', out]);
    const filled = await latentfield(['impute', out, data]);
    const completed = readFileSync(join(out, 'completed.csv'), 'utf8');
    expect(filled.stdout).toBe(completed);
    const [before, after] = [readFileSync(data, 'utf8'), completed].map((text) => text.split('\n'));
    expect(after!.map((line, i) => (before![i]!.includes(',,') ? before![i] : line))).toEqual(before);
    expect(after!.filter((line) => line.includes(',,'))).toEqual([]);
    const others = data.replace('.csv', 'Others.csv');
    writeFileSync(others, 'x,y\n0.5,\n0.1,0.9\n');
    const imputed = await latentfield(['impute', out, others, '--json']);
    const { mean, deviation } = JSON.parse(imputed.stdout) as { mean: number[][]; deviation: number[][] };
    expect([mean[0]![0], mean[1], deviation[1]]).toEqual([0.5, [0.1, 0.9], [0, 0]]);
    expect(deviation[0]![1]).toBeGreaterThan(0);
  });

  it('are fitted by meu though two rows are equal, and scored by their labels', async () => {
    const { data, out } = await holed();
    const ran = await latentfield([
      'fit',
      data,
      '--model',
      'meu',
      '--missing',
      'ignore',
      '--labels',
      'kind',
      '--out',
      out,
    ]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/Converged.*Equal points share one node of the graph: 4 = 30\./);
    const [head, ...points] = readFileSync(join(out, 'latents.csv'), 'utf8').trim().split('\n');
    expect(head).toBe('x1,x2,kind');
    expect(points).toHaveLength(31);
    const [first, second] = [points[4]!, points[30]!].map((line) => line.split(',').map(Number));
    const spread = points.map((line) => Math.abs(Number(line.split(',')[0]))).reduce((a, b) => Math.max(a, b));
    expect(Math.abs(first![0]! - second![0]!)).toBeLessThan(1e-2 * spread);
    const scored = await latentfield(['score', out, '--data', data, '--labels', 'kind']);
    expect(scored.exitCode).toBe(0);
    expect(scored.stdout).toContain('nearest-neighbor error');
    expect(scored.stdout).toContain('trustworthiness');
    expect(scored.stderr).toContain('note: The 4 missing entries are filled in by the fit');
  });
});

describe('wording of unknown values', () => {
  it.each<[string[], number, string]>([
    [
      ['fit', 'a.csv', '--model', 'pca', '--out', 'o', '--latent-dim', '3'],
      2,
      'The number of latent dimensions is --dim.',
    ],
    [
      ['fit', 'a.csv', '--neighbors', '7'],
      2,
      `neighbors is an option of models: give it as JSON, --options '{"neighbors": …}', or in a file of it.`,
    ],
    [
      ['bayesian-gplvm', 'a.csv'],
      2,
      "bayesianGplvm is a model: 'latentfield fit DATA --model bayesianGplvm --out DIR' fits it",
    ],
    [['project', 'results', 'a.csv', '--bogus'], 2, "error: unknown option '--bogus'\n"],
  ])('%s', async (args, code, words) => {
    const { exitCode, stderr, stdout } = await latentfield(args);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(words);
  });

  it('of a model is its options, and a command that fits it', async () => {
    const { exitCode, stdout } = await latentfield(['gplrf', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe((await latentfield(['info', 'gplrf'])).stdout);
    expect(stdout).toContain('latentfield fit DATA.csv --model gplrf --labels COLUMN --out results');
  });
});
