/**
 * How a fit in batches grows with the number of points:
 *
 *   node bench/minibatches.mjs [--sizes 12500,25000,50000,100000] [--batch 256]
 *
 * Generated points on a curved sheet in 10 columns, q = 2, 50 inducing inputs, batches of 256, on the WebAssembly engine. Seconds of one epoch,
 * the growth exponent over the size before, and the most memory that tensors held in a fit, over that of one N×M matrix. Needs `npm run build`.
 */
import { parseArgs } from 'node:util';
import { fromDist } from './context.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '12500,25000,50000,100000' },
    batch: { type: 'string', default: '256' },
  },
});
const { bayesianGplvm, encoded, fit, Matrix, mlpMap, seededRandom } = await fromDist('index.js');
const { float64Backend } = await fromDist('tensors/float64/scope.js');
const [INDUCING, COLUMNS] = [50, 10];

function sheet(N) {
  const random = seededRandom(1);
  const Y = Matrix.zeros(N, COLUMNS);
  for (let i = 0; i < N; i++) {
    const [s, t] = [2 * random.uniform() - 1, 2 * random.uniform() - 1];
    for (let j = 0; j < COLUMNS; j++) {
      Y.data[i * COLUMNS + j] = Math.sin((1 + j / 5) * s + j) + Math.cos((2 - j / 8) * t) + 0.05 * random.normal();
    }
  }
  return Y;
}

async function measured(N, latents) {
  const memory = float64Backend().memory64;
  const batchSize = Number(options.batch);
  const model = bayesianGplvm(sheet(N), { latentDim: 2, inducing: INDUCING, ...(latents && { latents: latents() }) });
  const perEpoch = Math.ceil(N / batchSize);
  const before = memory.liveBytes;
  memory.resetPeak();
  let begun = 0;
  let seconds = 0;
  const { objective } = await fit(model, {
    batchSize,
    maxEpochs: 1,
    engine: 'wasm',
    onProgress: ({ iteration }) => {
      if (iteration === 0) begun = performance.now();
      if (iteration === perEpoch) seconds = (performance.now() - begun) / 1000;
    },
  });
  return { seconds, objective, matrices: (memory.peakBytes - before) / (8 * N * INDUCING) };
}

for (const [name, latents] of [
  ['a mean and a variance a point', undefined],
  ['latents encoded by an MLP', () => encoded(mlpMap({ hidden: 20 }))],
]) {
  console.log(
    `\n${name}\n${['N', 's an epoch', 'growth', 'memory in N×M', 'bound an entry'].map((t) => t.padStart(15)).join('')}`,
  );
  let last;
  for (const N of options.sizes.split(',').map(Number)) {
    const { seconds, objective, matrices } = await measured(N, latents);
    const growth = last === undefined ? '' : (Math.log(seconds / last.seconds) / Math.log(N / last.N)).toFixed(2);
    const row = [N, seconds.toFixed(2), growth, matrices.toFixed(2), (objective / N / COLUMNS).toFixed(3)];
    console.log(row.map((text) => String(text).padStart(15)).join(''));
    last = { N, seconds };
  }
}
