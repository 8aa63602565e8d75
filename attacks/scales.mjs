// Observations of all sizes that doubles have, fitted by every named model: successful fits respect their supports, and are the same after loading.

import { checksum } from 'latentfield/core';
import root from './everything.mjs';
import { tried } from './report.mjs';
import { savedOptions, Y } from './savedModels.mjs';

const { fit, loadFit } = root;
const EXPONENTS = [-320, -300, -200, -170, -160, -150, -100, -30, 30, 100, 150, 154, 160, 200, 300];
const labels = Y.map((_, i) => Math.floor(i / 4));
const models = {
  alle: (Y) => root.alle(Y, { latentDim: 1, neighbors: 3 }),
  bayesianGplvm: (Y) => root.bayesianGplvm(Y, { latentDim: 1, inducing: 4 }),
  classicalMds: (Y) => root.classicalMds(Y, { latentDim: 1 }),
  dgplvm: (Y) => root.dgplvm(Y, labels, { latentDim: 1 }),
  drill: (Y) => root.drill(Y, { latentDim: 1, neighbors: 4, penalty: 0.05 }),
  gplrf: (Y) => root.gplrf(Y, labels, { latentDim: 1 }),
  gplvm: (Y) => root.gplvm(Y, { latentDim: 1 }),
  isomap: (Y) => root.isomap(Y, { latentDim: 1, neighbors: 4 }),
  kernelPca: (Y) => root.kernelPca(Y, { latentDim: 1, kernel: root.rbf() }),
  kernelLda: (Y) => root.kernelLda(Y, labels, { kernel: root.rbf() }),
  lda: (Y) => root.lda(Y, labels),
  lpp: (Y) => root.lpp(Y, { latentDim: 1, neighbors: 4 }),
  sammon: (Y) => root.sammon(Y, { latentDim: 1 }),
  slpp: (Y) => root.slpp(Y, labels, { latentDim: 1 }),
  laplacianEigenmaps: (Y) => root.laplacianEigenmaps(Y, { latentDim: 1, neighbors: 4 }),
  llGplvm: (Y) => root.llGplvm(Y, { latentDim: 1, neighbors: 3 }),
  lle: (Y) => root.lle(Y, { latentDim: 1, neighbors: 4 }),
  meu: (Y) => root.meu(Y, { latentDim: 1, neighbors: 4 }),
  mpme: (Y) => root.mpme(Y, { latentDim: 1, slackPenalty: 1 }),
  mvu: (Y) => root.mvu(Y, { latentDim: 1, neighbors: 3 }),
  pca: (Y) => root.pca(Y, { latentDim: 1 }),
  ppca: (Y) => root.ppca(Y, { latentDim: 1 }),
  rankGplvm: (Y) => root.rankGplvm(Y, { latentDim: 2 }),
  tpslvm: (Y) => root.tpslvm(Y, { latentDim: 1 }),
  tsne: (Y) => root.tsne(Y, { perplexity: 3, steps: 60 }),
  tsneGplvm: (Y) => root.tsneGplvm(Y, { latentDim: 1, perplexity: 3 }),
  umap: (Y) => root.umap(Y, { neighbors: 3, steps: 60 }),
  gplvmSum: (Y) =>
    root.gplvm(Y, { latentDim: 1, kernel: root.add(root.rbf(), root.linear(), root.bias(), root.white()) }),
  gplvmProduct: (Y) =>
    root.gplvm(Y, { latentDim: 1, kernel: root.add(root.multiply(root.rbf(), root.linear()), root.mlp()) }),
  gplvmLong: (Y) => root.gplvm(Y, { latentDim: 2, kernel: root.add(root.rbf(), root.matern32(), root.bias()) }),
  gplvmInducing: (Y) => root.gplvm(Y, { latentDim: 1, inducing: 4 }),
  gplvmDynamics: (Y) => root.gplvm(Y, { latentDim: 1, priors: [root.dynamics()] }),
  gplvmNoises: (Y) =>
    root.latentVariableModel({
      observations: Y,
      latentDim: 1,
      kernel: root.add(root.rbf(), root.bias()),
      likelihood: root.gaussian({ variance: [0.1, 0.1, 0.1] }),
      priors: [root.standardNormal()],
    }),
  views: (Y) =>
    root.latentVariableModel({
      latentDim: 1,
      views: {
        a: { observations: Y, kernel: root.add(root.rbf(), root.bias()), noise: 0.1 },
        b: { observations: Y.map(([y]) => [y]), kernel: root.rbf(), noise: 0.1 },
      },
      priors: [root.standardNormal()],
    }),
  bayesianSum: (Y) =>
    root.bayesianGplvm(Y, { latentDim: 1, inducing: 4, kernel: root.add(root.rbf(), root.linear(), root.bias()) }),
  mpmeKernel: (Y) => root.mpme(Y, { latentDim: 1, slackPenalty: 1, distances: root.rbf() }),
  gplvmMap: (Y) => root.gplvm(Y, { latentDim: 1, backConstraint: 'mlp' }),
  gplvmScale: (Y) => root.gplvm(Y, { latentDim: 1, scale: true, kernel: root.add(root.rbf(), root.bias()) }),
};
const ITERATIONS = [8, 300];

