// Sweeps on a queue whose surroundings fail: workers that pause longer than their lock (two workers then have one job), clocks that jump, a Redis
// that restarts in the middle with and without its data, and one with too little memory. Each sweep must end with the table of an undisturbed one, or with
// a typed error with a remedy; it must not hang, and a second run must then have that table. Needs redis-server, and BullMQ among the packages.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import seedrandom from 'seedrandom';
import { Y } from './savedModels.mjs';

const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
const CELLS = 24;
/** Limit on the time of a sweep to end or to report why it cannot, in milliseconds. */
const LONGEST = 120_000;

export async function attackQueueRaces({ seed, cases, report }) {
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    return report.skip('redis-server is not installed (apt-get install redis-server)');
  }
  const random = seedrandom(`queue races ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'latentfield-races-'));
  try {
    const spec = join(folder, 'spec.json');
    writeFileSync(join(folder, 'data.csv'), ['a,b,c', ...Y.map((row) => row.join(','))].join('\n'));
    const models = [{ model: 'gplvm', grid: { latentDim: [1, 2], noise: [0.01, 0.1] } }];
    const seeds = Array.from({ length: CELLS / 4 }, (_, k) => k);
    writeFileSync(spec, JSON.stringify({ data: 'data.csv', models, seeds, fit: { maxIterations: 200 } }));
    const quiet = await swept(spec, join(folder, 'quiet'), []);
    if (quiet.code !== 0) return report.fail('a quiet sweep', quiet.stderr);
    const expected = tableIn(join(folder, 'quiet'));
    const names = Object.keys(races);
    for (let k = 0; k < cases; k++) {
      const name = names[k % names.length];
      await raced({
        name,
        spec,
        out: join(folder, `out${k}`),
        folder: join(folder, `redis${k}`),
        expected,
        random,
        report,
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One sweep with its own server and two workers. */
async function raced({ name, spec, out, folder, expected, random, report }) {
  const { flags = [], preload, disturb } = races[name];
  const redis = await startRedis(folder, flags);
  const connection = `redis://127.0.0.1:${redis.port}`;
  const workers = [await startWorker(connection, spec, preload), await startWorker(connection, spec)];
  try {
    const running = swept(spec, out, ['--redis', connection, '--patience', '10']);
    await atOutcomes(out, 1 + Math.floor(random() * (CELLS / 2)), running);
    await disturb?.({ redis, workers });
    const { code, stderr } = await running;
    if (code === undefined) return report.fail(name, `it hangs: ${stderr.slice(-400)}`);
    if (code !== 0 && !isExplained(code, stderr)) return report.fail(name, `${code}: ${stderr.slice(-600)}`);
    const isSaid = code !== 0 || hasFailures(out);
    if (isSaid) {
      // The cells that are done stay done, and the rest is done here.
      const again = await swept(spec, out, []);
      if (again.code !== 0) return report.fail(`${name}, run again`, `${again.code}: ${again.stderr.slice(-400)}`);
    }
    if (tableIn(out) !== expected) return report.fail(name, 'the table is another');
    report.count(`${name}: ${isSaid ? 'said, and the same table when run again' : 'the same table'}`);
  } finally {
    for (const worker of workers) {
      worker.kill('SIGCONT');
      worker.kill('SIGKILL');
    }
    await redis.stop();
  }
}

const isExplained = (code, stderr) => [1, 2].includes(code) && !/failed unexpectedly|\n\s+at /.test(stderr);

/** Code that is run in a worker before the program. */
const jumping = (milliseconds, after) =>
  `const now = Date.now; const began = now(); Date.now = () => now() + (now() - began > ${after} ? ${milliseconds} : 0);`;

const races = {
  'a worker that is suspended, whose job another one has taken': {
    async disturb({ workers: [worker] }) {
      worker.kill('SIGSTOP');
      await pause(3000);
      worker.kill('SIGCONT');
    },
  },
  'a clock that jumps an hour ahead': { preload: jumping(3_600_000, 1500) },
  'a clock that jumps an hour back': { preload: jumping(-3_600_000, 1500) },
  'a Redis that starts again with its data': {
    flags: ['--appendonly', 'yes', '--appendfsync', 'always'],
    disturb: ({ redis }) => redis.restart('SIGKILL', 500),
  },
  'a Redis that starts again without its data': { disturb: ({ redis }) => redis.restart('SIGKILL', 500) },
  'a Redis that is away for longer than the locks': {
    flags: ['--appendonly', 'yes', '--appendfsync', 'always'],
    disturb: ({ redis }) => redis.restart('SIGTERM', 4000),
  },
  'a Redis that never comes back': { disturb: ({ redis }) => redis.end('SIGKILL') },
  'a Redis that runs out of memory': { disturb: ({ redis }) => redis.set('maxmemory', '1') },
  'a Redis that evicts keys': {
    async disturb({ redis }) {
      await redis.set('maxmemory-policy', 'allkeys-random');
      await redis.set('maxmemory', '900000');
    },
  },
  'a worker that is killed while the other is suspended': {
    async disturb({ workers: [first, second] }) {
      first.kill('SIGSTOP');
      await pause(500);
      second.kill('SIGKILL');
      await pause(3000);
      first.kill('SIGCONT');
    },
  },
};

/** Waits until this many cells are done, or the sweep has ended. */
async function atOutcomes(out, count, running) {
  let isOver = false;
  running.then(() => {
    isOver = true;
  });
  const folder = join(out, 'outcomes');
  while (!isOver && (existsSync(folder) ? readdirSync(folder).length : 0) < count) await pause(10);
}

/** Runs a sweep; without a code if it had to be killed. */
async function swept(spec, out, flags) {
  const child = spawn(process.execPath, [program, 'sweep', spec, '--out', out, ...flags]);
  let stderr = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return { code: signal === 'SIGKILL' ? undefined : code, stderr };
}

/** True if rows of the table without a fit have a reason. */
const hasFailures = (out) => /any longer|no longer|failed/.test(readFileSync(join(out, 'table.csv'), 'utf8'));

/** The table without the columns of times. */
function tableIn(out) {
  const [head, ...rows] = readFileSync(join(out, 'table.csv'), 'utf8').trim().split('\n');
  const kept = head.split(',').flatMap((name, j) => (/second|worker/i.test(name) ? [] : [j]));
  return [head, ...rows.sort()].map((row) => kept.map((j) => row.split(',')[j]).join()).join('\n');
}

export async function startRedis(folder, flags) {
  spawnSync('mkdir', ['-p', folder]);
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...flags];
  const start = async () => {
    const server = spawn('redis-server', args);
    await once(server.stdout, 'data');
    for (;;) {
      if (spawnSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8' }).stdout.includes('PONG'))
        return server;
      await pause(50);
    }
  };
  let server = await start();
  const end = async (signal) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  };
  return {
    port,
    end,
    async restart(signal, milliseconds) {
      await end(signal);
      await pause(milliseconds);
      server = await start();
    },
    set: (name, value) => spawnSync('redis-cli', ['-p', String(port), 'config', 'set', name, value]),
    stop: () => end('SIGKILL'),
  };
}

async function startWorker(connection, spec, preload) {
  const before = preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const allow = ['--allow', fileURLToPath(new URL('.', new URL(`file://${spec}`)))];
  const args = [...before, program, 'worker', '--redis', connection, '--lock-seconds', '1', ...allow];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(worker.stderr, 'data');
  worker.stderr.resume();
  return worker;
}
