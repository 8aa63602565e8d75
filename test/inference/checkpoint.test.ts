import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { pipeFlow } from '../../src/app/data/index.ts';
import { InvalidInputError } from '../../src/core/errors.ts';
import { temporaryName } from '../../src/core/fileWriting.ts';
import { Matrix } from '../../src/core/matrix.ts';
import { ownIdentity } from '../../src/core/processes.ts';
import { checksums } from '../../src/core/saved.ts';
import * as op from '../../src/engine/tensors/ops.ts';
import type { Scalar } from '../../src/engine/tensors/tensorflow.ts';
import { type Checkpoint, type FitOptions, fit, lbfgs, scg, stateFromJson } from '../../src/inference/index.ts';
import { add, bias, linear } from '../../src/kernels/index.ts';
import type { Fit } from '../../src/model/fit.ts';
import type { AnyModel } from '../../src/model/model.ts';
import { real } from '../../src/model/parameter.ts';
import { gplvm, meu } from '../../src/models/index.ts';
import { bundled } from '../bundled.ts';
import { densityModel } from './densityModel.ts';
import { killedModel, killedOptions } from './killedFit.ts';

const fitWorker = await bundled('src/app/workers/fitWorker.ts');

const folder = mkdtempSync(join(tmpdir(), 'latentfield-checkpoint-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

const { observations } = pipeFlow({ points: 24, seed: 6 });
const model = () => gplvm(observations, { latentDim: 2 });
const options: FitOptions = {
  restarts: 2,
  maxIterations: 25,
  seed: 8,
  tolerance: 0,
  relativeDecrease: 0,
  engine: 'wasm',
};

const bitsOf = ({ latents, parameters, objective, terms, trace, status, message, diagnostics }: Fit) => {
  const { seconds: _, ...rest } = diagnostics;
  return JSON.stringify([latents, parameters, objective, terms, trace, status, message, rest]);
};

/** Every checkpoint of a fit, as text. */
async function saved(more: FitOptions = {}): Promise<{ whole: string; texts: string[] }> {
  const texts: string[] = [];
  const checkpoint = async (state: Checkpoint) => {
    await pause(0);
    texts.push(JSON.stringify(state));
  };
  const whole = bitsOf(await fit(model(), { ...options, checkpoint, checkpointInterval: 0, ...more }));
  return { whole, texts };
}

/** With the checksums of what was changed. */
const sealed = ({ checksums: _, ...checkpoint }: Checkpoint): Checkpoint => ({
  ...checkpoint,
  checksums: checksums(checkpoint, ['starts']),
});

describe('a fit resumed from its checkpoint', () => {
  it('has the bits of an uninterrupted fit, from any checkpoint and in any process', async () => {
    const { whole, texts } = await saved();
    expect(whole).toBe(bitsOf(await fit(model(), options)));
    expect(texts.length).toBeGreaterThan(75);
    const { seed: _, restarts: __, ...same } = options;
    for (const k of [0, 1, 12, 30, 55, texts.length - 1]) {
      expect(bitsOf(await fit(model(), { ...same, resume: JSON.parse(texts[k]!) as Checkpoint }))).toBe(whole);
    }
    const start = () => new Worker(fitWorker);
    const resumed = await fit(model(), {
      ...same,
      resume: JSON.parse(texts[40]!) as Checkpoint,
      workers: { count: 2, start },
    });
    expect(bitsOf(resumed)).toBe(whole);
  });

  it('continues where its limit stopped it', async () => {
    const { texts } = await saved({ maxIterations: 10, restarts: 0 });
    const more = { ...options, restarts: 0 };
    const resumed = await fit(model(), { ...more, resume: JSON.parse(texts.at(-1)!) as Checkpoint });
    expect(bitsOf(resumed)).toBe(bitsOf(await fit(model(), more)));
  });

  it('continues where the solver has no memory, as for a field on a sparse graph', { tags: 'long' }, async () => {
    const field = () => meu(pipeFlow({ points: 300, seed: 2 }).observations, { neighbors: 4 });
    const states: Checkpoint[] = [];
    const whole = await fit(field(), {
      engine: 'wasm',
      checkpointInterval: 0,
      checkpoint: (state) => {
        states.push(JSON.parse(JSON.stringify(state)) as Checkpoint);
      },
    });
    expect(new Set(states.map(({ starts }) => stateFromJson(starts[0]!.state).solver))).toEqual(
      new Set(['interiorPoint']),
    );
    expect(states.length).toBeGreaterThan(20);
    for (const resume of states.filter((_, k) => k % 4 === 1))
      expect(bitsOf(await fit(field(), { engine: 'wasm', resume }))).toBe(bitsOf(whole));
  });

  it('keeps the best point so far when it is stopped at once', async () => {
    const { texts } = await saved();
    const ended = JSON.parse(texts.at(-1)!) as Checkpoint;
    const resume = sealed({ ...ended, starts: [...ended.starts].reverse() });
    const objectives = resume.starts.map((start) => -stateFromJson(start!.state).best.value);
    const best = objectives[2]!;
    expect(best).toBeGreaterThan(Math.max(...objectives.slice(0, 2)) + 0.1);
    const { seed: _, restarts: __, ...same } = options;
    const start = () => new Worker(fitWorker);
    for (const stopped of [
      { signal: AbortSignal.abort() },
      { maxSeconds: 0 },
      { maxSeconds: 0, workers: { count: 2, start } },
    ]) {
      const result = await fit(model(), { ...same, resume, ...stopped });
      expect(result.objective).toBeCloseTo(best, 9);
      expect(result.diagnostics.restarts).toEqual(objectives);
    }
    // Nothing is known of a start that has not begun, and the others keep their numbers.
    const starts = resume.starts.map((entry, k) => (k === 1 ? null : entry));
    const result = await fit(model(), { ...same, resume: sealed({ ...resume, starts }), maxSeconds: 0 });
    expect(result.diagnostics.restarts).toEqual([objectives[0], best]);
    expect(result.message).toContain('The best so far is start 2: ');
  });

  it('counts its seconds from the first beginning', async () => {
    const { texts } = await saved({ maxIterations: 2, restarts: 0 });
    const checkpoint = sealed({ ...(JSON.parse(texts.at(-1)!) as Checkpoint), seconds: 5000 });
    const { diagnostics } = await fit(model(), { ...options, restarts: 0, resume: checkpoint });
    expect(diagnostics.seconds).toBeGreaterThan(5000);
  });
});

describe('checkpoints', () => {
  it('are saved at the beginning and the end of each start, and in between after the interval', async () => {
    const { texts } = await saved({ checkpointInterval: 1e6 });
    const begun = texts.map((text) => (JSON.parse(text) as Checkpoint).starts.map((start) => start?.trace.length ?? 0));
    expect(begun).toEqual([
      [1, 0, 0],
      [26, 0, 0],
      [26, 1, 0],
      [26, 26, 0],
      [26, 26, 1],
      [26, 26, 26],
    ]);
  });

  it.each([
    [10, undefined, [3, 15, 27, 39, 51]],
    [5, 5, [3, 9, 15, 21, 27, 33, 39, 45, 51, 57]],
  ])('are %i seconds apart, at whole iterations', async (_seconds, checkpointInterval, expected) => {
    let evaluations = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 3000 * evaluations);
    try {
      const slow = densityModel(
        { latents: real(Matrix.from([[-1.2, 1]])) },
        ({ latents }) => {
          const [x, y] = [op.slice(latents!, [0, 0], [1, 1]), op.slice(latents!, [0, 1], [1, 1])];
          const bend = op.sum(op.square(op.sub(y, op.square(x))));
          return op.neg(op.add(op.mul(100, bend), op.sum(op.square(op.sub(1, x))))) as Scalar;
        },
        () => evaluations++,
      );
      const states: Checkpoint[] = [];
      const result = await fit(slow, {
        maxEvaluations: 20,
        tolerance: 0,
        relativeDecrease: 0,
        checkpoint: (state) => {
          states.push(state);
        },
        ...(checkpointInterval !== undefined && { checkpointInterval }),
      });
      expect(states.map(({ seconds }) => seconds)).toEqual([...expected, 60]);
      for (const { starts } of states) {
        const state = stateFromJson(starts[0]!.state);
        expect(result.trace[state.iterations]!.evaluations).toBe(state.evaluations);
      }
    } finally {
      clock.mockRestore();
    }
  });

  it('come from workers too', { tags: 'long' }, async () => {
    const start = () => new Worker(fitWorker);
    const { whole, texts } = await saved({ workers: { count: 2, start } });
    const running = texts.map((text) => JSON.parse(text) as Checkpoint).filter(({ starts }) => starts[1] !== null);
    expect(running.length).toBeGreaterThan(25);
    const { workers: _, ...here } = options;
    const resume = running[10]!;
    expect(bitsOf(await fit(model(), { ...here, resume }))).toBe(whole);
  });

  it('leave one whole file behind, and lose nothing when the process is killed', { tags: 'long' }, async () => {
    const path = file('killed.json');
    const program = fileURLToPath(await bundled('test/inference/node/killedFit.ts'));
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    const ended = once(child, 'exit');
    const isInSecondStart = () =>
      existsSync(path) && ((JSON.parse(readFileSync(path, 'utf8')) as Checkpoint).starts[1]?.trace.length ?? 0) > 10;
    while (child.exitCode === null && !isInSecondStart()) await pause(5);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(output).toBe('');

    const at = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
    expect(at.starts[1]!.trace.length).toBeLessThan(151);
    const resumed = await fit(killedModel(), { ...killedOptions, resume: path, checkpoint: path });
    expect(bitsOf(resumed)).toBe(bitsOf(await fit(killedModel(), killedOptions)));
    const last = JSON.parse(readFileSync(path, 'utf8')) as Checkpoint;
    expect(last.starts.map((start) => start!.trace.length)).toEqual([151, 151]);
    expect(readdirSync(folder).filter((name) => name.startsWith('killed.json') && !name.endsWith('.tmp'))).toEqual([
      'killed.json',
    ]);
  });
});

describe('a file of checkpoints', () => {
  it('that cannot be written later on costs no result, and the message reports it', async () => {
    const path = join(folder, 'later', 'state.json');
    mkdirSync(join(folder, 'later'));
    const short: FitOptions = { ...options, restarts: 0, maxIterations: 4, checkpoint: path };
    const failing = await fit(model(), {
      ...short,
      onProgress: ({ iteration }) => {
        if (iteration === 2) rmSync(join(folder, 'later'), { recursive: true });
      },
    });
    const { checkpoint: _, ...without } = short;
    const expected = await fit(model(), without);
    expect(failing.latents).toEqual(expected.latents);
    expect(failing.status).toBe(expected.status);
    expect(failing.message.startsWith(expected.message)).toBe(true);
    expect(failing.message).toMatch(
      /The last checkpoint could not be saved; .*'.*state\.json' cannot be written: there is no folder/,
    );
  });

  it('has no files of killed processes left next to it', async () => {
    const path = file('stale.json');
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'exit');
    const own = await ownIdentity();
    const endedPid = { ...own, pid: ended.pid! };
    const living = { ...own, pid: process.ppid, started: '' };
    const others = [
      file('stale.json.tmp'),
      await temporaryName(path, living),
      await temporaryName(path, { ...endedPid, host: 'another', boot: 'another' }),
      await temporaryName(file('other.json'), endedPid),
    ];
    // What cannot be removed is left alone.
    const folderOfThatName = await temporaryName(path, endedPid);
    mkdirSync(folderOfThatName);
    const before = readdirSync(folder);
    for (const name of [...others, await temporaryName(path, endedPid)]) writeFileSync(name, '{');
    await fit(model(), { ...options, restarts: 0, maxIterations: 0, checkpoint: path });
    const left = readdirSync(folder).map((name) => file(name));
    expect(left.sort()).toEqual([...before.map((name) => file(name)), ...others, path].sort());
  });
});

