/**
 * Imputation of oil flow: of the first 300 points, 20 % of the entries are removed at random; printed is the root mean square error of
 * what is filled in, over the removed entries.
 *
 *   node bench/reproductions/imputation.mjs [--seed 1] [--iterations 500]
 *
 * Probabilistic PCA is fitted to the observed entries by maximum likelihood (the linear kernel; on complete data its optimum is that
 * of PPCA), for every number of components, beside principal components fitted to the completed matrix again and again. Both are
 * shown at each q, so that their best is chosen with the answers known; the others have q = 2.
 */
import { parseArgs } from 'node:util';
import { fromDist } from '../context.mjs';
import { library, printTable, readMatrix, rowsOf } from './data.mjs';

const { fit, fixed, gplvm, latentVariableModel, linear, Matrix, seededRandom, tpslvm } = library;
const { imputed } = await fromDist('mapping/imputation.js');
const { values: options } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, iterations: { type: 'string', default: '500' } },
});
const all = await readMatrix('oil_train_X.npy');
const complete = rowsOf(
  all,
  Array.from({ length: 300 }, (_, i) => i),
);
const random = seededRandom(Number(options.seed));
const Y = Matrix.from(complete);
const holes = Array.from(Y.data.keys()).filter(() => random.uniform() < 0.2);
for (const index of holes) Y.data[index] = Number.NaN;

const error = (filled) =>
  Math.sqrt(holes.reduce((sum, index) => sum + (filled.data[index] - complete.data[index]) ** 2, 0) / holes.length);

const means = Matrix.from(Y);
for (const index of holes) {
  const observed = Y.column(index % Y.columns).filter((entry) => !Number.isNaN(entry));
  means.data[index] = observed.reduce((sum, entry) => sum + entry, 0) / observed.length;
}

async function byModel(model) {
  const result = await fit(model, { maxIterations: Number(options.iterations) });
  return result.predict(result.latents).mean;
}

const rows = [['imputation by', 'RMSE']];
const add = (name, filled) => {
  rows.push([name, error(filled).toFixed(4)]);
  console.error(rows.at(-1).join(': '));
};
add('column means', means);
for (const q of [1, 2, 3, 4, 5, 6, 7, 8, 9]) add(`principal components, q = ${q}`, imputed(Y, q));
for (const q of [1, 2, 3, 4, 5, 6]) {
  const kernel = linear({ variance: fixed(1) });
  add(
    `probabilistic PCA, q = ${q}`,
    await byModel(latentVariableModel({ observations: Y, latentDim: q, kernel, missing: 'ignore' })),
  );
}
const shape = { latentDim: 2, missing: 'ignore' };
add('GPLVM', await byModel(gplvm(Y, shape)));
add('TPSLVM', await byModel(tpslvm(Y, shape)));
add('GPLVM, q = 3', await byModel(gplvm(Y, { ...shape, latentDim: 3 })));
console.log(`${holes.length} of ${Y.data.length} entries removed (seed ${options.seed})`);
printTable(rows);
