import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../bench/reproductions/', import.meta.url);

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly timed: readonly string[];
}

/** A module of the reproductions, which is plain JavaScript. */
const { differences } = (await import(/* @vite-ignore */ new URL('differences.mjs', folder).href)) as {
  differences(stored: readonly Table[] | undefined, tables: readonly Table[]): string[];
};

const { inProcesses } = (await import(/* @vite-ignore */ new URL('inProcesses.mjs', folder).href)) as {
  inProcesses(program: string, names: readonly string[], jobs: number, flags: readonly string[]): Promise<string[]>;
};

const { overview } = (await import(/* @vite-ignore */ new URL('overview.mjs', folder).href)) as {
  overview(folder: string): string;
};

const table = (row: readonly string[]): Table => ({
  title: 'Errors',
  head: ['model', 'error', 'status', 'CPU s'],
  rows: [row],
  timed: ['CPU s'],
});
const stored = [table(['GPLVM', '0.1769', 'converged', ''])];

describe('numbers of a reproduction compared with the stored ones', () => {
  it('may differ by one unit of the last digit, and in seconds', () => {
    for (const error of ['0.1768', '0.1769', '0.1770']) {
      expect(differences(stored, [table(['GPLVM', error, 'converged', '12'])])).toEqual([]);
    }
    const signed = [table(['GPLVM', '−0.001', 'converged', ''])];
    expect(differences(signed, [table(['GPLVM', '+0.000', 'converged', ''])])).toEqual([]);
  });

  it('are named where they differ by more', () => {
    const found = differences(stored, [table(['GPLVM', '0.1767', 'converged', ''])]);
    expect(found).toEqual(['Errors, GPLVM, error: 0.1767, stored 0.1769']);
    expect(differences(stored, [table(['GPLVM', '0.177', 'converged', ''])])).toHaveLength(1);
    expect(differences(stored, [table(['GPLVM', '−0.1769', 'converged', ''])])).toHaveLength(1);
    expect(differences(stored, [table(['GPLVM', 'NaN', 'converged', ''])])).toHaveLength(1);
  });

  it('must have the same words, tables, columns and rows', () => {
    expect(differences(stored, [table(['GPLVM', '0.1769', 'failed', ''])])).toEqual([
      'Errors, GPLVM, status: failed, stored converged',
    ]);
    expect(differences(stored, [])).toEqual(["table 'Errors' is not there any more"]);
    expect(differences(stored, [{ ...stored[0]!, rows: [] }])).toEqual(["table 'Errors' has another shape"]);
    const other = { ...stored[0]!, head: ['model', 'rate', 'status', 'CPU s'] };
    expect(differences(stored, [other])).toEqual(["table 'Errors' has another shape"]);
    expect(differences(undefined, stored)).toEqual(['nothing is stored']);
  });
});

describe('reproductions in separate processes', () => {
  it('run each once with the flags, so many at a time, and name those that failed', async () => {
    const place = mkdtempSync(join(tmpdir(), 'jobs-'));
    const program = join(place, 'one.mjs');
    // Each leaves its name and how many were at work, itself counted.
    writeFileSync(
      program,
      `import { readdirSync, rmSync, writeFileSync } from 'node:fs';
      const [, , name, place] = process.argv;
      writeFileSync(place + '/busy-' + name, '');
      await new Promise((resolve) => setTimeout(resolve, 150));
      const busy = readdirSync(place).filter((file) => file.startsWith('busy-')).length;
      writeFileSync(place + '/done-' + name + '-' + (busy <= 2), '');
      rmSync(place + '/busy-' + name);
      process.exit(name === 'c' ? 1 : 0);`,
    );
    const failed = await inProcesses(program, ['a', 'b', 'c', 'd', 'e'], 2, [place]);
    const done = readdirSync(place).filter((file) => file.startsWith('done-'));
    rmSync(place, { recursive: true });
    expect(failed).toEqual(['c']);
    expect(done.sort()).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `done-${name}-true`));
  });
});

it('overview.md follows from the pages, and lists for every result that differs from its paper what was tried', () => {
  const pages = fileURLToPath(new URL('../../docs/project/reproductions', import.meta.url));
  const read = overview(pages);
  expect(readFileSync(join(pages, 'overview.md'), 'utf8')).toBe(read);
  const rows = read.split('\n').filter((line) => line.startsWith('| ') && line.includes('.md)'));
  const unlike = rows.filter((row) => /\| (not as|behind)[^|]*\|/.test(row));
  expect(unlike.length).toBeGreaterThan(3);
  for (const row of unlike) {
    const [paper, result] = row.slice(2).split(' | ');
    expect(read).toContain(`**${paper}, ${result}**`);
  }
});
