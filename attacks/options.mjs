// Every export with options receives an unknown one: it must refuse it by name, and name the option that is nearest to a misspelled one.

import { seededRandom } from 'latentfield';
import { SparseMatrix } from 'latentfield/core';
import * as data from 'latentfield/data';
import * as io from 'latentfield/io';
import * as plot from 'latentfield/plot';
import * as queue from 'latentfield/queue';
import * as testing from 'latentfield/testing';
import * as workers from 'latentfield/workers';
import root from './everything.mjs';
import { tried } from './report.mjs';

const { normal } = seededRandom(1);
const Y = Array.from({ length: 24 }, (_, i) => [Math.cos(i / 4), Math.sin(i / 4), i / 12, normal() / 10]);
const X = Y.map((row) => row.slice(0, 2));
const labels = Y.map((_, i) => i % 3);
const model = () => root.gplvm(Y, { latentDim: 2 });
const fitted = await root.fit(model(), { maxIterations: 3, seed: 1 });
const drawn = async () =>
  root.samplePosterior(root.gplvm(Y.slice(0, 6), { latentDim: 1 }), {
    chains: 1,
    warmup: 2,
    draws: 4,
    seed: 1,
    priors: 'weak',
  });
const square = (x) => ({ value: x[0] ** 2, gradient: [2 * x[0]] });
const sparse = new SparseMatrix({
  ...{ rows: 4, columns: 1, starts: Int32Array.of(0, 1, 2, 3, 4) },
  ...{ indices: new Int32Array(4), values: Float64Array.of(1, 2, 4, 8) },
});
const graph = root.knnGraph(Y, 3);
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

