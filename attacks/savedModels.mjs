// One small model of each kind that a file may contain, by name, with the answers to compare: the source of test/saved/, and the start
// of attacks on saved fits.
import {
  add,
  alle,
  backConstrained,
  bayesianGplvm,
  bernoulli,
  bias,
  bounded,
  classicalMds,
  defineKernel,
  defineModel,
  dgplvm,
  discriminative,
  drill,
  dynamics,
  encoded,
  expectedMoments,
  fixed,
  fixedAt,
  gamma,
  gaussian,
  gaussianProcess,
  gplrf,
  gplvm,
  isomap,
  kernelPca,
  knnGraph,
  laplacian,
  laplacianEigenmaps,
  latent,
  latentVariableModel,
  lda,
  linear,
  linearMap,
  lle,
  llGplvm,
  Matrix,
  markov,
  matern32,
  maxEntropy,
  meu,
  mpme,
  multiply,
  mvu,
  observed,
  pca,
  periodic,
  poisson,
  positive,
  ppca,
  rankGplvm,
  rationalQuadratic,
  rbf,
  sammon,
  scale,
  seededRandom,
  select,
  squaredDifferences,
  standardNormal,
  tpslvm,
  tsne,
  tsneGplvm,
  umap,
  white,
} from 'latentfield';
import { bestMultipliers } from 'latentfield/fields';
import { kernelLda, lpp, slpp } from 'latentfield/models';
import * as op from 'latentfield/ops';

const random = seededRandom(18);
/** Points on an arc in three dimensions, with noise. */
export const Y = Array.from({ length: 12 }, (_, i) =>
  [Math.cos(i / 4), Math.sin(i / 4), i / 6].map((entry) => entry + 0.05 * random.normal()),
);
const holes = Y.map((row, i) => row.map((entry, j) => (i < 3 && i === j ? Number.NaN : entry)));
const counts = Y.map((row) => row.map((entry) => Math.round(4 + 2 * entry)));
const signs = Y.map((row) => row.map((entry) => (entry > 0.4 ? 1 : 0)));
const labels = Y.map((_, i) => Math.floor(i / 4));
const graph = knnGraph(Y, 3);

