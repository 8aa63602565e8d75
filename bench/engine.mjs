/**
 * Measures the dense linear algebra engines: GFLOP/s of products, Cholesky factors, inverses and eigenvectors, fastest of
 * several runs, compared with the peak of 128-bit vectors on one thread and, where Python with SciPy is installed, OpenBLAS on one thread.
 * Then a GPLVM evaluation, value and gradient, and the fused parts of it (covariance, contraction of its gradient) compared with a whole one
 * of the peer, and nanoseconds per entry of exp, log and tanh compared with Math.
 *
 *   npm run build && node bench/engine.mjs [--sizes 100,300,1000] [--engines wasm,typescript] [--threads 1,2]
 *     [--peers ../shared/peers/peers.py]
 *
 * With --threads the WebAssembly engine and OpenBLAS run on each of these numbers of threads (default: one).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { onThreads } from './engines.mjs';
import { peakRate } from './peak.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,300,1000' },
    engines: { type: 'string', default: 'wasm,typescript' },
    threads: { type: 'string', default: '1' },
    dist: { type: 'string', default: resolve(repository, 'dist') },
    peers: {
      type: 'string',
      default: process.env.LATENTFIELD_PEERS ?? resolve(repository, '../shared/peers/peers.py'),
    },
    seconds: { type: 'string', default: '1' },
  },
});
const from = (path) => import(new URL(path, `file://${resolve(options.dist)}/`));
const { Float64Memory } = await from('engine/memory.js');
const { wasmElementaryFunctions, wasmEngine } = await from('engine/wasm/wasmEngine.js');
const { wasmFusedOperations } = await from('engine/wasm/wasmEngine.js');
const { startTeam } = await from('engine/wasm/team.js');
const { typescriptEngine, withEngine } = await from('engine/dense/index.js');
const { float64Backend, withFloat64 } = await from('engine/tensors/float64/scope.js');
const { valueAndGradients } = await from('engine/tensors/gradients.js');
const op = await from('engine/tensors/ops.js');
const { seededRandom } = await from('core/random.js');
const factories = {
  wasm: wasmEngine,
  typescript: typescriptEngine,
};

const flops = {
  gemm: (n) => 2 * n ** 3,
  cholesky: (n) => n ** 3 / 3,
  inverse: (n) => (2 * n ** 3) / 3,
  eigh: (n) => 9 * n ** 3,
};

/** Below this many milliseconds the time of the process is too coarse to be taken, and interruptions are rare. */
const SHORT = 2;

/** Fastest of the runs, in milliseconds; `prepare` is not timed. */
function fastest(prepare, run) {
  const end = performance.now() + 1000 * Number(options.seconds);
  let least = Infinity;
  for (let runs = 0; runs < 3 || (performance.now() < end && runs < 1000); runs++) {
    prepare();
    const own = process.cpuUsage();
    const start = performance.now();
    run();
    const elapsed = performance.now() - start;
    const { user, system } = process.cpuUsage(own);
    least = Math.min(least, options.write && elapsed > SHORT ? (user + system) / 1000 : elapsed);
  }
  return least;
}

async function measure(name, n, threads) {
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
  return onTeam(memory, name, threads, (run) => ({
    gemm: fastest(
      () => {},
      () => run(() => engine.gemm(n, n, n, 1, rows(a), rows(b), 0, rows(c))),
    ),
    cholesky: fastest(
      () => fill(c, definite),
      () => run(() => engine.cholesky(n, c)),
    ),
    inverse: fastest(
      () => fill(c, factor),
      () => run(() => engine.choleskyInverse(n, c)),
    ),
    eigh: fastest(
      () => fill(c, definite),
      () => run(() => engine.symmetricEigen(n, c, w)),
    ),
  }));
}

const onTeam = (memory, engine, threads, work) =>
  onThreads({ engine, threads }, (count) => startTeam(memory, count), work);

function runPeer(task, n, threads) {
  if (!existsSync(options.peers)) return undefined;
  const environment = { ...process.env, OPENBLAS_NUM_THREADS: String(threads) };
  const { status, stdout } = spawnSync('python3', [options.peers, task, String(n)], {
    env: environment,
    encoding: 'utf8',
  });
  return status === 0 ? JSON.parse(stdout) : undefined;
}

function measurePeers(n, threads) {
  const results = Object.keys(flops).map((task) => [task, runPeer(task, n, threads)?.min]);
  return results.some(([, least]) => least === undefined) ? undefined : Object.fromEntries(results);
}