/** Calls with right arguments but for the options. */
const calls = {
  adam: (o) => root.adam(o),
  alle: (o) => root.alle(Y, o),
  approximateKnnGraph: (o) => root.approximateKnnGraph(Y, 3, o),
  assess: (o) => root.assess(fitted, o),
  assessmentPage: async (o) =>
    plot.assessmentPage({
      latents: fitted.latents,
      assessment: await root.assess(fitted, { scores: [] }).catch(() => ({})),
      ...o,
    }),
  backConstrained: (o) => root.backConstrained(root.linearMap(), o),
  bayesianGplvm: (o) => root.bayesianGplvm(Y, o),
  beta: (o) => root.beta({ mean: 0.5, concentration: 2, ...o }),
  basis: (o) => root.basis(5, o),
  bernoulli: (o) => root.bernoulli(o),
  bias: (o) => root.bias(o),
  bounded: (o) => root.bounded(0, 1, 0.5, o),
  box: (o) => root.box(0, 1, [0.5], o),
  checkPredictive: async (o) => root.checkPredictive(await drawn(), () => 1, o),
  checkVariational: async (o) =>
    root.checkVariational(await root.fit(root.bayesianGplvm(Y, { latentDim: 1 }), { maxIterations: 1 }), o),
  choleskyFactor: (o) => root.choleskyFactor(2, o),
  circle: (o) => root.circle(o),
  classicalMds: (o) => root.classicalMds(Y, o),
  compareModels: (o) => root.compareModels([{ model: model(), fit: fitted }], o),
  byKind: (o) => root.byKind(o),
  categorical: (o) => root.categorical(o),
  compareMaps: (o) => root.compareMaps(X, X, o),
  predictLabels: (o) => root.predictLabels(fitted, Y, { labels, ...o }),
  cosine: (o) => root.cosine(o),
  defineDensity: (o) => root.defineDensity({ name: 'own', parameters: {}, logDensity: () => 0, ...o }),
  defineFieldLayer: (o) => root.defineFieldLayer({ name: 'own', ...o }),
  defineKernel: (o) => root.defineKernel({ name: 'own', parameters: {}, covariance: () => 0, ...o }),
  defineLikelihood: (o) => root.defineLikelihood({ name: 'own', parameters: {}, logDensity: () => 0, ...o }),
  defineMap: (o) => root.defineMap({ name: 'own', parameters: {}, apply: () => 0, ...o }),
  defineModel: (o) => root.defineModel({ name: 'own', variables: () => ({}), ...o }),
  definePrior: (o) => root.definePrior({ name: 'own', parameters: {}, logDensity: () => 0, ...o }),
  defineRadialKernel: (o) => root.defineRadialKernel({ name: 'own', value: () => 0, slope: () => 0, ...o }),
  defineTransform: (o) => root.defineTransform({ name: 'own', ...o }),
  describedModel: (o) => root.describedModel('gplvm', root.Matrix.from(Y), undefined, o),
  dgplvm: (o) => root.dgplvm(Y, labels, o),
  discriminative: (o) => root.discriminative(labels, o),
  samplePosterior: (o) => root.samplePosterior(model(), o),
  drill: (o) => root.drill(Y, o),
  dynamics: (o) => root.dynamics(o),
  ellipticalSlice: (o) => root.ellipticalSlice(o),
  embedded: (o) => root.embedded(root.known(X), o),
  encoded: (o) => root.encoded(root.mlpMap(), o),
  epsilonGraph: (o) => root.epsilonGraph(Y, 1, o),
  evaluate: (o) => root.evaluate(model(), {}, o),
  expectedMoments: (o) => root.expectedMoments({ graph, ...o }),
  fit: (o) => root.fit(model(), o),
  fitAt: (o) => root.fitAt(model(), {}, o),
  fitSteps: (o) => root.fitSteps(model(), o).next(),
  gamma: (o) => root.gamma({ shape: 1, rate: 1, ...o }),
  gaussian: (o) => root.gaussian(o),
  gaussianLatents: (o) => root.gaussianLatents(o),
  gaussianProcess: (o) => root.gaussianProcess({ kernel: root.rbf(), ...o }),
  geometry: (o) => root.geometry(fitted, o),
  inducing: (o) => root.inducing(5, o),
  gpScore: (o) => root.gpScore(Y, X, o),
  gplrf: (o) => root.gplrf(Y, labels, o),
  gplvm: (o) => root.gplvm(Y, o),
  halfNormal: (o) => root.halfNormal({ scale: 1, ...o }),
  hiddenMarkov: (o) =>
    root.hiddenMarkov([root.normal({ mean: 0, deviation: 1 }), root.normal({ mean: 1, deviation: 1 })], o),
  hmc: (o) => root.hmc(o),
  inverseGamma: (o) => root.inverseGamma({ shape: 1, scale: 1, ...o }),
  isomap: (o) => root.isomap(Y, o),
  kMeans: (o) => root.kMeans(X, 2, o),
  kernelLda: (o) => root.kernelLda(Y, labels, o),
  kernelPca: (o) => root.kernelPca(Y, o),
  kernelRegression: (o) => root.kernelRegression(o),
  knnGraph: (o) => root.knnGraph(Y, 3, o),
  laplaceApproximation: (o) => root.laplaceApproximation(model(), fitted, o),
  laplacian: (o) => root.laplacian(graph, o),
  laplacianEigenmaps: (o) => root.laplacianEigenmaps(Y, o),
  latent: (o) => root.latent({ dim: 1, density: root.normal({ mean: 0, deviation: 1 }), ...o }),
  latentVariableModel: (o) => root.latentVariableModel({ observations: Y, ...o }),
  lbfgs: (o) => root.lbfgs(o),
  lbfgsb: (o) => root.lbfgsb(o),
  lda: (o) => root.lda(Y, labels, o),
  linear: (o) => root.linear(o),
  linearMap: (o) => root.evaluate(root.gplvm(Y, { latentDim: 2, backConstraint: root.linearMap(o) })),
  llGplvm: (o) => root.llGplvm(Y, o),
  logDensityOf: (o) => root.logDensityOf(model(), o),
  lle: (o) => root.lle(Y, o),
  localScores: (o) => root.localScores(Y, X, o),
  locality: (o) => root.locality(3, o),
  logNormal: (o) => root.logNormal({ mean: 0, deviation: 1, ...o }),
  loo: (o) => root.loo(Y, o),
  lpp: (o) => root.lpp(Y, o),
  mapped: (o) => root.mapped(root.known(X), root.linearMap(), o),
  markov: (o) => root.markov(o),
  segmentsOf: (o) => root.segmentsOf([1, 2, 3], o),
  matern12: (o) => root.matern12(o),
  matern32: (o) => root.matern32(o),
  matern52: (o) => root.matern52(o),
  maxEntropy: (o) =>
    root.maxEntropy({
      expect: {
        near: root.squaredDifferences(
          graph,
          Array.from(graph.weights, () => 1),
        ),
      },
      ...o,
    }),
  meu: (o) => root.meu(Y, o),
  minimize: (o) => root.minimize(square, [1], root.lbfgs(), o),
  mixture: (o) => root.mixture([root.normal({ mean: 0, deviation: 1 }), root.normal({ mean: 1, deviation: 1 })], o),
  mlp: (o) => root.mlp(o),
  mlpMap: (o) => root.mlpMap(o),
  mpme: (o) => root.mpme(Y, o),
  mvu: (o) => root.mvu(Y, o),
  negativeBinomial: (o) => root.negativeBinomial(o),
  normal: (o) => root.normal({ mean: 0, deviation: 1, ...o }),
  normalizedMutualInformation: (o) => root.normalizedMutualInformation(labels, labels, o),
  nuts: (o) => root.nuts(o),
  observed: (o) => root.observed(Y, { density: root.normal({ mean: 0, deviation: 1 }), ...o }),
  open: (o) => root.open(model(), o),
  ordered: (o) => root.ordered([0, 1], o),
  ordinal: (o) => root.ordinal(o),
  pca: (o) => root.pca(Y, o),
  periodic: (o) => root.periodic(o),
  poisson: (o) => root.poisson(o),
  polynomial: (o) => root.polynomial(o),
  positive: (o) => root.positive(1, o),
  ppca: (o) => root.ppca(Y, o),
  predictInSlices: (o) => root.predictInSlices((Z) => fitted.predict(Z), X, o),
  samplePrior: (o) => root.samplePrior(model(), o),
  psis: (o) => root.psis(Y.flat(), o),
  quadratic: (o) => root.quadratic([{ rows: [0], columns: [1], values: [1] }], [1], o),
  rank: (o) => root.rank(o),
  rankGplvm: (o) => root.rankGplvm(Y, o),
  rationalQuadratic: (o) => root.rationalQuadratic(o),
  rbf: (o) => root.rbf(o),
  readObservations: (o) => root.readObservations(Y, o),
  real: (o) => root.real(0, o),
  sammon: (o) => root.sammon(Y, o),
  score: (o) => root.score(fitted, Y, o),
  scg: (o) => root.scg(o),
  selectOptions: (o) =>
    root.selectOptions(
      (given, { observations }) => root.gplvm(observations, given),
      { latentDim: [1] },
      { score: root.heldOutDensity(Y), ...o },
    ),
  simplex: (o) => root.simplex(3, o),
  slice: (o) => root.slice(o),
  slpp: (o) => root.slpp(Y, labels, o),
  solve: (o) => root.solve(square, [1], root.lbfgs(), o).next(),
  sparseNeighbors: (o) => root.sparseNeighbors(sparse, 2, o),
  sphere: (o) => root.sphere(o),
  standardNormal: (o) => root.standardNormal(o),
  studentT: (o) => root.studentT(o),
  thinPlateSpline: (o) => root.thinPlateSpline(o),
  topEigenpairs: (o) => root.topEigenpairs((x) => x, 4, 1, o),
  torus: (o) => root.torus(o),
  tpslvm: (o) => root.tpslvm(Y, o),
  tsne: (o) => root.tsne(Y, o),
  tsneGplvm: (o) => root.tsneGplvm(Y, o),
  tsneNeighbors: (o) => root.tsneNeighbors(o),
  umap: (o) => root.umap(Y, o),
  uncorrelated: (o) => root.uncorrelated(X, o),
  umapNeighbors: (o) => root.umapNeighbors(o),
  white: (o) => root.white(o),
  normalizeCounts: (o) =>
    io.normalizeCounts(root.Matrix.from(Y.map((row) => row.map((y) => Math.round(9 + 5 * y)))), o),
  readSparseTable: (o) => io.readSparseTable('nowhere.mtx', o),
  distortedS: (o) => data.distortedS(o),
  helix: (o) => data.helix(o),
  pipeFlow: (o) => data.pipeFlow(o),
  swissRoll: (o) => data.swissRoll(o),
  twinPeaks: (o) => data.twinPeaks(o),
  twoMoons: (o) => data.twoMoons(o),
  openResultFolder: (o) => io.openResultFolder('/dev/null/nowhere', 'fit.json', [], o),
  parseTable: (o) => io.parseTable(new TextEncoder().encode('a,b\n1,2\n3,4\n'), 'a.csv', o),
  readLabels: (o) => io.readLabels('nowhere.csv', o),
  readMatchingTable: (o) => io.readMatchingTable('nowhere.csv', { columns: [], others: [], isNamed: true }, o),
  readTable: (o) => io.readTable('nowhere.csv', o),
  writeAtomically: (o) => io.writeAtomically('/dev/null/nowhere', '', o),
  writeTable: (o) => io.writeTable('/dev/null/nowhere.csv', X, ['a', 'b'], undefined, o),
  adjacencyPlot: (o) => plot.adjacencyPlot(graph, o),
  chainPlot: async (o) => plot.chainPlot(await drawn(), o),
  decodedGrid: (o) => plot.decodedGrid((Z) => fitted.predict(Z), fitted.latents, { image: [2, 2], ...o }),
  latentPlot: (o) => plot.latentPlot({ latents: X, ...o }),
  latentScenes: (o) => plot.latentScenes({ latents: X, ...o }),
  pairsPlot: async (o) => plot.pairsPlot(await drawn(), o),
  pictureGrid: (o) => plot.pictureGrid([svg], o),
  plotHtml: (o) => plot.plotHtml({ latents: X, ...o }),
  precisionGrid: (o) => plot.precisionGrid((Z) => fitted.predict(Z), fitted.latents, o),
  precisionGridInSlices: (o) => plot.precisionGridInSlices((Z) => fitted.predict(Z), fitted.latents, o),
  predictivePlot: async (o) =>
    plot.predictivePlot(
      root.checkPredictive(await drawn(), () => 1),
      o,
    ),
  rankPlot: async (o) => plot.rankPlot(await drawn(), o),
  svgToPng: (o) => plot.svgToPng(svg, o),
  tracePlot: (o) => plot.tracePlot(fitted.trace, o),
  queuePool: (o) => queue.queuePool(o),
  queueShards: (o) => queue.queueShards(o),
  redisTransport: (o) => queue.redisTransport({ connection: 'redis://127.0.0.1:1', ...o }),
  serveQueue: (o) => queue.serveQueue(queue.localTransport(), o),
  sweep: (o) => queue.sweep({ models: [{ model: 'pca', grid: {} }], data: 'nowhere.csv' }, o),
  checkDistribution: (o) => testing.checkDistribution(root.normal({ mean: 0, deviation: 1 }), o),
  checkDensity: (o) => testing.checkDensity(root.normal({ mean: 0, deviation: 1 }), o),
  checkGradient: (o) => testing.checkGradient(({ x }) => x, { x: 1 }, o),
  checkKernel: (o) => testing.checkKernel(root.rbf(), o),
  checkLikelihood: (o) => testing.checkLikelihood(root.bernoulli(), o),
  checkModel: (o) => testing.checkModel(model(), o),
  checkPrior: (o) => testing.checkPrior(root.standardNormal(), o),
  fitInWorker: (o) => workers.fitInWorker(model(), o).result,
};

