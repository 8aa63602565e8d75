/**
 * Prints a report as a table and checks that it is whole: every section with rows, every row with numbers, every contender doing the
 * same job; a short one must also meet the aims that do not depend on load. Exit code 1 and the reasons if it is not.
 *
 *   node bench/run.mjs --short --json | node bench/checkReport.mjs
 */
import { text } from 'node:stream/consumers';
import { printTables } from './report.mjs';
import { sections } from './sections/index.mjs';

const given = await text(process.stdin);
if (given === '') {
  console.error('There is no report to check: the benchmark failed.');
  process.exit(1);
}
const report = JSON.parse(given);
printTables(report);
const { date, machine, settings, missing, disagreements, results, aims } = report;
const wrong = [];
if (Number.isNaN(Date.parse(date))) wrong.push('no date');
if (!machine.cpu || !machine.node || !(machine.cores > 0)) wrong.push('no machine');
if (!(settings.rounds > 0)) wrong.push('no rounds');
for (const section of Object.keys(sections)) {
  if (results.some((row) => row.section === section) || section in missing) continue;
  wrong.push(`nothing of section '${section}'`);
}
for (const row of results) {
  const isNumber = [row.ms?.median, row.gigaflops, row.evaluations, row.value].some(
    (value) => Number.isFinite(value) && value > 0,
  );
  const isNamed = [row.section, row.task, row.contender].every((name) => typeof name === 'string');
  if (!isNamed || !(isNumber || row.section === 'solvers')) wrong.push(`a row without numbers: ${JSON.stringify(row)}`);
}
wrong.push(...disagreements);
if (settings.short) {
  for (const { what, wanted, measured, met } of aims) if (!met) wrong.push(`${what}: ${measured}, wanted ${wanted}`);
}
if (wrong.length > 0) {
  console.error(`The report is not as it should be:\n  ${wrong.join('\n  ')}`);
  process.exit(1);
}
const left = Object.keys(missing);
console.log(
  `\n${results.length} rows, as they should be${left.length > 0 ? `; not measured: ${left.join(', ')}` : ''}`,
);
