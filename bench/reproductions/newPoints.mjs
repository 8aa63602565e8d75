import { fromDist } from '../context.mjs';
import { count, drawnRows, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { alle, classicalMds, fit, isomap, laplacianEigenmaps, lle, mvu, nearestNeighbourError } = library;
const { nearestNeighbours } = await fromDist('numerics/neighbours/index.js');

const SETS = {
  'oil flow': ['oil_train_X.npy', 'oil_train_y.npy'],
  'digits 8×8': ['digits8x8_X.npy', 'digits8x8_y.npy'],
};
const MODELS = { classicalMds, isomap, lle, laplacianEigenmaps, alle, mvu };
/** Points of the fit and new rows; the program of mvu takes too long for many. */
const SIZES = [
  { fitted: 75, placed: 75, models: Object.keys(MODELS) },
  { fitted: 750, placed: 250, models: Object.keys(MODELS).filter((name) => name !== 'mvu') },
];
const SEEDS = [1, 2, 3];

/** How often the nearest of some points has another label. */
function errorAmong(X, labels, Z, own) {
  const { indices } = nearestNeighbours(X, 1, { queries: Z });
  return own.filter((label, i) => labels[indices[i]] !== label).length / own.length;
}

/** Errors of new rows among fitted points, of these among each other, and of the new rows where all were fitted. */
async function errorsOf(make, Y, labels, { fitted, placed }, seed) {
  const rows = drawnRows(Y.rows, fitted + placed, seed);
  const old = new Set(drawnRows(rows.length, fitted, seed + 100));
  const training = rows.filter((_, n) => old.has(n));
  const later = rows.filter((_, n) => !old.has(n));
  const [known, own] = [training, later].map((part) => part.map((i) => labels[i]));
  const result = await fit(make(rowsOf(Y, training)));
  const { latents } = await result.project(rowsOf(Y, later));
  const whole = (await fit(make(rowsOf(Y, [...training, ...later])))).latents;
  const [X, Z] = [
    rowsOf(whole, count(fitted)),
    rowsOf(
      whole,
      count(placed).map((n) => fitted + n),
    ),
  ];
  return {
    placed: errorAmong(result.latents, known, latents, own),
    fitted: nearestNeighbourError(result.latents, known),
    refitted: errorAmong(X, known, Z, own),
  };
}

async function run(study) {
  const rows = [];
  study.note(
    `Errors of the nearest neighbour in two dimensions, means over ${SEEDS.length} drawn sets of rows, each divided into points that are fitted and new rows. 'Placed' are new rows by \`project\`, among the fitted points; 'fitted' are those points among themselves in the same fit; 'fitted with them' are the new rows in a fit of all rows, among the same points. All options have their defaults.`,
  );
  study.table('New rows', ['data', 'points', 'new rows', 'model', 'placed', 'fitted', 'fitted with them'], rows);
  for (const [name, [file, labelFile]] of Object.entries(study.quick ? { iris: QUICK } : SETS)) {
    const Y = await readMatrix(file);
    const labels = readLabels(labelFile);
    for (const size of study.quick ? [{ fitted: 60, placed: 30, models: ['isomap'] }] : SIZES) {
      for (const model of size.models) {
        const errors = [];
        for (const seed of SEEDS) {
          const key = `${name}, ${size.fitted}, ${model}, ${seed}`;
          errors.push(await study.cell(key, () => errorsOf(MODELS[model], Y, labels, size, seed)));
        }
        const mean = (of) => (errors.reduce((sum, one) => sum + one[of], 0) / errors.length).toFixed(3);
        rows.push([name, size.fitted, size.placed, model, mean('placed'), mean('fitted'), mean('refitted')]);
      }
    }
  }
}

const QUICK = ['iris_X.npy', 'iris_y.npy'];

export const newPoints = {
  name: 'new-points',
  title: 'New points of spectral models',
  source: 'Bengio et al. 2004',
  files: [...Object.values(SETS).flat(), ...QUICK],
  run,
};
