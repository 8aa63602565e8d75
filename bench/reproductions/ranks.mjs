/**
 * Simulation-based calibration (Talts et al. 2018): values are drawn from their prior, a table from the model at these values, and a new row of it; the ranks of the row's
 * latents, and of one hidden entry, among their predictions are uniform if the predictions are calibrated. The library is an argument, built or not.
 */
const D = 5;
const N = 15;
/** Rows of a table that determines the weights of ppca. */
const MANY = 1000;

const normals = (random, rows, columns) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));

const logNormalOf = (random, median, deviation) => median * Math.exp(deviation * random.normal());

/** Distribution function of the standard normal distribution, to 1e-7 (Abramowitz & Stegun 26.2.17). */
function normalCdf(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce((sum, a) => (sum + a) * t, 0);
  const upper = (tail * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z < 0 ? upper : 1 - upper;
}

const rank = (truth, mean, variance) => normalCdf((truth - mean) / Math.sqrt(variance));
const withoutFirst = (row) => row.map((y, d) => (d === 0 ? Number.NaN : y));

const BINS = 10;

/** χ² of ranks in ten bins, and the probability of more where ranks are uniform. */
export function misfit(ranks) {
  const counts = new Array(BINS).fill(0);
  for (const u of ranks) counts[Math.min(BINS - 1, Math.floor(BINS * u))]++;
  const expected = ranks.length / BINS;
  const chi2 = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return { counts, chi2, p: upperTail(chi2) };
}

/** P(χ² > x) with nine degrees of freedom (Abramowitz & Stegun 26.4.4). */
function upperTail(x) {
  const root = Math.sqrt(x);
  const density = Math.exp(-x / 2) / Math.sqrt(2 * Math.PI);
  return 2 * normalCdf(-root) + 2 * density * (root + root ** 3 / 3 + root ** 5 / 15 + root ** 7 / 105);
}

/** D functions of covariance K, in columns, with noise. */
const columnDraws =
  ({ symmetricEigenpairs }) =>
  (random, K, deviation) => {
    const { values, vectors } = symmetricEigenpairs(K);
    const columns = Array.from({ length: D }, () => {
      const weights = Array.from(values, (value) => Math.sqrt(Math.max(0, value)) * random.normal());
      return Array.from({ length: K.rows }, (_, i) =>
        weights.reduce((sum, w, e) => sum + w * vectors.at(i, e), deviation * random.normal()),
      );
    });
    return columns[0].map((_, i) => columns.map((column) => column[i]));
  };

/** Posterior draws among which a truth has its rank: every tenth of two chains. */
const THINNED = 99;
/** Rows of a map that is drawn. */
const FEW = 10;

/** Ranks of one draw, one function per model: `ranksOf(random)` → the ranks of the row's place and of its hidden entry. */
export function rankedModels(library) {
  const { covariance, defineModel, fit, fitAt, fixed, fixedAt, gaussianProcess, latent, latentVariableModel } = library;
  const { linear, Matrix, observed, ppca, rbf, standardNormal } = library;
  const drawnColumns = columnDraws(library);

  /** Rows whose latents are known up to the last. */
  async function mapping(random) {
    const [variance, noise] = [logNormalOf(random, 1, 0.5), logNormalOf(random, 0.25, 0.5)];
    const X = normals(random, N + 1, 2);
    const rows = drawnColumns(random, covariance(linear({ variance }), Matrix.from(X)), Math.sqrt(noise));
    const [x, y] = [X[N], rows[N]];
    const result = fitAt(
      latentVariableModel({
        observations: rows.slice(0, N),
        latentDim: 2,
        posterior: fixedAt(X.slice(0, N)),
        kernel: linear({ variance: fixed(variance) }),
        noise: fixed(noise),
        center: false,
        scale: false,
      }),
    );
    const { latents, latentVariances } = await result.project([y], { starts: 6 });
    const { mean, variance: spread } = await result.impute([withoutFirst(y)], { starts: 6 });
    return {
      place: rank(x[0], latents.at(0, 0), latentVariances.at(0, 0)),
      entry: rank(y[0], mean.at(0, 0), spread.at(0, 0)),
    };
  }

  const curvedModel = defineModel({
    name: 'curved',
    variables: ({ Y, variance, lengthscale, noise }) => {
      const kernel = rbf({ variance: fixed(variance), lengthscale: fixed(lengthscale) });
      const density = gaussianProcess({ kernel, noise: fixed(noise) });
      const x = latent({ dim: 1, density: standardNormal() });
      return { x, y: observed(Y, { density, given: x, center: false }) };
    },
  });

  async function curved(random) {
    const [variance, lengthscale] = [logNormalOf(random, 1, 0.5), logNormalOf(random, 2, 0.3)];
    const noise = logNormalOf(random, 0.09, 0.5);
    const X = normals(random, N + 1, 1);
    const rows = drawnColumns(random, covariance(rbf({ variance, lengthscale }), Matrix.from(X)), Math.sqrt(noise));
    const [x, y] = [X[N], rows[N]];
    const Y = Matrix.from(rows.slice(0, N));
    const result = fitAt(curvedModel({ Y, variance, lengthscale, noise }), { x: Matrix.from(X.slice(0, N)) });
    const { latents, latentVariances } = await result.project({ y: [y] }, { starts: 6 });
    const { y: found } = await result.impute({ y: [withoutFirst(y)] }, { starts: 6 });
    return {
      place: rank(x[0], latents.at(0, 0), latentVariances.at(0, 0)),
      entry: rank(y[0], found.mean.at(0, 0), found.variance.at(0, 0)),
    };
  }

  /** Latents of ppca are known up to rotation: what is compared is the part of the first column that they explain. */
  async function fittedPpca(random) {
    const deviation = Math.sqrt(logNormalOf(random, 0.25, 0.5));
    const [X, W] = [normals(random, MANY + 1, 2), normals(random, 2, D)];
    const explained = (x, d) => x[0] * W[0][d] + x[1] * W[1][d];
    const rows = X.map((x) => Array.from({ length: D }, (_, d) => explained(x, d) + deviation * random.normal()));
    const y = rows[MANY];
    const result = await fit(ppca(rows.slice(0, MANY), { latentDim: 2 }));
    const { latents, latentVariances } = await result.project([y]);
    const { mean, variance } = await result.impute([withoutFirst(y)]);
    const weights = result.parameters.weights.row(0);
    const spread = weights.reduce((sum, w, c) => sum + w * w * latentVariances.at(0, c), 0);
    return {
      place: rank(explained(X[MANY], 0), result.predict(latents).mean.at(0, 0), spread),
      entry: rank(y[0], mean.at(0, 0), variance.at(0, 0)),
    };
  }

  return { 'linear mapping of known latents': mapping, 'curved mapping of an own model': curved, ppca: fittedPpca };
}

/**
 * The same for a map of ten rows on a line, drawn with its kernel and noise: `ranksOf(random)` → the ranks of the distance of two rows, which does not
 * depend on the direction of the line, and of the noise among posterior draws; and the rank of the distance under Gaussian rows, fitted at the
 * values that were drawn. There are `thinnedTo` draws, of chains of five times as many.
 */
export function rankedMaps(library, thinnedTo = THINNED) {
  const { covariance, defineModel, fit, fixed, gaussian, gaussianProcess, latent, logNormal, Matrix } = library;
  const { observed, positive, rbf, samplePosterior, seededRandom, standardNormal } = library;
  const drawnColumns = columnDraws(library);
  const medians = { variance: [1, 0.5], lengthscale: [2, 0.3], noise: [0.09, 0.5] };

  const mapModel = defineModel({
    name: 'map',
    variables: ({ Y, variance, lengthscale, noise, posterior = 'point' }) => {
      const x = latent({ dim: 1, density: standardNormal(), posterior });
      const density = gaussianProcess({ kernel: rbf({ variance, lengthscale }), noise });
      return { x, y: observed(Y, { density, given: x, center: false }) };
    },
  });
  const drawn = Object.fromEntries(
    Object.entries(medians).map(([name, [median, deviation]]) => [
      name,
      positive(median, { prior: logNormal({ mean: Math.log(median), deviation }) }),
    ]),
  );

  function simulated(random) {
    const values = Object.fromEntries(
      Object.entries(medians).map(([name, [median, deviation]]) => [name, logNormalOf(random, median, deviation)]),
    );
    const X = normals(random, FEW, 1);
    const { variance, lengthscale, noise } = values;
    const K = covariance(rbf({ variance, lengthscale }), Matrix.from(X));
    const Y = Matrix.from(drawnColumns(random, K, Math.sqrt(noise)));
    return { values, Y, distance: Math.abs(X[0][0] - X[1][0]) };
  }

  const rankAmong = (truth, numbers) => numbers.filter((number) => number < truth).length / (numbers.length + 1);

  async function byDraws(random) {
    const { values, Y, distance } = simulated(random);
    const each = 5 * (thinnedTo + 1);
    const draws = await samplePosterior(mapModel({ Y, ...drawn }), { chains: 2, warmup: each, draws: each, seed: 1 });
    const thinned = (of) => Array.from({ length: thinnedTo }, (_, i) => of(10 * i + 9));
    const [first, second] = ['x[0, 0]', 'x[1, 0]'].map((name) => draws.values(name).data);
    const noise = draws.values(draws.names.find((name) => name.endsWith('noise'))).data;
    return {
      distance: rankAmong(
        distance,
        thinned((i) => Math.abs(first[i] - second[i])),
      ),
      noise: rankAmong(
        values.noise,
        thinned((i) => noise[i]),
      ),
    };
  }

  async function byGaussianRows(random) {
    const { values, Y, distance } = simulated(random);
    const known = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fixed(value)]));
    const { latents, latentVariances } = await fit(mapModel({ Y, ...known, posterior: gaussian() }));
    const normal = seededRandom(1);
    const at = (i) => latents.at(i, 0) + Math.sqrt(latentVariances.at(i, 0)) * normal.normal();
    return {
      distance: rankAmong(
        distance,
        Array.from({ length: thinnedTo }, () => Math.abs(at(0) - at(1))),
      ),
    };
  }

  return { 'map of ten rows, by draws': byDraws, 'map of ten rows, by Gaussian rows (approximate)': byGaussianRows };
}

/** Seeds of draws are those from here on. */
export const FIRST_SEED = 40_000;
