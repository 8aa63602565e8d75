import { fromDist } from '../context.mjs';
import { count, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { bayesianGplvm, covariance, fit, gplvm, Matrix, meu, poisson, ppca, rbf, seededRandom, symmetricEigenpairs } =
  library;
const { swissRoll } = await fromDist('app/data/index.js');
const { calibrationOf, heldOutEntries, withHidden } = await fromDist('inference/assessment/calibration.js');

/** Held-out entries of each row of the table in the full form, at least. */
const ENTRIES = 2000;
/** Rows that are fitted and rows that have entries held out, and no more fits than these. */
const SIZES = {
  full: { fitted: 100, held: 100, fits: 60, maxIterations: 1000 },
  quick: { fitted: 40, held: 20, fits: 1, maxIterations: 200 },
};

const shape = { latentDim: 2 };
const MODELS = {
  gplvm: (Y) => gplvm(Y, shape),
  bayesianGplvm: (Y) => bayesianGplvm(Y, shape),
  ppca: (Y) => ppca(Y, shape),
};
/** A field over points fills in columns of the points that were fitted. */
const field = (Y) => meu(Y, { ...shape, neighbors: 7 });

const normals = (random, rows, columns) =>
  new Matrix(
    Float64Array.from({ length: rows * columns }, () => random.normal()),
    rows,
    columns,
  );

/** Functions of a Gaussian process at points, a column each, with noise. */
function drawnFunctions(random, X, columns, noise) {
  const { values, vectors } = symmetricEigenpairs(covariance(rbf(), X));
  const N = X.rows;
  const Y = Matrix.zeros(N, columns);
  for (let d = 0; d < columns; d++) {
    const weights = Array.from(values, (value) => Math.sqrt(Math.max(0, value)) * random.normal());
    for (let i = 0; i < N; i++) {
      let sum = noise * random.normal();
      for (let e = 0; e < values.length; e++) sum += vectors.at(i, e) * weights[e];
      Y.data[i * columns + d] = sum;
    }
  }
  return Y;
}

/** A latent path that turns slowly, of mean 0 and variance about 1. */
function path(random, N) {
  const X = Matrix.zeros(N, 2);
  for (let d = 0; d < 2; d++) {
    for (let i = 0; i < N; i++) {
      X.data[2 * i + d] =
        i === 0 ? random.normal() : 0.95 * X.data[2 * (i - 1) + d] + Math.sqrt(1 - 0.95 ** 2) * random.normal();
    }
  }
  return X;
}

/** Tables drawn from each model, again for each fit: with `rows` rows of `columns` columns. */
const SIMULATED = {
  gplvm: (random, rows, columns) => drawnFunctions(random, normals(random, rows, 2), columns, 0.2),
  bayesianGplvm: (random, rows, columns) => drawnFunctions(random, normals(random, rows, 2), columns, 0.2),
  ppca: (random, rows, columns) => {
    const [X, W] = [normals(random, rows, 2), normals(random, 2, columns)];
    const Y = normals(random, rows, columns);
    return new Matrix(
      Y.data.map((noise, at) => {
        const [i, d] = [Math.floor(at / columns), at % columns];
        return X.at(i, 0) * W.at(0, d) + X.at(i, 1) * W.at(1, d) + 0.4 * noise;
      }),
      rows,
      columns,
    );
  },
};

/** Columns of a field over points: precision L + λI on the graph of neighbors of a plane. */
function fieldDraw(random, rows, columns) {
  const X = normals(random, rows, 2);
  const graph = library.knnGraph(X, 7);
  const precision = Matrix.zeros(X.rows, X.rows);
  graph.sources.forEach((i, e) => {
    const j = graph.targets[e];
    for (const [a, b, sign] of [
      [i, i, 1],
      [j, j, 1],
      [i, j, -1],
      [j, i, -1],
    ])
      precision.data[a * X.rows + b] += sign;
  });
  for (let i = 0; i < X.rows; i++) precision.data[i * X.rows + i] += 0.05;
  const { values, vectors } = symmetricEigenpairs(precision);
  const Y = Matrix.zeros(X.rows, columns);
  for (let d = 0; d < columns; d++) {
    const weights = Array.from(values, (value) => random.normal() / Math.sqrt(value));
    for (let i = 0; i < X.rows; i++)
      for (let e = 0; e < values.length; e++) Y.data[i * columns + d] += vectors.at(i, e) * weights[e];
  }
  return Y;
}

/** Fits of tables until there are entries enough: `tableOf(seed)` gives rows, those to fit first. */
async function calibrated(study, make, tableOf) {
  const { fitted, held, fits, maxIterations } = SIZES[study.quick ? 'quick' : 'full'];
  const entries = [];
  let failed = 0;
  for (let f = 0; f < fits && entries.length < (study.quick ? 1 : ENTRIES); f++) {
    const random = seededRandom(1000 + f);
    const all = await tableOf(random, fitted, held, f);
    const size = Math.min(fitted, Math.floor((2 * all.rows) / 3));
    const training = rowsOf(all, count(size));
    const rest = count(Math.min(held, all.rows - size)).map((i) => size + i);
    const Y = rowsOf(all, rest);
    const result = await fit(make(training, f), { maxIterations });
    if (result.status === 'failed') {
      failed++;
      continue;
    }
    const hidden = withHidden(Y, random);
    const found = heldOutEntries(
      Y,
      hidden,
      await result.impute(hidden),
      rest.map((i) => 10_000 * f + i),
      training,
    );
    entries.push(...found);
  }
  const { coverage, ...rest } = calibrationOf(entries);
  return { coverage, entries: rest.entries, rows: rest.rows, gain: rest.gain, failed };
}

/** The same of a field: half of the columns are fitted, and a third of the entries of each other column is hidden. Entries of one column depend on each other. */
async function calibratedField(study, tableOf) {
  const { fitted, fits } = SIZES[study.quick ? 'quick' : 'full'];
  const entries = [];
  for (let f = 0; f < fits && entries.length < (study.quick ? 1 : ENTRIES); f++) {
    const random = seededRandom(1000 + f);
    const all = await tableOf(random, fitted, 0, f);
    const part = (columns) => Matrix.from(all.toArrays().map((row) => columns.map((d) => row[d])));
    const order = drawnOrder(all.columns, random);
    const [known, others] = [order.slice(0, all.columns >> 1), order.slice(all.columns >> 1)].map(part);
    const result = await fit(field(known));
    const hidden = transposed(withHidden(transposed(others), random));
    const found = heldOutEntries(others, hidden, await result.impute(hidden), count(all.rows), hidden);
    entries.push(...found.map((entry) => ({ ...entry, row: 100 * f + entry.column })));
  }
  const { coverage, ...rest } = calibrationOf(entries);
  return { coverage, entries: rest.entries, gain: rest.gain, failed: 0 };
}

const transposed = (Y) => Matrix.from(count(Y.columns).map((d) => Array.from(Y.column(d))));

/** Rows of a real table in a random order. */
const shuffledRows = (Y) => (random, fitted, held) =>
  rowsOf(Y, drawnOrder(Y.rows, random).slice(0, Math.min(Y.rows, fitted + held)));

function drawnOrder(N, random) {
  const order = count(N);
  for (let i = N - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** A table of eight columns that depend on two numbers, in units from thousandths to millions. */
const UNITS = [1e-3, 0.1, 1, 8, 50, 1e3, 1e4, 1e6];
const unequal = (random, fitted, held) => {
  const Y = SIMULATED.gplvm(random, fitted + held, UNITS.length);
  return new Matrix(
    Y.data.map((entry, at) => entry * UNITS[at % UNITS.length]),
    Y.rows,
    Y.columns,
  );
};

async function run(study) {
  const head = ['data', 'model', 'entries', '50 %', '80 %', '90 %', '95 %', 'interval score of 90 %', 'gain'];
  const rows = { simulated: [], real: [], roll: [] };
  const add = async (group, data, name, make, tableOf) => {
    const key = `${group}: ${data}, ${name}`;
    if (!study.isChosen(key)) return;
    const found = await study.cell(key, () =>
      make === undefined ? tableOf.of(study) : calibrated(study, make, tableOf),
    );
    const digits = study.quick ? 2 : 3;
    rows[group].push([
      data,
      found.failed > 0 ? `${name} (${found.failed} fits failed)` : name,
      found.entries,
      ...found.coverage.map(({ coverage, se }) => `${coverage.toFixed(digits)} ± ${se.toFixed(digits)}`),
      found.coverage[2].intervalScore.toFixed(digits),
      found.gain.toFixed(digits),
    ]);
  };
  study.note(
    'Rows that were not fitted have a third of their entries, drawn at random, hidden; `impute` predicts these from the others. Shares of the hidden entries within central intervals, ± standard errors in which entries of one row are dependent. Interval scores are in standard deviations of the column, small is good; the gain is in nats an entry over the mean and variance of each column.',
  );
  study.table('Tables drawn from the model', head, rows.simulated);
  study.table('Real tables, and one of unequal units', head, rows.real);
  if (!study.quick) study.table('One column more than latent dimensions', head, rows.roll);
  const widths = study.quick ? [8] : [4, 8];
  for (const [name, draw] of Object.entries(SIMULATED)) {
    for (const D of name === 'gplvm' || name === 'bayesianGplvm' ? widths : [8]) {
      await add('simulated', `D = ${D}`, name, MODELS[name], (random, fitted, held) => draw(random, fitted + held, D));
    }
  }
  const fieldOf = (tableOf) => ({ of: (own) => calibratedField(own, tableOf) });
  await add(
    'simulated',
    'D = 16',
    'meu',
    undefined,
    fieldOf((random, fitted) => fieldDraw(random, fitted, 16)),
  );
  await add(
    'simulated',
    'D = 8',
    'gplvm, dynamics',
    (Y) => gplvm(Y, { ...shape, dynamics: true }),
    // The rows that are held out continue from those that are fitted.
    (random, fitted, held) => drawnFunctions(random, path(random, fitted + held), 8, 0.2),
  );
  const real = {
    oil: 'oil_train_X.npy',
    wine: 'wine_X.npy',
    iris: 'iris_X.npy',
    robot: 'robot_train_X.npy',
  };
  const names = study.quick ? ['gplvm'] : Object.keys(MODELS);
  for (const [data, file] of Object.entries(real)) {
    const Y = await readMatrix(file);
    for (const name of names) await add('real', data, name, MODELS[name], shuffledRows(Y));
    if (Y.columns >= 8) await add('real', data, 'meu', undefined, fieldOf(shuffledRows(Y)));
  }
  const letters = readLabels('letter_y.npy');
  const all = await readMatrix('letter_X.npy');
  const vowels = rowsOf(
    all,
    count(all.rows)
      .filter((i) => [0, 4, 8, 14, 20].includes(letters[i]))
      .slice(0, 1000),
  );
  if (!study.quick) {
    const roll = (_, fitted, held, f) => swissRoll({ points: fitted + held, seed: 50 + f }).observations;
    for (const name of names) await add('roll', 'Swiss roll', name, MODELS[name], roll);
  }
  const digits = await readMatrix('digits8x8_X.npy');
  for (const name of names) {
    await add('real', 'vowels (letters A E I O U)', name, MODELS[name], shuffledRows(vowels));
    await add('real', 'unequal units', name, MODELS[name], unequal);
  }
  await add(
    'real',
    "digits' counts",
    'gplvm, poisson',
    (Y) => gplvm(Y, { ...shape, likelihood: poisson(), inducing: 25 }),
    shuffledRows(digits),
  );
}

export const coverage = {
  name: 'coverage',
  title: 'Coverage of intervals',
  source: 'A measurement of our own',
  files: [
    'oil_train_X.npy',
    'wine_X.npy',
    'iris_X.npy',
    'robot_train_X.npy',
    'letter_X.npy',
    'letter_y.npy',
    'digits8x8_X.npy',
  ],
  run,
};
