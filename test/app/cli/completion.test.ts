import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelOptions } from '../../../src/app/cli/modelOptions.ts';
import { COMMAND_NAMES, programOf } from '../../../src/app/cli/run.ts';
import { temporaryFolder } from '../io/folder.ts';
import { latentfield } from './latentfield.ts';

const silent = { write: () => true } as never;
const context = {
  stdout: silent,
  stderr: silent,
  heeding: <T>(work: () => Promise<T>) => work(),
  exit: () => {},
  flagged: String,
};
const { commands } = await programOf(COMMAND_NAMES, context);

it('a flag is written alike by all commands, except for the file or folder of --out and for --labels of assess', () => {
  const written = new Map<string, Set<string>>();
  for (const { flags, long } of commands.flatMap(({ options }) => options))
    written.set(long!, (written.get(long!) ?? new Set()).add(flags));
  const varied = new Map([...written].filter(([, { size }]) => size > 1));
  expect(varied).toEqual(
    new Map([
      ['--labels', new Set(['--labels <file|column>', '--labels <file>'])],
      ['--out', new Set(['-o, --out <dir>', '-o, --out <file>'])],
    ]),
  );
});

const scriptOf = async (shell: string) => (await latentfield(['completion', shell])).stdout;
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
/** Reason for the tests that are skipped without a shell. */
const unless = (shell: string) => (has(shell) ? '' : ` (${shell} is not installed)`);

const script = await scriptOf('bash');
describe.skipIf(!has('bash'))(`in bash${unless('bash')}`, () => {
  /** Words that the completion function offers for the last of these. */
  function completions(words: readonly string[], cwd?: string): string[] {
    const given = words.map((word) => `'${word}'`).join(' ');
    const call = `COMP_WORDS=(latentfield ${given}); COMP_CWORD=${words.length}; _latentfield; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${script}\n${call}`], { cwd, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('completes the names of commands', () => {
    expect(completions([''])).toEqual([...COMMAND_NAMES, 'help']);
    expect(completions(['help', 'comp'])).toEqual(['compare', 'compare-maps', 'completion']);
    expect(completions(['inf'])).toEqual(['info']);
  });

  it.each(COMMAND_NAMES)('offers every flag of %s, and the choices of each', (name) => {
    const { options } = commands.find((command) => command.name() === name)!;
    const flags = options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
    expect(completions([name, '-']).toSorted()).toEqual([...flags, '-h', '--help'].toSorted());
    for (const { long, short, argChoices = [] } of options.filter((option) => option.argChoices !== undefined)) {
      expect(completions([name, long!, ''])).toEqual(argChoices);
      expect(completions([name, long!, '='])).toEqual(argChoices);
      expect(completions([name, long!, '=', argChoices[0]!.slice(0, 1)])).toContain(argChoices[0]);
      if (short !== undefined) expect(completions([name, short, ''])).toEqual(argChoices);
    }
  });

  it('completes models, files with blanks and folders', () => {
    const { path } = temporaryFolder();
    for (const file of ['my table.csv', 'more.csv', 'other.txt']) writeFileSync(join(path, file), '');
    mkdirSync(join(path, 'my results'));
    expect(completions(['fit', '-m', ''], path)).toEqual(Object.keys(modelOptions));
    expect(completions(['fit', '--model', 'tsne'], path)).toEqual(['tsneGplvm', 'tsne']);
    expect(completions(['fit', 'm'], path).toSorted()).toEqual(['more.csv', 'my results', 'my table.csv']);
    expect(completions(['fit', 'more.csv', '-o', 'm'], path)).toEqual(['my results']);
    expect(completions(['fit', 'more.csv', '--labels', 'o'], path)).toEqual(['other.txt']);
    expect(completions(['fit', 'more.csv', '--kernel', 'm'], path)).toEqual([]);
    expect(completions(['info', 'p'], path)).toEqual(['pca', 'ppca']);
    expect(completions(['completion', ''], path)).toEqual(['bash', 'zsh', 'fish']);
  });
});

it('writes a line for each command and flag in fish, with the choices of its value', async () => {
  const lines = (await scriptOf('fish')).split('\n');
  for (const command of commands) {
    expect(lines).toContainEqual(expect.stringContaining(`-a ${command.name()} -d `));
    for (const { long, short, argChoices } of command.options) {
      const within = `'__fish_seen_subcommand_from ${command.name()}' `;
      const line = lines.find((line) => line.includes(within) && line.includes(` -l ${long!.slice(2)} `))!;
      expect(line.includes(` -s ${short?.slice(1)} `)).toBe(short !== undefined);
      expect(line).toContain(argChoices === undefined ? '' : ` -r -a '${argChoices.join(' ')}'`);
    }
  }
});

for (const [shell, ...check] of [
  ['bash', '-n'],
  ['zsh', '-n'],
  ['fish', '--no-execute'],
] as const)
  it.skipIf(!has(shell))(`writes a script that ${shell} parses${unless(shell)}`, async () => {
    const { path } = temporaryFolder();
    writeFileSync(join(path, 'script'), await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, [...check, join(path, 'script')], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

it('refuses other shells', async () => {
  const { exitCode, stderr } = await latentfield(['completion', 'csh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
