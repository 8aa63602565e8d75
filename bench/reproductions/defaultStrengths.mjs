import { count, drawnRows, library, readLabels, readMatrix, rowsOf, standardizedBy } from './data.mjs';
import { readDigits } from './digits.mjs';
import { placed, splitOf, testError } from './splits.mjs';

const { fit, gplrf, gplvm, llGplvm, Matrix, nearestNeighborError, rankGplvm, trustworthiness, tsneGplvm } = library;

const SETS = {
  iris: ['iris_X.npy', 'iris_y.npy'],
  wine: ['wine_X.npy', 'wine_y.npy'],
  'oil flow': ['oil_train_X.npy', 'oil_train_y.npy'],
  'digits 8×8': ['digits8x8_X.npy', 'digits8x8_y.npy'],
  robot: ['robot_train_X.npy'],
};
/** Labeled sets whose first rows are taken, as classes are many. */
const FIRST = { 'YALE-B': ['yaleb_X.npy', 'yaleb_y.npy'] };
const POINTS = 150;
const ITERATIONS = 300;

async function readSet(name, points) {
  const [file, labelFile] = SETS[name] ?? FIRST[name];
  const all = await readMatrix(file);
  const rows = name in FIRST ? count(POINTS) : drawnRows(all.rows, Math.min(points, all.rows), 1);
  const labels = labelFile && readLabels(labelFile);
  const Y = rowsOf(all, rows);
  return { Y: name === 'wine' ? standardizedBy(Y)[0] : Y, labels: labels && rows.map((i) => labels[i]) };
}

/** The models, each with the multiplier of the factor: the scale of the data. */
const D = ({ columns }) => columns;
const ND = ({ rows, columns }) => rows * columns;
const MODELS = {
  llGplvm: { make: llGplvm, latentDim: 2, scale: D, factors: [0.1, 0.3, 1, 3] },
  tsneGplvm: { make: tsneGplvm, latentDim: 2, scale: ND, factors: [0.1, 0.3, 1, 3] },
  rankGplvm: { make: rankGplvm, latentDim: 4, scale: ND, factors: [0.01, 0.02, 0.04, 0.1] },
};

/** (Σ s²)²/Σ s⁴ over the singular values s of the centered latents: how many directions they have. */
function directions(X) {
  const q = X.columns;
  const mean = count(q).map((d) => X.column(d).reduce((sum, entry) => sum + entry, 0) / X.rows);
  const at = (a, b) => count(X.rows).reduce((sum, i) => sum + (X.at(i, a) - mean[a]) * (X.at(i, b) - mean[b]), 0);
  let energy = 0;
  let squares = 0;
  for (let a = 0; a < q; a++) {
    energy += at(a, a);
    for (let b = 0; b < q; b++) squares += at(a, b) ** 2;
  }
  return energy ** 2 / squares;
}

