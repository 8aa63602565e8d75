import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODEL_NAMES } from '../../../src/app/cli/modelHelp.ts';
import { writeTable } from '../../../src/app/io/index.ts';
import {
  add,
  bias,
  dgplvm,
  discriminative,
  drill,
  dynamics,
  type Fit,
  fit,
  fixed,
  gaussian,
  gplrf,
  gplvm,
  isomap,
  kernelPca,
  knnGraph,
  laplacian,
  linear,
  loadFit,
  Matrix,
  type MatrixLike,
  type Model,
  meu,
  mpme,
  mvu,
  nearestNeighborError,
  pca,
  ppca,
  rank,
  rbf,
  scg,
  standardNormal,
  tpslvm,
  trustworthiness,
  tsneGplvm,
} from '../../../src/index.ts';
import { parseKernel } from '../../../src/kernels/index.ts';
import { latentfield, prepared } from './latentfield.ts';

const savedIn = (folder: string): Fit => loadFit(JSON.parse(readFileSync(join(folder, 'fit.json'), 'utf8')));

/** The same fit by the command line and by the library. */
async function compare(
  flags: readonly string[],
  options: object | undefined,
  model: (Y: MatrixLike, labels: readonly string[]) => Model,
  maxIterations = 3,
) {
  const { write, data, out, observations, flow } = await prepared();
  const file = options === undefined ? [] : ['--options', write('options.json', JSON.stringify(options))];
  const args = [
    'fit',
    data,
    '--labels',
    'flow',
    '--max-iterations',
    String(maxIterations),
    ...flags,
    ...file,
    '--out',
    out,
  ];
  const ran = await latentfield(args);
  expect(ran).toMatchObject({ exitCode: 0, messages: '' });
  const saved = savedIn(out);
  const expected = await fit(model(observations, flow), { maxIterations });
  expect(saved.objective).toBe(expected.objective);
  expect(saved.terms).toEqual(expected.terms);
  expect(saved.latents).toEqual(expected.latents);
  return saved;
}

