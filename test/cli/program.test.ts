import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Checkpoint } from '../../src/inference/index.ts';
import { bundled } from '../bundled.ts';
import { prepared } from './latentfield.ts';

const main = fileURLToPath(await bundled('src/cli/main.ts'));

/** The program itself, in a process of its own; `meanwhile` has the process while it runs, `given` is its standard input. */
async function program(
  args: readonly string[],
  meanwhile?: (kill: (signal: NodeJS.Signals) => void, hasEnded: () => boolean) => Promise<void>,
  given = '',
) {
  const child = spawn(process.execPath, [main, ...args]);
  child.stdin.end(given);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += String(chunk);
    });
  }
  const ended = once(child, 'close');
  await meanwhile?.(
    (signal) => child.kill(signal),
    () => child.exitCode !== null || child.signalCode !== null,
  );
  const [status, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return { status, signal, ...output };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('the program ends with the exit code of its command', async () => {
  expect((await program(['--version'])).status).toBe(0);
  const absent = await program(['fit', 'absent.csv', '--model', 'pca', '--out', 'nowhere']);
  expect([absent.status, absent.stdout]).toEqual([2, '']);
  expect(absent.stderr).toMatch(/^error: .*absent\.csv/);
});

it('ends with exit code 0 when the reader of its output closes it, and 1 when the output cannot be written', async () => {
  const closed = spawn(process.execPath, [main, 'fit', '--help']);
  closed.stdout.destroy();
  expect(await once(closed, 'close')).toEqual([0, null]);
  if (process.platform !== 'linux') return;
  const full = openSync('/dev/full', 'w');
  const unwritten = spawn(process.execPath, [main, 'fit', '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(await once(unwritten, 'close')).toEqual([1, null]);
});

it('calls standard input by its name', async () => {
  const fit = ['fit', '-', '--model', 'pca', '--out', 'nowhere'];
  const empty = await program(fit);
  expect([empty.status, empty.stderr]).toEqual([2, 'error: Standard input is empty: pipe a table into it.\n']);
  const wrong = await program(fit, undefined, 'a,b\n1,2\n3,x\n5,6\n');
  expect(wrong.stderr).toMatch(/^error: 'standard input', line 3, column 'b' holds 'x'/);
  expect(existsSync('nowhere')).toBe(false);
});

it('the first Ctrl-C ends a fit after its evaluation, and what it has come to is written', async () => {
  const { data, out, path } = await prepared();
  const checkpoint = join(path, 'fit.checkpoint');
  const args = ['fit', data, '--model', 'gplvm', '--labels', 'flow', '--tolerance', '0', '--out', out];
  const endless = [
    '--solver',
    'adam',
    '--max-iterations',
    '100000000',
    '--checkpoint',
    checkpoint,
    '--checkpoint-interval',
    '0',
  ];
  const iteration = () => (JSON.parse(readFileSync(checkpoint, 'utf8')) as Checkpoint).starts[0]!.trace.length;
  const { status, signal, stdout, stderr } = await program([...args, ...endless], async (kill, hasEnded) => {
    await until(() => existsSync(checkpoint));
    kill('SIGINT');
    const at = iteration();
    // One that goes on and on has not heard it.
    await until(() => hasEnded() || iteration() > at + 200);
    if (!hasEnded()) kill('SIGKILL');
  });
  expect([status, signal]).toEqual([130, null]);
  expect(stderr).toContain('Stopping after this evaluation; Ctrl-C again to quit at once.');
  expect(stdout).toContain('Stopped by Ctrl-C (');
  expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'))).toMatchObject({ status: 'stopped' });
});
