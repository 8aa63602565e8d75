import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../../src/app/data/index.ts';
import { readTable, writeTable } from '../../../src/app/io/index.ts';
import { loadFit } from '../../../src/index.ts';
import { marks, parseSvg, position, texts } from '../plot/svg.ts';
import { latentfield, prepared } from './latentfield.ts';

const FILES = ['fit.json', 'latents.csv', 'plot.svg', 'trace.csv'];

describe('latentfield fit', () => {
  it('writes latents, a saved fit, a trace and a picture that agree', async () => {
    const { data, out, flow, observations } = await prepared();
    const ran = await latentfield([
      'fit',
      data,
      '--model',
      'gplvm',
      '--labels',
      'flow',
      '--max-iterations',
      '8',
      '--out',
      out,
    ]);
    expect(ran.messages).toBe('');
    expect(ran.exitCode).toBe(0);
    expect(readdirSync(out).sort()).toEqual(FILES);

    const saved = await loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')));
    const latents = await readTable(join(out, 'latents.csv'));
    expect(latents.columns).toEqual(['x1', 'x2']);
    expect(latents.observations.data).toEqual(saved.latents.data);
    // At its own latents the model predicts the data: what is left is its noise.
    const { mean } = saved.predict(saved.latents);
    const error = mean.data.reduce((sum, value, k) => sum + (value - observations.data[k]!) ** 2, 0);
    const spread = observations.data.reduce((sum, value) => sum + value ** 2, 0);
    expect(error / spread).toBeLessThan(0.01);

    const trace = await readTable(join(out, 'trace.csv'), { columns: '*' });
    expect(trace.columns).toEqual(['iteration', 'evaluations', 'objective', 'gradientNorm']);
    expect(Array.from(trace.observations.column(0))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(trace.observations.at(8, 2)).toBe(saved.objective);

    const picture = parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8'));
    const drawn = marks(picture, 'points').map(position);
    expect(drawn).toHaveLength(30);
    // Pixels are an affine image of the latents: the second coordinate runs up.
    const slope = (drawn[1]![0] - drawn[0]![0]) / (latents.observations.at(1, 0) - latents.observations.at(0, 0));
    expect((drawn[7]![0] - drawn[0]![0]) / (latents.observations.at(7, 0) - latents.observations.at(0, 0))).toBeCloseTo(
      slope,
      0,
    );
    expect(slope).toBeGreaterThan(0);
    expect(texts(picture).filter((text) => flow.includes(text))).toEqual(['annular', 'homogeneous', 'stratified']);

    expect(ran.stdout).toContain('gplvm: 30 points, latent dimension 2\n');
    expect(ran.stdout).toContain(`objective ${saved.objective} `);
    expect(ran.stdout).toContain(`${saved.message.replace('`start`', '--start')}\n`);
    for (const file of FILES) expect(ran.stdout).toContain(`wrote ${join(out, file)}\n`);
  });

  it('prints one JSON object', async () => {
    const { data, out } = await prepared();
    const args = [
      'fit',
      data,
      '--model',
      'gplvm',
      '--labels',
      '12',
      '--dim',
      '1',
      '--max-iterations',
      '2',
      '--out',
      out,
    ];
    const ran = await latentfield([...args, '--json'], { isTTY: true });
    expect(ran.messages).toBe('');
    expect(ran.exitCode).toBe(0);
    const outcome = JSON.parse(ran.stdout);
    const saved = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
    expect(outcome).toEqual({
      model: 'gplvm',
      objective: saved.objective,
      status: 'maxIterations',
      message: saved.message,
      evaluations: saved.diagnostics.evaluations,
      seconds: saved.diagnostics.seconds,
      files: ['latents.csv', 'fit.json', 'trace.csv', 'plot.svg'].map((name) => join(out, name)),
      columns: pipeFlow().columnNames,
      leftOut: [],
    });
    expect((await readTable(join(out, 'latents.csv'))).columns.length).toBe(1);
  });

  it('reads labels from a file, and options from JSON', async () => {
    const { path, write, flow, observations, out } = await prepared();
    const data = join(path, 'features.tsv');
    await writeTable(
      data,
      observations,
      observations.toArrays()[0]!.map((_, j) => `y${j}`),
    );
    const labels = write('labels.csv', `flow\n${flow.join('\n')}\n`);
    const options = write(
      'options.json',
      JSON.stringify({
        latentDim: 3,
        kernel: 'rbf(fixed(2), lengthscale=0.5) + bias',
        noise: 0.125,
        priors: [],
      }),
    );
    const args = ['fit', data, '--model', 'gplvm', '--labels', labels, '--options', options, '--max-iterations', '0'];
    const ran = await latentfield([...args, '--out', out]);
    expect(ran.messages).toBe('');
    const saved = await loadFit(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')));
    expect(saved.latents.columns).toBe(3);
    expect(saved.terms).toEqual({ mapping: saved.objective });
    expect(saved.parameters['mapping.kernel.rbf.variance']).toBe(2);
    expect(saved.parameters['mapping.kernel.rbf.lengthscale']).toBeCloseTo(0.5, 14);
    expect(saved.parameters['mapping.noise']).toBeCloseTo(0.125, 14);
    expect(texts(parseSvg(readFileSync(join(out, 'plot.svg'), 'utf8')))).toContain('stratified');
  });

  it('writes the same files again, over any earlier content', async () => {
    const { data, out } = await prepared();
    const args = [
      'fit',
      data,
      '--model',
      'gplvm',
      '--labels',
      'flow',
      '--max-iterations',
      '3',
      '--seed',
      '-7',
      '--out',
      out,
    ];
    const contents = () =>
      ['latents.csv', 'trace.csv', 'plot.svg'].map((name) => readFileSync(join(out, name), 'utf8'));
    await latentfield(args);
    const first = contents();
    await latentfield(args);
    expect(contents()).toEqual(first);
    expect(readdirSync(out).sort()).toEqual(FILES);
  });

  it('shows a bar on a terminal only', async () => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--max-iterations', '3', '--out', out];
    const ran = await latentfield(args, { isTTY: true });
    expect(ran.stderr).toContain('/3 iterations | objective');
    expect(ran.stdout).not.toContain('iterations | objective');
  });

  it('names the limit that was set if it passes before the search has begun', async () => {
    const { data, out } = await prepared();
    const { observations, columnNames } = pipeFlow({ points: 900 });
    await writeTable(data, observations, columnNames);
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    const args = ['fit', data, '--model', 'tsne', '--max-seconds', '3', '--out', out];
    const ran = await latentfield(args).finally(() => clock.mockRestore());
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.messages).toContain('passed before the search had begun: its preparation');
  });

  it.each([
    [
      'the time is up',
      ['--max-seconds', '0'],
      undefined,
      1,
      /^error: Stopped by the limit of maxSeconds = 0\b.*, before there was an embedding\. Nothing is written\.$/,
    ],
    [
      'of an interrupt',
      [],
      AbortSignal.abort(),
      130,
      /^error: Stopped by the abort signal\b.*, before there was an embedding\. Nothing is written\.$/,
    ],
  ] as const)('reports that there is no embedding yet and %s', async (_, flags, signal, exitCode, expected) => {
    const { data, out } = await prepared();
    const args = ['fit', data, '--model', 'isomap', '--labels', 'flow', ...flags, '--out', out];
    const ran = await latentfield(args, signal === undefined ? {} : { signal });
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.messages.trimEnd()).toMatch(expected);
    expect(existsSync(out)).toBe(false);
    const json = await latentfield([...args, '--json'], signal === undefined ? {} : { signal });
    expect(JSON.parse(json.stdout)).toMatchObject({ objective: null, files: [] });
  });

  it('stops when interrupted, and writes its best point', async () => {
    const { data, out } = await prepared();
    const stop = new AbortController();
    const running = latentfield(
      ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--restarts', '500', '--out', out, '--json'],
      { signal: stop.signal },
    );
    setTimeout(() => stop.abort(), 300);
    const ran = await running;
    expect(ran.exitCode).toBe(130);
    const { status, objective } = JSON.parse(ran.stdout);
    expect(status).toBe('stopped');
    const trace = (await readTable(join(out, 'trace.csv'), { columns: '*' })).observations;
    // The best point may be one inside the iteration that was interrupted, of which the trace has nothing.
    expect(objective).toBeGreaterThanOrEqual(Math.max(...trace.column(2)));
    expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')).objective).toBe(objective);
    expect(readdirSync(out).sort()).toEqual(FILES);
  });

  it('omits more labels than a picture can distinguish, and reports it', async () => {
    const { path, write, out } = await prepared();
    const data = join(path, 'many.csv');
    await writeTable(
      data,
      pipeFlow({ points: 80 }).observations,
      Array.from({ length: 12 }, (_, j) => `y${j}`),
    );
    const labels = write('labels.csv', Array.from({ length: 80 }, (_, i) => `${i}\n`).join(''));
    const ran = await latentfield([
      'fit',
      data,
      '--model',
      'gplvm',
      '--labels',
      labels,
      '--max-iterations',
      '0',
      '--out',
      out,
    ]);
    expect(ran.exitCode).toBe(0);
    expect(ran.messages).toBe('note: 80 different labels are more than the 70 that a picture can distinguish.\n');
    expect(existsSync(join(out, 'plot.svg'))).toBe(true);
  });
});

