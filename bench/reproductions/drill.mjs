import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { library } from './data.mjs';

const { drill, fit } = library;
const folder =
  process.env.LATENTFIELD_REFERENCE ?? fileURLToPath(new URL('../../../shared/reference', import.meta.url));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

async function run(study) {
  const problems = { swiss30: read(new URL('../../test/reference/meu-swiss30.json', import.meta.url)).swiss30 };
  if (!study.quick && existsSync(`${folder}/meu.json`)) {
    const { run1, wifi: robot } = read(`${folder}/meu.json`);
    Object.assign(problems, { run1, robot });
  }
  const rows = [];
  for (const [data, { Y, k, drill: cases }] of Object.entries(problems)) {
    for (const { structure, rho, objective, nnzOffDiag, theta } of cases) {
      const name = `${data}, ${structure} pairs, penalty ${rho.toPrecision(4)}`;
      const outcome = await study.cell(name, async () => {
        const result = await fit(drill(Y, { neighbors: structure === 'full' ? 'all' : k, penalty: rho }));
        const { sources, targets } = result.graph;
        const precision = result.precision();
        const pairs = new Set(theta.filter(([i, j]) => i !== j).map(([i, j]) => `${Math.min(i, j)} ${Math.max(i, j)}`));
        const largest = theta.reduce((most, [, , value]) => Math.max(most, Math.abs(value)), 0);
        const apart = theta.reduce((most, [i, j, value]) => Math.max(most, Math.abs(precision.at(i, j) - value)), 0);
        return {
          edges: sources.length,
          both: sources.reduce((sum, i, e) => sum + (pairs.has(`${i} ${targets[e]}`) ? 1 : 0), 0),
          objective: Math.abs(result.objective - objective) / Math.abs(objective),
          violation: result.diagnostics.kktResidual,
          apart: apart / largest,
          status: result.status,
        };
      });
      const decade = (value) => (value <= 1e-10 ? 'below 1e-10' : `1e${Math.ceil(Math.log10(value))}`);
      rows.push([
        data,
        structure === 'full' ? 'all' : `${k} nearest`,
        rho.toPrecision(4),
        decade(outcome.objective),
        decade(outcome.violation),
        outcome.edges,
        nnzOffDiag,
        outcome.both,
        decade(outcome.apart),
        outcome.status,
      ]);
    }
  }
  study.note(
    "DRILL against R's glasso and scikit-learn: how far the objective is from theirs and the largest violation of the optimality conditions (both relative, the next power of ten, or that it is below 1e-10), how many entries of the precision are not 0, in ours, theirs and both, and how far ours are from theirs, relative to the largest.",
  );
  study.table(
    'Beside the graphical lasso of others',
    ['data', 'pairs', 'penalty', 'objective', 'violation', 'entries', 'theirs', 'both', 'precision', 'status'],
    rows,
  );
}

export const drillGlasso = {
  name: 'drill-glasso',
  title: 'DRILL beside the graphical lasso of others',
  source: 'Friedman, Hastie & Tibshirani 2008; Lawrence 2012, §3',
  files: [],
  run,
};
