import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { latentfield } from './cli/latentfield.ts';
import { temporaryFolder } from './io/folder.ts';
import { expectClose } from './tolerance.ts';

const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

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
    const [[message, objective], [row], [mean]] = lines as [[string, number], [Float64Array], [number[][]]];
    expect(message).toMatch(/100 iterations/);
    expect(objective).toBeGreaterThan(0);
    expect(row.length).toBe(2);
    expect(mean[0]!.length).toBe(12);
  });

  it('shows a kernel that is what the tests train', () => {
    const kernel = /const cauchy = defineKernel\([\s\S]*?\n\}\);/;
    const block = blocks.find((one) => kernel.test(one))!;
    expect(kernel.exec(block)![0]).toBe(kernel.exec(text('./models/ownKernel.test.ts'))![0]);
  });

  it('shows commands that can be pasted one after the other', async () => {
    const { path, write } = temporaryFolder();
    const names = ['sample', 'kind', 'note', 'age', ...Array.from({ length: 9 }, (_, j) => `x${j + 1}`)];
    const rows = Array.from({ length: 24 }, (_, i) => {
      const x = Array.from({ length: 9 }, (_, j) => (Math.cos(i / 4 + j / 2) * (1 + (i % 2))).toFixed(3));
      return [`s${i}`, i % 2 ? 'b' : 'a', `note ${i}`, 30 + ((7 * i) % 11) / 2, ...x];
    });
    const table = (some: typeof rows) => [names, ...some].map((row) => `${row.join()}\n`).join('');
    write('data.csv', table(rows));
    write('new.csv', table(rows.slice(0, 5)));
    const own = blocks.find((block) => block.includes('export const kernels'))!;
    const source = (name: string) => `'${fileURLToPath(new URL(`../src/${name}`, import.meta.url))}'`;
    const sources = {
      latentfield: 'index.ts',
      'latentfield/data': 'data/index.ts',
      'latentfield/ops': 'tensors/ops.ts',
    };
    const mine = Object.entries(sources).reduce((file, [name, path]) => file.replace(`'${name}'`, source(path)), own);
    write('mine.mjs', mine);
    const commands = [...text('../README.md').matchAll(/^npx latentfield (.*?)(\s+#.*)?$/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(8);
    for (const command of commands) {
      // It serves a page, which the build makes, until it is stopped: see test/cli/explore.test.ts.
      if (command.startsWith('explore ')) continue;
      const words = Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word!);
      const isPath = (word: string, i: number) =>
        /\.(csv|mjs)$/.test(word) || words[i - 1] === '--out' || existsSync(join(path, word));
      const args = words.map((word, i) => (isPath(word, i) ? join(path, word) : word));
      const few = ['fit', 'select'].includes(words[0]!) ? ['--max-iterations', '3'] : [];
      const { exitCode, stderr } = await latentfield([...args, ...few], { force: false });
      expect({ command, exitCode, error: /^error.*/m.exec(stderr)?.[0] }).toEqual({
        command,
        exitCode: 0,
        error: undefined,
      });
    }
  });

  it('links to files that the package holds', () => {
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

  it('says truly what TensorFlow.js multiplies by', () => {
    expectClose(Math.fround(0.1), 0.10000000149011612, 0);
  });
});
