import { count, drawnRows, library, op, readMatrix, rowsOf } from './data.mjs';
import { mean, spread } from './splits.mjs';

const { drill, fit, Matrix, meu, mpme, withFloat64 } = library;

/**
 * Data whose columns are in one unit. The graphical lasso's Newton steps are on all entries of Θ that are not 0: the robot's 215 points have some
 * 2200 of them and take over 15 CPU minutes a value, so every third point of its path is taken.
 */
const SETS = {
  'motion capture': { file: 'run1_X.npy' },
  'robot WiFi, every third point': { file: 'robot_train_X.npy', step: 3 },
  'USPS, 60 digits': { file: 'usps_X.npy', points: 60 },
  'duck, 256 pixels': { file: 'coil20_duck_X.npy', every: 4 },
};
const SPLITS = 3;

/**
 * Models of the covariance of points, each with the option that is chosen on columns held out inside the training columns. A field's covariance of
 * one column is (L + λI)⁻¹ where it has as many copies as there are columns.
 */
const models = {
  PPCA: { option: 'dimensions', grid: [0, 1, 2, 4, 8, 16], covariance: ppcaCovariance },
  'graphical lasso': {
    option: 'penalty, of the mean variance',
    grid: [0.003, 0.01, 0.03, 0.1, 0.3],
    fitted: (Y, penalty) => drill(Y, { neighbors: 'all', penalty: penalty * meanVariance(Y) }),
  },
  MEU: { option: 'neighbors', grid: [3, 6, 12, 24], fitted: (Y, neighbors) => meu(Y, { neighbors }) },
  MPME: {
    option: 'multiple of λ',
    grid: [0.1, 1, 10, 100],
    fitted: async (Y, multiple) => {
      const own = { latentDim: Y.columns, embedding: { vectors: 2 } };
      const { precision } = await fit(mpme(Y, own), { maxIterations: 1 });
      const usual = precision()
        .row(0)
        .reduce((sum, entry) => sum + entry, 0);
      return mpme(Y, { ...own, basePrecision: multiple * usual });
    },
  },
};

async function run(study) {
  const sets = study.quick ? { 'motion capture': SETS['motion capture'] } : SETS;
  const [rows, chosen] = [[], []];
  study.note(
    'A random field over points says how likely a column of observations is: each column is a draw from N(0, K), K the covariance of the points. A third of the columns is held out, and the mean log density of one of their entries is printed, in nats, for the covariance that each model learns from the others. Columns are centered, and densities are those of the N − 1 directions in which centered columns vary. Each model has one option, chosen on a third of the training columns; all else is the default. PPCA is that of columns, with covariance WWᵀ + σ²I between points; the graphical lasso is `drill` over all pairs, which takes over 15 CPU minutes a value on all 215 points of the robot, so every third is taken. Mean and standard deviation over three draws of the columns; higher is better. Pairs alike are pairs of points that agree in all training columns of a draw, one number a draw: a field lets them differ by next to nothing in the others too.',
  );
  study.table(
    'Mean log density of a held-out entry',
    ['data', 'points', 'columns', 'pairs alike', ...Object.keys(models), 'best'],
    rows,
  );
  study.table('What was chosen inside the training columns', ['data', 'model', 'option', 'chosen', 'status'], chosen);
  for (const [name, set] of Object.entries(sets)) {
    const Y = await columnsOf(set);
    const found = {};
    for (const model of Object.keys(models)) {
      const outcomes = [];
      for (let seed = 1; seed <= (study.quick ? 1 : SPLITS); seed++) {
        outcomes.push(
          await study.cell(`${name}, ${model}, split ${seed}`, () => heldOut(Y, models[model], seed, study.quick)),
        );
      }
      found[model] = outcomes.map(({ score }) => score);
      const distinct = (list) => [...new Set(list)].join(', ');
      const { option } = models[model];
      chosen.push([
        name,
        model,
        option,
        distinct(outcomes.map(({ value }) => value)),
        distinct(outcomes.map(({ status }) => status)),
      ]);
    }
    const best = Object.keys(found).reduce((a, b) => (mean(found[b]) > mean(found[a]) ? b : a));
    const seeds = count(found[best].length).map((k) => k + 1);
    const alike = seeds.map((seed) => pairsAlike(parted(Y, seed)[0])).join(', ');
    rows.push([name, Y.rows, Y.columns, alike, ...Object.values(found).map((list) => spread(list, 3)), best]);
  }
}

async function columnsOf({ file, points, step = 1, every = 1 }) {
  const all = await readMatrix(file);
  const Y = rowsOf(
    all,
    count(Math.min(points ?? all.rows, all.rows)).filter((i) => i % step === 0),
  );
  return centered(
    withColumns(
      Y,
      count(Y.columns).filter((d) => d % every === 0),
    ),
  );
}

