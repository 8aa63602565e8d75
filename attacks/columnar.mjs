// Parquet and Arrow files that were damaged at random: bytes, lengths and sizes that lie, parts that are missing or there twice. Each must be read or
// refused by a typed error, within seconds and within the memory of a process; a process reads many, and its last line names the one that ended it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LatentFieldError } from 'latentfield';
import { parseTable } from 'latentfield/io';
import seedrandom from 'seedrandom';

const MOST_BYTES = 20_000_000;
const MOST_SECONDS = 10;
const MEGABYTES = 1000;

/** Files that pyarrow has written, by name. */
export function originals() {
  const text = readFileSync(new URL('../test/app/io/columnarFiles.ts', import.meta.url), 'utf8');
  return [...text.matchAll(/(\w+(Parquet|Arrow)):\s*'([A-Za-z0-9+/=]+)'/g)].map(([, name, format, base64]) => ({
    name: `${name}.${format.toLowerCase()}`,
    bytes: Buffer.from(base64, 'base64'),
  }));
}

export async function attackColumnar({ seed, cases, report }) {
  for (let next = 0; next < cases; ) {
    const child = spawn(process.execPath, [
      `--max-old-space-size=${MEGABYTES}`,
      ...[fileURLToPath(import.meta.url), String(seed), String(next), String(cases)],
    ]);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const closed = once(child, 'close');
    let [timer, isLate] = [undefined, false];
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, 6000 * MOST_SECONDS);
    };
    wait();
    for await (const line of createInterface({ input: child.stdout })) {
      const { name, outcome, failure } = JSON.parse(line);
      wait();
      if (failure !== undefined) report.fail(`case ${next}, ${name}`, failure);
      else report.count(outcome);
      next++;
    }
    clearTimeout(timer);
    const [code] = await closed;
    if (code === 0) continue;
    report.fail(
      `case ${next}`,
      isLate ? 'it took too long' : `the process ended with ${code}: ${stderr.slice(0, 300)}`,
    );
    next++;
  }
}

/** One damaged file. */
export function damaged({ bytes }, random) {
  const copy = Buffer.from(bytes);
  const at = () => Math.floor(random() * copy.length);
  const kind = Math.floor(random() * 6);
  if (kind === 0) return copy.subarray(0, at());
  if (kind === 1) return Buffer.concat([copy.subarray(0, at()), copy.subarray(at())]);
  if (kind === 2) {
    // Integers of either size that are too large, negative or nearly right.
    const value = [0xffffffff, 0x7fffffff, 0x80000000, 0, 1, 1e6, 1e9][Math.floor(random() * 7)];
    copy.writeUInt32LE(value >>> 0, Math.min(at(), copy.length - 4));
    return copy;
  }
  // Footers, which contain the layout, are hit as often as all other parts together.
  const from = kind < 5 ? 0 : Math.max(0, copy.length - 600);
  for (let k = 0; k <= random() * 4; k++) {
    const place = from + Math.floor(random() * (copy.length - from));
    copy[place] = random() < 0.5 ? Math.floor(random() * 256) : copy[place] ^ (1 << Math.floor(random() * 8));
  }
  return copy;
}

async function readAll(seed, first, cases) {
  const files = originals();
  for (let k = first; k < cases; k++) {
    const random = seedrandom(`columnar ${seed} ${k}`);
    const file = files[k % files.length];
    const bytes = damaged(file, random);
    const began = process.cpuUsage();
    let told;
    try {
      await parseTable(bytes, file.name, { maxBytes: MOST_BYTES });
      told = { outcome: 'read' };
    } catch (error) {
      told = error instanceof LatentFieldError ? { outcome: `refused: ${error.code}` } : { failure: error.stack };
    }
    const seconds = process.cpuUsage(began).user / 1e6;
    if (seconds > MOST_SECONDS) told = { failure: `it took ${seconds.toFixed(0)} s` };
    // A rejection that nobody catches ends the process here.
    await new Promise((resolve) => setImmediate(resolve));
    process.stdout.write(`${JSON.stringify({ name: file.name, ...told })}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await readAll(...process.argv.slice(2).map(Number));
