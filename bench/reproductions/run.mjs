/**
 * Tables and figures of the papers, each by one command:
 *
 *   npm run reproduce -- NAME [NAME …] [--quick] [--fresh] [--output docs/reproductions]
 *   npm run reproduce -- --list
 *   npm run reproduce -- --all
 *   npm run reproduce -- --check           the quick forms of all, against the numbers stored in docs/reproductions/quick.json
 *   npm run reproduce -- --all --quick --store    stores them
 *
 * Each value is kept under --memory (demo-output/reproductions) as soon as it is there: a run that was interrupted goes on where it was.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.mjs';
import { hasData } from './data.mjs';
import { reproductions } from './index.mjs';
import { asMarkdown, asText, differences, openStudy } from './study.mjs';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    store: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    output: { type: 'string', default: folder('docs/reproductions') },
    memory: { type: 'string', default: folder('demo-output/reproductions') },
  },
});
// The same bits on every machine: one engine, one thread.
process.env.LATENTFIELD_ENGINE ??= 'wasm';

const names = reproductions.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0 || (positionals.length === 0 && !options.list && !options.all && !options.check)) {
  const reason =
    unknown.length > 0 ? `There is no reproduction '${unknown[0]}'.` : 'Name a reproduction, or give --all.';
  console.error(`${reason} Known are ${names.join(', ')}.`);
  process.exit(2);
}
if (options.list) {
  for (const { name, title, source } of reproductions) console.log(`${name.padEnd(22)} ${title} (${source})`);
  process.exit(0);
}

const quick = options.quick || options.check;
const stored = join(folder('docs/reproductions'), 'quick.json');
const numbers = existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : {};
const chosen = reproductions.filter(({ name }) => options.all || options.check || positionals.includes(name));
const leftOut = [];
const stale = [];
for (const reproduction of chosen) {
  const { name, files, run } = reproduction;
  const missing = files.filter((file) => !hasData(file));
  if (missing.length > 0) {
    leftOut.push(`${name}: ${missing.join(', ')} not found. LATENTFIELD_DATA names the folder of the data sets.`);
    continue;
  }
  const study = openStudy(name, { quick, memory: options.memory, fresh: options.fresh || options.check });
  await run(study);
  for (const table of study.outcome.tables) console.log(asText(table));
  if (options.check)
    stale.push(...differences(numbers[name], study.outcome.tables).map((found) => `${name}: ${found}`));
  if (options.store && quick) numbers[name] = study.outcome.tables;
  if (quick) continue;
  mkdirSync(options.output, { recursive: true });
  const { cpu, node, latentfield } = describeMachine();
  const machine = `${cpu}, ${node}, latentfield ${latentfield}`;
  const page = asMarkdown(reproduction, study.outcome, { machine, seconds: study.seconds() });
  writeFileSync(join(options.output, `${name}.md`), page);
  for (const { file, svg } of study.outcome.figures) writeFileSync(join(options.output, file), `${svg}\n`);
}
if (options.store && quick) {
  mkdirSync(folder('docs/reproductions'), { recursive: true });
  writeFileSync(stored, `${JSON.stringify(numbers, null, 1)}\n`);
}
for (const reason of leftOut) console.error(`Left out: ${reason}`);
for (const found of stale) console.error(`Stale: ${found}`);
if (options.check)
  console.log(`${chosen.length - leftOut.length} reproductions checked, ${stale.length} numbers differ.`);
process.exit(stale.length > 0 || (leftOut.length > 0 && leftOut.length === chosen.length && !options.check) ? 1 : 0);