describe('exit code 2', () => {
  it.each([
    ['unknown command', ['fitt'], "unknown command 'fitt'"],
    ['unknown flag', ['fit', 'DATA', '--model', 'gplvm', '--out', 'OUT', '--dims', '2'], "unknown option '--dims'"],
    [
      'unknown model',
      ['fit', 'DATA', '--model', 'gplmv', '--labels', 'flow', '--out', 'OUT'],
      "error: latentfield has no model 'gplmv'. Did you mean 'gplvm'? Known are alle, drill, ",
    ],
    ['dim 0', ['fit', 'DATA', '--model', 'gplvm', '--dim', '0', '--out', 'OUT'], 'It must be a whole number from 1.'],
    [
      'dim 1.5',
      ['fit', 'DATA', '--model', 'gplvm', '--dim', '1.5', '--out', 'OUT'],
      'It must be a whole number from 1.',
    ],
    ['seed', ['fit', 'DATA', '--model', 'gplvm', '--seed', 'x', '--out', 'OUT'], 'It must be a whole number.'],
    [
      'unknown label column',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'kind', '--out', 'OUT'],
      "has no column 'kind' for the labels. Its 13 columns",
    ],
    ['missing file', ['fit', 'ABSENT', '--model', 'gplvm', '--out', 'OUT'], 'cannot be read: there is no such file'],
    [
      'ragged file',
      ['fit', 'RAGGED', '--model', 'gplvm', '--out', 'OUT'],
      'is ragged: line 1 has 3 cells, but line 3 has 2.',
    ],
    [
      'folder that is a file',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--out', 'RAGGED'],
      'is a file, but results take a folder',
    ],
    [
      'unknown option of the model',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--options', 'UNKNOWN', '--out', 'OUT'],
      "gplvm has no option 'kernal'. Did you mean 'kernel'?",
    ],
    [
      'unknown kernel',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--options', 'KERNEL', '--out', 'OUT'],
      "has no kernel 'rfb'. Did you mean 'rbf'?",
    ],
    [
      'options that are not JSON',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--options', 'RAGGED', '--out', 'OUT'],
      'is not JSON',
    ],
    [
      'options that are a list',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--options', 'LIST', '--out', 'OUT'],
      'must contain an object',
    ],
    [
      'two dims',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--dim', '2', '--options', 'DIM', '--out', 'OUT'],
      '--dim is 2, but latentDim in',
    ],
    [
      'dim as large as the data',
      ['fit', 'DATA', '--model', 'gplvm', '--labels', 'flow', '--dim', '13', '--out', 'OUT'],
      'Choose a smaller --dim',
    ],
    [
      'a likelihood that takes inducing inputs',
      ['fit', 'DATA', '--model', 'gplvm', '--likelihood', 'studentT', '--labels', 'flow', '--out', 'OUT'],
      'such as inducing: 50',
    ],
  ])('for %s', async (_, args, message) => {
    const { path, write, data, out } = await prepared();
    const files: Record<string, string> = {
      DATA: data,
      OUT: out,
      ABSENT: join(path, 'absent.csv'),
      RAGGED: write('ragged.csv', 'a,b,c\n1,2,3\n4,5\n'),
      UNKNOWN: write('unknown.json', '{"kernal": "rbf"}'),
      KERNEL: write('kernel.json', '{"kernel": "rfb + bias"}'),
      LIST: write('list.json', '[]'),
      DIM: write('dim.json', '{"latentDim": 3}'),
    };
    const ran = await latentfield(args.map((arg) => files[arg] ?? arg));
    expect(ran.stderr).toContain(message);
    expect(ran.stdout).toBe('');
    expect(ran.exitCode).toBe(2);
    expect(existsSync(join(out, 'fit.json'))).toBe(false);
  });
});