describe('fit by the command line is the fit of the library', () => {
  it.each<[string, readonly string[], object | undefined, (Y: MatrixLike, labels: readonly string[]) => Model]>([
    ['tpslvm', ['--model', 'tpslvm'], undefined, (Y) => tpslvm(Y, { latentDim: 2 })],
    [
      'gplrf with options',
      ['--model', 'gplrf'],
      { strength: 0.1, neighbors: 4, noise: { fixed: 0.01 } },
      (Y, labels) => gplrf(Y, labels, { latentDim: 2, strength: 0.1, neighbors: 4, noise: fixed(0.01) }),
    ],
    [
      'dgplvm without a back-constraint of its own',
      ['--model', 'dgplvm'],
      { backConstraint: 'linear', strength: 10, form: 'published' },
      (Y, labels) => dgplvm(Y, labels, { latentDim: 2, backConstraint: 'linear', strength: 10 }),
    ],
    [
      'tsneGplvm',
      ['--model', 'tsneGplvm'],
      { perplexity: 5, strength: 20 },
      (Y) => tsneGplvm(Y, { latentDim: 2, perplexity: 5, strength: 20 }),
    ],
    [
      'gplvm with --kernel',
      ['--model', 'gplvm', '--kernel', 'rbf(lengthscale=[1,2]) + bias(0.1)'],
      { priors: [] },
      (Y) => gplvm(Y, { latentDim: 2, kernel: add(rbf({ lengthscale: [1, 2] }), bias({ variance: 0.1 })), priors: [] }),
    ],
    [
      'gplvm with a variance per row',
      ['--model', 'gplvm'],
      { likelihood: { likelihood: 'gaussian', variance: Array(30).fill(0.5), per: 'row' } },
      (Y) => gplvm(Y, { latentDim: 2, likelihood: gaussian({ variance: Array(30).fill(0.5), per: 'row' }) }),
    ],
    [
      'gplvm with dynamics and a map',
      ['--model', 'gplvm', '--dim', '1'],
      { backConstraint: 'mlp', dynamics: { kernel: 'rbf + white(0.05)', segments: [0, 10], order: 'difference' } },
      (Y) =>
        gplvm(Y, {
          latentDim: 1,
          backConstraint: 'mlp',
          dynamics: { kernel: parseKernel('rbf + white(0.05)'), segments: [0, 10], order: 'difference' },
        }),
    ],
    [
      'gplvm with priors of neighbors and labels',
      ['--model', 'gplvm'],
      { priors: [{ prior: 'laplacian', neighbors: 5, strength: 2 }, 'discriminative'] },
      (Y, labels) =>
        gplvm(Y, { latentDim: 2, priors: [laplacian(knnGraph(Y, 5), { strength: 2 }), discriminative(labels)] }),
    ],
    [
      'gplvm with priors and a start',
      ['--model', 'gplvm', '--dim', '1', '--kernel', 'linear'],
      {
        init: Array.from({ length: 30 }, (_, i) => [i / 10]),
        priors: [{ prior: 'rank', strength: 2 }, { prior: 'standardNormal', precision: 4 }, 'dynamics'],
        scale: true,
      },
      (Y) =>
        gplvm(Y, {
          latentDim: 1,
          kernel: linear(),
          init: Array.from({ length: 30 }, (_, i) => [i / 10]),
          priors: [rank({ strength: 2 }), standardNormal({ precision: 4 }), dynamics()],
          scale: true,
        }),
    ],
  ])('%s', async (_, flags, options, model) => {
    await compare(flags, options, model);
  });

  it.each<[string, readonly string[], object | undefined, (Y: MatrixLike) => Model]>([
    [
      'meu',
      ['--model', 'meu'],
      { neighbors: 5, basePrecision: 1e-3 },
      (Y) => meu(Y, { neighbors: 5, basePrecision: 1e-3 }),
    ],
    [
      'mpme on the distances of a kernel',
      ['--model', 'mpme'],
      { distances: 'rbf(lengthscale=3)', basePrecision: 0.1, embedding: 'eigenmap' },
      (Y) => mpme(Y, { distances: rbf({ lengthscale: 3 }), basePrecision: 0.1, embedding: 'eigenmap' }),
    ],
    ['pca', ['--model', 'pca', '--dim', '3'], undefined, (Y) => pca(Y, { latentDim: 3 })],
    ['isomap', ['--model', 'isomap'], { neighbors: 9 }, (Y) => isomap(Y, { neighbors: 9 })],
    [
      'mvu',
      ['--model', 'mvu'],
      { neighbors: 9, constraints: 'slack', slackPenalty: 30 },
      (Y) => mvu(Y, { neighbors: 9, constraints: 'slack', slackPenalty: 30 }),
    ],
    [
      'drill',
      ['--model', 'drill'],
      { neighbors: 12, penalty: 0.01 },
      (Y) => drill(Y, { neighbors: 12, penalty: 0.01 }),
    ],
    [
      'kernelPca',
      ['--model', 'kernelPca', '--kernel', 'rbf(lengthscale=2)'],
      undefined,
      (Y) => kernelPca(Y, { kernel: rbf({ lengthscale: 2 }) }),
    ],
  ])('%s', async (_, flags, options, model) => {
    const saved = await compare(flags, options, model, 1e5);
    expect(saved.status).toBe('converged');
  });

  it('shows the points of the largest component with their labels, where a model shows no others', async () => {
    const { path, observations, flow, out } = await prepared();
    const data = join(path, 'far.csv');
    const far = Matrix.from(observations);
    for (let k = 0; k < 6 * far.columns; k++) far.data[k]! += 1000;
    const names = Array.from({ length: 12 }, (_, j) => `y${j}`);
    await writeTable(data, far, names, { name: 'flow', values: flow.map((label, i) => (i < 6 ? 'far' : label)) });
    const options = join(path, 'largest.json');
    writeFileSync(options, '{"neighbors": 5, "disconnected": "largest"}');
    const args = ['fit', data, '--model', 'isomap', '--labels', 'flow', '--options', options, '--out', out];
    expect(await latentfield(args)).toMatchObject({ exitCode: 0, messages: '' });
    expect(savedIn(out).parameters.points).toEqual(Array.from({ length: 24 }, (_, i) => i + 6));
    expect(readFileSync(join(out, 'plot.svg'), 'utf8')).not.toContain('far');

    const ran = await latentfield(['score', out, '--data', data, '--labels', 'flow', '--json']);
    expect(ran).toMatchObject({ exitCode: 0, messages: '' });
    const shown = Matrix.from(far.toArrays().slice(6));
    expect(JSON.parse(ran.stdout)).toMatchObject({
      points: 24,
      labeled: 24,
      nearestNeighborError: nearestNeighborError(savedIn(out).latents, flow.slice(6)),
      // Of 24 points 5 neighbors are compared: at most a quarter.
      trustworthiness: trustworthiness(shown, savedIn(out).latents, 5),
    });
  });

  it('takes every model of its list', { tags: 'long' }, async () => {
    for (const name of MODEL_NAMES) {
      const { data, out } = await prepared();
      const args = ['fit', data, '--model', name, '--labels', 'flow', '--max-iterations', '1', '--out', out];
      expect(await latentfield(args)).toMatchObject({ exitCode: 0, messages: '' });
      const saved = savedIn(out);
      expect(saved.model).toBe(name);
      expect([saved.latents.rows, saved.latents.columns]).toEqual([30, 2]);
      expect(existsSync(join(out, 'plot.svg'))).toBe(true);
    }
  });
});

