import { count, library, readMatrix, rowsOf, standardisedBy } from './data.mjs';

const { fit, geometry, gplvm, Matrix, seededRandom } = library;

const sets = [
  { name: 'iris', file: 'iris_X.npy', rows: 150 },
  { name: 'wine', file: 'wine_X.npy', rows: 178 },
  { name: 'oil flow', file: 'oil_train_X.npy', rows: 300 },
  { name: 'robot', file: 'robot_train_X.npy', rows: 215 },
  { name: 'run', file: 'run1_X.npy', rows: 55 },
  { name: 'digits', file: 'digits8x8_X.npy', rows: 300 },
];

const mean = (list) => list.reduce((sum, entry) => sum + entry / list.length, 0);

/** Ranks from 0; numbers that are the same share the mean of theirs. */
function ranksOf(list) {
  const order = count(list.length).sort((a, b) => list[a] - list[b]);
  const ranks = new Array(list.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && list[order[to]] === list[order[from]]) to++;
    for (let k = from; k < to; k++) ranks[order[k]] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's rank correlation. */
function rankCorrelation(a, b) {
  const [x, y] = [a, b].map((list) => {
    const ranks = ranksOf(list);
    const middle = mean(ranks);
    return ranks.map((rank) => rank - middle);
  });
  const dot = (u, v) => u.reduce((sum, entry, k) => sum + entry * v[k], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

/** Rank correlations of the distances of each two fits. */
const agreements = (fits) => fits.flatMap((a, i) => fits.slice(0, i).map((b) => rankCorrelation(a, b)));

/** Distances of all pairs of landmarks by one fit, on straight lines between latents and on geodesics. */
async function distancesOf(Y, landmarks, seed, maxIterations) {
  const { normal } = seededRandom(seed);
  const init = Matrix.from(count(Y.rows).map(() => [normal(), normal()]));
  const result = await fit(gplvm(Y, { latentDim: 2, init }), { maxIterations });
  const pairs = landmarks.flatMap((i, k) => landmarks.slice(0, k).map((j) => [i, j]));
  const X = result.latents;
  const along = geometry(result).distances(landmarks);
  return {
    objective: result.objective,
    euclidean: pairs.map(([i, j]) => Math.hypot(X.at(i, 0) - X.at(j, 0), X.at(i, 1) - X.at(j, 1))),
    geodesic: landmarks.flatMap((_, k) => count(k).map((l) => along.at(k, l))),
  };
}

async function run(study) {
  const starts = count(study.quick ? 3 : 10).map((k) => k + 1);
  const maxIterations = study.quick ? 40 : 1000;
  const table = [];
  for (const { name, file, rows } of study.quick ? sets.slice(0, 1) : sets) {
    const all = await readMatrix(file);
    const size = study.quick ? 40 : rows;
    const some = rowsOf(
      all,
      count(size).map((k) => Math.floor((k * all.rows) / size)),
    );
    const varied = count(some.columns).filter((j) => new Set(some.column(j)).size > 1);
    const [Y] = standardisedBy(Matrix.from(some.toArrays().map((row) => varied.map((j) => row[j]))));
    const landmarks = count(study.quick ? 8 : 25).map((k) => Math.floor(((k + 0.5) * size) / (study.quick ? 8 : 25)));
    const fits = [];
    for (const seed of starts) {
      fits.push(await study.cell(`${name}, start ${seed}`, () => distancesOf(Y, landmarks, seed, maxIterations)));
    }
    const best = [...fits].sort((a, b) => b.objective - a.objective).slice(0, Math.ceil(fits.length / 2));
    const columns = [fits, best].flatMap((of) =>
      ['euclidean', 'geodesic'].flatMap((kind) => {
        const found = agreements(of.map((own) => own[kind]));
        return [mean(found).toFixed(3), Math.min(...found).toFixed(3)];
      }),
    );
    table.push([name, size, ...columns]);
  }
  study.note(
    `Distances between ${study.quick ? 8 : 25} landmarks, all pairs of them, by ${starts.length} fits of one GPLVM of two latent dimensions from random starts (seeds 1 to ${starts.length}, N(0, I), ${maxIterations} iterations at the most; rows evenly through each set, columns standardised): Euclidean ones of the latents, and lengths of geodesics by \`geometry(fit).distances\`, which come in units of the observations. What is printed is Spearman's rank correlation of the distances of two fits, over all pairs of fits; and over those of the half that has the higher objective.`,
  );
  study.table(
    'How far distances of fits from different starts agree',
    [
      'set',
      'rows',
      'Euclidean: mean',
      'least',
      'geodesic: mean',
      'least',
      'better half, Euclidean: mean',
      'least',
      'geodesic: mean',
      'least',
    ],
    table,
  );
}

export const distances = {
  name: 'geodesic-distances',
  title: 'Distances by fits from different starts',
  source: 'A comparison of our own; after Hauberg 2018',
  files: sets.map(({ file }) => file),
  run,
};
