import { fromDist } from '../context.mjs';
import { count, hasData, library, readLabels, readMatrix, rowsOf, standardizedBy } from './data.mjs';

const { bayesianGplvm, fit, gplrf, gplvm, llGplvm, Matrix, meu, ppca, rankGplvm, seededRandom, tpslvm } = library;
const { calibrationOf, heldOutEntries } = await fromDist('inference/assessment/calibration.js');

/** Tables by file. The folder of data has the first five; the last two come with scikit-learn (load_diabetes, load_breast_cancer) and must be saved there. */
const TABLES = {
  wine: 'wine',
  iris: 'iris',
  oil: 'oil_train',
  vowels: 'letter',
  robot: 'robot_train',
  diabetes: 'diabetes',
  'breast cancer': 'breast_cancer',
};
const SHARES = [0.1, 0.2, 0.4];
/** The letters A, E, I, O and U. */
const VOWELS = [0, 4, 8, 14, 20];
const missing = 'ignore';
/** Models that impute, each of a table and its labels. */
const MODELS = {
  meu: (Y) => meu(Y, { missing }),
  ppca: (Y) => ppca(Y, { latentDim: 2, missing }),
  'gplvm, q = 1': (Y) => gplvm(Y, { latentDim: 1, missing }),
  'gplvm, q = 2': (Y) => gplvm(Y, { latentDim: 2, missing }),
  'gplvm, q = 3': (Y) => gplvm(Y, { latentDim: 3, missing }),
  'bayesianGplvm, q = 2': (Y) => bayesianGplvm(Y, { latentDim: 2, missing }),
  'bayesianGplvm, q = 4': (Y) => bayesianGplvm(Y, { latentDim: 4, missing }),
  'tpslvm, q = 2': (Y) => tpslvm(Y, { latentDim: 2, missing }),
  'llGplvm, q = 2': (Y) => llGplvm(Y, { latentDim: 2, missing }),
  'rankGplvm, q = 2': (Y) => rankGplvm(Y, { latentDim: 2, missing }),
  'gplrf, q = 2': (Y, labels) => gplrf(Y, labels, { latentDim: 2, missing }),
};
/** Rows of a table at most, hidden entries of each row of the result at least, and fits at most. */
const SIZES = {
  full: { rows: 150, entries: 400, fits: 8, options: {} },
  quick: { rows: 40, entries: 1, fits: 1, models: 3, options: { maxIterations: 30 } },
};

/** Some rows of a table, evenly, with standardized columns that vary, and their labels. */
async function tableOf(file, rows) {
  const all = await readMatrix(`${file}_X.npy`);
  const every = hasData(`${file}_y.npy`) ? readLabels(`${file}_y.npy`) : undefined;
  const chosen = count(all.rows).filter((i) => file !== 'letter' || VOWELS.includes(every[i]));
  const step = Math.max(1, chosen.length / rows);
  const numbers = count(Math.min(rows, chosen.length)).map((k) => chosen[Math.floor(k * step)]);
  const some = rowsOf(all, numbers);
  const varied = count(some.columns).filter((j) => new Set(some.column(j)).size > 1);
  const [Y] = standardizedBy(Matrix.from(some.toArrays().map((row) => varied.map((j) => row[j]))));
  return { Y, labels: every && numbers.map((i) => every[i]) };
}

/** A table with a share of its entries hidden at random; each row keeps its first one at least. */
function hidden(Y, share, random) {
  const shown = Matrix.from(Y);
  for (let k = 0; k < shown.data.length; k++) if (random.uniform() < share) shown.data[k] = Number.NaN;
  for (let i = 0; i < Y.rows; i++) if (shown.row(i).every(Number.isNaN)) shown.data[i * Y.columns] = Y.at(i, 0);
  return shown;
}

/** Calibration of the hidden entries of fitted rows; `refused` where the model does not impute them. */
async function calibrated({ Y, labels }, make, share, { entries: least, fits, options }) {
  const entries = [];
  for (let f = 0; f < fits && entries.length < least; f++) {
    const shown = hidden(Y, share, seededRandom(1 + f));
    const result = await fit(make(shown, labels), options);
    const found = await result.impute(shown).catch((error) => {
      if (error.code !== 'followsNoise') throw error;
    });
    if (found === undefined) return { refused: true };
    entries.push(
      ...heldOutEntries(
        Y,
        shown,
        found,
        count(Y.rows).map((i) => 1000 * f + i),
        shown,
      ),
    );
  }
  const { coverage, error, gain } = calibrationOf(entries);
  return { entries: entries.length, coverage, error, gain };
}

async function run(study) {
  const size = SIZES[study.quick ? 'quick' : 'full'];
  const rows = [];
  study.note(
    `Entries of at most ${size.rows} standardized rows are hidden at random and predicted by \`impute\` of a fit of the table with these holes: shares of them within central intervals of 90 %, ± a standard error in which entries of one row are dependent, and their root mean squared error in standard deviations of the column. Fits are repeated with other hidden entries until there are ${size.entries}. 'refused' stands where \`impute\` throws the error 'followsNoise'. Models have the dimensions that stand with them, other options are defaults; gplrf sees the labels.`,
  );
  study.table(
    'Entries hidden from fitted rows',
    ['table', 'model', ...SHARES.flatMap((share) => [`${100 * share} %: within`, 'error'])],
    rows,
  );
  const tables = Object.entries(TABLES).filter(([, file]) => hasData(`${file}_X.npy`));
  const chosen = study.quick ? tables.slice(0, 1) : tables;
  for (const [table, file] of chosen) {
    const data = await tableOf(file, size.rows);
    for (const [model, make] of Object.entries(MODELS).slice(0, size.models)) {
      if (make.length > 1 && data.labels === undefined) continue;
      const row = [];
      for (const share of SHARES) {
        const key = `${table}, ${model}, ${share}`;
        if (!study.isChosen(key) || (study.quick && share !== SHARES[1])) {
          row.push('–', '–');
          continue;
        }
        const found = await study.cell(key, () => calibrated(data, make, share, size));
        const digits = study.quick ? 2 : 3;
        const { coverage, se } = found.coverage?.[2] ?? {};
        row.push(
          ...(found.refused
            ? ['refused', '–']
            : [`${coverage.toFixed(digits)} ± ${se.toFixed(digits)}`, found.error.toFixed(2)]),
        );
      }
      rows.push([table, model, ...row]);
    }
  }
}

export const hiddenCells = {
  name: 'hidden-cells',
  title: 'Coverage of entries hidden from fitted rows, by model, table and share',
  source: 'A measurement of our own',
  files: Object.values(TABLES)
    .slice(0, 5)
    .map((file) => `${file}_X.npy`),
  run,
};
