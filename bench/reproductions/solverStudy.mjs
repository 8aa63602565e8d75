/**
 * Which L-BFGS is best for latent variable models: GPLVMs (without and with the standard normal prior) and TPSLVMs of twelve data sets,
 * from the principal components and from a perturbed start. Printed for each variant: the quartiles of its distance, after 500
 * evaluations, from the best log density that any of them reached; on how many problems it is ahead of and behind the L-BFGS of textbooks (10
 * pairs on a scalar matrix); and the median of the evaluations it needs to come within 1e-6 of an optimum that all of them reach.
 *
 *   node bench/reproductions/solverStudy.mjs [--evaluations 500]
 */
import { parseArgs } from 'node:util';
import { fromDist } from '../context.mjs';
import { library, printTable, readMatrix, rowsOf } from './data.mjs';

const {
  bias,
  gplvm,
  latentVariableModel,
  lbfgs,
  Matrix,
  rbf,
  add,
  positive,
  seededRandom,
  solve,
  thinPlateSpline,
  tpslvm,
} = {
  ...library,
  ...(await fromDist('inference/index.js')),
};
const { openProblem } = await fromDist('inference/fit/fitProblem.js');
const { originsOf, perturbedStarts } = await fromDist('inference/fit/restarts.js');
const { values: options } = parseArgs({ options: { evaluations: { type: 'string', default: '500' } } });
const maxEvaluations = Number(options.evaluations);

const from = (first, count) => Array.from({ length: count }, (_, i) => first + i);

/** Some rows, drawn without replacement. */
function drawn(A, count, seed) {
  const random = seededRandom(seed);
  const order = from(0, A.rows).map((i) => [random.normal(), i]);
  return rowsOf(
    A,
    order
      .sort((a, b) => a[0] - b[0])
      .slice(0, count)
      .map(([, i]) => i),
  );
}

/** Columns of mean 0 and variance 1, constant ones of 0. */
function standard(A) {
  const columns = from(0, A.columns).map((j) => {
    const column = A.column(j);
    const mean = column.reduce((sum, x) => sum + x, 0) / column.length;
    const deviation = Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / column.length) || 1;
    return column.map((x) => (x - mean) / deviation);
  });
  return Matrix.from(from(0, A.rows).map((i) => columns.map((column) => column[i])));
}

const read = async (name) => readMatrix(`${name}_X.npy`);
const oil = await read('oil_train');
const sets = {
  'oil 0–99': rowsOf(oil, from(0, 100)),
  'oil 400–499': rowsOf(oil, from(400, 100)),
  'oil drawn': drawn(oil, 150, 4),
  run1: await read('run1'),
  iris: await read('iris'),
  wine: standard(await read('wine')),
  robot: await read('robot_train'),
  digits: standard(drawn(await read('digits8x8'), 100, 1)),
  pendigits: standard(drawn(await read('pendigits_test'), 120, 2)),
  letter: standard(drawn(await read('letter'), 120, 3)),
  mocap: standard(drawn(await read('cmu_mocap'), 80, 5)),
  faces: standard(rowsOf(await read('yaleb'), from(0, 64))),
};

const without = (Y, transform) => {
  const p = (start) => positive(start, { transform });
  const kernel = add(rbf({ variance: p(1), lengthscale: p(1) }), bias({ variance: p(0.1) }));
  return latentVariableModel({ observations: Y, latentDim: 2, kernel, noise: p(0.1) });
};
const models = {
  'GPLVM without prior': (Y) => without(Y, 'log'),
  GPLVM: (Y) => gplvm(Y, { latentDim: 2 }),
  TPSLVM: (Y) => tpslvm(Y, { latentDim: 2, kernel: thinPlateSpline() }),
};
const variants = {
  '10 pairs, scalar': lbfgs({ history: 10 }),
  '40 pairs, scalar': lbfgs({ history: 40 }),
  'lbfgs()': lbfgs(),
  '40 pairs, diagonal': lbfgs({ history: 40, scaling: 'diagonal' }),
  '10 pairs, diagonal': lbfgs({ history: 10, scaling: 'diagonal' }),
  "lbfgs({ scaling: 'diagonal' })": lbfgs({ scaling: 'diagonal' }),
};
const names = Object.keys(variants);

/** Least value so far after each evaluation. */
function courseOf(problem, start, solver) {
  const course = [];
  problem.compute(() => {
    const run = solve(problem.objective, start, solver, {
      maxEvaluations,
      maxIterations: 1e6,
      tolerance: 0,
      relativeDecrease: 0,
    });
    for (let step = run.next(); !step.done; step = run.next()) course[step.value.evaluations] = step.value.value;
  });
  return course;
}

const problems = [];
for (const [data, Y] of Object.entries(sets)) {
  for (const [model, make] of Object.entries(models)) {
    const problem = openProblem(make(Y), { seed: 0 });
    const [, moved] = await perturbedStarts(problem.layout, async () => problem.start, originsOf(1), 1);
    for (const start of [problem.start, moved]) {
      problems.push(names.map((name) => courseOf(problem, start, variants[name])));
    }
    problem.dispose();
    console.error(`${data}, ${model}`);
  }
}

function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = part * (sorted.length - 1);
  const low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

const last = (course) => course.at(-1);
const reachedByAll = problems.filter((courses) => {
  const ends = courses.map(last);
  return Math.max(...ends) - Math.min(...ends) <= 1e-6 * Math.abs(ends[0]);
});
const rows = [
  ['variant', 'lower quartile', 'median', 'upper quartile', 'ahead', 'behind', 'evaluations to an optimum'],
];
names.forEach((name, k) => {
  const lacks = problems.map((courses) => last(courses[k]) - Math.min(...courses.map(last)));
  const gains = problems.map((courses) => last(courses[0]) - last(courses[k]));
  const counts = reachedByAll.map((courses) => {
    const target = Math.min(...courses.map(last));
    return courses[k].findIndex((value) => value <= target + 1e-6 * Math.abs(target));
  });
  rows.push([
    name,
    ...[0.25, 0.5, 0.75].map((part) => quantile(lacks, part).toFixed(2)),
    gains.filter((gain) => gain > 0.01).length,
    gains.filter((gain) => gain < -0.01).length,
    counts.length > 0 ? quantile(counts, 0.5) : '–',
  ]);
});
printTable(rows);
console.log(`${problems.length} problems; all variants reach the same optimum in ${reachedByAll.length} of them.`);