it('ends with 1 when the computation fails', async () => {
  const { write, data, out } = await prepared();
  // So small a variance that the gradient overflows.
  const kernel = 'linear(1e-320)';
  const options = write('options.json', JSON.stringify({ kernel, noise: { fixed: 1e-300 } }));
  const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--options', options, '--out', out];
  const ran = await latentfield(args);
  expect(ran.messages).toMatch(/^error: The objective is not finite at the start: .*\n$/);
  expect(ran.stdout).toBe('');
  expect(ran.exitCode).toBe(1);
});

it('describes itself in three lines with three examples when nothing follows its name', async () => {
  const { exitCode, stdout, stderr } = await latentfield([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const [about, examples] = stdout.split('\n\n');
  expect(about!.split('\n')).toHaveLength(3);
  expect(examples!.match(/^ {2}latentfield /gm)).toHaveLength(3);
});

it('lists its commands in six groups', async () => {
  const { stdout } = await latentfield(['--help']);
  expect(stdout.match(/^\S.*:$/gm)).toEqual([
    'Options:',
    ...['Fit:', 'Use a fit:', 'Evaluate:', 'Explore:', 'Scale out:', 'Shell:', 'Commands:'],
    'Examples:',
  ]);
});

it('accepts -m, -d, -o and -s for --model, --dim, --out and --seed', async () => {
  const short = ['-m', 'pca', '-d', '1', '-s', '3', '-o'];
  const long = ['--model', 'pca', '--dim', '1', '--seed', '3', '--out'];
  const { data, out } = await prepared();
  const [first, second] = [join(out, 'short'), join(out, 'long')];
  expect((await latentfield(['fit', data, ...short, first])).exitCode).toBe(0);
  expect((await latentfield(['fit', data, ...long, second])).exitCode).toBe(0);
  const [of, other] = [first, second].map((out) => readFileSync(join(out, 'latents.csv'), 'utf8'));
  expect(of).toBe(other);
  expect(of!.split('\n')[0]).not.toContain('x2');
});

it('helps on stdout', async () => {
  const usages: [readonly string[], string][] = [
    [['--help'], 'Usage: latentfield [options] [command]'],
    [['fit', '--help'], 'Usage: latentfield fit [options] <data>'],
    [['help', 'fit'], 'Usage: latentfield fit [options] <data>'],
    [['project', '--help'], 'Usage: latentfield project [options] <dir> <data>'],
    [['score', '--help'], 'Usage: latentfield score [options] <dir>'],
  ];
  for (const [args, usage] of usages) {
    const ran = await latentfield(args);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(usage);
    expect(ran.messages).toBe('');
  }
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await latentfield(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});
