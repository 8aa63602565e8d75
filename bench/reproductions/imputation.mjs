import { fromDist } from '../context.mjs';
import { library, readMatrix, rowsOf } from './data.mjs';

const { fit, fixed, gplvm, latentVariableModel, linear, Matrix, seededRandom, thinPlateSpline, tpslvm } = library;
const { imputed } = await fromDist('model/posterior.js');

async function run(study) {
  const all = await readMatrix('oil_train_X.npy');
  const complete = rowsOf(
    all,
    Array.from({ length: study.quick ? 60 : 300 }, (_, i) => i),
  );
  const random = seededRandom(1);
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
  const byModel = async (model) => {
    const result = await fit(model, { maxIterations: study.quick ? 30 : 500 });
    return result.predict(result.latents).mean;
  };
  const rows = [];
  const add = async (name, fill) => {
    rows.push([name, (await study.cell(name, async () => error(await fill()))).toFixed(4)]);
  };
  await add('column means', () => means);
  const dimensions = study.quick ? [2] : [1, 2, 3, 4, 5, 6];
  for (const q of dimensions) await add(`principal components, q = ${q}`, () => imputed(Y, q));
  for (const q of dimensions) {
    const kernel = linear({ variance: fixed(1) });
    const model = () => latentVariableModel({ observations: Y, latentDim: q, kernel, missing: 'ignore' });
    await add(`probabilistic PCA, q = ${q}`, () => byModel(model()));
  }
  const shape = { latentDim: 2, missing: 'ignore' };
  await add('GPLVM', () => byModel(gplvm(Y, shape)));
  await add('TPSLVM', () => byModel(tpslvm(Y, { ...shape, kernel: thinPlateSpline() })));
  if (!study.quick) await add('GPLVM, q = 3', () => byModel(gplvm(Y, { ...shape, latentDim: 3 })));
  study.note(
    `Of ${complete.rows} points ${holes.length} of ${Y.data.length} entries are removed at random. Principal components and PPCA are shown at every q, so that their best is chosen with the answers known; the other models have q = 2 unless it is said.`,
  );
  study.table('Root mean square error of removed entries', ['imputation by', 'RMSE'], rows);
}

export const gplvmImputation = {
  name: 'gplvm-imputation',
  title: 'Missing entries of oil flow',
  source: 'A comparison of our own',
  files: ['oil_train_X.npy'],
  run,
};
