// Memory that runs out: fits of more and more points where addresses or V8's heap are limited. A result has the bits of a fit without
// limits, or is one of the library's errors; or V8 itself ends the process with a message. A checkpoint is whole or absent.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childOf, lastJson, programOf, reasonAgainst } from './child.mjs';

const job = programOf('job.mjs');
/** Kilobytes of addresses: too few to start with, too few for WebAssembly, and about what a fit needs. */
const ADDRESSES = [1_300_000, 4_000_000, 11_800_000, 12_000_000, 12_200_000, 12_500_000];
const HEAPS = [20, 30, 45, 60];
const POINTS = [300, 900, 1500];

export async function attackMemory({ cases, report }) {
  const reason = reasonAgainst(['bash', '-c', 'ulimit -v 4000000']);
  if (reason !== undefined) return report.skip(`addresses cannot be limited here: ${reason}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-memory-'));
  const whole = new Map();
  try {
    for (let k = 0; k < cases; k++) {
      const points = POINTS[Math.floor(k / 2) % POINTS.length];
      const engine = k % 4 === 3 ? 'typescript' : 'wasm';
      const path = join(folder, `${k}.json`);
      const args = [job, 'memory', String(points), engine, path];
      const key = `${points} ${engine}`;
      if (!whole.has(key)) whole.set(key, lastJson(await childOf([process.execPath, ...args.slice(0, 4)])).value);
      const limit = k % 2 === 0 ? ADDRESSES[(k / 2) % ADDRESSES.length] : HEAPS[((k - 1) / 2) % HEAPS.length];
      const limited =
        k % 2 === 0
          ? ['bash', '-c', `ulimit -v ${limit}; exec "$@"`, 'bash', process.execPath, ...args]
          : [process.execPath, `--max-old-space-size=${limit}`, ...args];
      const what = `${key}, ${k % 2 === 0 ? `${limit} kB of addresses` : `a heap of ${limit} MB`}`;
      judge(what, await childOf(limited), whole.get(key), report);
      if (existsSync(path)) checkWhole(what, path, report);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(what, child, expected, report) {
  const { code, signal, stdout, stderr } = child;
  const found = lastJson(child);
  if (found === undefined) {
    const isSaid = /out of memory|bad_alloc|Fatal|FATAL|# Check failed/.test(stderr + stdout);
    if (code === 0 || !isSaid) return report.fail(what, `ended by ${code} ${signal}: ${stderr}`);
    return report.count('processes that V8 ended');
  }
  if (found.error !== undefined) {
    if (!found.isTyped) report.fail(what, found.stack);
    return report.count('typed errors');
  }
  if (JSON.stringify(found.value) !== JSON.stringify(expected)) report.fail(what, 'other bits');
  report.count('the same bits');
}

function checkWhole(what, path, report) {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    report.fail(`${what}, checkpoint`, error.message);
  }
}
