import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** Runs files of ./fixtures as anybody would, and says how that ended. */
async function run(names: readonly string[], ...options: string[]) {
  const args = [vitest, 'run', '--config', join(import.meta.dirname, 'vitest.fixtures.ts'), ...options];
  const files = names.map((name) => `fixtures/${name}.fixture.ts`);
  // Nothing of the run that this test is part of.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST)/.test(name)));
  // One file takes both streams, so that their lines stand in the order in which they were written.
  const folder = await mkdtemp(join(tmpdir(), 'latentfield-runner-'));
  const path = join(folder, 'output.txt');
  const file = await open(path, 'a');
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: import.meta.dirname,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', file.fd, file.fd],
  });
  const [status] = (await once(child, 'close')) as [number | null];
  await file.close();
  const output = await readFile(path, 'utf8');
  await rm(folder, { recursive: true });
  return { status, output, lastLine: output.trimEnd().split('\n').at(-1) };
}

const summary = async (...names: string[]) => {
  const { status, lastLine } = await run(names);
  return { status, lastLine };
};

describe('a run ends with its counts alone on the last line', () => {
  it('when all passed', async () => {
    expect(await summary('passing')).toEqual({ status: 0, lastLine: '2 passed, 0 failed' });
  });

  it.each([
    ['a test failed', 'failing', '1 passed, 1 failed'],
    ['`it.only` is left in a file', 'only', '0 passed, 2 failed'],
    ['a hook threw: it counts, and so do the tests behind it', 'hookThrows', '1 passed, 3 failed'],
    ['a hook never ended', 'hookHangs', '0 passed, 2 failed'],
    ['a hook after the tests threw', 'lastHookThrows', '1 passed, 1 failed'],
    ['a file did not load', 'unloadable', '0 passed, 1 failed'],
    ['a file contains no test', 'noTests', '0 passed, 1 failed'],
    ['an error came outside of tests', 'rejection', '1 passed, 1 failed'],
    ['a worker was lost', 'lostWorker', '0 passed, 2 failed'],
    ['it was interrupted', 'interrupted', '0 passed, 1 failed'],
    ['no file was found', 'absent', '0 passed, 1 failed'],
    ['a test was left out without a reason', 'skippedSilently', '1 passed, 1 failed'],
  ])('and fails when %s', { tags: 'long' }, async (_, fixture, lastLine) => {
    expect(await summary(fixture)).toEqual({ status: 1, lastLine });
  });

  it('and what failed in one file is not hidden by others', async () => {
    expect(await summary('passing', 'unloadable', 'hookThrows')).toEqual({ status: 1, lastLine: '3 passed, 4 failed' });
  });

  it('and lists the tests that were left out for a reason', async () => {
    const { status, output, lastLine } = await run(['skipped']);
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: '1 passed, 0 failed, 1 skipped' });
    expect(output).toMatch(
      /Left out, .*:\n {2}fixtures\/skipped\.fixture\.ts: waits for a file \(shared\/data\/absent/,
    );
  });

  it('and counts only what `-t` chose, which must be something', { tags: 'long' }, async () => {
    const some = await run(['failing'], '-t', '^holds');
    expect([some.status, some.lastLine]).toEqual([0, '1 passed, 0 failed']);
    const none = await run(['failing'], '-t', 'nothing');
    expect([none.status, none.lastLine]).toEqual([1, '0 passed, 1 failed']);
  });
});