/** 1 − the correlation of the distances between points: how far two pictures differ. */
function difference(X, Z) {
  const distances = (A) =>
    count(A.rows).flatMap((i) =>
      count(i).map((j) => Math.sqrt(count(A.columns).reduce((sum, d) => sum + (A.at(i, d) - A.at(j, d)) ** 2, 0))),
    );
  const centered = (list) => {
    const mean = list.reduce((sum, entry) => sum + entry, 0) / list.length;
    return list.map((entry) => entry - mean);
  };
  const [a, b] = [centered(distances(X)), centered(distances(Z))];
  const dot = (u, v) => u.reduce((sum, entry, k) => sum + entry * v[k], 0);
  return 1 - dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

async function run(study) {
  const fitted = { maxIterations: study.quick ? 15 : ITERATIONS };
  const points = study.quick ? 40 : POINTS;
  for (const [model, { make, latentDim, scale, factors }] of Object.entries(MODELS)) {
    const rows = [];
    for (const name of study.quick ? ['iris'] : Object.keys(SETS)) {
      const { Y, labels } = await readSet(name, points);
      const latentsOf = async (key, made) =>
        Matrix.from(await study.cell(`${name}, ${key}`, async () => (await fit(made(), fitted)).latents.toArrays()));
      const plain = await latentsOf(`gplvm, ${latentDim}`, () => gplvm(Y, { latentDim }));
      const show = (X) => [
        labels === undefined ? '–' : nearestNeighborError(X, labels).toFixed(3),
        trustworthiness(Y, X, 10).toFixed(3),
        directions(X).toFixed(1),
        difference(plain, X).toFixed(2),
      ];
      rows.push([name, '–', ...show(plain)]);
      for (const factor of study.quick ? [factors[1]] : factors) {
        const strength = factor * scale(Y);
        const X = await latentsOf(`${model}, ${factor}`, () => make(Y, { latentDim, strength }));
        rows.push([name, `${factor} × ${scale.name}`, ...show(X)]);
      }
    }
    study.table(`${model}, ${latentDim} dimensions`, ['data', 'strength', ...COLUMNS], rows);
  }
  await labeled(study, fitted);
  await validatedOnDigits(study, fitted);
}

const COLUMNS = ['error', 'trustworthiness', 'directions', 'difference from gplvm'];

async function labeled(study, fitted) {
  const rows = [];
  const factors = study.quick ? [1] : [0.1, 1, 4.5, 10];
  const inHalves = [...Object.keys(SETS).filter((set) => SETS[set].length > 1), ...Object.keys(FIRST)];
  const names = study.quick ? ['iris'] : inHalves;
  for (const [name, seed] of names.flatMap((set) => (study.quick ? [2] : [2, 3]).map((half) => [set, half]))) {
    const { Y, labels } = await readSet(name, study.quick ? 40 : 2 * POINTS);
    const half = new Set(drawnRows(Y.rows, Math.floor(Y.rows / 2), seed));
    const part = (chosen) => {
      const kept = count(Y.rows).filter((i) => half.has(i) === chosen);
      return { Y: rowsOf(Y, kept), labels: kept.map((i) => labels[i]) };
    };
    const [training, test] = [part(true), part(false)];
    const scale = training.Y.columns;
    const errorAt = async (strength) => {
      const model = gplrf(training.Y, training.labels, { latentDim: 2, strength });
      return (await placed(model, { training, test }, fitted)).error;
    };
    const found = [testError(training, test), await study.cell(`${name}, half ${seed}, gplrf, one`, () => errorAt(1))];
    for (const factor of factors) {
      found.push(await study.cell(`${name}, half ${seed}, gplrf, ${factor} × D`, () => errorAt(factor * scale)));
    }
    rows.push([`${name}, half ${seed}`, scale, ...found.map((error) => error.toFixed(3))]);
  }
  study.table(
    'GPLRF: errors of held-out halves',
    [
      'data',
      'D',
      'observations',
      'strength 1',
      ...factors.map((factor) => `${factor} × D${factor === 4.5 ? ' (auto)' : ''}`),
    ],
    rows,
  );
}

const DIGIT_DIMENSIONS = 9;
/** New digits of free latents are searched for one by one. */
const TEST_DIGITS = 2000;

/** Test errors on USPS of the strength that `validate` chooses inside the training digits, and with few of them of 'auto' and all it chooses among. */
async function validatedOnDigits(study, fitted) {
  const rows = [];
  const tested = study.quick ? 500 : TEST_DIGITS;
  study.table(
    `GPLRF on USPS, ${DIGIT_DIMENSIONS} dimensions: errors of ${tested} test digits`,
    ['n', 'split', 'pixels', 'validate', 'chosen', 'D/10', 'D (auto)', '10 D', '100 D'],
    rows,
  );
  const digits = await readDigits();
  for (const n of study.quick ? [10] : [10, 20, 30, 40, 50]) {
    for (const seed of study.quick ? [1] : [1, 2]) {
      const { training, test: all } = splitOf(digits, n, seed);
      const chosen = study.quick ? count(tested) : drawnRows(all.labels.length, tested, seed);
      const test = { Y: rowsOf(all.Y, chosen), labels: chosen.map((i) => all.labels[i]) };
      const of = (strength) =>
        study.cell(`USPS, n = ${n}, split ${seed}, ${strength}`, async () => {
          const model = gplrf(training.Y, training.labels, { latentDim: DIGIT_DIMENSIONS, strength });
          const { error, parameters } = await placed(model, { training, test }, fitted);
          return { error, strength: parameters['priors.laplacian.strength'] };
        });
      const D = training.Y.columns;
      const validated = await of('validate');
      const errors = [];
      for (const multiple of study.quick ? [1] : n === 10 ? [0.1, 1, 10, 100] : [])
        errors.push((await of(multiple * D)).error.toFixed(4));
      rows.push([
        n,
        seed,
        testError(training, test).toFixed(4),
        validated.error.toFixed(4),
        `${validated.strength / D} D`,
        ...(study.quick ? ['–', ...errors, '–', '–'] : errors.length > 0 ? errors : ['–', '–', '–', '–']),
      ]);
    }
  }
}

export const defaultStrengths = {
  name: 'default-strengths',
  title: 'Default strengths of priors',
  source: 'Urtasun et al. 2008; Geiger et al. 2009; van der Maaten 2009; Zhong et al. 2010',
  files: [...Object.values({ ...SETS, ...FIRST }).flat(), 'usps_X.npy', 'usps_y.npy'],
  run,
};