const ownKernel = defineKernel({
  name: 'ridge',
  parameters: { variance: positive(1) },
  covariance: (p, A, B) => op.mul(p.variance, op.matMul(A, B, false, true)),
});
const ownModel = defineModel({
  name: 'plainMap',
  variables: (data) => {
    const x = latent({ dim: 1, density: standardNormal() });
    return { x, y: observed(data, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
  },
});

/** Custom parts of a program that loads the files. */
export const own = { kernels: { ridge: ownKernel }, models: { plainMap: ownModel } };

export const savedModels = {
  gplvm: () => gplvm(Y, { latentDim: 2 }),
  gplvmMlp: () => gplvm(Y, { latentDim: 1, backConstraint: 'mlp' }),
  gplvmKernelMap: () => gplvm(Y, { latentDim: 2, backConstraint: 'kernel', scale: true }),
  gplvmLinearMap: () => gplvm(Y, { latentDim: 1, posterior: backConstrained(linearMap()) }),
  gplvmDynamics: () =>
    gplvm(Y, { latentDim: 1, priors: [dynamics({ segments: [0, 6], order: 'difference', initial: 'none' })] }),
  gplvmMissing: () => gplvm(holes, { latentDim: 1, missing: 'ignore', center: false }),
  gplvmInducing: () => gplvm(Y, { latentDim: 1, inducing: 4 }),
  gplvmPriors: () =>
    latentVariableModel({
      observations: Y,
      latentDim: 2,
      kernel: add(
        multiply(
          scale(rbf({ variance: fixed(1), lengthscale: positive([1, 2], { transform: 'softplus' }) }), 2),
          linear(),
        ),
        select(matern32({ variance: positive(1, { prior: gamma({ shape: 2, rate: 1 }) }) }), [0]),
        bias(),
        white({ variance: 0.1 }),
      ),
      priors: [
        standardNormal(),
        discriminative(labels, { strength: 0.1 }),
        markov({ coefficient: bounded(0, 1, 0.5) }),
      ],
    }),
  gplvmNoises: () =>
    latentVariableModel({
      observations: Y,
      latentDim: 1,
      kernel: add(periodic({ period: 3 }), rationalQuadratic()),
      likelihood: gaussian({ variance: [0.1, 0.2, 0.1] }),
      priors: [laplacian(graph, { strength: 0.2, offset: 0.1 })],
    }),
  fixedLatents: () =>
    latentVariableModel({
      observations: Y,
      latentDim: 1,
      posterior: fixedAt(Y.map(([first]) => [first])),
      kernel: ownKernel(),
      noise: 0.1,
    }),
  views: () =>
    latentVariableModel({
      latentDim: 1,
      views: {
        second: { observations: Y.map(([, , entry]) => [entry]), kernel: rbf(), noise: 0.1 },
        first: { observations: Y.map((row) => row.slice(0, 2)), kernel: add(rbf(), bias()), noise: 0.1 },
      },
      priors: [standardNormal()],
    }),
  jointField: () =>
    gplvm(Y, {
      latentDim: 1,
      priors: [
        maxEntropy({
          copies: 1,
          slack: 5,
          multipliers: bestMultipliers(),
          expect: { near: squaredDifferences(graph) },
        }),
      ],
    }),
  jointMoments: () => gplvm(Y, { latentDim: 1, priors: [expectedMoments({ graph })] }),
  tpslvm: () => tpslvm(Y, { latentDim: 1 }),
  gplrf: () => gplrf(Y, labels, { latentDim: 1, strength: 0.1 }),
  dgplvm: () => dgplvm(Y, labels, { latentDim: 1, strength: 1 }),
  llGplvm: () => llGplvm(Y, { latentDim: 1, neighbors: 3 }),
  rankGplvm: () => rankGplvm(Y, { latentDim: 2 }),
  tsneGplvm: () => tsneGplvm(Y, { latentDim: 1, perplexity: 3 }),
  tsne: () => tsne(Y, { perplexity: 3, steps: 60 }),
  umap: () => umap(Y, { neighbors: 3, steps: 60 }),
  bayesianGplvm: () => bayesianGplvm(Y, { latentDim: 2, inducing: 4 }),
  bayesianEncoded: () => bayesianGplvm(Y, { latentDim: 1, inducing: 4, posterior: encoded(linearMap()) }),
  bayesianPoisson: () => bayesianGplvm(counts, { latentDim: 1, inducing: 4, likelihood: poisson(), center: false }),
  bayesianBernoulli: () => bayesianGplvm(signs, { latentDim: 2, inducing: 4, likelihood: bernoulli(), center: false }),
  ownModel: () => ownModel(Matrix.from(Y)),
  meu: () => meu(Y, { latentDim: 2, neighbors: 4 }),
  meuMissing: () => meu(holes, { latentDim: 1, neighbors: 4, missing: 'ignore' }),
  meuGraph: () => meu({ graph }, { latentDim: 1 }),
  mpme: () => mpme(Y, { latentDim: 2, slackPenalty: 1 }),
  mpmeKernel: () => mpme(Y, { latentDim: 1, slackPenalty: 1, distances: rbf() }),
  alle: () => alle(Y, { latentDim: 1, neighbors: 3 }),
  drill: () => drill(Y, { latentDim: 1, neighbors: 4, penalty: 0.05 }),
  pca: () => pca(Y, { latentDim: 2 }),
  ppca: () => ppca(Y, { latentDim: 2 }),
  kernelPca: () => kernelPca(Y, { latentDim: 2, kernel: rbf() }),
  classicalMds: () => classicalMds(Y, { latentDim: 2 }),
  isomap: () => isomap(Y, { latentDim: 2, neighbors: 4 }),
  isomapGraph: () => isomap({ graph }, { latentDim: 1 }),
  mvu: () => mvu(Y, { latentDim: 1, neighbors: 3 }),
  lle: () => lle(Y, { latentDim: 1, neighbors: 4 }),
  laplacianEigenmaps: () => laplacianEigenmaps(Y, { latentDim: 1, neighbors: 4 }),
  lda: () => lda(Y, labels),
  kernelLda: () => kernelLda(Y, labels, { kernel: rbf() }),
  lpp: () => lpp(Y, { neighbors: 4, weights: 'heat' }),
  slpp: () => slpp(Y, labels, { neighbors: 2 }),
  lppOfKernel: () => lpp(Y, { neighbors: 4, regularization: 0.1, kernel: rbf() }),
  slppOfKernel: () => slpp(Y, labels, { regularization: 0.1, kernel: rbf() }),
  sammon: () => sammon(Y),
};

/** Options of the fits, which are short because only the files are used. */
export const savedOptions = { seed: 1, maxIterations: 8, engine: 'wasm' };

/** Answers of a fit as plain numbers: two fits with the same answers are equivalent for users. */
export async function answersOf(fit) {
  const q = fit.latents.columns;
  const places = [Array.from({ length: q }, () => 0.3), Array.from({ length: q }, (_, c) => c - 0.7)];
  const answers = { latents: fit.latents, objective: fit.objective, status: fit.status, parameters: fit.parameters };
  const view = fit.translate === undefined ? {} : { view: 'first' };
  if (fit.predict !== undefined) answers.predict = fit.predict(places, { noise: true, ...view });
  if (fit.project !== undefined) {
    const rows = fit.translate === undefined ? rowsFor(fit) : { first: Y.slice(2, 4).map((row) => row.slice(0, 2)) };
    answers.project = await fit.project(rows, { maxIterations: 5 });
  }
  if (fit.forecast !== undefined) answers.forecast = fit.forecast(2);
  for (const name of ['graph', 'eigenvalues', 'latentVariances', 'relevance', 'evidence']) {
    if (fit[name] !== undefined) answers[name] = fit[name];
  }
  if (fit.precision !== undefined) answers.precision = fit.precision();
  return JSON.parse(JSON.stringify(answers, plainNumbers));
}

function rowsFor({ model, parameters }) {
  if (model !== 'bayesianGplvm') return Y.slice(2, 4).map((row) => row.map((entry) => entry + 0.01));
  const isNoisy = parameters['mapping.noise'] !== undefined;
  return isNoisy ? Y.slice(2, 4) : signs.slice(2, 4);
}

/** Lists of doubles as lists; numbers that JSON has no form for as text. */
function plainNumbers(_, value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