describe('missing', () => {
  it('entries are ignored unless that is forbidden', async () => {
    const { path, write, observations, out } = await prepared();
    const holes = Matrix.from(observations);
    for (const k of [5, 77, 200]) holes.data[k] = Number.NaN;
    const data = join(path, 'holes.csv');
    await writeTable(
      data,
      holes,
      Array.from({ length: 12 }, (_, j) => `y${j}`),
    );
    const args = ['fit', data, '--model', 'ppca', '--max-iterations', '3', '--out', out];
    const refused = await latentfield([...args, '--missing', 'error']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("holes.csv', line 2, column 'y5' is 'NaN'");
    const expected = await fit(ppca(holes, { latentDim: 2, missing: 'ignore' }), { maxIterations: 3 });
    const options = write('missing.json', '{"missing": "ignore"}');
    for (const flag of [[], ['--missing', 'ignore'], ['--options', options]]) {
      const ran = await latentfield([...args, ...flag]);
      expect(ran.exitCode).toBe(0);
      expect(ran.messages).toMatch(/^note: 3 of 360 entries are missing: 'NaN'\.\n(note: .*missing entries.*\n)?$/);
      expect(savedIn(out).objective).toBe(expected.objective);
    }
    const unknown = await latentfield([...args, '--missing', 'mean']);
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Allowed choices are ignore, error'),
    });
  });

  it('labels of gplrf and dgplvm are a column or a separate file', async () => {
    const { path, write, observations, flow, out } = await prepared();
    const some = flow.map((label, i) => (i % 4 === 1 ? '' : label));
    const names = Array.from({ length: 12 }, (_, j) => `y${j}`);
    const data = join(path, 'some.csv');
    await writeTable(data, observations, names, { name: 'flow', values: some });
    const plain = join(path, 'plain.csv');
    await writeTable(plain, observations, names);
    const labels = write('labels.csv', some.map((label) => `${label || 'NaN'}\n`).join(''));
    const rest = ['--max-iterations', '3', '--out', out];
    const expected = await fit(gplrf(observations, some, { latentDim: 2 }), { maxIterations: 3 });
    for (const [table, given] of [
      [data, 'flow'],
      [data, '12'],
      [plain, labels],
    ] as const) {
      const ran = await latentfield(['fit', table, '--model', 'gplrf', '--labels', given, ...rest]);
      // A file of labels says itself which are missing.
      const messages = table === data ? "note: 8 labels of 'flow' are missing.\n" : '';
      expect(ran).toMatchObject({ exitCode: 0, messages });
      expect(savedIn(out).objective).toBe(expected.objective);
      expect(readFileSync(join(out, 'plot.svg'), 'utf8')).toContain('(none)');
    }
    // A model without labels colors by them: points without one are gray.
    for (const [table, given] of [
      [data, 'flow'],
      [plain, labels],
    ] as const) {
      const gp = await latentfield(['fit', table, '--model', 'pca', '--labels', given, '--out', out]);
      const messages = table === data ? "note: 8 labels of 'flow' are missing.\n" : '';
      expect(gp).toMatchObject({ exitCode: 0, messages });
      expect(readFileSync(join(out, 'plot.svg'), 'utf8')).toContain('(none)');
    }
  });

  it('entries are refused together with missing labels too', async () => {
    const { write, out } = await prepared();
    const data = write('both.csv', 'a,b,c,kind\n1,2,3,\n4,,6,x\n7,8,8,y\n');
    const args = [
      'fit',
      data,
      '--model',
      'gplrf',
      '--dim',
      '1',
      '--labels',
      'kind',
      '--missing',
      'error',
      '--out',
      out,
    ];
    const ran = await latentfield(args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("line 3, column 'b' is empty");
  });
});