export async function attackScales({ cases, report }) {
  const all = ITERATIONS.flatMap((maxIterations) =>
    EXPONENTS.flatMap((exponent) => Object.keys(models).map((name) => ({ maxIterations, exponent, name }))),
  );
  const stride = Math.max(1, Math.floor(all.length / cases));
  for (let k = 0; k < all.length; k += stride) await attackScale(all[k], report);
}

async function attackScale({ maxIterations, exponent, name }, report) {
  const what = `${name} × 1e${exponent}, ${maxIterations} iterations`;
  const observations = Y.map((row) => row.map((entry) => entry * Number(`1e${exponent}`)));
  const fitted = await tried(report, what, () => fit(models[name](observations), { ...savedOptions, maxIterations }));
  if (fitted === undefined) return;
  if (fitted.error !== undefined) return report.count('refused');
  const { value: result } = fitted;
  const again = await tried(report, `${what}, loaded`, () => loadFit(JSON.parse(JSON.stringify(result))));
  if (again === undefined) return;
  if (again.error !== undefined) {
    return report.fail(`${what}, ${result.status}, cannot be loaded`, again.error.message);
  }
  if (again.value.status !== result.status) report.fail(`${what}, loaded`, again.value.status);
  if (result.status === 'failed') return report.count('failed, and loaded so');
  const wrong = Object.entries(result.parameters).find(([path, value]) => !isWithin(path, numbersIn(value)));
  if (wrong !== undefined) return report.fail(`${what}, ${result.status}, ${wrong[0]}`, JSON.stringify(wrong[1]));
  const first = await tried(report, `${what}, answers`, () => answersOf(result, observations));
  const second = await tried(report, `${what}, answers when loaded`, () => answersOf(again.value, observations));
  if (first === undefined || second === undefined) return;
  if (first.error !== undefined && result.status === 'maxIterations')
    return report.count('maxIterations, answers refused');
  if (first.error !== undefined) return report.fail(`${what}, ${result.status}, answers`, first.error.message);
  if (checksum(first.value) !== checksum(second.value)) return report.fail(`${what}, loaded`, 'other answers');
  const { latents, predicted, variances, placed } = first.value;
  if (![...latents, ...predicted, ...placed].every(Number.isFinite)) report.fail(`${what}, answers`, 'not finite');
  if (!variances.every((entry) => entry > 0)) report.fail(`${what}, variances`, variances);
  report.count(`${result.status}, loaded, the same answers`);
}

const isWithin = (path, numbers) =>
  numbers.every(Number.isFinite) && (!/variance|noise|lengthscale/i.test(path) || numbers.every((entry) => entry > 0));

function numbersIn(value) {
  if (typeof value === 'number') return [value];
  return Array.from(value.data ?? value).flatMap(numbersIn);
}

/** Answers of a fit at latents, and for two of its rows. */
async function answersOf(result, Y) {
  const { columns: q, data: latents } = result.latents;
  const view = result.translate === undefined ? {} : { view: 'a' };
  const places = [Array.from({ length: q }, () => 0.3), Array.from({ length: q }, (_, c) => c - 0.7)];
  const { mean, variance } = result.predict?.(places, { noise: true, ...view }) ?? {};
  const rows = Y.slice(2, 4);
  const placed = await result.project?.(result.translate === undefined ? rows : { a: rows }, { maxIterations: 5 });
  return {
    latents,
    predicted: mean?.data ?? [],
    variances: variance?.data ?? [],
    placed: placed?.latents.data ?? [],
  };
}