describe('a checkpoint that does not belong', async () => {
  const { texts } = await saved({ maxIterations: 3, restarts: 0, solver: lbfgs() });
  const good = JSON.parse(texts.at(-1)!) as Checkpoint;
  const resume = (given: unknown, other: AnyModel = model(), more: FitOptions = {}) =>
    fit(other, { engine: 'wasm', ...more, resume: given as Checkpoint });
  const write = (name: string, text: string) => {
    writeFileSync(file(name), text);
    return file(name);
  };
  const damaged = (path: readonly (string | number)[], value: unknown) => {
    const copy = JSON.parse(texts.at(-1)!) as object;
    const holder = path.slice(0, -1).reduce<object>((at, key) => (at as Record<string, object>)[key]!, copy);
    Object.assign(holder, { [path.at(-1)!]: value });
    return sealed(copy as Checkpoint);
  };
  const deep = () => {
    let value: unknown = 1;
    for (let i = 0; i < 20_000; i++) value = [value];
    return value;
  };
  const others = pipeFlow({ points: 24, seed: 7 }).observations;

  it.each([
    ['a file cut short', () => resume(write('cut.json', texts.at(-1)!.slice(0, -40))), /not complete JSON .*cut short/],
    ['no file', () => resume(file('none.json')), /'.*none\.json' cannot be read: there is no such file/],
    ['other JSON', () => resume({ format: 'latentfield-fit' }), /is not a checkpoint/],
    ['a file of other JSON', () => resume(write('array.json', '[1]')), /is not a checkpoint/],
    ['null in a file', () => resume(write('null.json', 'null')), /is not a checkpoint/],
    ['another version', () => resume({ ...good, version: 3 }), /version 3, but this release reads version 2/],
    ['no checksums', () => resume({ ...good, checksums: {} }), /damaged\. .* at format: it was not saved with/],
    [
      'another seed in it',
      () => resume({ ...good, seed: 9 }),
      /damaged\. .* at seed: it is not what was saved, by its check/,
    ],
    ['what is nested too deep', () => resume({ ...good, starts: deep() }), /nested more than 400 levels deep/],
    ['a part missing', () => resume({ ...good, starts: undefined }), /damaged: 'starts'/],
    ['no starts', () => resume({ ...good, starts: [] }), /damaged: 'starts'/],
    [
      'a trace that is none',
      () => resume(damaged(['starts', 0, 'trace', 2, 'objective'], null)),
      /damaged: 'starts\.0\.trace\.2\.objective'/,
    ],
    [
      'a damaged state',
      () => resume(damaged(['starts', 0, 'state', 'best', 'x'], { base64: 'AAA' })),
      /'best\.x.*' is missing or damaged/,
    ],
    [
      'a shorter state',
      () => resume(damaged(['starts', 0, 'state', 'best', 'x'], { base64: 'AAAAAAAA8D8=' })),
      /not one of \d+ variables/,
    ],
    [
      'another model',
      () => resume(sealed({ ...good, model: 'tpslvm' })),
      /saved by a fit of the model 'tpslvm', but 'gplvm' is to resume it/,
    ],
    [
      'other parts',
      () => resume(good, gplvm(observations, { latentDim: 2, kernel: add(linear(), bias()) })),
      /it has a fixed 'mapping\.kernel\.rbf\.variance' of shape \[\] where the model has 'mapping\.kernel\.linear/,
    ],
    [
      'other shapes',
      () => resume(good, gplvm(observations.toArrays().slice(1), { latentDim: 2 })),
      /it has 'latents' of shape \[24, 2\] where the model has 'latents' of shape \[23, 2\]/,
    ],
    [
      'other data',
      () => resume(good, gplvm(others, { latentDim: 2 })),
      /of another model or other data: the log density/,
    ],
    ['another solver', () => resume(good, model(), { solver: scg() }), /left by lbfgs, but scg is to resume it/],
    ['another seed', () => resume(good, model(), { seed: 9 }), /with seed 8, but seed is 9\. Leave seed out/],
    ['other restarts', () => resume(good, model(), { restarts: 1 }), /with restarts 0, but restarts is 1/],
  ])('%s is refused', async (_name, call, message) => {
    const refused = call();
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
  });

  const tagsOf = (every: number) => (every < 500 ? 'long' : []);
  for (const every of [97, 991])
    it(`any start with another digit in one of ${every} places is refused`, { tags: tagsOf(every) }, async () => {
      const text = texts.at(-1)!;
      const places = [...text.matchAll(/[0-9A-Za-z]/g)].map(({ index }) => index).filter((_, k) => k % every === 5);
      expect(places.length).toBeGreaterThan(2000 / every);
      for (const place of places) {
        const changed = `${text.slice(0, place)}${text[place] === '1' ? '2' : '1'}${text.slice(place + 1)}`;
        let json: unknown;
        try {
          json = JSON.parse(changed);
        } catch {
          continue;
        }
        await expect(resume(json)).rejects.toThrow(InvalidInputError);
      }
    });

  it('and a path where none can be written are refused before the fit begins', async () => {
    let steps = 0;
    const refused = fit(model(), { checkpoint: join(folder, 'no', 'such', 'folder.json'), onProgress: () => ++steps });
    await expect(refused).rejects.toThrow(
      /folder\.json' cannot be written: there is no folder '.*such'\. Make the folder first/,
    );
    expect(steps).toBe(1);
    writeFileSync(file('plain'), '');
    const inFile = fit(model(), { checkpoint: join(folder, 'plain', 'state.json') });
    await expect(inFile).rejects.toThrow(InvalidInputError);
    await expect(inFile).rejects.toThrow(/state\.json' cannot be written: a part of its path is not a folder/);
  });
});
