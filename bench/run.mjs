/**
 * Side by side in one run: latentfield's engines and whole library path compared with numpy, SciPy and OpenBLAS (peers.py), ml-matrix
 * and, for evaluation counts, the recorded ones of SciPy. Rounds alternate between the contenders, which never run at the same time. Each
 * engine has a separate process in a section, as the peers have.
 *
 *   npm run bench [-- --short] [--only raw,gplvm] [--json] [--rounds N] [--sizes 100,300] [--threads 1,2] [--out FILE] [--keep FILE]
 *
 * Prints a table, or with --json an object, and saves the object in bench/results/ when the run is complete (without --short,
 * --only, --sizes and --threads) or to --out. LATENTFIELD_PEERS names peers.py, otherwise ../shared/peers/peers.py next to the
 * repository; LATENTFIELD_PYTHON the interpreter, otherwise /usr/bin/python3; LATENTFIELD_BLAS the library of the native engine.
 *
 * A run of hours may stop early: with --keep FILE every finished section is saved there, and a later run with the same file measures
 * the other sections only, on the same machine and the same library.
 *
 * Exit code 1 when a contender's objective is not the peer's: they would not be doing the same job.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judged } from './aims.mjs';
import { prepareContext } from './context.mjs';
import { checksumOfAnswers, machineName } from './machine.mjs';
import { processesOf } from './processes.mjs';
import { printTables } from './report.mjs';
import { sections, sectionsOfEngines } from './sections/index.mjs';

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    sizes: { type: 'string' },
    threads: { type: 'string' },
    out: { type: 'string' },
    keep: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const names = Object.keys(sections);
if (options.help) {
  console.log(
    'npm run bench [-- --short] [--only NAME,…] [--json] [--rounds N] [--sizes N,…] [--threads N,…] [--out FILE] [--keep FILE]\n' +
      `Names: ${names.join(', ')}. See the head of bench/run.mjs.`,
  );
  process.exit(0);
}

function numbersOf(option) {
  const given = options[option]?.split(',').map(Number);
  if (given?.every((value) => Number.isInteger(value) && value > 0) ?? true) return given;
  return refuse(`--${option} takes positive whole numbers, but '${options[option]}' was given.`);
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

/** Finished sections of an earlier run with `--keep`, by name: `{ seconds, rows, missing, disagreements }` each. */
function keptSections(file) {
  if (file === undefined || !existsSync(file)) return {};
  const earlier = JSON.parse(readFileSync(file, 'utf8'));
  if (earlier.common !== common) {
    refuse(`${file} has sections of another machine, library or other settings. Name another file with --keep.`);
  }
  return earlier.sections;
}

const chosen = options.only?.split(',') ?? names;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) refuse(`There is no section ${unknown.join(', ')}: choose from ${names.join(', ')}.`);
const given = {
  short: options.short,
  rounds: numbersOf('rounds')?.[0] ?? (options.short ? 1 : 3),
  sizes: numbersOf('sizes'),
  threads: numbersOf('threads'),
};
const context = await prepareContext(given);

/** Sections of one run share these: settings, machine, library. */
const common = JSON.stringify([context.settings, context.machine, checksumOfAnswers()]);
const kept = keptSections(options.keep);
const results = [];
for (const name of chosen) {
  if (kept[name] === undefined) {
    console.error(`${name} …`);
    const start = performance.now();
    const disagreed = context.disagreements.length;
    const processes = sectionsOfEngines.includes(name) ? processesOf(name, given) : undefined;
    const rows = await sections[name]({ ...context, processes });
    processes?.end();
    kept[name] = {
      seconds: Math.round((performance.now() - start) / 1000),
      rows,
      missing: { ...context.missing },
      disagreements: context.disagreements.slice(disagreed),
    };
    console.error(`  ${kept[name].seconds} s`);
    if (options.keep !== undefined) writeFileSync(options.keep, `${JSON.stringify({ common, sections: kept })}\n`);
  } else {
    Object.assign(context.missing, kept[name].missing);
    context.disagreements.push(...kept[name].disagreements);
  }
  results.push(...kept[name].rows);
}
const report = {
  date: new Date().toISOString(),
  settings: context.settings,
  machine: context.machine,
  answers: checksumOfAnswers(),
  missing: context.missing,
  disagreements: context.disagreements,
  results,
  // The short form is too short to judge times by.
  aims: judged(results, { counted: options.short }),
};
if (options.json) console.log(JSON.stringify(report, null, 2));
else printTables(report);

const isWhole = !options.short && !(options.only ?? options.sizes ?? options.threads);
const usual = new URL(`results/${report.date.slice(0, 10)}-${machineName(report.machine)}.json`, import.meta.url);
const file = options.out ?? (isWhole ? fileURLToPath(usual) : undefined);
if (file !== undefined) {
  mkdirSync(dirname(file), { recursive: true });
  // Only the last whole run is kept.
  if (options.out === undefined) for (const old of readdirSync(dirname(file))) rmSync(join(dirname(file), old));
  writeFileSync(file, `${JSON.stringify(report)}\n`);
  console.error(`Saved in ${file}`);
}
if (report.disagreements.length > 0) process.exitCode = 1;
