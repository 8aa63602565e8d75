/** Tables and figures of the papers: see `npm run reproduce -- --help`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.mjs';
import { hasData } from './data.mjs';
import { differences } from './differences.mjs';
import { reproductions } from './index.mjs';
import { inProcesses } from './inProcesses.mjs';
import { overview } from './overview.mjs';
import { asMarkdown, asText, failedAmong, UNFINISHED } from './pages.mjs';
import { openStudy, TimeIsUp } from './study.mjs';

const folder = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const USAGE = `Tables and figures of the papers, each by one command:

  npm run reproduce -- NAME [NAME …] [--quick] [--fresh] [--seconds 600] [--earlier] [--only PATTERN] [--output docs/project/reproductions]
  npm run reproduce -- --list
  npm run reproduce -- --overview               reads overview.md off the pages that are there
  npm run reproduce -- --all [--jobs 2]
  npm run reproduce -- --all --quick --check    computes the quick forms of all anew, and fails where they differ from docs/project/reproductions/quick.json
  npm run reproduce -- --all --quick --store    computes them anew and stores them there

A fit that failed behind a printed number is named on standard error and on its page, and makes --check fail.
Quick forms are small and stopped early: they say whether a number has changed, not what it is. They may differ by one unit of the last digit.
With --seconds no value is begun after so many CPU seconds, and pages say that they are not finished.
Each value is kept under --memory (demo-output/reproductions) as soon as it is there: a run that was interrupted goes on where it was.
Values of another build of the library are computed anew, unless --earlier takes them: the page then names the commits.
With --jobs so many pages are made at the same time, each by a process of its own, the longest first.
With --only, 'defaults' computes the values whose names match the pattern, and its page says that it is not finished.`;

const FLAGS = {
  help: { type: 'boolean', short: 'h', default: false },
  list: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  overview: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  store: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
  seconds: { type: 'string' },
  earlier: { type: 'boolean', default: false },
  only: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  output: { type: 'string', default: folder('docs/project/reproductions') },
  memory: { type: 'string', default: folder('demo-output/reproductions') },
};
const { options, positionals } = given();
// The same bits on every machine, and other processors for other pages: one engine, one thread.
process.env.LATENTFIELD_ENGINE ??= 'wasm';
process.env.LATENTFIELD_THREADS ??= '1';

if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const names = reproductions.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (
  unknown.length > 0 ||
  (positionals.length === 0 && !options.list && !options.all && !options.check && !options.overview)
) {
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
const stored = join(folder('docs/project/reproductions'), 'quick.json');
const numbers = existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : {};
const everything = options.all || (options.check && positionals.length === 0);
const chosen = reproductions.filter(({ name }) => everything || positionals.includes(name));
const leftOut = [];
const stale = [];
const failed = [];
if (options.jobs !== '1') await runJobs();
for (const reproduction of chosen) {
  const { name, files, run } = reproduction;
  const missing = files.filter((file) => !hasData(file));
  if (missing.length > 0) {
    leftOut.push(`${name}: ${missing.join(', ')} not found. LATENTFIELD_DATA names the folder of the data sets.`);
    continue;
  }
  const study = openStudy(name, {
    quick,
    memory: options.memory,
    fresh: options.fresh || (quick && (options.check || options.store)),
    earlier: options.earlier && !quick,
    ...(options.seconds !== undefined && { seconds: Number(options.seconds) }),
    ...(options.only !== undefined && { only: new RegExp(options.only) }),
  });
  const before = process.cpuUsage();
  const unfinished = await run(study).then(
    () => undefined,
    (error) => {
      if (error instanceof TimeIsUp) return error.message;
      throw error;
    },
  );
  for (const { rows } of study.outcome.tables) {
    rows.forEach((row, r) => {
      rows[r] = row.map(String);
    });
  }
  if (unfinished !== undefined) console.error(`${name} is not finished. ${unfinished}`);
  for (const table of study.outcome.tables) console.log(asText(table));
  if (options.check)
    stale.push(...differences(numbers[name], study.outcome.tables).map((found) => `${name}: ${found}`));
  failed.push(...failedAmong(study.endings()).map((text) => `${name}: ${text}`));
  if (options.store && quick) numbers[name] = study.outcome.tables.map(withoutSeconds);
  if (quick) continue;
  mkdirSync(options.output, { recursive: true });
  const { cpu, cores, node, latentfield } = describeMachine();
  const machine = `${cpu}, ${cores} cores, node ${node}, engine ${process.env.LATENTFIELD_ENGINE}, latentfield ${latentfield}`;
  const page = asMarkdown(reproduction, study.outcome, {
    machine,
    builds: study.builds(),
    // A study that keeps no values has only the time of this run.
    seconds: Math.max(study.seconds(), (process.cpuUsage(before).user + process.cpuUsage(before).system) / 1e6),
    unfinished: unfinished !== undefined || options.only !== undefined,
    endings: study.endings(),
  });
  writeFileSync(join(options.output, `${name}.md`), page);
  for (const { file, svg } of study.outcome.figures) writeFileSync(join(options.output, file), `${svg}\n`);
}
if (!quick) writeLists();
if (options.store && quick) {
  mkdirSync(folder('docs/project/reproductions'), { recursive: true });
  writeFileSync(stored, asLines(numbers));
}
for (const reason of leftOut) console.error(`Left out: ${reason}`);
for (const found of stale) console.error(`Stale: ${found}`);
for (const text of failed) console.error(`A number stands on a fit that failed: ${text}`);
if (options.check)
  console.log(
    `${chosen.length - leftOut.length} reproductions checked, ${stale.length} numbers differ, ${failed.length} fits failed.`,
  );
process.exit(
  stale.length > 0 ||
    (options.check && failed.length > 0) ||
    (leftOut.length > 0 && leftOut.length === chosen.length && !options.check)
    ? 1
    : 0,
);

/** Options of the command line; ends the process with a sentence for an unknown option. */
function given() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: FLAGS });
    return { options: values, positionals };
  } catch (error) {
    console.error(`${error.message.split('. ')[0]}.\n\n${USAGE}`);
    return process.exit(2);
  }
}

