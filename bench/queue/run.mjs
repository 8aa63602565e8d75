// Costs and gains of a queue on this machine: round trips, restarts over two workers, a lost worker, and shards of a Bayesian GPLVM. Prints
// the table of docs/project/distributed.md, and with --write puts it there. Needs redis-server, and BullMQ among the installed packages.
//
//   npm run bench:queue            N = 100 000
//   npm run bench:queue -- --rows 5000
//   npm run bench:queue -- --write
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { add, bayesianGplvm, bias, evaluate, fit, gplvm, logDensityOf, rbf } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { queuePool, queueShards, redisTransport } from 'latentfield/queue';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, write: { type: 'boolean', default: false } },
});
const N = Number(values.rows);
// The engine of a default installation. A native library starts threads, so that two workers with it share the cores badly.
process.env.LATENTFIELD_ENGINE ??= 'wasm';
const program = fileURLToPath(new URL('../../dist/app/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'latentfield-bench-'));
const free = createServer().listen(0, '127.0.0.1');
await once(free, 'listening');
const { port } = free.address();
free.close();
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']);
await once(redis.stdout, 'data');
const connection = `redis://127.0.0.1:${port}`;
const workers = [];
const lines = [];
const print = (line) => {
  lines.push(line);
  console.log(line);
};
const say = (name, value) => print(`| ${name} | ${value} |`);
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
  const { observations } = pipeFlow({ points: 300, seed: 1 });
  const model = () => gplvm(observations, { latentDim: 2, kernel: add(rbf(), bias()) });
  const options = { maxIterations: 100, restarts: 7, seed: 1 };
  const alone = await seconds(() => fit(model(), options));
  const threads = await seconds(() => fit(model(), { ...options, workers: 2 }));
  await Promise.all([startWorker(), startWorker()]);
  const queue = () => seconds(() => fit(model(), { ...options, workers: queuePool({ connection }) }));
  await queue();
  const spread = await queue();
  const lost = queue();
  // Well within the fit, on any machine.
  await new Promise((resolve) => setTimeout(resolve, 400 * spread.seconds));
  workers[0].kill('SIGKILL');
  await startWorker();
  const survived = await lost;
  say('8 starts of a GPLVM, N = 300, 100 iterations: one thread', `${alone.seconds.toFixed(1)} s`);
  say('… two threads (`workers: 2`)', `${threads.seconds.toFixed(1)} s`);
  say('… two workers of a queue', `${spread.seconds.toFixed(1)} s`);
  say('… one of them killed two fifths through, and another started', `${survived.seconds.toFixed(1)} s`);
  const again = survived.value.message.includes('was done again') ? 'yes' : 'no';
  say('… a start was taken over from the worker that was killed', again);
  const bits = ({ value: { latents, trace } }) => JSON.stringify([latents, trace]);
  const areEqual = [threads, spread, survived].every((one) => bits(one) === bits(alone));
  say('… all of them with the same bits', areEqual ? 'yes' : 'no');
  await stopWorkers();
}

const rowsOf = (rows) => pipeFlow({ points: rows, seed: 1 }).observations;

/** Seconds of an evaluation after the first, which hands out the rows, and the largest memory of a worker. */
async function evaluations(rows, inducing, count, repeats) {
  const shards = count === 0 ? {} : { shards: queueShards({ connection, count }) };
  const model = bayesianGplvm(rows, { latentDim: 2, inducing, ...shards });
  const problem = await logDensityOf(model, { seed: 1 });
  problem.evaluate(problem.start);
  const times = [];
  for (let k = 0; k < repeats; k++) {
    const point = problem.start.map((entry) => entry * (1 + 1e-6 * (k + 1)));
    times.push((await seconds(() => problem.evaluate(point))).seconds);
  }
  const memory = workers.slice(0, count).map(peak);
  problem.dispose();
  return { seconds: median(times), memory: Math.max(...memory) };
}

async function shards() {
  // Memory of a worker with hardly any rows: its main thread, the thread of the shard, and the library in both.
  await startWorker();
  const { memory: base } = await evaluations(rowsOf(100), 20, 1, 1);
  await stopWorkers();
  const rows = rowsOf(N);
  for (const M of [20, 50]) {
    const alone = await evaluations(rows, M, 0, 5);
    say(`Bayesian GPLVM, N = ${N}, M = ${M}, q = 2: an evaluation in one process`, `${alone.seconds.toFixed(3)} s`);
    for (const count of [1, 2]) {
      await Promise.all(Array.from({ length: count }, startWorker));
      const { seconds: time, memory } = await evaluations(rows, M, count, 5);
      say(`… ${count} worker${count > 1 ? 's' : ''} with a shard each`, `${time.toFixed(3)} s`);
      say('… largest memory of a worker above one with 100 rows', `${(memory - base).toFixed(0)} MB`);
      if (count === 2) {
        const model = (more) => bayesianGplvm(rows, { latentDim: 2, inducing: M, ...more });
        const spread = await evaluate(model({ shards: queueShards({ connection, count }) }));
        const here = await evaluate(model({}));
        const bits = ({ objective, gradients }) => JSON.stringify([objective, gradients]);
        say('… value and gradients with the bits of one process', bits(spread) === bits(here) ? 'yes' : 'no');
      }
      await stopWorkers();
    }
  }
  await Promise.all([startWorker(), startWorker()]);
  const small = rowsOf(100);
  const [tiny, local] = [await evaluations(small, 5, 2, 30), await evaluations(small, 5, 0, 30)];
  say('Overhead of an evaluation (N = 100, two shards)', `${(1000 * (tiny.seconds - local.seconds)).toFixed(1)} ms`);
  await stopWorkers();
}

print(
  `${cpus()[0].model}, ${cpus().length} processors, Node.js ${process.version}, engine ${process.env.LATENTFIELD_ENGINE}, load ${loadavg()[0].toFixed(1)}\n`,
);
print('| what | measured |\n| --- | --- |');
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
if (values.write) write();

/** Puts what was printed between the marks of the page. */
function write() {
  const page = new URL('../../docs/project/distributed.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  const [begin, end] = ['<!-- bench:queue -->', '<!-- /bench:queue -->'];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`docs/project/distributed.md has no place for the table: ${begin} … ${end}.`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n${lines.join('\n')}\n${text.slice(to)}`);
}
