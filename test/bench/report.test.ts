import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const bench = new URL('../../bench/', import.meta.url);
/** A module of the benchmark, which is plain JavaScript. */
const load = <T>(path: string) => import(/* @vite-ignore */ new URL(path, bench).href) as Promise<T>;

interface Row {
  readonly section: string;
  readonly task: string;
  readonly n?: number;
  readonly contender: string;
  readonly ms?: { readonly median: number; readonly least: number; readonly most: number };
  readonly evaluations?: number;
  readonly matrices?: number;
  readonly value?: number;
}

const { sections } = await load<{ sections: Record<string, unknown> }>('sections/index.mjs');
const ms = { median: 1, least: 1, most: 1 };
const rows: Row[] = Object.keys(sections).map((section) => ({ section, task: 'a task', n: 5, contender: 'wasm', ms }));

describe('the report of a benchmark', () => {
  const check = (changes: object) => {
    const report = {
      date: '2026-01-01T00:00:00Z',
      settings: { short: true, rounds: 1 },
      machine: { cpu: 'a processor', node: 'v20', cores: 2 },
      missing: {},
      disagreements: [],
      results: rows,
      aims: [],
      ...changes,
    };
    const program = fileURLToPath(new URL('checkReport.mjs', bench));
    const input = JSON.stringify(report);
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { input, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('is printed as a table, and passes when every section has rows with numbers', () => {
    const { status, stdout, stderr } = check({});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Whole fits');
    expect(stdout).toContain(`${rows.length} rows, as they should be`);
  });

  it('fails when a section returned nothing, and names all that did so', { tags: 'long' }, () => {
    const one = check({ results: rows.filter((row) => row.section !== 'tpslvm') });
    expect(one.status).toBe(1);
    expect(one.stderr).toMatch(/^The report is not as it should be:\n {2}nothing of section 'tpslvm'\n$/);
    const { status, stderr } = check({ results: rows.slice(0, 1) });
    expect(status).toBe(1);
    for (const name of Object.keys(sections).slice(1)) expect(stderr).toContain(`nothing of section '${name}'`);
  });

  it('fails when rows have no numbers, or contenders disagree', { tags: 'long' }, () => {
    const broken = { section: 'fit', task: 'a task', contender: 'wasm' };
    const { status, stderr } = check({ results: [...rows, broken], disagreements: ['They differ.'] });
    expect(status).toBe(1);
    expect(stderr).toMatch(/a row without numbers: .*'?fit/);
    expect(stderr).toContain('They differ.');
  });
});

describe('aims in a short report', () => {
  const check = (aims: object[], short: boolean) => {
    const report = {
      date: '2026-01-01T00:00:00Z',
      settings: { short, rounds: 1 },
      machine: { cpu: 'a processor', node: 'v20', cores: 2 },
      missing: {},
      disagreements: [],
      results: rows,
      aims,
    };
    const program = fileURLToPath(new URL('checkReport.mjs', bench));
    return spawnSync(process.execPath, [program], { input: JSON.stringify(report), encoding: 'utf8' });
  };
  const aim = (met: boolean) => ({ what: 'evaluations of lbfgs', wanted: '≤ 1.5', measured: '1.60', met });

  it('fails it when one is missed, which no load excuses', () => {
    expect(check([aim(true)], true).status).toBe(0);
    const { status, stderr } = check([aim(true), aim(false)], true);
    expect([status, stderr]).toEqual([1, expect.stringContaining('evaluations of lbfgs: 1.60, wanted ≤ 1.5')]);
    expect(check([aim(false)], false).status).toBe(0);
  });
});

describe('the page of the benchmarks', async () => {
  const { benchmarkPage } = await load<{ benchmarkPage(report: object, once: object[], file: string): string }>(
    'page.mjs',
  );
  const timed = (task: string, contender: string, median: number, threads = 1) => ({
    ...{ section: 'raw', task, n: 100, contender, threads },
    ms: { median, least: median, most: median },
  });
  const page = (results: object[]) =>
    benchmarkPage(
      {
        date: '2026-01-01T00:00:00Z',
        settings: { rounds: 3 },
        machine: { cpu: 'a processor', cores: 2 },
        missing: {},
        results,
        aims: [{ what: 'a ratio', wanted: '≤ 1', measured: '2.00', met: false }],
      },
      [],
      'report.json',
    );

  it('lists everything that is slower, the largest difference first, and counts the rest', () => {
    const text = page([
      ...[timed('gemm', 'wasm', 3), timed('gemm', 'peers.py ×1', 2)],
      ...[timed('cholesky', 'wasm', 8), timed('cholesky', 'peers.py ×1', 2)],
      ...[timed('cholesky', 'wasm ×2', 1, 2), timed('cholesky', 'peers.py ×2', 2, 2)],
      ...[timed('eigh', 'wasm', 1), timed('eigh', 'peers.py ×1', 3)],
      ...[timed('inverse', 'wasm', 1), timed('inverse', 'peers.py ×1', 1.01)],
    ]);
    expect(text).toContain(
      'In 5 comparisons with other programs, latentfield is faster in 2, as fast in 1 and slower in 2.',
    );
    const losses = text.split('**Everything that is slower**')[1]!.split('\n## ')[0]!.split('\n');
    expect(losses.filter((line) => line.startsWith('|')).slice(2)).toEqual([
      '| Cholesky factor | 100 | 8 ms | 1 ms | NumPy, SciPy | 2 ms | 2 ms | **4.0× slower** | 2.0× faster |',
      '| matrix product | 100 | 3 ms | – | NumPy, SciPy | 2 ms | – | **1.50× slower** | – |',
    ]);
  });

  it('compares equal numbers of threads alone, and names the aims that are missed', () => {
    const text = page([timed('gemm', 'wasm', 1), timed('gemm', 'peers.py ×2', 1, 2)]);
    expect(text).toContain('In 0 comparisons with other programs, latentfield is faster in 0 and slower in 0.');
    expect(text).toContain('| a ratio | ≤ 1 | 2.00 |');
  });
});

it('a report of other numbers than the recorded ones is too old, regardless of its date', async () => {
  const { checksumOfAnswers } = await load<{ checksumOfAnswers(): string }>('machine.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-age-'));
  const statusOf = (report: { date: string; answers?: string }) => {
    const file = join(folder, 'report.json');
    writeFileSync(file, JSON.stringify(report));
    const { status, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('checkAge.mjs', bench)), file], {
      encoding: 'utf8',
    });
    return [status, stderr];
  };
  try {
    expect(statusOf({ date: '2020-01-01', answers: checksumOfAnswers() })).toEqual([0, '']);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const tooOld = [1, expect.stringContaining('npm run bench')];
    expect(statusOf({ date: tomorrow, answers: '0123456789abcdef' })).toEqual(tooOld);
    expect(statusOf({ date: tomorrow })).toEqual(tooOld);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('objectives below the peer by more than the margin are disagreements', async () => {
  const { noteObjectivesBelowPeer } = await load<{
    noteObjectivesBelowPeer(context: { disagreements: string[] }, rows: readonly Row[], margin: number): void;
  }>('disagreements.mjs');
  const noted = (values: Record<string, number>) => {
    const context = { disagreements: [] as string[] };
    const fits = Object.entries(values).map(([contender, value]) => ({
      section: 'fit',
      task: 'gplvm',
      n: 300,
      contender,
      value,
    }));
    noteObjectivesBelowPeer(context, fits, 0.01);
    return context.disagreements;
  };
  expect(noted({ wasm: 991, typescript: 2000, 'peers.py ×1': 1000 })).toEqual([]);
  expect(noted({ wasm: -1009, 'peers.py ×1': -1000 })).toEqual([]);
  expect(noted({ wasm: 12 })).toEqual([]);
  expect(noted({ wasm: 991, native: 989, 'peers.py ×1': 1000 })).toEqual([
    'fit 300, gplvm: the objective is 989 by native, below 1000 by peers.py ×1.',
  ]);
  expect(noted({ wasm: Number.NaN, 'peers.py ×1': -1000 })).toHaveLength(1);
});

it('the dense peer of MEU is left out beyond 2000 points for any requested sizes', async () => {
  const { densePeer } = await load<{ densePeer(context: object, n: number): { name: string }[] }>(
    'sections/maxEntropy.mjs',
  );
  const context = { peers: {}, threads: [1, 2] };
  expect(densePeer(context, 2000).map(({ name }) => name)).toEqual(['peers.py ×1']);
  expect(densePeer(context, 2001)).toEqual([]);
});

describe('the aims', async () => {
  const { judged } = await load<{
    judged(
      rows: readonly Row[],
      options?: { counted: boolean },
    ): { what: string; wanted: string; measured: string; met: boolean }[];
  }>('aims.mjs');

  it('limit the memory of a fit to ten matrices', () => {
    const of = (contender: string, n: number, matrices: number) => ({
      section: 'memory',
      task: 'a',
      n,
      contender,
      matrices,
    });
    expect(judged([of('wasm', 2000, 9.5), of('native', 2000, 10.5), of('typescript', 2000, 50)])).toEqual([
      { what: 'memory of a fit, wasm: matrices of N×N', wanted: '≤ 10', measured: '9.50', met: true },
      { what: 'memory of a fit, native: matrices of N×N', wanted: '≤ 10', measured: '10.50', met: false },
    ]);
  });

  it("limit each solver's evaluations to the counts of SciPy, on its worst problem", () => {
    const counts: Record<string, Record<string, number | undefined>> = {
      easy: { lbfgs: 10, lbfgsb: 16, scg: 50, adam: 900, 'SciPy L-BFGS-B': 10 },
      hard: { lbfgs: 30, lbfgsb: 20, scg: undefined, adam: 900, 'SciPy L-BFGS-B': 20 },
    };
    const solved = Object.entries(counts).flatMap(([task, by]) =>
      Object.entries(by).map(([contender, evaluations]) => ({
        section: 'solvers',
        task,
        contender,
        ...(evaluations === undefined ? {} : { evaluations }),
      })),
    );
    expect(judged(solved, { counted: true })).toEqual(judged(solved));
    expect(judged(solved).map(({ wanted, measured, met }) => [wanted, measured, met])).toEqual([
      ['≤ 1.5', '1.50', true],
      ['≤ 1.5', '1.60', false],
      ['≤ 6', 'Infinity', false],
    ]);
  });
});
