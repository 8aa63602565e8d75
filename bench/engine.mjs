/**
 * Measures the dense linear algebra engines: GFLOP/s of products, Cholesky factors, inverses and eigenvectors, fastest of
 * several runs, beside the peak that one thread's 128-bit vectors reach here and, where Python with SciPy is, OpenBLAS on one thread.
 *
 *   npm run build && node bench/engine.mjs [--sizes 100,300,1000] [--engines wasm,typescript] [--peers ../shared/peers/peers.py]
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { peakRate } from './peak.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,300,1000' },
    engines: { type: 'string', default: 'wasm,typescript' },
    dist: { type: 'string', default: resolve(repository, 'dist') },
    peers: {
      type: 'string',
      default: process.env.LATENTFIELD_PEERS ?? resolve(repository, '../shared/peers/peers.py'),
    },
    seconds: { type: 'string', default: '1' },
  },
});
const from = (path) => import(new URL(path, `file://${resolve(options.dist)}/`));
const { Float64Memory } = await from('core/float64/memory.js');
const { wasmEngine } = await from('core/wasm/wasmEngine.js');
const { typescriptEngine } = await from('core/linalg/typescriptEngine.js');
const { seededRandom } = await from('core/random.js');
const factories = { wasm: wasmEngine, typescript: typescriptEngine };

const flops = {
  gemm: (n) => 2 * n ** 3,
  cholesky: (n) => n ** 3 / 3,
  inverse: (n) => (2 * n ** 3) / 3,
  eigh: (n) => 9 * n ** 3,
};

/** Fastest of the runs, in milliseconds; `prepare` is not timed. */
function fastest(prepare, run) {
  const end = performance.now() + 1000 * Number(options.seconds);
  let least = Infinity;
  for (let runs = 0; runs < 3 || (performance.now() < end && runs < 1000); runs++) {
    prepare();
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function measure(name, n) {
  const memory = new Float64Memory();
  const engine = factories[name](memory);
  const [a, b, c, w] = [n * n, n * n, n * n, n].map((length) => memory.allocate(8 * length));
  memory.release(memory.allocate(16 * n * n + 2 ** 22), 16 * n * n + 2 ** 22);
  const { normal } = seededRandom(1);
  const random = Float64Array.from({ length: n * n }, normal);
  const fill = (offset, values) => memory.float64(offset, n * n).set(values);
  const rows = (offset) => ({ offset, rowStride: n, columnStride: 1 });
  fill(a, random);
  engine.gemm(n, n, n, 1, rows(a), { offset: a, rowStride: 1, columnStride: n }, 0, rows(b));
  const definite = memory.float64(b, n * n).slice();
  for (let i = 0; i < n; i++) definite[i * n + i] += n;
  fill(b, definite);
  engine.cholesky(n, b);
  const factor = memory.float64(b, n * n).slice();
  fill(b, random);
  return {
    gemm: fastest(
      () => {},
      () => engine.gemm(n, n, n, 1, rows(a), rows(b), 0, rows(c)),
    ),
    cholesky: fastest(
      () => fill(c, definite),
      () => engine.cholesky(n, c),
    ),
    inverse: fastest(
      () => fill(c, factor),
      () => engine.choleskyInverse(n, c),
    ),
    eigh: fastest(
      () => fill(c, definite),
      () => engine.symmetricEigen(n, c, w),
    ),
  };
}

function measurePeers(n) {
  if (!existsSync(options.peers)) return undefined;
  const times = {};
  for (const task of Object.keys(flops)) {
    const environment = { ...process.env, OPENBLAS_NUM_THREADS: '1' };
    const { status, stdout } = spawnSync('python3', [options.peers, task, String(n)], {
      env: environment,
      encoding: 'utf8',
    });
    if (status !== 0) return undefined;
    times[task] = JSON.parse(stdout).min;
  }
  return times;
}

function print(n, name, times) {
  if (times === undefined) {
    console.log(
      `${String(n).padStart(5)}  ${name.padEnd(10)}  not measured: python3 with SciPy and ${options.peers} are needed`,
    );
    return;
  }
  const cells = Object.entries(times).map(([task, ms]) => {
    const rate = (flops[task](n) / ms / 1e6).toFixed(1);
    return `${task} ${ms.toFixed(3).padStart(9)} ms ${rate.padStart(5)} GF/s`;
  });
  console.log(`${String(n).padStart(5)}  ${name.padEnd(10)}  ${cells.join('   ')}`);
}

console.log(`peak of 128-bit vectors, one thread: ${(await peakRate()).toFixed(1)} GF/s`);
for (const n of options.sizes.split(',').map(Number)) {
  for (const name of options.engines.split(',')) print(n, name, measure(name, n));
  print(n, 'OpenBLAS', measurePeers(n));
}
