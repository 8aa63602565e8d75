// How far rounding moves the gradients of the collapsed bound: two shards in threads beside one process, by the jitter of the inducing inputs, where a
// fit starts; and two fits of so many iterations. Prints the table of docs/distributed.md.
//
//   node bench/queue/conditioning.mjs [--rows 20000] [--inducing 50] [--iterations 60]      Needs `npm run build`.
import { parseArgs } from 'node:util';
import { bayesianGplvm, evaluate, fit } from 'latentfield';
import { pipeFlow } from 'latentfield/data';
import { queueShards } from 'latentfield/queue';

process.env.LATENTFIELD_ENGINE ??= 'wasm';
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    inducing: { type: 'string', default: '50' },
    iterations: { type: 'string', default: '60' },
  },
});
const { observations } = pipeFlow({ points: Number(values.rows), seed: 1 });
const model = (more) => bayesianGplvm(observations, { latentDim: 2, inducing: Number(values.inducing), ...more });
const spread = (more) => model({ ...more, shards: queueShards({ count: 2 }) });
const numbers = (value) => (typeof value === 'number' ? [value] : Array.from(value.data ?? value));

/** Largest difference, relative to the largest entry. */
function difference(a, b) {
  const [mine, theirs] = [numbers(a), numbers(b)];
  const largest = theirs.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  return (theirs.reduce((most, entry, i) => Math.max(most, Math.abs(mine[i] - entry)), 0) / largest).toExponential(1);
}

console.log('| jitter | bound | gradient in `latents.mean` | in `mapping.inducing` |\n| --- | --- | --- | --- |');
for (const jitter of [1e-3, 1e-4, 1e-5, undefined, 1e-8]) {
  const more = jitter === undefined ? {} : { jitter };
  const [a, b] = [await evaluate(spread(more)), await evaluate(model(more))];
  const gradients = ['latents.mean', 'mapping.inducing'].map((path) =>
    difference(a.gradients[path], b.gradients[path]),
  );
  console.log(`| ${jitter ?? 'the default'} | ${difference(a.objective, b.objective)} | ${gradients.join(' | ')} |`);
}
const limits = { maxIterations: Number(values.iterations), seed: 1 };
if (limits.maxIterations > 0) {
  const [a, b] = [await fit(spread({}), limits), await fit(model({}), limits)];
  const latents = difference(a.latents, b.latents);
  console.log(
    `After ${limits.maxIterations} iterations: bounds ${a.objective.toFixed(0)} and ${b.objective.toFixed(0)}, latents ${latents} apart.`,
  );
}
