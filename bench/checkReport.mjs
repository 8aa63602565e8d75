/** Checks the form of a report: `node bench/run.mjs --short --json | node bench/checkReport.mjs`. Exit code 1 and the reason if it is wrong. */
import { text } from 'node:stream/consumers';

const given = await text(process.stdin);
if (given === '') {
  console.error('There is no report to check: the benchmark failed.');
  process.exit(1);
}
const { date, machine, settings, missing, disagreements, results } = JSON.parse(given);
const wrong = [];
if (Number.isNaN(Date.parse(date))) wrong.push('no date');
if (!machine.cpu || !machine.node || !(machine.cores > 0)) wrong.push('no machine');
if (!(settings.rounds > 0)) wrong.push('no rounds');
for (const section of ['raw', 'gplvm', 'fit', 'mpme', 'meu', 'spectral', 'solvers']) {
  if (!results.some((row) => row.section === section)) wrong.push(`nothing of section '${section}'`);
}
for (const row of results) {
  const isNumber = [row.ms?.median, row.gigaflops, row.evaluations].some(
    (value) => Number.isFinite(value) && value > 0,
  );
  const isNamed = [row.section, row.task, row.contender].every((name) => typeof name === 'string');
  if (!isNamed || !(isNumber || row.section === 'solvers')) wrong.push(`a row without numbers: ${JSON.stringify(row)}`);
}
wrong.push(...disagreements);
if (wrong.length > 0) {
  console.error(`The report is not as it should be:\n  ${wrong.join('\n  ')}`);
  process.exit(1);
}
const left = Object.keys(missing);
console.log(`${results.length} rows${left.length > 0 ? `; not measured: ${left.join(', ')}` : ''}`);