/** Exports whose arguments are not options. */
const WITHOUT = new Set(
  `
  add clusteringAccuracy compareElpd comparedRows completeGraph continuity covariance covariates isAtNoiseFloor describe doubtSentence essBulk essMean essQuantile essSd essTail exact expand fixed fixedAt
  graphUnion heldOutDensity initialLatents kernelFromJSON kernelToJSON kindOf known labelGraph latentsFromJSON layersMap likelihoodFromJSON loadDraws
  bestMultipliers loadFit mcseMean mcseQuantile mcseSd modelFromJSON multiply nearestNeighborError nearestNeighborScore negativeLogPredictiveDensity newton
  parseKernel priorFromJSON priorToJSON products rHat rootMeanSquaredError scale seededRandom select shared squaredDifferences stage startThreads sparsePrincipalComponents
  stateFromJson stateToJson symmetricEigenpairs neighborhoodPreservations trustworthiness trustworthinessScore waic withFloat64 checkFilePath lockPath makeFolder
  removeEmptyFolders rowsOf usualNeighbors chosenRows knownRowsOf typicalPrediction withKnownRows mixed differInUnits makeTemporaryFolder checkFolderPath readResult readWholeFile sceneSvg standardize tableText canvasMap markPath panelColumns keysOf localTransport serveQueueThread serveFits readParts
`
    .trim()
    .split(/\s+/),
);

