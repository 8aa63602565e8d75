import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readParts } from '../../../src/app/workers/index.ts';
import { latentfield, prepared } from './latentfield.ts';

const mine = fileURLToPath(new URL('./parts/mine.ts', import.meta.url));

async function fitted(...args: string[]) {
  const { data, out, path } = await prepared();
  const shape = ['--max-iterations', '3', '--drop', 'flow', '--out', out];
  return { ran: await latentfield(['fit', data, ...args, ...shape]), data, out, path };
}

describe('--parts', () => {
  it('fits with a kernel and a prior of the file, and reads the fit again', async () => {
    const options = join((await prepared()).path, 'options.json');
    writeFileSync(options, '{"priors": [{"prior": "shrink", "strength": 2}]}');
    const kernel = ['--kernel', 'cauchy(lengthscale=2) + bias', '--options', options];
    const { ran, data, out } = await fitted('--model', 'gplvm', '--parts', mine, ...kernel);
    expect(ran).toMatchObject({ exitCode: 0, messages: "left out: 'flow' is dropped\n" });
    const saved = JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'));
    expect(saved.values['priors.shrink.strength']).toBeGreaterThan(0);
    expect(Object.keys(saved.terms)).toEqual(['mapping', 'shrink']);
    const drop = ['--drop', 'flow'];
    for (const command of [
      ['project', out, data, ...drop],
      ['predict', out],
      ['score', out, '--data', data, ...drop],
      ['info', out],
      ['sample', out],
      ['interpolate', out, '--from', '0', '--to', '3'],
      ['impute', out, data, ...drop],
    ]) {
      expect(await latentfield([...command, '--parts', mine]), command[0]).toMatchObject({ exitCode: 0 });
    }
    const without = await latentfield(['predict', out]);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toBe(
      `error: This fit has parts of your own. Give --parts ${mine}, the file they come from.\n`,
    );
  });

  it('fits a model of the file', async () => {
    const { ran, out } = await fitted('--model', 'plain', '--parts', mine);
    expect(ran).toMatchObject({ exitCode: 0, messages: "left out: 'flow' is dropped\n" });
    expect(ran.stdout).toMatch(/^plain: 30 points/);
    const predicted = await latentfield(['predict', out, '--parts', mine]);
    expect(predicted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(predicted.stdout.split('\n')).toHaveLength(32);
  });

  it('fits a model of the file with its options', async () => {
    const { ran, out } = await fitted('--model', 'noisy', '--parts', mine, '--options', '{"noise": 0.3}');
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8')).values['y.noise']).toBe(0.3);
    const wrong = await fitted('--model', 'noisy', '--parts', mine, '--options', '{"nois": 0.3}');
    expect(wrong.ran).toMatchObject({ exitCode: 2 });
    expect(wrong.ran.stderr).toMatch(/noisy.*nois/);
  });

  it('may export other things in addition to parts, and distributions among these', async () => {
    const { path } = await prepared();
    const file = join(path, 'beside.mjs');
    writeFileSync(
      file,
      'export const kernels = { mine: () => 1 }; export const distributions = {}; export const other = 3;',
    );
    expect(Object.keys(await readParts(file))).toEqual(['kernels', 'distributions']);
    expect(await readParts(pathToFileURL(file))).toEqual(await readParts(file));
  });

  it('chooses options with them', async () => {
    const { data } = await prepared();
    const grid = ['--grid', '{"kernel":["cauchy + bias"]}', '--folds', '2', '--max-iterations', '2'];
    const ran = await latentfield(['select', data, '--model', 'gplvm', '--drop', 'flow', '--parts', mine, ...grid]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain('best {"kernel":"cauchy + bias"}');
  });

  it.each([
    ['is a device', null, /The parts in '\/dev\/zero' cannot be loaded: It is a pipe or a device\.\n$/],
    ['does not exist', undefined, /The parts in '.*absent\.mjs' cannot be loaded: /],
    ['is not JavaScript', 'export const kernels = {', /cannot be loaded: /],
    ['throws', "throw new TypeError('out of paper');", /cannot be loaded: out of paper\.\n$/],
    ['exports nothing', 'const kernels = {};', /exports no parts\. Export objects of factories by name/],
    ['exports something else', 'export const kernel = {};', /has no export 'kernel'\. .*kernels/],
    [
      'exports what is not an object',
      'export const priors = 3;',
      /exports priors, which is not an object of factories/,
    ],
    ['exports what is not a factory', 'export const maps = { bend: 3 };', /exports maps\.bend, which is not a factory/],
  ])('a file that %s is an error of input', async (_, text, message) => {
    const { path } = await prepared();
    const file = text === null ? '/dev/zero' : join(path, text === undefined ? 'absent.mjs' : 'mine.mjs');
    if (typeof text === 'string') writeFileSync(file, text);
    const { ran } = await fitted('--model', 'gplvm', '--parts', file);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(message);
  });

  it('names a part that no file has', async () => {
    const { ran } = await fitted('--model', 'gplvm', '--kernel', 'cauchy + bias');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(/cauchy/);
  });
});
