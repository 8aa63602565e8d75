import { fromDist } from '../context.mjs';
import { compare, sampler } from '../rounds.mjs';
import { timed } from './maps.mjs';

/** Part of the cells that are missing. */
const HIDDEN = 0.2;
/** Factors behind the columns of a simulated table. */
const FACTORS = 4;

/**
 * Long steps of work with tables: an evaluation of a `gplvm` with holes compared with one without, `ppca` of a long table with holes, new rows on the map of a
 * `bayesianGplvm`, and a table of mixed kinds of columns.
 */
export async function tables(context) {
  const { bayesianGplvm, byKind, fit, gplvm, ppca } = context.library;
  const [evaluated] = context.sizes([300], [40]);
  const [long, wide] = [context.sizes([10_000], [200])[0], context.short ? 8 : 50];
  const [fitted, placed] = [context.sizes([500], [40])[0], context.short ? 10 : 1000];
  const once = (name, measure) => ({ name, measure, threads: 1, once: true });
  const whole = factorTable(context, evaluated, 12);
  const evaluations = await evaluationsOf({
    'no missing cells': gplvm(whole, { latentDim: 2 }),
    'a fifth of the cells missing': gplvm(withHoles(context, whole), { latentDim: 2, missing: 'ignore' }),
  });
  const contenders = evaluations.contenders(context.seconds);
  const results = await compare(
    context,
    { section: 'tables', task: 'an evaluation of gplvm', n: evaluated },
    contenders,
  );
  evaluations.dispose();
  const run = async (model) => {
    const { value, ...spent } = await timed(() => fit(model()));
    const { status, diagnostics } = value;
    if (status !== 'converged')
      context.missing[value.model] = `The fit of a table with ${value.latents.rows} rows ended at ${status}.`;
    return { ...spent, iterations: diagnostics.iterations };
  };
  const holes = withHoles(context, factorTable(context, long, wide));
  const mixed = mixedTable(context, long, wide);
  const start = await fit(bayesianGplvm(factorTable(context, fitted, 12), { latentDim: 2 }));
  const rows = factorTable(context, placed, 12);
  for (const [task, n, contender] of [
    [
      'ppca, a fifth of the cells missing',
      long,
      once('fit', () => run(() => ppca(holes, { latentDim: FACTORS, missing: 'ignore' }))),
    ],
    [
      'bayesianGplvm, half of the columns counts, yes or no, or categories',
      long,
      once('fit', () => run(() => bayesianGplvm(mixed, { latentDim: 2, columns: byKind() }))),
    ],
    [
      `bayesianGplvm, ${placed} new rows`,
      fitted,
      once('project', async () => {
        const { value: _, ...spent } = await timed(() => start.project(rows));
        return spent;
      }),
    ],
  ])
    results.push(...(await compare(context, { section: 'tables', task, n }, [contender])));
  return results;
}

/** Contenders that evaluate the objectives of models with their gradients. */
async function evaluationsOf(models) {
  const { openProblem } = await fromDist('inference/fit/fitProblem.js');
  const problems = Object.entries(models).map(([name, model]) => [
    name,
    openProblem(model, { seed: 0, engine: 'wasm' }),
  ]);
  const [[first]] = problems;
  return {
    contenders: (seconds) =>
      problems.map(([name, problem]) => {
        let count = 0;
        const measure = sampler(seconds, () => {
          const factor = 1 + 1e-6 * ++count;
          problem.compute(() => problem.objective(problem.start.map((entry) => entry * factor)));
        });
        return { name, threads: 1, measure, ...(name !== first && { against: first }) };
      }),
    dispose() {
      for (const [, problem] of problems) problem.dispose();
    },
  };
}

/** Columns that are sums of normal factors, with noise of a tenth of their variance. */
function factorTable({ library }, rows, columns) {
  const { Matrix, seededRandom } = library;
  const random = seededRandom(1);
  const normals = (count) => Array.from({ length: count }, () => random.normal());
  const weights = Array.from({ length: columns }, () => normals(FACTORS));
  return Matrix.from(
    Array.from({ length: rows }, () => {
      const factors = normals(FACTORS);
      return weights.map((own) => own.reduce((sum, w, k) => sum + w * factors[k], Math.sqrt(0.4) * random.normal()));
    }),
  );
}

function withHoles({ library }, Y) {
  const random = library.seededRandom(2);
  return Y.map((entry, _, j) => (j > 0 && random.uniform() < HIDDEN ? Number.NaN : entry));
}

/** The same with counts, yes or no, and categories of three levels in turn in its second half of columns; levels are columns of 0 and 1, as in a table that was read. */
function mixedTable(context, rows, columns) {
  const Y = factorTable(context, rows, columns);
  const half = columns / 2;
  const cells = (y, j) => {
    if (j < half) return [y];
    if (j % 3 === 0) return [Math.round(Math.exp(y / 3))];
    return j % 3 === 1 ? [+(y > 0)] : [y < -1, Math.abs(y) <= 1, y > 1].map(Number);
  };
  return {
    columns: Array.from({ length: columns }, (_, j) => `c${j}`).flatMap((name, j) =>
      j < half || j % 3 < 2 ? [name] : ['low', 'middle', 'high'].map((level) => `${name}=${level}`),
    ),
    observations: context.library.Matrix.from(Y.toArrays().map((row) => row.flatMap(cells))),
  };
}