function print(n, name, times) {
  if (times === undefined) {
    console.log(
      `${String(n).padStart(5)}  ${name.padEnd(12)}  not measured: python3 with SciPy and ${options.peers} are needed`,
    );
    return;
  }
  const cells = Object.entries(times).map(([task, ms]) => {
    const rate = (flops[task](n) / ms / 1e6).toFixed(1);
    return `${task} ${ms.toFixed(3).padStart(9)} ms ${rate.padStart(5)} GF/s`;
  });
  console.log(`${String(n).padStart(5)}  ${name.padEnd(12)}  ${cells.join('   ')}`);
}

/** A GPLVM's value and gradient (2 latent dimensions, 12 columns) by the library's operations, and the fused parts of it. */
async function measureEvaluation(n, threads) {
  const [q, columns] = [2, 12];
  const { memory64: memory } = float64Backend();
  const fused = wasmFusedOperations(memory);
  const [x, k, g, dx] = [n * q, n * n, n * n, n * q].map((length) => memory.allocate(8 * length));
  const { normal } = seededRandom(1);
  const [points, observations] = [n * q, n * columns].map((length) => Float64Array.from({ length }, normal));
  memory.float64(x, n * q).set(points);
  memory.float64(g, n * n).fill(1);
  const parameters = { variance: 1, lengthscales: [1, 1], bias: 1, noise: 0.1 };
  const profile = { name: 'rbf', compiled: 'rbf' };
  const parts = {
    covariance: () => fused.radialSum(n, q, x, profile, parameters, k),
    contraction: () => fused.radialSumGradient(n, q, x, profile, parameters, k, g, dx),
    total: () =>
      withFloat64(() => {
        const X = op.tensor(points, [n, q]);
        const Y = op.tensor(observations, [n, columns]);
        const p = { variance: op.scalar(1), lengthscale: op.scalar(1), bias: op.scalar(1), noise: op.scalar(0.1) };
        const K = () => op.radialGramMatrix(X, profile, p);
        return valueAndGradients(() => op.gaussianLogDensity(K(), { observations: Y, constant: true }), [X]);
      }),
  };
  const times = await onTeam(memory, 'wasm', threads, (run) =>
    withEngine(memory, 'wasm', () =>
      Object.entries(parts).map(([part, work]) => [
        part,
        fastest(
          () => {},
          () => run(work),
        ),
      ]),
    ),
  );
  const cells = times.map(([part, ms]) => `${part} ${ms.toFixed(3)}`);
  const peer = runPeer('gplvm-eval', n, threads);
  console.log(
    `${String(n).padStart(5)}  evaluation${onMany(threads)}  ${cells.join('  ')} ms${peer ? `   peer ${peer.min} ms` : ''}`,
  );
  [x, k, g, dx].forEach((offset, i) => {
    memory.release(offset, 8 * [n * q, n * n, n * n, n * q][i]);
  });
}

function measureFunctions() {
  const length = 100_000;
  const memory = new Float64Memory();
  const functions = wasmElementaryFunctions(memory);
  const [x, y] = [memory.allocate(8 * length), memory.allocate(8 * length)];
  const { uniform } = seededRandom(1);
  memory.float64(x, length).set(Float64Array.from({ length }, () => 0.01 + 5 * uniform()));
  const from = memory.float64(x, length);
  const to = memory.float64(y, length);
  const natives = {
    exponential: () =>
      from.forEach((value, i) => {
        to[i] = Math.exp(value);
      }),
    logarithm: () =>
      from.forEach((value, i) => {
        to[i] = Math.log(value);
      }),
    hyperbolicTangent: () =>
      from.forEach((value, i) => {
        to[i] = Math.tanh(value);
      }),
  };
  for (const [name, native] of Object.entries(natives)) {
    const [ours, theirs] = [() => functions[name](length, x, y), native].map(
      (run) => (fastest(() => {}, run) / length) * 1e6,
    );
    console.log(`${name.padEnd(17)}  wasm ${ours.toFixed(2)} ns   Math ${theirs.toFixed(2)} ns an entry`);
  }
}

console.log(`peak of 128-bit vectors, one thread: ${(await peakRate()).toFixed(1)} GF/s`);
const [sizes, threads] = [options.sizes, options.threads].map((list) => list.split(',').map(Number));
const onMany = (count) => (count === 1 ? '' : ` ×${count}`);
for (const n of sizes) {
  for (const name of options.engines.split(',')) {
    for (const count of name.startsWith('wasm') ? threads : [1]) {
      print(n, `${name}${onMany(count)}`, await measure(name, n, count));
    }
  }
  for (const count of threads) print(n, `OpenBLAS${onMany(count)}`, measurePeers(n, count));
}
for (const n of sizes) for (const count of threads) await measureEvaluation(n, count);
measureFunctions();