describe('options of the fit', () => {
  it('reach it: engine, restarts, threads, tolerance', async () => {
    const { data, out, observations } = await prepared();
    const model = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--out', out];
    const flags = ['--engine', 'typescript', '--restarts', '2', '--seed', '4', '--max-iterations', '2'];
    expect((await latentfield([...model, ...flags])).exitCode).toBe(0);
    const { objective, diagnostics } = savedIn(out);
    const expected = await fit(gplvm(observations, { latentDim: 2 }), {
      engine: 'typescript',
      restarts: 2,
      seed: 4,
      maxIterations: 2,
    });
    expect(objective).toBe(expected.objective);
    expect(diagnostics).toMatchObject({ engine: 'typescript', restarts: expected.diagnostics.restarts });

    expect((await latentfield([...model, '--threads', '2', '--max-iterations', '0'])).exitCode).toBe(0);
    expect((await latentfield([...model, '--threads', 'two'])).stderr).toContain(
      "It must be a whole number from 1, or 'auto'.",
    );
    expect(savedIn(out).diagnostics).toMatchObject({
      threadsReason: expect.stringMatching(/too little to share/) as string,
    });

    const easy = JSON.parse((await latentfield([...model, '--tolerance', '1e9', '--json'])).stdout);
    expect(easy.status).toBe('converged');
  });

  it('reach it: solver, limits, workers, interval of checkpoints', async () => {
    const { path, data, out, observations } = await prepared();
    const model = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--out', out];
    const few = ['--solver', 'scg', '--max-evaluations', '7'];
    expect((await latentfield([...model, ...few])).exitCode).toBe(0);
    const expected = await fit(gplvm(observations, { latentDim: 2 }), { solver: scg(), maxEvaluations: 7 });
    expect(savedIn(out).objective).toBe(expected.objective);
    expect(savedIn(out).message).toBe(expected.message);

    // The picture has no time left either.
    const short = await latentfield([...model, '--max-seconds', '0']);
    expect(short.exitCode).toBe(0);
    expect(short.messages).toBe('note: the picture has no background, since --max-seconds is up.\n');
    expect(savedIn(out).message).toContain('Stopped by the limit of maxSeconds = 0 (');

    const saved = ['--checkpoint', join(path, 'state.json'), '--checkpoint-interval', '0.5'];
    expect((await latentfield([...model, '--max-iterations', '0', ...saved])).exitCode).toBe(0);
    expect(existsSync(join(path, 'state.json'))).toBe(true);

    for (const [flags, message] of [
      [['--solver', 'newton'], 'lbfgs, lbfgsb, scg, adam'],
      [['--workers', '0'], 'It must be a whole number from 1'],
      [['--checkpoint-interval', 'soon'], 'It must be a number from 0'],
    ] as const) {
      const refused = await latentfield([...model, ...flags]);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(message);
    }
  });

  it('save and resume: the rest of an interrupted fit ends where the whole one does', async () => {
    const { path, data, out } = await prepared();
    const model = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--out', out];
    const checkpoint = join(path, 'checkpoint.json');
    expect((await latentfield([...model, '--seed', '9', '--max-iterations', '12'])).exitCode).toBe(0);
    const whole = savedIn(out);
    const part = [...model, '--seed', '9', '--max-iterations', '5', '--checkpoint', checkpoint];
    expect((await latentfield(part)).exitCode).toBe(0);
    expect(savedIn(out).objective).not.toBe(whole.objective);
    const rest = [...model, '--max-iterations', '12', '--resume', checkpoint];
    expect((await latentfield(rest)).exitCode).toBe(0);
    expect(savedIn(out).objective).toBe(whole.objective);
    expect(savedIn(out).latents).toEqual(whole.latents);

    const other = await latentfield([...rest, '--seed', '8']);
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('saved by a fit with seed 9, but seed is 8');
  });
});

