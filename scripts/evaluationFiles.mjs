/**
 * Names the files of the library that run in one evaluation, and in one fit, of a GPLVM with its default prior, by V8's coverage:
 *   npm run count:files [-- --list]
 * Counts files with a function that was called in a second run: an evaluation of an open model, value and gradients, as in
 * each iteration of a fit; `evaluate`, which checks and initializes the model first; and a fit of five iterations.
 */
import { Session } from 'node:inspector/promises';
import { evaluate, fit, gplvm, logDensityOf } from '../dist/index.js';

const observations = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.cos(i), Math.sin(2 * i)]);
const dist = new URL('../dist/', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');

const model = gplvm(observations, { latentDim: 2 });
report('One evaluation', await filesOf(evaluationsOf(model)));
report(
  'One evaluation with what comes before it: checks, initial values, variables',
  await filesOf(() => evaluate(model)),
);
const options = { maxIterations: 5, seed: 1 };
report('One fit', await filesOf(() => fit(gplvm(observations, { latentDim: 2 }), options)));
session.disconnect();

/** Evaluates a model that is opened before the count starts, rebuilt each time: the operations of the first evaluations are recorded. */
function evaluationsOf(model) {
  const opened = [logDensityOf(model, { seed: 1 }), logDensityOf(model, { seed: 1 })];
  return () => {
    const one = opened.pop();
    one.evaluate(one.start);
  };
}

/** The files with a function that the second run of `work` calls. */
async function filesOf(run) {
  await run();
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(dist) && functions.some(({ ranges }) => ranges[0].count > 0))
    .map(({ url }) => url.slice(dist.length).replace(/\.js$/, '.ts'))
    .sort();
}

function report(what, files) {
  console.log(what);
  for (const folder of new Set(files.map((file) => file.split('/')[0]))) {
    const inside = files.filter((file) => file.startsWith(`${folder}/`));
    console.log(`${String(inside.length).padStart(4)}  ${folder}`);
    if (process.argv.includes('--list')) for (const file of inside) console.log(`      ${file}`);
  }
  const above = files.filter((file) => !/^(core|engine)\//.test(file)).length;
  console.log(`${files.length} files, ${above} of them above linear algebra and tensors`);
}
