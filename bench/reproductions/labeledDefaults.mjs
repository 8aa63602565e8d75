import { drawnRows, hasData, library, readLabels, readMatrix, rowsOf } from './data.mjs';
import { testError } from './digits.mjs';

const { dgplvm, fit, gplrf, gplvm, lda, pca, thinPlateSpline, tpslvm } = library;

/** The labeled sets by name; those of the second list where the folder of the data has them. */
const SETS = {
  iris: 'iris',
  wine: 'wine',
  'oil flow': 'oil_train',
  'digits 8×8': 'digits8x8',
  letter: 'letter',
  pendigits: 'pendigits_test',
  USPS: 'usps',
  'two moons': 'two_moons',
  'motion capture': 'cmu_mocap',
  'YALE-B': 'yaleb',
  'COIL-20': 'coil20_32',
};
const OPTIONAL = { vowels: 'vowels', UMIST: 'umist', satimage: 'satimage' };

const both = { latentDim: 2 };
/** All of them with no option but two dimensions; the paper's TPSLVM has no prior on the latents, and its spline is not scaled. */
const models = {
  PCA: (Y) => pca(Y, both),
  LDA: (Y, labels) => lda(Y, labels, { latentDim: Math.min(2, new Set(labels).size - 1) }),
  gplvm: (Y) => gplvm(Y, both),
  tpslvm: (Y) => tpslvm(Y, both),
  'tpslvm as in the paper': (Y) => tpslvm(Y, { ...both, priors: [], kernel: thinPlateSpline() }),
  dgplvm: (Y, labels) => dgplvm(Y, labels, both),
  gplrf: (Y, labels) => gplrf(Y, labels, both),
};
const TRAINING = 120;
const TEST = 200;
const SPLITS = 3;

async function run(study) {
  const chosen = study.quick ? { iris: SETS.iris } : { ...SETS, ...OPTIONAL };
  const sets = Object.entries(chosen).filter(([, file]) => hasData(`${file}_X.npy`) && hasData(`${file}_y.npy`));
  const missing = Object.keys(chosen).filter((name) => !sets.some(([found]) => found === name));
  const shown = study.quick ? ['PCA', 'LDA', 'gplvm', 'tpslvm', 'dgplvm'] : Object.keys(models);
  const [rows, means] = [[], []];
  study.note(
    `Every model with two latent dimensions and no other option, on ${TRAINING} rows drawn from each set; ${TEST} others (or all that are left) are placed, and take the label of the nearest training point in the latent space. Mean and standard deviation over ${SPLITS} draws, with the same draws for all models. 'As in the paper' is \`tpslvm\` with \`priors: []\` and \`kernel: thinPlateSpline()\`. The noise of a search has a floor, a millionth of the mean variance of the columns: how many fits ended there is told, as their variances are too small. PCA does not see the labels, nor do gplvm and tpslvm; the others do.`,
  );
  if (missing.length > 0) {
    study.note(
      `Not found, and so left out: ${missing.join(', ')}. LATENTFIELD_DATA may name a folder with their ${missing.map((name) => `${chosen[name]}_X.npy`).join(', ')} and labels.`,
    );
  }
  study.table('Mean errors over the sets', ['model', 'mean error', 'best or level with the best'], means);
  study.table(
    'Errors of rows that are placed',
    ['data', 'columns', 'classes', 'model', 'error', 'status', 'noise at its floor', 'CPU s'],
    rows,
    { timed: ['CPU s'] },
  );
  const errors = new Map(shown.map((model) => [model, []]));
  for (const [name, file] of sets) {
    const Y = await readMatrix(`${file}_X.npy`);
    const labels = readLabels(`${file}_y.npy`);
    for (const model of shown) {
      const found = [];
      for (let seed = 1; seed <= (study.quick ? 1 : SPLITS); seed++) {
        found.push(
          await study.cell(`${name}, ${model}, split ${seed}`, () => outcomeOf(model, Y, labels, seed, study)),
        );
      }
      errors.get(model).push(found.map(({ error }) => error));
      rows.push([
        name,
        Y.columns,
        new Set(labels).size,
        model,
        spread(found.map(({ error }) => error)),
        counted(found.map(({ status }) => status)),
        `${found.filter(({ isAtFloor }) => isAtFloor).length} of ${found.length}`,
        found.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(0),
      ]);
    }
    means.splice(0, means.length, ...meansOf(errors));
  }
}

/** Rows of a split: those that are fitted and those that are placed. */
function splitOf(Y, labels, seed, quick) {
  const order = drawnRows(Y.rows, Math.min(Y.rows, quick ? 60 : TRAINING + TEST), seed);
  const random = library.seededRandom(seed);
  const mixed = order.map((row) => [random.uniform(), row]).sort((a, b) => a[0] - b[0]);
  const training = quick ? 40 : Math.min(TRAINING, Math.floor((2 * order.length) / 3));
  const part = (entries) => ({ Y: rowsOf(Y, entries), labels: entries.map((i) => labels[i]) });
  const all = mixed.map(([, row]) => row);
  return { training: part(all.slice(0, training)), test: part(all.slice(training)) };
}

async function outcomeOf(model, Y, labels, seed, { quick }) {
  const { training, test } = splitOf(Y, labels, seed, quick);
  const before = process.cpuUsage();
  const result = await fit(models[model](training.Y, training.labels), quick ? { maxIterations: 20 } : {});
  const { latents } = await result.project(test.Y);
  const { user, system } = process.cpuUsage(before);
  return {
    error: testError({ ...training, Y: result.latents }, { ...test, Y: latents }),
    status: result.status,
    isAtFloor: /noise came to its floor/.test(result.message),
    seconds: (user + system) / 1e6,
  };
}

function counted(statuses) {
  const counts = new Map();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => (counts.size === 1 ? status : `${count} ${status}`)).join(', ');
}

const meanOf = (list) => list.reduce((sum, entry) => sum + entry, 0) / list.length;

function spread(list) {
  const mean = meanOf(list);
  if (list.length === 1) return mean.toFixed(3);
  const variance = list.reduce((sum, entry) => sum + (entry - mean) ** 2, 0) / (list.length - 1);
  return `${mean.toFixed(3)} ± ${Math.sqrt(variance).toFixed(3)}`;
}

/** The mean error of each model over the sets that all have, and on how many of them no other is lower by more than the deviation of a difference. */
function meansOf(errors) {
  const sets = Math.min(...[...errors.values()].map(({ length }) => length));
  return [...errors].map(([model, list]) => {
    const own = list.slice(0, sets);
    const level = own.filter((found, s) =>
      [...errors.values()].every((other) => {
        const differences = found.map((error, k) => error - other[s][k]);
        const mean = meanOf(differences);
        const variance = meanOf(differences.map((difference) => (difference - mean) ** 2));
        return mean <= Math.sqrt(variance);
      }),
    ).length;
    return [model, meanOf(own.map(meanOf)).toFixed(3), `${level} of ${sets}`];
  });
}

export const labeledDefaults = {
  name: 'labeled-defaults',
  title: 'The Gaussian-process models with their defaults on all labeled sets',
  source: 'Data sets of the papers',
  files: ['iris_X.npy', 'iris_y.npy'],
  run,
};