/** Makes the pages in processes, and ends with how long that took. */
async function runJobs() {
  const jobs = Number(options.jobs);
  if (!(Number.isInteger(jobs) && jobs >= 1) || quick) {
    console.error('--jobs takes a whole number from 1, and makes pages: not together with --quick or --check.');
    process.exit(2);
  }
  const found = chosen.filter(({ files }) => files.every(hasData));
  for (const { name } of chosen) {
    if (!found.some((one) => one.name === name)) console.error(`Left out: ${name}, whose data are not found.`);
  }
  const longestFirst = found.map(({ name }) => name).sort((a, b) => secondsOfPage(b) - secondsOfPage(a));
  const flags = ['fresh', 'earlier'].filter((flag) => options[flag]).map((flag) => `--${flag}`);
  for (const name of ['seconds', 'only', 'output', 'memory']) {
    if (options[name] !== undefined) flags.push(`--${name}=${options[name]}`);
  }
  const begun = performance.now();
  const failed = await inProcesses(fileURLToPath(import.meta.url), longestFirst, jobs, flags);
  writeLists();
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  console.log(`${longestFirst.length} pages by ${jobs} processes at a time in ${minutes} minutes.`);
  for (const name of failed) console.error(`Failed: ${name}`);
  process.exit(failed.length > 0 ? 1 : 0);
}

/** The list of pages, and their results. */
function writeLists() {
  writeFileSync(join(options.output, 'README.md'), listOfPages());
  writeFileSync(join(options.output, 'overview.md'), overview(options.output));
}

/** CPU seconds that a page names; 0 where there is none. */
function secondsOfPage(name) {
  const file = join(options.output, `${name}.md`);
  return existsSync(file) ? Number(/: (\d+) CPU seconds on/.exec(readFileSync(file, 'utf8'))[1]) : 0;
}

/** All reproductions, with links to the pages that are there and the CPU seconds that these name. */
function listOfPages() {
  const all = reproductions.map(({ name }) => secondsOfPage(name)).sort((a, b) => b - a);
  const rows = reproductions.map(({ name, title, source }) => {
    const file = join(options.output, `${name}.md`);
    if (!existsSync(file)) return `| ${name} | ${title} | ${source} | – |`;
    const text = readFileSync(file, 'utf8');
    const seconds = secondsOfPage(name);
    const unfinished = text.includes(UNFINISHED) ? ', not finished' : '';
    return `| [${name}](${name}.md) | ${title} | ${source} | ${seconds}${unfinished} |`;
  });
  return [
    '# Tables and figures of the papers',
    '',
    'Each is made by `npm run reproduce -- NAME`, which writes its page. A name without a link has not been run in full since its page was last removed.',
    '[overview.md](overview.md) has one row a result: the paper, here, ahead or behind, and why.',
    'The data sets are found in `../shared/data`, or in the folder that LATENTFIELD_DATA names.',
    '`npm run reproduce -- --all --quick --check` compares small forms of all of them with the numbers in `quick.json`.',
    '',
    `All pages together took ${sum(all)} CPU seconds, which two processes at a time (\`--all --jobs 2\`) share in ${(secondsBy(2, all) / 3600).toFixed(1)} hours. A page names the machine and the commit that it was made with.`,
    '',
    '| name | what it shows | source | CPU s |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function sum(list) {
  return list.reduce((total, entry) => total + entry, 0);
}

/** Seconds until so many processes have done all pages, each beginning the longest that is left. */
function secondsBy(jobs, seconds) {
  const ends = Array(jobs).fill(0);
  for (const own of seconds) ends[ends.indexOf(Math.min(...ends))] += own;
  return Math.max(...ends);
}

/** Stored part of a table: seconds belong to another machine. */
function withoutSeconds({ title, head, rows, timed }) {
  return { title, head, rows: rows.map((row) => row.map((text, c) => (timed.includes(head[c]) ? '' : text))) };
}

/** As JSON with one row of a table in each line, so that a change of numbers is a change of their lines. */
function asLines(numbers) {
  const tables = Object.entries(numbers).map(([name, list]) => {
    const lines = list.map(
      ({ title, head, rows }) =>
        `{"title": ${JSON.stringify(title)}, "head": ${JSON.stringify(head)}, "rows": [\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]}`,
    );
    return `${JSON.stringify(name)}: [\n  ${lines.join(',\n  ')}\n]`;
  });
  return `{\n${tables.join(',\n')}\n}\n`;
}