describe('exit code 2', () => {
  it.each([
    ['no labels for gplrf', ['--model', 'gplrf'], undefined, "The model 'gplrf' takes labels. Give --labels"],
    ['no labels for dgplvm', ['--model', 'dgplvm'], undefined, "The model 'dgplvm' takes labels. Give --labels"],
    [
      'five dimensions of a thin plate spline',
      ['--model', 'tpslvm', '--dim', '5'],
      undefined,
      'exists in 1 to 4 dimensions',
    ],
    ['a kernel that cannot be read', ['--model', 'gplvm', '--kernel', 'rbf('], undefined, 'the text ends'],
    [
      'two kernels',
      ['--model', 'gplvm', '--kernel', 'rbf'],
      { kernel: 'linear' },
      '--kernel is rbf, but kernel in \'FILE\' is "linear". Give it in one place.',
    ],
    [
      'a kernel that is no text',
      ['--model', 'gplvm'],
      { kernel: { add: ['rbf'] } },
      'A kernel is given as a text, such as "rbf(lengthscale=2) + bias", but {"add":["rbf"]} was given.',
    ],
    [
      'priors that are no list',
      ['--model', 'gplvm'],
      { priors: 'standardNormal' },
      `Option 'priors' must be a list, such as ["standardNormal"] or [].`,
    ],
    ['an unknown likelihood', ['--model', 'gplvm'], { likelihood: 'cauchy' }, '"cauchy" is not a likelihood.'],
    ['an unknown prior', ['--model', 'gplvm'], { priors: ['laplace'] }, '"laplace" is not a prior.'],
    ['a prior of labels without them', ['--model', 'gplvm'], { priors: ['discriminative'] }, 'Give --labels'],
    [
      'an unknown option of a prior',
      ['--model', 'gplvm'],
      { priors: [{ prior: 'rank', strenth: 1 }] },
      "no option 'strenth'",
    ],
    [
      'a noise that is no number',
      ['--model', 'gplvm'],
      { noise: 'little' },
      'Parameter \'noise\' must be a number, a list of numbers, or { "fixed": number }, but "little" was given.',
    ],
    ['a map that is an object', ['--model', 'gplvm'], { backConstraint: {} }, "must be 'kernel', 'mlp' or 'linear'"],
    ['an unknown map', ['--model', 'gplvm'], { backConstraint: 'spline' }, 'one of kernel, mlp, linear'],
    ['posterior', ['--model', 'gplvm'], { posterior: {} }, 'Use init, backConstraint and dynamics.'],
    ['an unknown engine', ['--model', 'gplvm', '--engine', 'gpu'], undefined, 'Allowed choices are auto, wasm'],
    ['half a restart', ['--model', 'gplvm', '--restarts', '0.5'], undefined, 'It must be a whole number from 0.'],
    ['a negative tolerance', ['--model', 'gplvm', '--tolerance', '-1'], undefined, 'It must be a number from 0.'],
    ['no such checkpoint', ['--model', 'gplvm', '--resume', 'absent.json'], undefined, "'absent.json' cannot be read"],
    ['another file', ['--model', 'gplvm', '--resume', 'package.json'], undefined, 'is not a checkpoint'],
  ])('for %s', async (_, flags, options, message) => {
    const { path, write, observations, out } = await prepared();
    const data = join(path, 'plain.csv');
    await writeTable(
      data,
      observations,
      Array.from({ length: 12 }, (_, j) => `y${j}`),
    );
    const file = options === undefined ? undefined : write('options.json', JSON.stringify(options));
    const args = ['fit', data, ...flags, ...(file === undefined ? [] : ['--options', file]), '--out', out];
    const ran = await latentfield(args);
    expect(ran.stderr).toContain(message.replace('FILE', file ?? ''));
    expect(ran.stdout).toBe('');
    expect(ran.exitCode).toBe(2);
    expect(existsSync(join(out, 'fit.json'))).toBe(false);
  });
});
