import { count, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { fit, InvalidInputError, Matrix, namedModels, NumericalError, nearestNeighbourError, trustworthiness } = library;

/** The data sets by name; labels where there are any. */
const SETS = {
  iris: ['iris_X.npy', 'iris_y.npy'],
  wine: ['wine_X.npy', 'wine_y.npy'],
  'oil flow': ['oil_train_X.npy', 'oil_train_y.npy'],
  'digits 8×8': ['digits8x8_X.npy', 'digits8x8_y.npy'],
  letter: ['letter_X.npy', 'letter_y.npy'],
  pendigits: ['pendigits_test_X.npy', 'pendigits_test_y.npy'],
  USPS: ['usps_X.npy', 'usps_y.npy'],
  'YALE-B': ['yaleb_X.npy', 'yaleb_y.npy'],
  'COIL-20': ['coil20_32_X.npy', 'coil20_32_y.npy'],
  'two moons': ['two_moons_X.npy', 'two_moons_y.npy'],
  'CMU motion capture': ['cmu_mocap_X.npy', 'cmu_mocap_y.npy'],
  run1: ['run1_X.npy'],
  robot: ['robot_train_X.npy'],
  duck: ['coil20_duck_X.npy'],
  teapots: ['teapots_X.npy'],
  circle: ['kegl_circle_X.npy'],
  'distorted S': ['kegl_distorted_s_X.npy'],
};
const QUICK_SETS = ['iris', 'two moons'];
const QUICK_MODELS = ['gplvm', 'tpslvm', 'meu', 'mpme', 'alle', 'pca', 'isomap'];
const SCALES = [0.1, 1, 100];
const POINTS = 150;
/** All rows are fitted where a cubic cost promises to take no longer, in seconds. */
const PATIENCE = 60;
const NEIGHBOURS = 10;

async function readSet(name, points) {
  const [file, labelFile] = SETS[name];
  const all = await readMatrix(file);
  const rows = count(Math.min(points, all.rows));
  const labels = labelFile === undefined ? undefined : readLabels(labelFile);
  const own = labels && rows.map((i) => labels[i]);
  return { Y: rowsOf(all, rows), labels: new Set(own).size > 1 ? own : undefined, isAll: rows.length === all.rows };
}

/** The observations in the unit in which their columns' root mean variance is `deviation`. */
function inUnit(Y, deviation) {
  const mean = count(Y.columns).map((j) => Y.column(j).reduce((sum, entry) => sum + entry, 0) / Y.rows);
  const variance = Y.data.reduce((sum, entry, k) => sum + (entry - mean[k % Y.columns]) ** 2, 0) / Y.data.length;
  return new Matrix(
    Y.data.map((entry) => (deviation * entry) / Math.sqrt(variance)),
    Y.rows,
    Y.columns,
  );
}

/** The parts into which edges of positive weight divide the points. */
function components({ size, sources, targets }) {
  const parent = count(size);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i];
    return i;
  };
  sources.forEach((i, e) => {
    parent[root(i)] = root(targets[e]);
  });
  return parent.filter((p, i) => p === i).length;
}

/** Leave-one-out errors of the nearest neighbour; without labels what neighbourhoods lose, 1 − trustworthiness. */
function errorOf({ Y, labels }, X) {
  if (labels !== undefined) return nearestNeighbourError(X, labels);
  return 1 - trustworthiness(Y, X, Math.min(NEIGHBOURS, Math.floor((Y.rows - 1) / 4)));
}

async function outcomeOf(name, set, deviation) {
  const Y = inUnit(set.Y, deviation);
  try {
    const result = await fit(namedModels[name].make(Y, set.labels, { latentDim: 2 }));
    return {
      status: result.status,
      message: result.message,
      components: result.graph === undefined ? undefined : components(result.graph),
      error: result.latents.rows === Y.rows ? errorOf(set, result.latents) : undefined,
      seconds: result.diagnostics.seconds,
    };
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof NumericalError)) throw error;
    return { status: 'refused', message: error.message };
  }
}

async function run(study) {
  const sets = study.quick ? QUICK_SETS : Object.keys(SETS);
  const models = study.quick ? QUICK_MODELS : Object.keys(namedModels);
  const points = study.quick ? 40 : POINTS;
  const rows = [];
  const whole = [];
  const sentences = new Map();
  for (const name of sets) {
    const set = await readSet(name, points);
    for (const model of models) {
      if (namedModels[model].takesLabels && set.labels === undefined) continue;
      const found = [];
      for (const deviation of SCALES) {
        found.push(await study.cell(`${name}, ${model}, ${deviation}`, () => outcomeOf(model, set, deviation)));
      }
      rows.push([name, set.Y.rows, model, ...inWords(found)]);
      if (found[1].status !== 'converged') sentences.set(found[1].message, `${name}, ${model}`);
      if (study.quick || set.isAll || found[1].seconds === undefined) continue;
      const all = await readSet(name, Infinity);
      if (found[1].seconds * (all.Y.rows / set.Y.rows) ** 3 > PATIENCE) continue;
      const one = await study.cell(`${name}, ${model}, all`, () => outcomeOf(model, all, 1));
      whole.push([name, all.Y.rows, model, ...inWords([one])]);
    }
  }
  study.note(
    `Every named model with \`{ latentDim: 2 }\` and no other option. The columns' root mean variance is brought to 0.1, 1 and 100 by one factor: what a model shows should not depend on the unit. Errors are leave-one-out errors of the nearest neighbour in two dimensions; of data without two kinds of labels among these rows, which are models without labels only, 1 − trustworthiness of ${NEIGHBOURS} neighbours. Components are those of the learned graph.`,
  );
  const head = ['data', 'points', 'model', 'status', 'components'];
  study.table(
    `Defaults on the first ${points} rows`,
    [...head, ...SCALES.map((s) => `error at ${s}`), 'equal', 'seconds'],
    rows,
    { timed: ['seconds'] },
  );
  if (whole.length > 0)
    study.table('Defaults on all rows', [...head, 'error', 'seconds'], whole, { timed: ['seconds'] });
  if (sentences.size > 0) {
    const said = Array.from(sentences, ([message, where]) => [where, message]);
    study.table('What fits say that did not converge', ['the last of them', 'message'], said);
  }
}

/** Status, components, errors at every unit, whether those are equal, and seconds. */
function inWords(found) {
  const statuses = [...new Set(found.map(({ status }) => status))].join('/');
  const parts = [...new Set(found.map((one) => one.components ?? '–'))].join('/');
  const errors = found.map(({ error }) => (error === undefined ? '–' : error.toFixed(3)));
  const seconds = Math.max(...found.map((one) => one.seconds ?? 0)).toFixed(1);
  if (found.length === 1) return [statuses, parts, ...errors, seconds];
  return [statuses, parts, ...errors, new Set(errors).size === 1 ? 'yes' : 'no', seconds];
}

export const defaults = {
  name: 'defaults',
  title: 'Every model with its defaults',
  source: 'Data sets of the papers',
  files: Object.values(SETS)
    .flat()
    .filter((file) => QUICK_SETS.some((name) => SETS[name].includes(file))),
  run,
};
