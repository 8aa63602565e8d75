// Fits on a queue with three workers; again and again one is killed (SIGKILL) at a random time: each result must have the
// bits of a fit on this machine. Needs redis-server, and BullMQ among the installed packages.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fit } from 'latentfield';
import { queuePool } from 'latentfield/queue';
import seedrandom from 'seedrandom';
import { killedModel } from './killedFit.mjs';
import { tried } from './report.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
const options = { maxIterations: 25, restarts: 23, seed: 1 };
const WORKERS = 3;

export async function attackQueue({ seed, cases, report }) {
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    console.log('queue: left out, as redis-server is not installed (apt-get install redis-server)');
    return;
  }
  const random = seedrandom(`queue ${seed}`);
  const redis = await startRedis();
  const connection = `redis://127.0.0.1:${redis.port}`;
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(connection)));
  try {
    const began = performance.now();
    const whole = bitsOf(await fit(killedModel(), options));
    // An undisturbed fit measures the time of one.
    await fit(killedModel(), { ...options, workers: queuePool({ connection }) });
    const usual = (performance.now() - began) / 2;
    for (let k = 0; k < cases; k++) {
      const running = tried(report, `kill ${k}`, () =>
        fit(killedModel(), { ...options, workers: queuePool({ connection }) }),
      );
      await new Promise((resolve) => setTimeout(resolve, random() * usual));
      const at = Math.floor(random() * WORKERS);
      workers[at].kill('SIGKILL');
      workers[at] = await startWorker(connection);
      const ended = await running;
      if (ended?.error !== undefined) report.fail(`kill ${k}`, ended.error.message);
      else if (ended !== undefined && bitsOf(ended.value) !== whole)
        report.fail(`kill ${k}`, 'the result has other bits');
      else if (ended !== undefined) {
        const isAgain = ended.value.message.includes('was done again');
        report.count(isAgain ? 'the same bits, a start taken over' : 'the same bits');
      }
    }
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await redis.stop();
  }
}

async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-redis-'));
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']);
  await once(server.stdout, 'data');
  return {
    port,
    async stop() {
      const exit = once(server, 'exit');
      server.kill();
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startWorker(connection) {
  const args = [program, 'worker', '--redis', connection, '--lock-seconds', '1'];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(worker.stderr, 'data');
  return worker;
}

const bitsOf = ({ latents, objective, parameters, trace, status }) =>
  JSON.stringify([latents, objective, parameters, trace, status]);
