// The models whose fits the proof records: those that test/saved keeps, and others for the options and likelihoods that no saved fit has.
import {
  adam,
  add,
  bayesianGplvm,
  bernoulli,
  bias,
  defineLikelihood,
  defineMap,
  definePrior,
  encoded,
  gaussian,
  gaussianLatents,
  gplvm,
  isomap,
  kernelPca,
  laplacianEigenmaps,
  latentVariableModel,
  lbfgs,
  lbfgsb,
  linear,
  linearMap,
  lle,
  Matrix,
  matern12,
  matern32,
  matern52,
  mlp,
  mlpMap,
  mpme,
  negativeBinomial,
  ordinal,
  poisson,
  polynomial,
  positive,
  ppca,
  rbf,
  real,
  scg,
  seededRandom,
  standardNormal,
  studentT,
  thinPlateSpline,
  tpslvm,
  white,
} from 'latentfield';
import * as op from 'latentfield/ops';
import { own, savedModels, Y } from '../../attacks/savedModels.mjs';

const random = seededRandom(35);
/** Points on a bent sheet in five dimensions, with noise. */
const sheet = Array.from({ length: 30 }, (_, i) => {
  const [a, b] = [i / 8, random.uniform()];
  return [a, a * b, Math.round(8 * b) / 8 - a, a * a, b].map((entry) => entry + 0.1 * random.normal());
});
const sheetWithHoles = sheet.map((row, i) => row.map((entry, j) => ((i + 2 * j) % 9 === 0 ? Number.NaN : entry)));
const countsOf = (rows) => rows.map((row) => row.map((entry) => Math.max(0, Math.round(3 + entry))));
const gradesOf = (rows) => rows.map((row) => row.map((entry) => Math.min(3, Math.max(0, Math.round(1 + entry)))));
const signsOf = (rows) => rows.map((row) => row.map((entry) => Number(entry > 0.4)));
const columns = (rows, from, to) => rows.map((row) => row.slice(from, to));

const wide = definePrior({
  name: 'wide',
  parameters: { width: positive(3) },
  logDensity: (p, X) => op.neg(op.sum(op.log(op.add(1, op.square(op.div(X, p.width)))))),
});
const laplace = defineLikelihood({
  name: 'laplace',
  parameters: { width: positive(0.3) },
  logDensity: (p, f, y) =>
    op.neg(op.add(op.div(op.sqrt(op.add(op.square(op.sub(y, f)), 1e-4)), p.width), op.log(op.mul(2, p.width)))),
});
const squares = defineMap({
  name: 'squares',
  parameters: ({ observations, latentDim }) => ({
    weights: real(
      Matrix.from(Array.from({ length: observations.columns }, (_, d) => Array(latentDim).fill(d === 0 ? 1 : 0.25))),
    ),
  }),
  apply: (p, rows) => op.matMul(op.square(rows), p.weights),
});

export const ownParts = {
  ...own,
  priors: { wide },
  likelihoods: { laplace },
  maps: { squares },
};

const views = { seen: columns(sheet, 0, 2), heard: columns(sheet, 2, 5) };
const viewsWith = (options) => ({
  seen: { observations: views.seen, kernel: rbf(), ...options },
  heard: { observations: views.heard, kernel: add(rbf(), bias()), ...options },
});

