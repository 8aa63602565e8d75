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
    'Times of `npm run bench` on one machine, also where latentfield is slower. `node bench/show.mjs --markdown` writes this page from',
  );
  console.log(
    `\`${positionals[0] ?? `bench/results/${newest}`}\`. Contenders take turns in one run; nothing else ran meanwhile.\n`,
  );
  console.log('```text');
}
printTables(report);
if (options.markdown) console.log('```');
