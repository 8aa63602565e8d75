import { fromDist } from '../context.mjs';
import { count, drawnRows, library, readLabels, readMatrix, rowsOf } from './data.mjs';

const { alle, classicalMds, fit, isomap, laplacianEigenmaps, lle, mvu, nearestNeighborError } = library;
const { reconstructedRows } = await fromDist('models/spectral/placement/byWeights.js');
const { nearestNeighbors } = await fromDist('engine/neighbors/index.js');

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
  const { indices } = nearestNeighbors(X, 1, { queries: Z });
  return own.filter((label, i) => labels[indices[i]] !== label).length / own.length;
}

/** Models whose new rows are each fitted again with the points, in a number of sets of rows. */
const ALONE = { models: ['isomap', 'lle', 'laplacianEigenmaps'], size: { fitted: 75, placed: 75 }, seeds: 10 };

/** Rows that are drawn, those that are fitted and those that come later, with their labels. */
function divided(Y, labels, { fitted, placed }, seed) {
  const rows = drawnRows(Y.rows, fitted + placed, seed);
  const old = new Set(drawnRows(rows.length, fitted, seed + 100));
  const parts = [rows.filter((_, n) => old.has(n)), rows.filter((_, n) => !old.has(n))];
  const [known, own] = parts.map((part) => part.map((i) => labels[i]));
  return { training: parts[0], later: parts[1], known, own };
}

/** New rows by the weights that reconstruct them of their 3 nearest points, as lle has them. */
function placedByThree(X, points, rows) {
  const places = reconstructedRows(points, rows, 3, 1e-3).map(({ neighbors, weights }) =>
    count(X.columns).map((c) => weights.reduce((sum, weight, a) => sum + weight * X.at(neighbors[a], c), 0)),
  );
  return library.Matrix.from(places);
}

/** Errors of new rows by `project`, and when each is fitted with the points; and the distance between the two positions. */
async function errorsAlone(make, Y, labels, size, seed) {
  const { training, later, known, own } = divided(Y, labels, size, seed);
  const result = await fit(make(rowsOf(Y, training)));
  const { latents } = await result.project(rowsOf(Y, later));
  const byThree = placedByThree(result.latents, rowsOf(Y, training), rowsOf(Y, later));
  const [off, offByThree] = [[], []];
  let wrong = 0;
  for (const [n, i] of later.entries()) {
    const whole = (await fit(make(rowsOf(Y, [...training, i])))).latents;
    const [X, alone] = [rowsOf(whole, count(size.fitted)), rowsOf(whole, [size.fitted])];
    wrong += errorAmong(X, known, alone, [own[n]]);
    const place = broughtTo(result.latents, X, alone);
    if (place === undefined) continue;
    off.push(place.distanceTo(latents.row(n)));
    offByThree.push(place.distanceTo(byThree.row(n)));
  }
  return {
    placed: errorAmong(result.latents, known, latents, own),
    fitted: nearestNeighborError(result.latents, known),
    alone: wrong / later.length,
    byThree: errorAmong(result.latents, known, byThree, own),
    off,
    offByThree,
  };
}

/** Position in X of a point z among latents A, by the linear least-squares map from A to X, of two columns each; nothing where it explains too little of X. */
function broughtTo(X, A, z) {
  const product = (P, p, Q, q) => count(P.rows).reduce((sum, n) => sum + P.at(n, p) * Q.at(n, q), 0);
  const [a, b, d] = [product(A, 0, A, 0), product(A, 0, A, 1), product(A, 1, A, 1)];
  const maps = [0, 1].map((c) => {
    const [r, s] = [product(A, 0, X, c), product(A, 1, X, c)];
    return [(d * r - b * s) / (a * d - b * b), (a * s - b * r) / (a * d - b * b)];
  });
  const mapped = (P, n) => maps.map(([u, v]) => u * P.at(n, 0) + v * P.at(n, 1));
  const total = product(X, 0, X, 0) + product(X, 1, X, 1);
  const left = count(X.rows).reduce(
    (sum, n) => sum + Math.hypot(...mapped(A, n).map((x, c) => x - X.at(n, c))) ** 2,
    0,
  );
  if (left > 0.1 * total) return undefined;
  const place = mapped(z, 0);
  const unit = Math.sqrt(total / X.rows);
  return { distanceTo: (row) => Math.hypot(row[0] - place[0], row[1] - place[1]) / unit };
}

const median = (values) => [...values].sort((x, y) => x - y)[Math.floor(values.length / 2)];

/** Errors of new rows among fitted points, of these among each other, and of the new rows where all were fitted. */
async function errorsOf(make, Y, labels, size, seed) {
  const { fitted, placed } = size;
  const { training, later, known, own } = divided(Y, labels, size, seed);
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
    fitted: nearestNeighborError(result.latents, known),
    refitted: errorAmong(X, known, Z, own),
  };
}

async function run(study) {
  const rows = [];
  study.note(
    `Errors of the nearest neighbor in two dimensions, means over ${SEEDS.length} drawn sets of rows, each divided into points that are fitted and new rows. 'Placed' are new rows by \`project\`, among the fitted points; 'fitted' are those points among themselves in the same fit; 'fitted with them' are the new rows in a fit of all rows, among the same points. All options have their defaults.`,
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
  if (!study.quick) await alone(study);
}

async function alone(study) {
  const { models, size, seeds } = ALONE;
  const rows = [];
  study.note(
    `The second table says what placing loses, over ${seeds} sets of ${size.fitted} points and ${size.placed} new rows. 'Alone' is each new row in a fit of the points and that one row. 'Off' is the median distance from a row's place to that one, which a linear map of the columns brings to the first fit, in units of the root mean square of the latents. It rests on the rows ('compared') with which the map explains nine tenths of the first fit; others change the embedding itself. 'By 3' are rows that lle makes of 3 neighbors instead of 7.`,
  );
  const head = ['data', 'model', 'placed', 'fitted', 'alone', 'by 3', 'off', 'off by 3', 'compared'];
  study.table('What placing loses', head, rows);
  for (const [name, [file, labelFile]] of Object.entries(SETS)) {
    const Y = await readMatrix(file);
    const labels = readLabels(labelFile);
    for (const model of models) {
      const errors = [];
      for (let seed = 1; seed <= seeds; seed++) {
        const key = `alone: ${name}, ${model}, ${seed}`;
        errors.push(await study.cell(key, () => errorsAlone(MODELS[model], Y, labels, size, seed)));
      }
      const mean = (of) => (errors.reduce((sum, one) => sum + one[of], 0) / errors.length).toFixed(3);
      const all = (of) => errors.flatMap((one) => one[of]);
      const ofLle = (text) => (model === 'lle' ? text : '–');
      rows.push([
        ...[name, model, mean('placed'), mean('fitted'), mean('alone'), ofLle(mean('byThree'))],
        ...[median(all('off')).toFixed(3), ofLle(median(all('offByThree')).toFixed(3))],
        `${all('off').length} of ${seeds * size.placed}`,
      ]);
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
