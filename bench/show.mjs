/**
 * Prints a saved report as the benchmark did: the newest in bench/results/, or the file that is named. With --markdown as a page of
 * the documentation.
 *
 *   node bench/show.mjs [FILE] [--markdown]        (docs/project/benchmarks.md: node bench/show.mjs --markdown > docs/project/benchmarks.md)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTables } from './report.mjs';

const { values: options, positionals } = parseArgs({
  options: { markdown: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const results = new URL('results/', import.meta.url);
// Names begin with the date.
const newest = readdirSync(results).sort().at(-1);
const report = JSON.parse(readFileSync(positionals[0] ?? fileURLToPath(new URL(newest, results)), 'utf8'));

if (options.markdown) {
  console.log('# Benchmarks\n');
  console.log(
    '`npm run bench` measured these times on one machine, of tasks too at which latentfield is slower. Contenders took turns in one run. Nothing else ran meanwhile.',
  );
  console.log(
    `\`node bench/show.mjs --markdown\` writes this page from \`${positionals[0] ?? `bench/results/${newest}`}\`.\n`,
  );
  console.log(
    '`wasm`, `native` and `typescript` are engines of latentfield ([engines.md](engines.md)), and `wasm-fma`, with fused multiply-add, was one when this was measured. `peers.py` is numpy, SciPy and scikit-learn. `×2` means two threads. ' +
      'Each engine has a process of its own in a section. `memory kept` is numpy whose C library keeps the memory that it frees: see `KEEPING` in bench/peers.mjs. ' +
      '`ratio` is the time of a row divided by that of the contender below `to`: below 1, the row is faster. Brackets hold the least and the greatest ratio of a round.\n',
  );
  console.log('```text');
}
printTables(report);
if (options.markdown) {
  console.log('```');
  printOnce();
}

/** What takes too long for a whole run, and was measured once by its own command. */
function printOnce() {
  const meu = 'once/meu-1000000.json';
  const [row] = readOnce(meu).results;
  const smaller = report.results
    .filter(({ section }) => section === 'meu')
    .findLast(({ contender }) => contender === row.contender);
  if (smaller !== undefined) {
    const exponent = Math.log(row.ms.median / smaller.ms.median) / Math.log(row.n / smaller.n);
    const grew = `From ${smaller.n} points on, the time grew by the power ${exponent.toFixed(2)} of their number.`;
    printOne('A million points', `npm run bench -- --only meu --sizes ${row.n}`, meu, grew);
  }
  const maps = 'once/maps-60000.json';
  printOne('Maps of 60 000 points', 'npm run bench -- --only maps --rounds 1 --threads 1,2 --sizes 60000', maps);
}

function readOnce(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

function printOne(title, command, file, found = '') {
  const once = readOnce(file);
  console.log(`\n## ${title}\n`);
  console.log(`\`${command} --out bench/${file}\` measured this once. ${once.note}`);
  console.log(`${found}${found === '' ? '' : '\n'}`);
  console.log('```text');
  printTables(once);
  console.log('```');
}
