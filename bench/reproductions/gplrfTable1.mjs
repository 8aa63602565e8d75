import { library } from './data.mjs';
import { onPrincipalAxes, readDigits } from './digits.mjs';
import { chosenSettings, leastBy, mean, placed, splitOf, spread, testError } from './splits.mjs';

const { dgplvm, gplrf, gplvm, kernelLda, kernelPca, kernelRegression, lda, lpp, pca, rbf, slpp } = library;

/** Errors that the paper prints, by n. */
const PAPER = {
  pixels: { 10: 0.1976, 20: 0.1463, 30: 0.126, 40: 0.1107, 50: 0.0986 },
  PCA: { 10: 0.2497, 20: 0.209, 30: 0.1849, 40: 0.1757, 50: 0.1631 },
  LDA: { 10: 0.2636, 20: 0.1937, 30: 0.1657, 40: 0.152, 50: 0.1392 },
  LPP: { 10: 0.3433, 20: 0.2761, 30: 0.247, 40: 0.215, 50: 0.1929 },
  SLPP: { 10: 0.2448, 20: 0.207, 30: 0.1792, 40: 0.1639, 50: 0.1498 },
  'kernel PCA': { 10: 0.3515, 20: 0.2764, 30: 0.249, 40: 0.2422, 50: 0.2204 },
  'kernel LPP': { 10: 0.5087, 20: 0.5024, 30: 0.4751, 40: 0.4645, 50: 0.4517 },
  'kernel SLPP': { 10: 0.2155, 20: 0.1702, 30: 0.145, 40: 0.1345, 50: 0.1059 },
  'kernel LDA': { 10: 0.1827, 20: 0.1455, 30: 0.0971, 40: 0.0921, 50: 0.0729 },
  GPLVM: { 10: 0.2554, 20: 0.194, 30: 0.1695, 40: 0.1422, 50: 0.1311 },
  DGPLVM: { 10: 0.2491, 20: 0.1922, 30: 0.1692, 40: 0.1442, 50: 0.1303 },
  GPLRF: { 10: 0.1769, 20: 0.1129, 30: 0.0946, 40: 0.0809, 50: 0.069 },
};
const LATENT_DIM = 9;
/** As wide as digits in [0, 1] are apart. */
const RIVAL_KERNEL = rbf({ lengthscale: 7 });
const GAMMAS = [0.01, 0.02, 0.04];
const STRENGTHS = { DGPLVM: [100, 1000] };
/** Iterations of the search for γ and the strength, one of those among which the number is chosen then. */
const SEARCHED = 60;
const ITERATIONS = [30, SEARCHED, 120];

const models = {
  GPLVM: ({ Y }, { gamma }) => gplvm(Y, { latentDim: LATENT_DIM, backConstraint: kernelRegression({ gamma }) }),
  DGPLVM: ({ Y, labels }, { gamma, strength }) =>
    dgplvm(Y, labels, { latentDim: LATENT_DIM, strength, backConstraint: kernelRegression({ gamma }) }),
  // α by the library's rule, in 9 dimensions the number of columns, which here grows with n: chosen among few digits it is mostly chance.
  GPLRF: ({ Y, labels }, { gamma }) =>
    gplrf(Y, labels, { latentDim: LATENT_DIM, backConstraint: kernelRegression({ gamma }) }),
};

/** Settings of a model chosen inside training digits, and then how many iterations, for the test error can grow while the density still does. */
async function settingsOf(name, training, quick) {
  const folds = training.Y.rows > 100 ? 3 : 5;
  const grid = { gamma: quick ? [0.02, 0.04] : GAMMAS, strength: STRENGTHS[name]?.slice(0, quick ? 1 : 2) ?? [0] };
  const chosen = await chosenSettings(models[name], training, grid, { folds, maxIterations: quick ? 15 : SEARCHED });
  if (quick) return { gamma: chosen.gamma, strength: chosen.strength, maxIterations: 15 };
  const alone = { gamma: [chosen.gamma], strength: [chosen.strength] };
  const scores = new Map([[SEARCHED, chosen.score]]);
  for (const maxIterations of ITERATIONS.filter((each) => each !== SEARCHED)) {
    scores.set(maxIterations, (await chosenSettings(models[name], training, alone, { folds, maxIterations })).score);
  }
  return {
    gamma: chosen.gamma,
    strength: chosen.strength,
    maxIterations: leastBy(ITERATIONS, (each) => scores.get(each)),
  };
}

/** Test errors of one split by model, with the settings that were chosen. */
async function errorsOn(digits, n, seed, names, quick) {
  const parts = onPrincipalAxes(splitOf(digits, n, seed));
  const [errors, settings] = [{}, {}];
  for (const name of names) {
    const { maxIterations, ...chosen } = await settingsOf(name, parts.training, quick);
    errors[name] = (await placed(models[name](parts.training, chosen), parts, { maxIterations })).error;
    settings[name] = { ...chosen, maxIterations };
  }
  return { errors, settings };
}

