import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { latentfield } from '../cli/latentfield.ts';

const text = (name: string) => readFileSync(new URL(`../../../containers/${name}`, import.meta.url), 'utf8');

/** The flags of a command, as its help lists them. */
async function flagsOf(command: string): Promise<string> {
  return (await latentfield([command, '--help'])).stdout;
}

it.each([
  ['compose.yaml', 'worker'],
  ['job.yaml', 'worker'],
  ['job.yaml', 'sweep'],
])('%s starts %s by flags that there are', async (file, command) => {
  const lines = text(file)
    .split('\n')
    .filter((line) => line.includes(`["${command}"`));
  expect(lines).toHaveLength(1);
  const flags = lines[0]!.match(/--[a-z-]+/g)!;
  const help = await flagsOf(command);
  for (const flag of flags) expect(help).toContain(`${flag} <`);
});

it('installs the packages that a queue takes, of the versions that are its peers', () => {
  const { peerDependencies, bin } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const recipe = text('Dockerfile');
  for (const name of ['bullmq', 'ioredis']) expect(recipe).toContain(`${name}@${peerDependencies![name]}`);
  expect(recipe).toContain(`node_modules/latentfield/${bin!.latentfield}`);
});

it('takes a shell that understands its commands', () => {
  const run = /^RUN (.*(?:\\\n.*)*)/m.exec(text('Dockerfile'))![1]!.replaceAll('\\\n', '');
  expect(spawnSync('sh', ['-n', '-c', run]).status).toBe(0);
});
