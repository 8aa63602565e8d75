/**
 * Prints a saved report as the benchmark did: the newest in bench/results/, or the file that is named. With --page it writes
 * docs/project/benchmarks.md and its picture from the newest instead, and with --check it fails where these are not what it would write.
 *
 *   node bench/show.mjs [FILE]
 *   node bench/show.mjs --page | --check        (takes the built package)
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newestReport } from './machine.mjs';
import { benchmarkPage, PAGE, PICTURE } from './page.mjs';
import { printTables } from './report.mjs';
import { timesPicture } from './timesPicture.mjs';

const { values: options, positionals } = parseArgs({
  options: { page: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const file = positionals[0] ?? newestReport();
const report = JSON.parse(readFileSync(file, 'utf8'));

if (options.page || options.check) {
  const folder = new URL('once/', import.meta.url);
  const once = readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
  const page = benchmarkPage(report, once, basename(file));
  const picture = await timesPicture(report.results);
  for (const [path, text] of Object.entries({ [PAGE]: page, [PICTURE]: `${picture}\n` })) {
    const target = fileURLToPath(new URL(`../${path}`, import.meta.url));
    if (options.page) writeFileSync(target, text);
    else if (readFileSync(target, 'utf8') !== text) {
      console.error(`${path} is not what ${basename(file)} gives: node bench/show.mjs --page writes it.`);
      process.exitCode = 1;
    }
  }
} else printTables(report);
