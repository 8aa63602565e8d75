// What a queue costs and gains on this machine: round trips, restarts over two workers, a lost worker, and shards of a Bayesian GPLVM. Prints
// the table of docs/distributed.md. Takes redis-server, and BullMQ among the installed packages.
//
//   npm run bench:queue            N = 100 000
//   npm run bench:queue -- --rows 5000
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { add, bayesianGplvm, bias, fit, gplvm, open, rbf } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { queuePool, queueShards, redisTransport } from 'latentfield/queue';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
const N = Number(values.rows);
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'latentfield-bench-'));
const free = createServer().listen(0, '127.0.0.1');
await once(free, 'listening');
const { port } = free.address();
free.close();
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']);
await once(redis.stdout, 'data');
const connection = `redis://127.0.0.1:${port}`;
const workers = [];
const say = (name, value) => console.log(`| ${name} | ${value} |`);
const seconds = async (run) => {
  const began = performance.now();
  const value = await run();
  return { value, seconds: (performance.now() - began) / 1000 };
};
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function startWorker() {
  const args = [program, 'worker', '--redis', connection];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(worker.stderr, 'data');
  workers.push(worker);
  return worker;
}

async function stopWorkers() {
  for (const worker of workers.splice(0)) {
    if (worker.exitCode !== null || worker.signalCode !== null) continue;
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
  }
}

/** Largest resident memory of a process so far, MB. */
const peak = ({ pid }) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000;

/** Milliseconds from adding a job to hearing of its end, by the bytes that it fetches and gives back. */
async function roundTrip(bytes) {
  const transport = await redisTransport({ connection, prefix: 'bench' });
  const payload = new Uint8Array(bytes);
  const ended = new Map();
  const stop = await transport.watch('trips', {
    completed: (id) => ended.get(id)?.(),
    failed: () => undefined,
    advanced: () => undefined,
    lost: () => undefined,
  });
  const serving = await transport.serve('trips', {
    concurrency: 1,
    problem: console.error,
    run: async ({ id }) => transport.blobs.put(`out/${id}`, await transport.blobs.get(`in/${id}`)),
  });
  const times = [];
  for (let k = 0; k < 60; k++) {
    const id = `trip-${bytes}-${k}`;
    const trip = await seconds(async () => {
      await transport.blobs.put(`in/${id}`, payload);
      const done = new Promise((resolve) => ended.set(id, resolve));
      await transport.add('trips', [{ id, body: '' }]);
      await done;
      await transport.blobs.get(`out/${id}`);
    });
    times.push(1000 * trip.seconds);
  }
  await serving.close();
  await stop();
  await transport.close();
  return median(times.slice(10));
}

async function restarts() {
  const { observations } = pipeFlow({ points: 200, seed: 1 });
  const model = () => gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()) });
  const options = { maxIterations: 40, restarts: 7, seed: 1 };
  const alone = await seconds(() => fit(model(), options));
  const threads = await seconds(() => fit(model(), { ...options, workers: 2 }));
  await Promise.all([startWorker(), startWorker()]);
  const queue = () => seconds(() => fit(model(), { ...options, workers: queuePool({ connection }) }));
  await queue();
  const spread = await queue();
  const lost = queue();
  await new Promise((resolve) => setTimeout(resolve, 500));
  workers[0].kill('SIGKILL');
  await startWorker();
  const survived = await lost;
  say('8 starts of a GPLVM, N = 200, 40 iterations: one thread', `${alone.seconds.toFixed(1)} s`);
  say('… two threads (`workers: 2`)', `${threads.seconds.toFixed(1)} s`);
  say('… two workers of a queue', `${spread.seconds.toFixed(1)} s`);
  say('… one of them killed and another started', `${survived.seconds.toFixed(1)} s`);
  const bits = ({ value: { latents, trace } }) => JSON.stringify([latents, trace]);
  say(
    '… all of them with the same bits',
    [threads, spread, survived].every((one) => bits(one) === bits(alone)),
  );
  await stopWorkers();
}

const rowsOf = (rows) => pipeFlow({ points: rows, seed: 1 }).observations;

/** Seconds of an evaluation after the first, which hands out the rows, and the largest memory of a worker. */
async function evaluations(rows, inducing, count, repeats) {
  const shards = count === 0 ? {} : { shards: queueShards({ connection, count }) };
  const model = bayesianGplvm(rows, { latentDim: 2, inducing, ...shards });
  const problem = await open(model, { seed: 1 });
  const first = problem.evaluate(problem.start);
  const times = [];
  for (let k = 0; k < repeats; k++) {
    const point = problem.start.map((entry) => entry * (1 + 1e-6 * (k + 1)));
    times.push((await seconds(() => problem.evaluate(point))).seconds);
  }
  const memory = workers.slice(0, count).map(peak);
  problem.dispose();
  return { first, seconds: median(times), memory: Math.max(...memory) };
}

async function shards() {
  const M = 20;
  const rows = rowsOf(N);
  const alone = await evaluations(rows, M, 0, 5);
  say(`Bayesian GPLVM, N = ${N}, M = ${M}, q = 2: an evaluation in one process`, `${alone.seconds.toFixed(3)} s`);
  const found = [];
  let base = 0;
  for (const count of [1, 2]) {
    await Promise.all(Array.from({ length: count }, startWorker));
    base = peak(workers[0]);
    found[count] = await evaluations(rows, M, count, 5);
    const { seconds: time, memory } = found[count];
    say(`… ${count} worker${count > 1 ? 's' : ''} with a shard each`, `${time.toFixed(3)} s`);
    say('… largest memory of a worker above that of one without rows', `${(memory - base).toFixed(0)} MB`);
    await stopWorkers();
  }
  const difference = (a, b) => {
    const largest = b.gradient.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
    return Math.max(
      Math.abs(a.value - b.value) / Math.abs(b.value),
      a.gradient.reduce((most, entry, i) => Math.max(most, Math.abs(entry - b.gradient[i]) / largest), 0),
    );
  };
  say(
    '… largest relative difference of two shards from one process',
    difference(found[2].first, alone.first).toExponential(1),
  );
  await Promise.all([startWorker(), startWorker()]);
  const small = rowsOf(100);
  const [tiny, local] = [await evaluations(small, 5, 2, 30), await evaluations(small, 5, 0, 30)];
  say('Overhead of an evaluation (N = 100, two shards)', `${(1000 * (tiny.seconds - local.seconds)).toFixed(1)} ms`);
  await stopWorkers();
}

console.log(
  `${cpus()[0].model}, ${cpus().length} processors, Node.js ${process.version}, load ${loadavg()[0].toFixed(1)}\n`,
);
console.log('| what | measured |\n| --- | --- |');
try {
  for (const bytes of [1000, 20_000, 300_000, 3_000_000]) {
    say(`Round trip of a job, ${bytes / 1000} kB each way`, `${(await roundTrip(bytes)).toFixed(1)} ms`);
  }
  await restarts();
  await shards();
} finally {
  await stopWorkers();
  redis.kill();
  rmSync(folder, { recursive: true, force: true });
}