/** Models in closed form, at settings that no label chose: all defaults but the kernel, as wide as digits in [0, 1] are apart, and a ridge of SLPP and the kernel forms. */
const RIVALS = {
  PCA: ({ Y }) => pca(Y, { latentDim: LATENT_DIM }),
  LDA: ({ Y, labels }) => lda(Y, labels, { latentDim: LATENT_DIM }),
  LPP: ({ Y }) => lpp(Y, { latentDim: LATENT_DIM }),
  SLPP: ({ Y, labels }) => slpp(Y, labels, { latentDim: LATENT_DIM, regularization: 0.1 }),
  'kernel PCA': ({ Y }) => kernelPca(Y, { latentDim: LATENT_DIM, kernel: RIVAL_KERNEL }),
  'kernel LPP': ({ Y }) => lpp(Y, { latentDim: LATENT_DIM, regularization: 0.1, kernel: RIVAL_KERNEL }),
  'kernel SLPP': ({ Y, labels }) =>
    slpp(Y, labels, { latentDim: LATENT_DIM, regularization: 0.1, kernel: RIVAL_KERNEL }),
  'kernel LDA': ({ Y, labels }) => kernelLda(Y, labels, { latentDim: LATENT_DIM, kernel: RIVAL_KERNEL }),
};

async function rivalErrors(digits, n, seed) {
  const split = splitOf(digits, n, seed);
  const parts = onPrincipalAxes(split);
  const errors = { pixels: testError(split.training, split.test) };
  for (const [name, make] of Object.entries(RIVALS)) errors[name] = (await placed(make(parts.training), parts)).error;
  return { errors, settings: {} };
}

async function run(study) {
  const sizes = study.quick ? [10] : [10, 20, 30, 40, 50];
  const splits = study.quick ? 1 : 5;
  const digits = await readDigits();
  const found = new Map();
  const rows = [];
  const chosen = [];
  study.note(
    `All 9298 digits with pixels in [0, 1]; n of each class train, the rest test; principal components of the training digits that keep 99 % of the variance; ${LATENT_DIM} latent dimensions; new digits go through the back-constraint, a kernel regression. Mean and standard deviation over ${splits} random splits (the paper's: 20). γ and the iterations (and the strength of DGPLVM) are chosen for every split by cross-validation inside its training digits, 5 folds of 100 digits, 3 of more, with no test label of that split; α is the library's default, in 9 dimensions the number of columns. The factor of that default was chosen once by errors of USPS test digits ([default-strengths](default-strengths.md)), so this table is not independent of it. The paper takes the α and γ of smallest test error. LDA (shrunk by the rule of Ledoit and Wolf), LPP, SLPP and their kernel forms (a ridge of a tenth for the last three), kernel PCA and kernel LDA (GDA in the paper; an rbf as wide as digits are apart) are at settings that nothing chose. The GPLVMs with locality, rank and t-SNE priors, which the paper has too, are not in this table: [gplrf-figure3](gplrf-figure3.md) has them. The paper's GPLVM has no back-constraint; ours has one, so that new digits have latents at once. Splits differ by more than models: 'of the pixels' is the error over that of the pixels on the same splits.`,
  );
  study.table(
    '1-nearest-neighbor error of the test digits',
    ['n', 'model', 'error', 'paper', 'difference', 'of the pixels', 'paper ', 'splits', 'CPU s'],
    rows,
    { timed: ['CPU s'] },
  );
  study.table(
    'Settings chosen inside the training digits',
    ['n', 'split', 'model', 'γ', 'strength', 'iterations'],
    chosen,
  );
  for (const names of [Object.keys(RIVALS), ['GPLRF'], ['GPLVM', 'DGPLVM']]) {
    for (let seed = 1; seed <= splits; seed++) {
      for (const n of sizes) {
        const key = (name) => `n = ${n}, ${name}`;
        const isRivals = names.includes('LDA');
        const cell = `n = ${n}, split ${seed}, ${isRivals ? 'rivals' : names.join(' and ')}`;
        const { errors, settings } = await study.cell(cell, () =>
          isRivals ? rivalErrors(digits, n, seed) : errorsOn(digits, n, seed, names, study.quick),
        );
        for (const [name, error] of Object.entries(errors)) {
          const entry = found.get(key(name)) ?? { n, name, errors: [], seconds: 0 };
          entry.errors.push(error);
          if (names.includes(name)) entry.seconds += study.secondsOf(cell) / names.length;
          found.set(key(name), entry);
        }
        for (const [name, { gamma, strength, maxIterations }] of Object.entries(settings)) {
          chosen.push([n, seed, name, gamma, strength || '–', maxIterations]);
        }
        rows.splice(0, rows.length, ...rowsOfTable([...found.values()]));
      }
    }
  }
}

function rowsOfTable(entries) {
  const order = Object.keys(PAPER);
  const pixelsAt = (n, seeds) =>
    mean(entries.find((one) => one.n === n && one.name === 'pixels').errors.slice(0, seeds));
  return entries
    .sort((a, b) => a.n - b.n || order.indexOf(a.name) - order.indexOf(b.name))
    .map(({ n, name, errors, seconds }) => {
      const average = mean(errors);
      const difference = average - PAPER[name][n];
      return [
        n,
        name,
        spread(errors),
        PAPER[name][n].toFixed(4),
        `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`,
        (average / pixelsAt(n, errors.length)).toFixed(3),
        (PAPER[name][n] / PAPER.pixels[n]).toFixed(3),
        errors.length,
        seconds.toFixed(0),
      ];
    });
}

export const gplrfTable1 = {
  name: 'gplrf-table1',
  title: 'GPLRF on USPS',
  source: 'Zhong et al. 2010, Table 1',
  files: ['usps_X.npy', 'usps_y.npy'],
  run,
};
