/**
 * DRILL against R's glasso and scikit-learn on ten problems: 30 points of a Swiss roll, the motion capture of a run (55 frames of 34
 * markers) and a robot's WiFi (215 places, 30 access points), each with the pairs of neighbours or with all pairs, at two penalties.
 * Prints for each how far the objective is from theirs (relative), the largest violation of the optimality conditions (relative), how
 * many of their entries of the precision that are not 0 ours has, and how far ours are from theirs (relative to the largest).
 *
 *   node bench/reproductions/drill.mjs [--data swiss30|run1|robot] [--least 300]
 *
 * `--least` leaves out problems with fewer entries than that. Real data and values that rest on it are in the folder named in
 * LATENTFIELD_REFERENCE; without it only the Swiss roll is done.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { library, printTable } from './data.mjs';

const { drill, fit } = library;
const { values: options } = parseArgs({
  options: { data: { type: 'string' }, least: { type: 'string', default: '0' } },
});
const folder =
  process.env.LATENTFIELD_REFERENCE ?? fileURLToPath(new URL('../../../shared/reference', import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

const problems = { ...read(new URL('../../test/reference/meu-swiss30.json', import.meta.url)) };
if (existsSync(`${folder}/meu.json`)) {
  const { run1, wifi: robot } = read(`${folder}/meu.json`);
  Object.assign(problems, { run1, robot });
} else console.error(`There is no ${folder}/meu.json, so the run and the robot are left out.`);

const head = ['data', 'pairs', 'penalty', 'objective', 'violation', 'entries', 'theirs', 'both', 'precision', 'steps'];
const rows = [[...head, 'user s', 's', 'status']];
for (const data of options.data === undefined ? ['swiss30', 'run1', 'robot'] : [options.data]) {
  if (problems[data] === undefined) continue;
  const { Y, k, drill: cases } = problems[data];
  for (const { structure, rho, objective, nnzOffDiag, theta } of cases) {
    if (theta.length < Number(options.least)) continue;
    const before = process.cpuUsage();
    const result = await fit(drill(Y, { neighbours: structure === 'full' ? 'all' : k, penalty: rho }));
    const { user } = process.cpuUsage(before);
    const { sources, targets } = result.graph;
    const precision = result.precision();
    const pairs = new Set(theta.filter(([i, j]) => i !== j).map(([i, j]) => `${Math.min(i, j)} ${Math.max(i, j)}`));
    const both = sources.reduce((count, i, e) => count + (pairs.has(`${i} ${targets[e]}`) ? 1 : 0), 0);
    const largest = theta.reduce((most, [, , value]) => Math.max(most, Math.abs(value)), 0);
    const apart = theta.reduce((most, [i, j, value]) => Math.max(most, Math.abs(precision.at(i, j) - value)), 0);
    const { iterations, seconds, kktResidual } = result.diagnostics;
    rows.push([
      data,
      structure === 'full' ? 'all' : `${k} nearest`,
      rho.toPrecision(4),
      (Math.abs(result.objective - objective) / Math.abs(objective)).toExponential(1),
      kktResidual.toExponential(1),
      sources.length,
      nnzOffDiag,
      both,
      (apart / largest).toExponential(1),
      iterations,
      (user / 1e6).toFixed(1),
      seconds.toFixed(1),
      result.status,
    ]);
    console.error(`${data}, ${structure} pairs, penalty ${rho.toPrecision(4)}: ${seconds.toFixed(1)} s`);
  }
}
printTable(rows);
