import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../src/inference/index.ts';
import { bundled } from '../../bundled.ts';
import { prepared } from './latentfield.ts';

const main = fileURLToPath(await bundled('src/app/cli/main.ts'));

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

it('ends with exit code 0 when the reader of its output closes it, and 1 when the output cannot be written', {
  tags: 'long',
}, async () => {
  const closed = spawn(process.execPath, [main, 'fit', '--help']);
  closed.stdout.destroy();
  expect(await once(closed, 'close')).toEqual([0, null]);
  if (process.platform !== 'linux') return;
  const full = openSync('/dev/full', 'w');
  const unwritten = spawn(process.execPath, [main, 'fit', '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(await once(unwritten, 'close')).toEqual([1, null]);
});

it('calls standard input by its name', { tags: 'long' }, async () => {
  const fit = ['fit', '-', '--model', 'pca', '--out', 'nowhere'];
  const empty = await program(fit);
  expect([empty.status, empty.stderr]).toEqual([2, 'error: Standard input is empty: pipe a table into it.\n']);
  const wrong = await program(fit, undefined, 'a,b\n1,2\n3,x\n5,6\n');
  expect(wrong.stderr).toMatch(/^error: 'standard input', line 3, column 'b' contains 'x'/);
  expect(existsSync('nowhere')).toBe(false);
});

for (const [name, called, code] of [
  ['SIGINT', 'Ctrl-C', 130],
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGHUP', 'SIGHUP', 129],
] as const)
  it(`the first ${name} ends a fit after its evaluation, and its result so far is written`, {
    tags: name === 'SIGINT' ? [] : 'long',
  }, async () => {
    const { data, out, path } = await prepared();
    const checkpoint = join(path, 'fit.checkpoint');
    const iteration = () => (JSON.parse(readFileSync(checkpoint, 'utf8')) as Checkpoint).starts[0]!.trace.length;
    const { status, signal, stdout, stderr } = await program(
      endlessFit(data, out, '--checkpoint', checkpoint, '--checkpoint-interval', '0'),
      async (kill, hasEnded) => {
        await until(() => existsSync(checkpoint));
        kill(name);
        const at = iteration();
        // One that goes on and on has not heard it.
        await until(() => hasEnded() || iteration() > at + 200);
        if (!hasEnded()) kill('SIGKILL');
      },
    );
    expect([status, signal]).toEqual([code, null]);
    expect(stderr).toContain(`Stopping after this evaluation; ${called} again to quit at once.`);
    expect(stdout).toContain(`Stopped by ${called} (`);
    expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'))).toMatchObject({ status: 'stopped' });
  });

const endlessFit = (data: string, out: string, ...more: string[]) => [
  ...['fit', data, '--model', 'gplvm', '--labels', 'flow', '--tolerance', '0', '--out', out],
  ...['--solver', 'adam', '--max-iterations', '100000000', ...more],
];

describe('two commands with one folder', () => {
  it('do not lose the result of either: the second is refused while the first runs', { tags: 'long' }, async () => {
    const { data, out, path } = await prepared();
    const checkpoint = join(path, 'fit.checkpoint');
    let second: Awaited<ReturnType<typeof program>> | undefined;
    let withItsCheckpoint: typeof second;
    const first = await program(endlessFit(data, out, '--checkpoint', checkpoint), async (kill) => {
      await until(() => existsSync(`${join(out, 'fit.json')}.lock`));
      const fit = ['fit', data, '--model', 'pca', '--labels', 'flow', '--force', '--out'];
      second = await program([...fit, out]);
      withItsCheckpoint = await program([...fit, join(path, 'other'), '--checkpoint', checkpoint]);
      kill('SIGTERM');
    });
    expect([second?.status, withItsCheckpoint?.status]).toEqual([2, 2]);
    expect(second?.stderr).toMatch(/^error: '.*fit\.json' is being written to by process \d+\. Wait for its end/m);
    expect(withItsCheckpoint?.stderr).toMatch(/fit\.checkpoint' is being written to by process \d+/);
    expect(first.status).toBe(143);
    expect(readdirSync(out).sort()).toEqual(['fit.json', 'latents.csv', 'plot.svg', 'trace.csv']);
    expect(JSON.parse(readFileSync(join(out, 'fit.json'), 'utf8'))).toMatchObject({
      status: 'stopped',
      model: { model: 'latentVariableModel' },
    });
  });

  it('leave a lock behind that stops nobody, when the first is killed', { tags: 'long' }, async () => {
    const { data, out } = await prepared();
    await program(endlessFit(data, out), async (kill) => {
      await until(() => existsSync(`${join(out, 'fit.json')}.lock`));
      kill('SIGKILL');
    });
    expect(existsSync(`${join(out, 'fit.json')}.lock`)).toBe(true);
    const second = await program(['fit', data, '--model', 'pca', '--labels', 'flow', '--out', out]);
    expect(second.status).toBe(0);
    expect(existsSync(`${join(out, 'fit.json')}.lock`)).toBe(false);
  });
});

describe.skipIf(process.platform !== 'linux')('output that cannot be written (Linux has /dev/full)', () => {
  /** The program in a shell: its exit code, and what it says. */
  const inShell = (line: string) =>
    spawnSync('bash', ['-c', line.replace('latentfield', `'${process.execPath}' '${main}'`)], { encoding: 'utf8' });

  it('is an error that reports it', { tags: 'long' }, async () => {
    const { data, out } = await prepared();
    expect(inShell(`latentfield fit '${data}' --model pca --labels flow --out '${out}'`).status).toBe(0);
    const full = inShell(`latentfield info '${out}' > /dev/full`);
    expect([full.status, full.stderr]).toEqual([1, 'error: Standard output cannot be written: the disk is full.\n']);
    const help = inShell('latentfield fit --help > /dev/full');
    expect([help.status, help.stderr]).toEqual([1, 'error: Standard output cannot be written: the disk is full.\n']);
  });

  it('is one where a part of it was written', { tags: 'long' }, async () => {
    const { data, out, path } = await prepared();
    inShell(`latentfield fit '${data}' --model pca --labels flow --out '${out}'`);
    const whole = inShell(`latentfield predict '${out}'`).stdout;
    expect(whole.length).toBeGreaterThan(8192);
    const file = join(path, 'part.csv');
    const cut = inShell(`trap '' XFSZ; ulimit -f 4; latentfield predict '${out}' > '${file}'`);
    expect(readFileSync(file, 'utf8')).toBe(whole.slice(0, 4096));
    expect([cut.status, cut.stderr]).toEqual([
      1,
      'error: Standard output cannot be written: it is larger than a file may be here.\n',
    ]);
  });

  it('costs no result where only the diagnostics are lost', { tags: 'long' }, async () => {
    const { data, out } = await prepared();
    const { status } = inShell(`latentfield fit '${data}' --model pca --labels flow --out '${out}' 2> /dev/full`);
    expect(status).toBe(0);
    expect(existsSync(join(out, 'fit.json'))).toBe(true);
  });
});