/** By name: the model, options of its fit, and new rows where `project` is to take others than the first of the sheet. */
const others = {
  gplvmSheet: { model: () => gplvm(sheet, { latentDim: 2 }) },
  gplvmWithoutPriors: { model: () => gplvm(sheet, { latentDim: 2, priors: [], kernel: add(rbf(), bias(), white()) }) },
  gplvmMatern: { model: () => gplvm(sheet, { latentDim: 2, kernel: add(matern12(), matern32(), matern52()) }) },
  gplvmPolynomial: { model: () => gplvm(sheet, { latentDim: 2, kernel: add(polynomial(), mlp(), linear()) }) },
  gplvmSpline: { model: () => gplvm(sheet, { latentDim: 2, kernel: add(thinPlateSpline(), white()) }) },
  gplvmRestarts: { model: () => gplvm(sheet, { latentDim: 2 }), fit: { restarts: 2 } },
  gplvmScg: { model: () => gplvm(sheet, { latentDim: 2 }), fit: { solver: scg() } },
  gplvmLbfgs: { model: () => gplvm(sheet, { latentDim: 2 }), fit: { solver: lbfgs() } },
  gplvmLbfgsb: { model: () => gplvm(sheet, { latentDim: 2 }), fit: { solver: lbfgsb() } },
  gplvmAdam: { model: () => gplvm(sheet, { latentDim: 2 }), fit: { solver: adam() } },
  gplvmDynamicsAndBackConstraint: {
    model: () => gplvm(sheet, { latentDim: 2, dynamics: true, backConstraint: 'mlp' }),
  },
  gplvmHoles: { model: () => gplvm(sheetWithHoles, { latentDim: 2, missing: 'ignore' }) },
  gplvmNoisePerRow: {
    model: () =>
      latentVariableModel({
        observations: sheet,
        latentDim: 2,
        kernel: rbf(),
        likelihood: gaussian({ variance: sheet.map((_, i) => 0.1 + i / 100), per: 'row' }),
      }),
  },
  gplvmOwnParts: {
    model: () =>
      gplvm(sheet, { latentDim: 2, backConstraint: squares(), priors: [wide()], kernel: own.kernels.ridge() }),
  },
  tpslvmSheet: { model: () => tpslvm(sheet, { latentDim: 2 }) },
  viewsOfSheet: {
    model: () => latentVariableModel({ latentDim: 2, views: viewsWith({ noise: 0.1 }), priors: [standardNormal()] }),
    view: 'seen',
    rows: { seen: views.seen.slice(2, 4) },
    to: 'heard',
  },
  viewsDistributed: {
    model: () =>
      latentVariableModel({
        latentDim: 2,
        posterior: gaussianLatents(),
        views: viewsWith({ noise: 0.1, inducing: 6 }),
      }),
    view: 'seen',
    rows: { seen: views.seen.slice(2, 4) },
    to: 'heard',
  },
  viewsEncoded: {
    model: () =>
      latentVariableModel({
        latentDim: 2,
        posterior: encoded(mlpMap({ hidden: 4 })),
        views: viewsWith({ noise: 0.1, inducing: 6 }),
      }),
    view: 'seen',
    rows: { seen: views.seen.slice(2, 4) },
    to: 'heard',
  },
  viewsInBatches: {
    model: () =>
      latentVariableModel({
        latentDim: 2,
        posterior: gaussianLatents(),
        views: viewsWith({ noise: 0.1, inducing: 6 }),
      }),
    fit: { batchSize: 10, maxEpochs: 2 },
    view: 'seen',
    rows: { seen: views.seen.slice(2, 4) },
    to: 'heard',
  },
  bayesianHoles: { model: () => bayesianGplvm(sheetWithHoles, { latentDim: 2, inducing: 6, missing: 'ignore' }) },
  bayesianUncollapsed: { model: () => bayesianGplvm(sheet, { latentDim: 2, inducing: 6, bound: 'uncollapsed' }) },
  bayesianLinear: { model: () => bayesianGplvm(sheet, { latentDim: 2, inducing: 6, kernel: add(linear(), bias()) }) },
  bayesianInBatches: {
    model: () => bayesianGplvm(sheet, { latentDim: 2, inducing: 6, posterior: encoded(linearMap()) }),
    fit: { batchSize: 10, maxEpochs: 2 },
  },
  bayesianHolesInBatches: {
    model: () =>
      bayesianGplvm(sheetWithHoles, {
        latentDim: 2,
        inducing: 6,
        missing: 'ignore',
        posterior: encoded(mlpMap({ hidden: 4 })),
      }),
    fit: { batchSize: 10, maxEpochs: 2, solver: adam() },
  },
  bayesianProbit: {
    model: () =>
      bayesianGplvm(signsOf(sheet), { latentDim: 2, inducing: 6, likelihood: bernoulli({ link: 'probit' }) }),
    rows: signsOf(sheet).slice(2, 4),
  },
  bayesianOrdinal: {
    model: () => bayesianGplvm(gradesOf(sheet), { latentDim: 2, inducing: 6, likelihood: ordinal({ levels: 4 }) }),
    rows: gradesOf(sheet).slice(2, 4),
  },
  bayesianNegativeBinomial: {
    model: () => bayesianGplvm(countsOf(sheet), { latentDim: 2, inducing: 6, likelihood: negativeBinomial() }),
    rows: countsOf(sheet).slice(2, 4),
  },
  bayesianCountsInBatches: {
    model: () =>
      bayesianGplvm(countsOf(sheet), {
        latentDim: 2,
        inducing: 6,
        likelihood: poisson(),
        posterior: encoded(linearMap()),
      }),
    fit: { batchSize: 10, maxEpochs: 2 },
    rows: countsOf(sheet).slice(2, 4),
  },
  bayesianStudentT: { model: () => bayesianGplvm(sheet, { latentDim: 2, inducing: 6, likelihood: studentT() }) },
  bayesianOwnLikelihood: { model: () => bayesianGplvm(sheet, { latentDim: 2, inducing: 6, likelihood: laplace() }) },
  mpmeUnbroken: { model: () => mpme(sheet, { latentDim: 2 }) },
  mpmeEigenmap: { model: () => mpme(sheet, { latentDim: 2, slackPenalty: 10, embedding: 'eigenmap' }) },
  mpmeNeighbors: { model: () => mpme(sheet, { latentDim: 2, slackPenalty: 10, neighbors: 6, distances: 'plain' }) },
  ppcaSheet: { model: () => ppca(sheet, { latentDim: 2 }) },
  kernelPcaPolynomial: { model: () => kernelPca(sheet, { latentDim: 2, kernel: polynomial() }) },
  isomapLandmarks: { model: () => isomap(sheet, { latentDim: 2, neighbors: 6, landmarks: 12 }) },
  eigenmapsHeat: { model: () => laplacianEigenmaps(sheet, { latentDim: 2, neighbors: 6, weights: 'heat', width: 2 }) },
  lleSheet: { model: () => lle(sheet, { latentDim: 2, neighbors: 6 }) },
};

const signs = signsOf(Y);
const rowsOfSaved = {
  bayesianBernoulli: signs.slice(2, 4),
  bayesianPoisson: Y.slice(2, 4).map((row) => row.map((entry) => Math.round(4 + 2 * entry))),
  views: { first: columns(Y, 0, 2).slice(2, 4) },
};
const saved = Object.fromEntries(
  Object.entries(savedModels).map(([name, model]) => [
    name,
    { model, rows: rowsOfSaved[name] ?? Y.slice(2, 4), ...(name === 'views' && { view: 'first', to: 'second' }) },
  ]),
);

export const models = {
  ...saved,
  ...Object.fromEntries(Object.entries(others).map(([name, one]) => [name, { rows: sheet.slice(2, 4), ...one }])),
};