const withColumns = (Y, columns) => Matrix.from(count(Y.rows).map((i) => columns.map((d) => Y.at(i, d))));

function centered(Y) {
  const means = count(Y.columns).map((d) => mean([...Y.column(d)]));
  return new Matrix(
    Y.data.map((entry, k) => entry - means[k % Y.columns]),
    Y.rows,
    Y.columns,
  );
}

const meanVariance = (Y) => Y.data.reduce((sum, entry) => sum + entry * entry, 0) / Y.data.length;

/** Two thirds of the columns, and the others. */
function parted(Y, seed) {
  const held = new Set(drawnRows(Y.columns, Math.round(Y.columns / 3), seed));
  const part = (isHeld) =>
    withColumns(
      Y,
      count(Y.columns).filter((d) => held.has(d) === isHeld),
    );
  return [part(false), part(true)];
}

/** How many pairs of rows are equal. */
function pairsAlike(Y) {
  const times = new Map();
  for (const row of Y.toArrays().map(String)) times.set(row, (times.get(row) ?? 0) + 1);
  return [...times.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
}

async function heldOut(Y, model, seed, quick) {
  const [training, test] = parted(Y, seed);
  const [inner, validation] = parted(training, seed + 100);
  const grid = quick ? model.grid.slice(1, 3) : model.grid;
  let best;
  for (const value of grid) {
    const { K } = await learned(model, inner, value);
    const score = logDensity(K, validation);
    if (best === undefined || score > best.score) best = { score, value };
  }
  const { K, status } = await learned(model, training, best.value);
  return { score: logDensity(K, test), value: best.value, status };
}

async function learned({ covariance, fitted }, Y, value) {
  if (covariance !== undefined) return { K: covariance(Y, value), status: 'closed form' };
  const result = await fit(await fitted(Y, value));
  return { K: result.covariance(), status: result.status };
}

/** WWᵀ + σ²I of probabilistic principal components over the N − 1 directions of centered columns. */
function ppcaCovariance(Y, q) {
  const { rows: N, columns: D } = Y;
  return withFloat64(() => {
    const own = op.tensor(Y.data, [N, D]);
    const S = op.mul(1 / D, op.matMul(own, own, false, true));
    const { values, vectors } = op.symmetricEigen(S);
    const variances = values.dataSync();
    const axes = vectors.dataSync();
    const rest = variances.slice(1, N - q).reduce((sum, entry) => sum + Math.max(0, entry), 0) / (N - 1 - q);
    const K = Matrix.zeros(N, N);
    for (let i = 0; i < N; i++) K.data[i * (N + 1)] = rest;
    for (let c = N - q; c < N; c++) {
      const extra = Math.max(0, variances[c] - rest);
      for (let i = 0; i < N; i++) {
        for (let j = 0; j < N; j++) K.data[i * N + j] += extra * axes[i * N + c] * axes[j * N + c];
      }
    }
    return K;
  });
}

/** The mean log density of an entry of centered columns under N(0, K), in the N − 1 directions orthogonal to the constant. */
function logDensity(K, Y) {
  const { rows: N, columns: D } = Y;
  const basis = helmert(N);
  return withFloat64(() => {
    const Q = op.tensor(basis.data, [N, N - 1]);
    const within = op.matMul(op.matMul(Q, op.tensor(K.data, [N, N]), true, false), Q);
    const factor = op.cholesky(within);
    const whitened = op.triangularSolve(factor, op.matMul(Q, op.tensor(Y.data, [N, D]), true, false));
    const squares = op.valueOf(op.sum(op.square(whitened)));
    const logs = op.valueOf(op.sum(op.log(op.diagPart(factor))));
    return (-0.5 * squares - D * logs - 0.5 * D * (N - 1) * Math.log(2 * Math.PI)) / (D * (N - 1));
  });
}

/** N − 1 orthonormal columns that are orthogonal to the constant. */
function helmert(N) {
  const Q = Matrix.zeros(N, N - 1);
  for (let c = 0; c < N - 1; c++) {
    const length = Math.sqrt((c + 1) * (c + 2));
    for (let i = 0; i <= c; i++) Q.data[i * (N - 1) + c] = 1 / length;
    Q.data[(c + 1) * (N - 1) + c] = -(c + 1) / length;
  }
  return Q;
}

export const fieldDensities = {
  name: 'field-densities',
  title: 'How likely held-out columns are under learned fields',
  source: 'A comparison of our own',
  files: Object.values(SETS).map(({ file }) => file),
  run,
};
