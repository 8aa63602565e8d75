/**
 * How a fit in batches grows with the number of points:
 *
 *   node bench/minibatches.mjs [--sizes 12500,25000,50000,100000] [--batch 256] [--usps] [--check]
 *
 * Generated points on a curved sheet in 10 columns, q = 2, 50 inducing inputs, batches of 256, on one thread of the WebAssembly engine: CPU seconds of the second
 * epoch, the growth exponent over the size before, and the peak memory of tensors in a fit, relative to one N×M matrix. With `--usps` the
 * 9298 digits of USPS, 256 columns, replace them, whole and in two parts, q = 10. With `--check` memory and bound must agree with docs/project/inference.md
 * for these sizes, to one unit of the last digit; seconds are not compared. Needs `npm run build`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fromDist } from './context.mjs';
import { isSame } from './reproductions/differences.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string' },
    batch: { type: 'string', default: '256' },
    usps: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const { bayesianGplvm, encoded, fit, Matrix, mlpMap, seededRandom } = (await import('./library.mjs')).default;
const { float64Backend } = await fromDist('engine/tensors/float64/scope.js');
const INDUCING = 50;
const EPOCHS = 2;

function sheet(N) {
  const random = seededRandom(1);
  const Y = Matrix.zeros(N, 10);
  for (let i = 0; i < N; i++) {
    const [s, t] = [2 * random.uniform() - 1, 2 * random.uniform() - 1];
    for (let j = 0; j < Y.columns; j++) {
      Y.data[i * Y.columns + j] = Math.sin((1 + j / 5) * s + j) + Math.cos((2 - j / 8) * t) + 0.05 * random.normal();
    }
  }
  return Y;
}

async function digits() {
  const { hasData, readMatrix } = await import('./reproductions/data.mjs');
  if (options.check && !hasData('usps_X.npy')) {
    console.log('Left out: the digits of USPS are not there.');
    process.exit(0);
  }
  const all = await readMatrix('usps_X.npy');
  // Evenly spaced, since the file has the digits in order of their class.
  return (N) => Matrix.from(Array.from({ length: N }, (_, i) => all.row(Math.floor((i * all.rows) / N))));
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Waits until what earlier fits have left is freed: freed during the next one, it would count as memory which that did not take. */
async function collected() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function measured(Y, latentDim, latents) {
  const memory = float64Backend().memory64;
  const batchSize = Number(options.batch);
  const model = bayesianGplvm(Y, { latentDim, inducing: INDUCING, ...(latents && { posterior: latents() }) });
  const perEpoch = Math.ceil(Y.rows / batchSize);
  await collected();
  const before = memory.liveBytes;
  memory.resetPeak();
  let begun = 0;
  let seconds = 0;
  const { objective } = await fit(model, {
    batchSize,
    maxEpochs: EPOCHS,
    engine: 'wasm',
    threads: 1,
    onProgress: ({ iteration }) => {
      if (iteration === perEpoch) begun = cpuSeconds();
      if (iteration === EPOCHS * perEpoch) seconds = cpuSeconds() - begun;
    },
  });
  return { seconds, objective, matrices: (memory.peakBytes - before) / (8 * Y.rows * INDUCING) };
}

const [data, made, latentDim, usual] = options.usps
  ? ['USPS', await digits(), 10, '2324,4649,9298']
  : ['generated', sheet, 2, '12500,25000,50000,100000'];

/** Cells of the document's rows about these points, by their names here. */
const documented = readFileSync(new URL('../docs/project/inference.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith(`| ${data} |`))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, , N, latents, memory, bound]) => ({ N: Number(N), latents, memory, bound }));
const wrong = [];

function compare(N, latents, found) {
  const stored = documented.find((row) => row.N === N && row.latents === latents);
  if (stored === undefined) wrong.push(`${N} points, ${latents}: the document has no such row`);
  for (const [what, text] of stored === undefined ? [] : Object.entries(found)) {
    if (!isSame(text, stored[what]))
      wrong.push(`${N} points, ${latents}, ${what}: ${text}, in the document ${stored[what]}`);
  }
}
for (const [name, latents] of [
  ['a mean and a variance per point', undefined],
  ['latents encoded by an MLP', () => encoded(mlpMap({ hidden: 20 }))],
]) {
  console.log(
    `\n${name}\n${['N', 'CPU s per epoch', 'growth', 'memory in N×M', 'bound per entry'].map((t) => t.padStart(16)).join('')}`,
  );
  let last;
  for (const N of (options.sizes ?? usual).split(',').map(Number)) {
    const Y = made(N);
    const { seconds, objective, matrices } = await measured(Y, latentDim, latents);
    const growth = last === undefined ? '' : (Math.log(seconds / last.seconds) / Math.log(N / last.N)).toFixed(2);
    const found = { memory: matrices.toFixed(2), bound: (objective / N / Y.columns).toFixed(3) };
    const row = [N, seconds.toFixed(2), growth, found.memory, found.bound];
    console.log(row.map((text) => String(text).padStart(16)).join(''));
    if (options.check) compare(N, name, found);
    last = { N, seconds };
  }
}
if (wrong.length > 0) {
  console.error(`docs/project/inference.md says something else:\n  ${wrong.join('\n  ')}`);
  process.exit(1);
}
