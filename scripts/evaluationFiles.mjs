/**
 * Names the files of the library that one evaluation of a GPLVM with its default prior passes through, by V8's coverage:
 *   npm run count:files [-- --list]
 * Counted are files of which a function was called in a second evaluation of the same model, value and gradients.
 */
import { Session } from 'node:inspector/promises';
import { evaluate, gplvm } from '../dist/index.js';

const observations = Array.from({ length: 20 }, (_, i) => [Math.sin(i), Math.cos(i), Math.sin(2 * i)]);
const model = gplvm(observations, { latentDim: 2 });
evaluate(model);

const dist = new URL('../dist/', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
evaluate(model);
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();

const files = result
  .filter(({ url, functions }) => url.startsWith(dist) && functions.some(({ ranges }) => ranges[0].count > 0))
  .map(({ url }) => url.slice(dist.length).replace(/\.js$/, '.ts'))
  .sort();
for (const folder of new Set(files.map((file) => file.split('/')[0]))) {
  const own = files.filter((file) => file.startsWith(`${folder}/`));
  console.log(`${String(own.length).padStart(4)}  ${folder}`);
  if (process.argv.includes('--list')) for (const file of own) console.log(`      ${file}`);
}
const above = files.filter((file) => !/^(core|numerics|tensors)\//.test(file)).length;
console.log(`${files.length} files, ${above} of them above linear algebra and tensors`);
