/**
 * Prints a saved report as the benchmark did: the newest in bench/results/, or the file that is named. With --markdown as a page of
 * the documentation.
 *
 *   node bench/show.mjs [FILE] [--markdown]        (docs/benchmarks.md: node bench/show.mjs --markdown > docs/benchmarks.md)
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
    '`wasm`, `wasm-fma`, `native` and `typescript` are engines of latentfield ([engines.md](engines.md)). `peers.py` is numpy, SciPy and scikit-learn. `×2` means two threads. ' +
      '`ratio` is the time of a row divided by that of the contender below `to`: below 1, the row is faster. Brackets hold the least and the greatest ratio of a round.\n',
  );
  console.log('```text');
}
printTables(report);
if (options.markdown) console.log('```');
