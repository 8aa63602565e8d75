// Fits a GPLVM to a table through the command line, as a user would: `npm run demo`, `npm run demo -- FILE.csv`, and either
// with any options of `latentfield fit`, such as `npm run demo -- FILE.csv --labels COLUMN --dim 2`.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLabeledTable } from '../dist/app/cli/tableFlags.js';
import { pipeFlow } from '../dist/app/data/index.js';
import { readTable, writeTable } from '../dist/app/io/index.js';
import { nearestNeighborError } from '../dist/index.js';

const given = process.argv.slice(2);
const file = given[0]?.startsWith('-') ? undefined : given.shift();
const optionValue = (name) => {
  const at = given.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
  if (at < 0) return undefined;
  return given[at] === name ? given[at + 1] : given[at].slice(name.length + 1);
};
const withDefault = (name, value) => (optionValue(name) === undefined ? [name, value] : []);

const folder = optionValue('--out') ?? 'demo-output';
const data = file ?? (await simulated());
const defaults = [
  ...withDefault('--model', 'gplvm'),
  ...(file === undefined ? withDefault('--max-iterations', '20000') : []),
  ...withDefault('--out', folder),
  ...(given.includes('--force') ? [] : ['--force']),
  ...(file === undefined ? withDefault('--labels', 'flow') : []),
];
const program = fileURLToPath(new URL('../dist/app/cli/main.js', import.meta.url));
console.error(`Fitting ${data}; the results go to ${folder}/.`);
const { status } = spawnSync(process.execPath, [program, 'fit', data, ...defaults, ...given], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
if (!given.includes('--json')) await report();

/** The data that come with the package, as a file in the form of a user's table. */
async function simulated() {
  const { observations, labels, labelNames, columnNames } = pipeFlow();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'data.csv');
  await writeTable(path, observations, columnNames, { name: 'flow', values: labels.map((label) => labelNames[label]) });
  return path;
}

/** How well near points share a label, before and after. */
async function report() {
  const named = optionValue('--labels') ?? (file ? undefined : 'flow');
  const options = { allowMissing: true };
  const { observations, labels } = await readLabeledTable(data, named, options);
  const latents = (await readTable(join(folder, 'latents.csv'), { columns: 'x*' })).observations;
  if (labels !== undefined && labels.length === latents.rows) {
    const labeled = labels.map((_, i) => i).filter((i) => labels[i] !== '');
    const errors = (points) => {
      const rows = labeled.map((i) => points.row(i));
      const rate = nearestNeighborError(
        rows,
        labeled.map((i) => labels[i]),
      );
      return `${Math.round(rate * rows.length)} of ${rows.length} (${(100 * rate).toFixed(1)} %)`;
    };
    console.log('leave-one-out 1-nearest-neighbor errors:');
    console.log(`  ${errors(latents)} on the latents (dimension ${latents.columns})`);
    const isComplete = observations.data.every(Number.isFinite);
    if (isComplete) console.log(`  ${errors(observations)} on the data (dimension ${observations.columns})`);
  }
  console.log(`Open ${join(folder, 'plot.svg')} to see the embedding.`);
}
