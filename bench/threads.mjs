/**
 * Where threads pay: milliseconds that two take to start, the least time of an evaluation of a GPLVM on one and on two, by turns, and the
 * multiplications after which 'auto' starts them. The thresholds are in src/engine/wasm/instance.ts and src/inference/fit/fitThreads.ts.
 *
 *   npm run build && node bench/threads.mjs [--sizes 100,200,300,400,600,1000] [--engine wasm] [--seconds 3] [--write]
 *
 * --write puts the table into docs/project/engines.md. Where other programs run, a second thread seldom has a processor, and two threads take the time
 * of one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fromDist } from './context.mjs';
import { peersGplvm } from './sections/evaluations.mjs';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,200,300,400,600,1000' },
    engine: { type: 'string', default: 'wasm' },
    seconds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
const library = (await import('./library.mjs')).default;
const { pipeFlow } = await fromDist('app/data/index.js');
const { openProblem } = await fromDist('inference/fit/fitProblem.js');
const { sharedMemory } = await fromDist('engine/memory.js');
const { shareableMultiplications } = await fromDist('engine/wasm/instance.js');
const memory = sharedMemory();

const starts = [];
for (let round = 0; round < 8; round++) {
  const began = performance.now();
  const threads = await library.startThreads(2);
  starts.push(performance.now() - began);
  await threads.dispose();
}
const start = Math.min(...starts);

const lines = [
  '| N | one thread, ms | two, ms | two over one | multiplications that count | evaluations until 2e9 |',
  '| --- | --- | --- | --- | --- | --- |',
];
for (const n of options.sizes.split(',').map(Number)) lines.push(await row(n));
const busy = (loadavg()[0] / cpus().length).toFixed(1);
const head =
  `\`node bench/threads.mjs --write\` on ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}, \`${options.engine}\`, with ${busy} programs a processor ` +
  `at the same time. Two threads start in ${start.toFixed(0)} ms.`;
console.log([head, '', ...lines].join('\n'));
if (options.write) {
  const page = fileURLToPath(new URL('../docs/project/engines.md', import.meta.url));
  const text = readFileSync(page, 'utf8');
  const [from, to] = ['<!-- threads -->', '<!-- end -->'];
  const at = text.indexOf(from);
  if (at < 0) throw new Error(`docs/project/engines.md has no place for the table: ${from} … ${to}.`);
  writeFileSync(page, text.slice(0, at) + [from, head, '', ...lines, ''].join('\n') + text.slice(text.indexOf(to, at)));
}

async function row(n) {
  const Y = pipeFlow({ points: n, seed: 1 }).observations;
  const problem = openProblem(peersGplvm({ library }, Y), { seed: 0, engine: options.engine });
  const evaluate = () => problem.compute(() => problem.objective(problem.start));
  const before = shareableMultiplications(memory);
  evaluate();
  const counted = shareableMultiplications(memory) - before;
  const threads = await library.startThreads(2);
  const least = [Infinity, Infinity];
  const end = performance.now() + 1000 * Number(options.seconds);
  for (let runs = 0; runs < 20 || performance.now() < end; runs++) {
    for (const [i, run] of [evaluate, () => threads.run(evaluate)].entries()) {
      const began = performance.now();
      run();
      least[i] = Math.min(least[i], performance.now() - began);
    }
  }
  await threads.dispose();
  problem.dispose();
  const until = counted === 0 ? 'never' : Math.ceil(2e9 / counted);
  return `| ${n} | ${least[0].toFixed(2)} | ${least[1].toFixed(2)} | ${(least[1] / least[0]).toFixed(2)} | ${counted.toExponential(1)} | ${until} |`;
}
