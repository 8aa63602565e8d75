import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { latentfield } from './app/cli/latentfield.ts';
import { expectClose } from './tolerance.ts';

const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('documents other than docs/project have at most 22 000 words outside of code and generated pages', () => {
  const folder = new URL('../docs/', import.meta.url);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !/^(?:project|commands|cheat-sheet)/.test(file),
  );
  const prose = [text('../README.md'), ...pages.map((page) => text(`../docs/${page}`))].join('\n');
  const words = prose.replaceAll(/```[\s\S]*?```/g, '').split(/\s+/).length;
  expect(pages.length).toBeGreaterThan(12);
  expect(words).toBeLessThan(22_000);
});

describe('the README', () => {
  const blocks = [...text('../README.md').matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);

  it('shows the quickstart example to the letter, and it fits and predicts', async () => {
    expect(blocks[0]).toBe(text('../examples/quickstart.ts'));
    const lines: unknown[][] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...line) => {
      lines.push(line);
    });
    await import('../examples/quickstart.ts');
    log.mockRestore();
    const printed = lines.map((line) => line.join(' ')).join('\n');
    const shown = /```text\n([\s\S]*?)\n```/.exec(text('../README.md'))![1]!;
    expect(printed).toBe(shown);
  });

  it('shows a kernel that is what the tests train', () => {
    const kernel = /const cauchy = defineKernel\([\s\S]*?\n\}\);/;
    const block = blocks.find((one) => kernel.test(one))!;
    expect(kernel.exec(block)![0]).toBe(kernel.exec(text('./models/ownKernel.test.ts'))![0]);
  });

  it('links to files in the package', () => {
    const { files } = JSON.parse(text('../package.json')) as { files: string[] };
    const links = [...text('../README.md').matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(8);
    const isShipped = (path: string) =>
      files.some((entry) => entry === path || path.startsWith(`${entry}/`) || matches(entry, path));
    const matches = (pattern: string, path: string) =>
      new RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '[^/]*')}$`).test(path);
    for (const link of links) {
      expect(existsSync(new URL(`../${link}`, import.meta.url)), link).toBe(true);
      expect(isShipped(link), link).toBe(true);
    }
  });

  it('shows commands that the command line knows', async () => {
    const commands = [...text('../README.md').matchAll(/npx latentfield (\w+)/g)].map((match) => match[1]!);
    expect(new Set(commands).size).toBeGreaterThan(5);
    for (const command of commands.filter((name) => name !== 'help')) {
      expect((await latentfield([command, '--help'])).exitCode, command).toBe(0);
    }
  });

  it('goes with a list of promises that has every command', async () => {
    const help = (await latentfield(['help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(18);
    const promised = [...text('../docs/project/stability.md').matchAll(/the commands `([^`]+)`/g)].flatMap((match) =>
      match[1]!.split(' '),
    );
    expect(promised.sort()).toEqual(commands.filter((name) => name !== 'help').sort());
  });

  it('states the exact factor that TensorFlow.js multiplies by', () => {
    expectClose(Math.fround(0.1), 0.10000000149011612, 0);
  });
});
