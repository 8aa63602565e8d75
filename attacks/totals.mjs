// The table of totals in docs/project/reliability.md: a row for each attack, of its last run with --write.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const page = new URL('../docs/project/reliability.md', import.meta.url);
const HEAD = ['| attack | cases | seed | failures | outcomes | run |', '| --- | --- | --- | --- | --- | --- |'];

/** Replaces the rows of the same attacks. */
export function writeTotals(totals) {
  const text = readFileSync(page, 'utf8');
  const [before, after] = text.split(/(?<=\n## Totals\n)/);
  const section = after.search(/\n## /);
  const rows = new Map(
    after
      .slice(0, section)
      .split('\n')
      .filter((line) => /^\| [a-z]+ \| \d/.test(line))
      .map((line) => [line.split(' ')[1], line]),
  );
  const run = `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node.split('.')[0]}, ${availableParallelism()} cores`;
  for (const { name, cases, seed, failures, outcomes, skipped } of totals) {
    const told = Object.entries(outcomes).map(([outcome, n]) => `${n} ${outcome}`);
    const all = [...told.sort(), ...skipped.map((reason) => `not tried: ${reason}`)].join(', ');
    rows.set(name, `| ${name} | ${cases} | ${seed} | ${failures} | ${all} | ${run} |`);
  }
  const table = [...HEAD, ...[...rows.keys()].sort().map((name) => rows.get(name))].join('\n');
  const words =
    "\nAs `npm run attack` printed them at several commits of a day; `--write` replaces these rows by a new run's:\n\n";
  writeFileSync(page, `${before}${words}${table}\n${after.slice(section)}`);
}
