import { count, library, readMatrix, rowsOf, standardizedBy } from './data.mjs';

const { fit, geometry, Matrix, pca, seededRandom } = library;

const cases = [
  { name: 'iris', file: 'iris_X.npy', model: 'bayesianGplvm' },
  { name: 'wine', file: 'wine_X.npy', model: 'bayesianGplvm' },
  { name: 'oil flow', file: 'oil_train_X.npy', model: 'bayesianGplvm' },
  { name: 'iris', file: 'iris_X.npy', model: 'gplvm' },
];
const [ROWS, LANDMARKS] = [100, 14];
/** Numbers of compared fits, and of starts for each; the start with the greatest objective is kept. */
const [FITS, STARTS] = [10, 3];

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

/** Distances of all pairs of landmarks by one fit, on straight lines between latents and on geodesics; its start is principal components moved at random. */
async function distancesOf(make, Y, landmarks, seed, maxIterations) {
  const { normal } = seededRandom(seed);
  const { latents } = await fit(pca(Y, { latentDim: 2 }));
  const [first] = standardizedBy(latents);
  const init = Matrix.from(first.toArrays().map((row) => row.map((entry) => entry + normal())));
  const result = await fit(make(Y, { latentDim: 2, init }), { maxIterations });
  const X = result.latents;
  const along = geometry(result).distances(landmarks);
  const pairs = landmarks.flatMap((i, k) => landmarks.slice(0, k).map((j, l) => ({ i, j, k, l })));
  return {
    objective: result.objective,
    status: result.status,
    euclidean: pairs.map(({ i, j }) => Math.hypot(X.at(i, 0) - X.at(j, 0), X.at(i, 1) - X.at(j, 1))),
    geodesic: pairs.map(({ k, l }) => along.at(k, l)),
    observed: pairs.map(({ i, j }) => Math.hypot(...Array.from(Y.row(i), (entry, d) => entry - Y.at(j, d)))),
  };
}

/** CPU seconds of the metric's grid and of 200 geodesics, on a map of a thousand rows. */
async function costOf(Y) {
  const result = await fit(library.gplvm(Y, { latentDim: 2 }), { maxIterations: 50 });
  const before = process.cpuUsage();
  const own = geometry(result);
  const { interpolationError } = own;
  const between = process.cpuUsage();
  const found = own.geodesics(count(200).map((k) => [k, Y.rows - 1 - k]));
  const after = process.cpuUsage();
  const seconds = (from, to) => ((to.user + to.system - from.user - from.system) / 1e6).toFixed(1);
  return {
    interpolationError,
    grid: seconds(before, between),
    paths: seconds(between, after),
    converged: found.filter((path) => path.converged).length,
  };
}

/** Mean and least rank correlation of the distances of two fits over all pairs of fits, and the mean of that with the distances of the rows. */
function agreementOf(fits) {
  const shown = ['euclidean', 'geodesic'].map((kind) => {
    const found = fits.flatMap((a, i) => fits.slice(0, i).map((b) => rankCorrelation(a[kind], b[kind])));
    return [mean(found), Math.min(...found)].map((own) => own.toFixed(3));
  });
  const withRows = ['euclidean', 'geodesic'].map((kind) =>
    mean(fits.map((own) => rankCorrelation(own[kind], own.observed))).toFixed(3),
  );
  const objectives = fits.map(({ objective }) => objective);
  return [...shown.flat(), ...withRows, (Math.max(...objectives) - Math.min(...objectives)).toFixed(1)];
}

const best = (fits) => fits.reduce((found, own) => (own.objective > found.objective ? own : found));

async function run(study) {
  const [fitted, several, size, landmarked] = study.quick ? [3, 2, 40, 8] : [FITS, STARTS, ROWS, LANDMARKS];
  const maxIterations = study.quick ? 60 : 1000;
  const starts = count(fitted * several).map((k) => k + 1);
  const tables = [[], []];
  study.note(
    `Distances between ${landmarked} landmarks, all pairs of them, by ${fitted} fits of one model of two latent dimensions, each started at principal components of unit variance plus N(0, I), ${maxIterations} iterations at the most; ${size} rows evenly through each set, columns standardized. Euclidean ones of the latents, and lengths of geodesics by \`geometry(fit).distances\`. What is printed is Spearman's rank correlation of the distances of two fits, over all pairs of fits, the mean of that with the distances of the rows themselves, and by how much the objectives of the fits differ. Such starts end at maps of different likelihood, and no distance can make those agree; so each fit is that of one start (seeds 1 to ${fitted}) in the first table, and in the second the one of the greatest objective of ${several} starts (seeds 1 to ${starts.length}).`,
  );
  const titles = ['from one start each', `from the best of ${several} starts each`];
  titles.forEach((title, k) => {
    study.table(
      `How far distances of fits agree, ${title}`,
      [
        ...['set', 'model', 'Euclidean: mean', 'least', 'geodesic: mean', 'least'],
        ...['with those of the rows: Euclidean', 'geodesic', 'objectives differ by'],
      ],
      tables[k],
    );
  });
  for (const { name, file, model } of study.quick ? cases.slice(0, 1) : cases) {
    const all = await readMatrix(file);
    const some = rowsOf(
      all,
      count(size).map((k) => Math.floor((k * all.rows) / size)),
    );
    const varied = count(some.columns).filter((j) => new Set(some.column(j)).size > 1);
    const [Y] = standardizedBy(Matrix.from(some.toArrays().map((row) => varied.map((j) => row[j]))));
    const landmarks = count(landmarked).map((k) => Math.floor(((k + 0.5) * size) / landmarked));
    const fits = [];
    for (const seed of starts) {
      const key = `${name}, ${model}, start ${seed}`;
      fits.push(await study.cell(key, () => distancesOf(library[model], Y, landmarks, seed, maxIterations)));
    }
    const kept = count(fitted).map((k) => best(fits.slice(several * k, several * (k + 1))));
    [fits.slice(0, fitted), kept].forEach((own, k) => {
      tables[k].push([name, model, ...agreementOf(own)]);
    });
  }
  if (study.quick || !study.isChosen('cost')) return;
  const digits = rowsOf(await readMatrix('digits8x8_X.npy'), count(1000));
  const varied = count(digits.columns).filter((j) => new Set(digits.column(j)).size > 1);
  const [Y] = standardizedBy(Matrix.from(digits.toArrays().map((row) => varied.map((j) => row[j]))));
  const own = await study.cell('cost', () => costOf(Y));
  study.table(
    'What 200 geodesics cost: gplvm of 1000 digits, 50 iterations, each of 200 rows joined with another',
    ['rows', 'columns', 'interpolation error', 'converged', 'CPU seconds: the grid of the metric', 'geodesics'],
    [[Y.rows, Y.columns, own.interpolationError.toFixed(4), `${own.converged} of 200`, own.grid, own.paths]],
    { timed: ['CPU seconds: the grid of the metric', 'geodesics'] },
  );
}

export const distances = {
  name: 'geodesic-distances',
  title: 'Distances by fits from different starts',
  source: 'A comparison of our own; after Hauberg 2018',
  files: [...new Set(cases.map(({ file }) => file)), 'digits8x8_X.npy'],
  run,
};