export async function attackOptions({ cases, report }) {
  const modules = { root, data, io, plot, queue, testing, workers };
  const exported = [...new Map(Object.values(modules).flatMap((all) => Object.entries(all)))].filter(
    ([name, value]) => typeof value === 'function' && !/^[A-Z]/.test(name),
  );
  for (const [name] of exported.slice(0, cases)) {
    if (WITHOUT.has(name)) continue;
    const call = calls[name];
    if (call === undefined) report.fail(name, 'is it given options? Say so in attacks/options.mjs.');
    else await oneExport(name, call, report);
  }
}

async function oneExport(name, call, report) {
  const refusal = async (option) => {
    const outcome = await tried(report, `${name}({ ${option}: 1 })`, () => call({ [option]: 1 }));
    if (outcome === undefined) return undefined;
    if (/ has no \w+ '/.test(outcome.error?.message) && outcome.error.message.includes(`'${option}'`))
      return outcome.error.message;
    report.fail(`${name}({ ${option}: 1 })`, outcome.error?.message ?? 'returned');
    return undefined;
  };
  const message = await refusal('zzzzzzzz');
  if (message === undefined) return;
  report.count('unknown options refused');
  const known = / Known are (.*)\.$/s
    .exec(message)?.[1]
    .split(', ')
    .find((each) => each.length > 3);
  if (known === undefined) return;
  const suggested = await refusal(`${known}s`);
  if (suggested === undefined) return;
  if (!suggested.includes(`Did you mean '${known}`)) return report.fail(`${name}({ ${known}s: 1 })`, suggested);
  report.count('misspelled options named');
}
