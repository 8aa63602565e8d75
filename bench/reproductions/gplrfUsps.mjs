/**
 * GPLRF on USPS by the protocol of Zhong et al. 2010, Table 1: all 9298 digits with pixels in [0, 1]; n digits of each class train,
 * the rest test; PCA of the training digits that keeps 99 % of the variance; 9 latent dimensions; 1-nearest-neighbour error of the
 * test digits, which go through the back-constraint.
 *
 *   node bench/reproductions/gplrfUsps.mjs [--sizes 10,30,50] [--splits 5] [--iterations 100] [--alphas 1,10,100,1000]
 *
 * The paper chooses α and γ by the test error of the very splits that it reports. Here they are chosen once for each n on split 0, which
 * is not among the reported ones, from the paper's γ and some of its α (--alphas 0.00001,0.0001,… takes all eleven, at thrice the time).
 */
import { parseArgs } from 'node:util';
import { library, printTable } from './data.mjs';
import { onPrincipalAxes, readDigits, splitDigits, testError } from './digits.mjs';

const { fit, gplrf, kernelRegression } = library;
const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,30,50' },
    splits: { type: 'string', default: '5' },
    iterations: { type: 'string', default: '100' },
    alphas: { type: 'string', default: '1,10,100,1000' },
  },
});
const ALPHAS = options.alphas.split(',').map(Number);
const GAMMAS = [0.001, 0.01, 0.1];
/** Table 1 of the paper: errors of the pixels and of GPLRF by n. */
const PAPER = {
  10: [0.1976, 0.1769],
  20: [0.1463, 0.1129],
  30: [0.126, 0.0946],
  40: [0.1107, 0.0809],
  50: [0.0986, 0.069],
};

async function latentError({ training, test }, { alpha, gamma }) {
  const model = gplrf(training.Y, training.labels, {
    latentDim: 9,
    strength: alpha,
    backConstraint: kernelRegression({ gamma }),
  });
  const result = await fit(model, { maxIterations: Number(options.iterations) });
  const { latents } = await result.project(test.Y);
  return testError({ Y: result.latents, labels: training.labels }, { Y: latents, labels: test.labels });
}

async function chosenSettings(digits, n) {
  const split = onPrincipalAxes(splitDigits(digits, n, 0));
  const grid = GAMMAS.flatMap((gamma) => ALPHAS.map((alpha) => ({ alpha, gamma })));
  const tried = [];
  for (const settings of grid) {
    const error = await latentError(split, settings);
    console.error(`n = ${n}, split 0: α = ${settings.alpha}, γ = ${settings.gamma}: ${error.toFixed(4)}`);
    tried.push({ ...settings, error });
  }
  return tried.reduce((best, one) => (one.error < best.error ? one : best));
}

const summary = (errors) => {
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const spread = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (errors.length - 1 || 1));
  return `${mean.toFixed(4)} ± ${spread.toFixed(4)}`;
};

const digits = await readDigits();
const rows = [['n', 'α', 'γ', 'pixels', 'paper', 'GPLRF', 'paper']];
for (const n of options.sizes.split(',').map(Number)) {
  const { alpha, gamma } = await chosenSettings(digits, n);
  const [raw, latent] = [[], []];
  for (let seed = 1; seed <= Number(options.splits); seed++) {
    const split = splitDigits(digits, n, seed);
    raw.push(testError(split.training, split.test));
    latent.push(await latentError(onPrincipalAxes(split), { alpha, gamma }));
    console.error(`n = ${n}, split ${seed}: pixels ${raw.at(-1).toFixed(4)}, GPLRF ${latent.at(-1).toFixed(4)}`);
  }
  const [paperRaw, paperLatent] = PAPER[n] ?? ['–', '–'];
  rows.push([n, alpha, gamma, summary(raw), paperRaw, summary(latent), paperLatent]);
}
printTable(rows);
