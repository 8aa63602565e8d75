/**
 * One task in a separate process, with separate memory and threads: reads the points, by rows, from the input and
 * prints its measurements as JSON.
 *
 *   node bench/alone.mjs TASK COLUMNS SECONDS < points
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sampler } from './rounds.mjs';

const PROGRAM = fileURLToPath(import.meta.url);

/** Limit on the minutes of a task. */
const PATIENCE = 15;

const TASKS = {
  meu: fitMeu,
  'memory wasm': fitInMemory('wasm'),
  'memory native': fitInMemory('native'),
  counts: fitCounts,
  ISOMAP: embedByDruid('ISOMAP'),
  LLE: embedByDruid('LLE'),
};

/** Measurements of a task; undefined, with the reason in `missing`, when it failed or took too long. */
export function measuredAlone({ missing, seconds }, task, { data, rows, columns }, minutes = PATIENCE) {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [PROGRAM, task, String(columns), String(seconds)],
    {
      input: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      timeout: 60_000 * minutes,
    },
  );
  if (status === 0) return JSON.parse(stdout);
  const reason =
    stderr
      .trim()
      .split('\n')
      .find((line) => line.includes('Error')) ?? `it ended with status ${status}`;
  missing[`${task} ${rows}`] = error?.code === 'ETIMEDOUT' ? `It took more than ${minutes} minutes.` : reason;
  return undefined;
}

if (process.argv[1] === PROGRAM) {
  const [task, columns, seconds] = process.argv.slice(2);
  const bytes = readFileSync(0);
  const data = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  console.log(JSON.stringify(await TASKS[task](data, Number(columns), Number(seconds))));
}

async function fitMeu(data, columns) {
  const { Matrix, fit, meu } = await import(new URL('../dist/index.js', import.meta.url).href);
  const start = performance.now();
  const model = meu(new Matrix(data, data.length / columns, columns), { neighbors: 6, basePrecision: 1e-4 });
  const { objective, diagnostics, graph } = await fit(model, { engine: 'wasm' });
  return {
    ms: performance.now() - start,
    value: objective,
    evaluations: diagnostics.evaluations,
    kktResidual: diagnostics.kktResidual,
    edges: graph.sources.length,
    mebibytes: mebibytesHeld(),
  };
}

/** A few iterations of a GPLVM's fit: the most that its tensors took of the library's memory, in matrices of N×N. */
function fitInMemory(engine) {
  return async (data, columns) => {
    const library = (await import('./library.mjs')).default;
    const { peersGplvm } = await import('./sections/evaluations.mjs');
    const memory = library.withFloat64(({ memory64 }) => memory64);
    const rows = data.length / columns;
    const model = peersGplvm({ library }, new library.Matrix(data, rows, columns));
    const start = performance.now();
    const { diagnostics, objective } = await library.fit(model, { engine, maxIterations: 5 });
    return {
      ms: performance.now() - start,
      value: objective,
      evaluations: diagnostics.evaluations,
      matrices: Number((memory.peakBytes / (8 * rows * rows)).toFixed(2)),
      mebibytes: mebibytesHeld(),
    };
  };
}

/** The map of counts, on as many threads as the library takes. */
async function fitCounts(data, columns) {
  const { Matrix, fit, gplvm, poisson } = await import(new URL('../dist/index.js', import.meta.url).href);
  const rows = data.length / columns;
  const isLarge = rows > 1000;
  const [before, start] = [process.cpuUsage(), performance.now()];
  const model = gplvm(new Matrix(data, rows, columns), {
    latentDim: 2,
    inducing: isLarge ? 50 : 20,
    likelihood: poisson({ offset: 'rowSums' }),
    init: isLarge ? 'tsne' : 'pca',
  });
  const { latents, status, diagnostics } = await fit(model);
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const { evaluations, iterations } = diagnostics;
  const spent = { ms, cpuSeconds: (user + system) / 1e6, evaluations, iterations, mebibytes: mebibytesHeld() };
  return { ...spent, status, latents: Array.from(latents.data) };
}

/**
 * Peak memory of this process. In Linux, maxRSS includes memory of the parent at the start, so the high-water mark of the program is read instead; both are
 * in KiB.
 */
function mebibytesHeld() {
  const status = '/proc/self/status';
  const own = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8')) : null;
  return Math.round(Number(own?.[1] ?? process.resourceUsage().maxRSS) / 1024);
}

function embedByDruid(name) {
  return async (data, columns, seconds) => {
    const druid = await import('@saehrimnir/druidjs');
    const points = Array.from({ length: data.length / columns }, (_, i) => data.slice(i * columns, (i + 1) * columns));
    let latents;
    const measure = sampler(seconds, () => {
      latents = new druid[name](points, { neighbors: 10, d: 2, seed: 1 }).transform();
    });
    return { ...measure(), latents: Array.from(latents, (row) => Array.from(row)).flat() };
  };
}
