import { count, library, op } from './data.mjs';

const {
  bayesianGplvm,
  circle,
  defineDensity,
  defineModel,
  fit,
  fixed,
  fixedAt,
  gaussian,
  gaussianProcess,
  isomap,
  latent,
  lbfgs,
  mapped,
  Matrix,
  minimize,
  observed,
  periodic,
  rbf,
  seededRandom,
  sphere,
  standardNormal,
  torus,
} = library;

const TURN = 2 * Math.PI;
/** Points on a chart; with `at` these, and no others. */
const onChart = (name, dim, chart, options = {}) =>
  defineModel({
    name,
    variables: (given) => {
      const { y, at } = given instanceof Matrix ? { y: given } : given;
      const z = latent({ dim, ...options, ...(at && { posterior: fixedAt(at) }) });
      const x = mapped(z, chart());
      return { z, x, y: observed(y, { density: gaussianProcess({ kernel: rbf() }), given: x }) };
    },
  });
const circular = onChart('circular', 1, circle);
const toric = onChart('toric', 2, torus);
const spherical = onChart('spherical', 3, sphere, { density: standardNormal() });

/** cos(ka) and sin(ka). */
const waves = (a, ...orders) => orders.flatMap((k) => [Math.cos(k * a), Math.sin(k * a)]);
/** The length of the mean of exp(i(θ ± θ′)), whichever way round. */
const agreement = (found, truth) =>
  Math.max(
    ...[1, -1].map((sign) => {
      const mean = (of) => truth.reduce((sum, a, i) => sum + of(a + sign * found[i]) / truth.length, 0);
      return Math.hypot(mean(Math.cos), mean(Math.sin));
    }),
  );
/** Correlation of the cosines of the angles between all pairs of points. */
function cosineCorrelation(points, X) {
  const dot = (a, b) => a.reduce((sum, entry, d) => sum + entry * b[d], 0);
  const rows = X.toArrays();
  const pairs = points.flatMap((p, i) => points.slice(0, i).map((o, j) => [dot(p, o), dot(rows[i], rows[j])]));
  const mean = [0, 1].map((k) => pairs.reduce((sum, pair) => sum + pair[k] / pairs.length, 0));
  const moment = (k, l) => pairs.reduce((sum, pair) => sum + (pair[k] - mean[k]) * (pair[l] - mean[l]), 0);
  return moment(0, 1) / Math.sqrt(moment(0, 0) * moment(1, 1));
}

/** The truth behind the observations, its features with their scales, and the agreement of a fit with it. */
const manifolds = {
  circle: {
    model: circular,
    points: 100,
    columns: 10,
    scales: [1, 1, 0.5, 0.5, 0.3, 0.3],
    draw: ({ uniform }) => TURN * uniform(),
    features: (a) => waves(a, 1, 2, 3),
    score: (truth, { latents }) => agreement(latents.data, truth),
  },
  torus: {
    model: toric,
    points: 200,
    columns: 12,
    scales: [1, 1, 1, 1, 0.4, 0.4],
    draw: ({ uniform }) => [TURN * uniform(), TURN * uniform()],
    features: ([a, b]) => [...waves(a, 1), ...waves(b, 1), Math.cos(a) * Math.cos(b), Math.sin(a) * Math.sin(b)],
    score: (truth, { latents }) => {
      const one = (k, d) =>
        agreement(
          latents.column(k),
          truth.map((pair) => pair[d]),
        );
      return Math.max(Math.min(one(0, 0), one(1, 1)), Math.min(one(0, 1), one(1, 0)));
    },
  },
  sphere: {
    model: spherical,
    points: 120,
    columns: 12,
    scales: [1, 1, 1, 0.8, 0.8, 0.8, 0.8],
    draw: ({ normal }) => {
      const v = [normal(), normal(), normal()];
      return v.map((entry) => entry / Math.hypot(...v));
    },
    features: ([a, b, c]) => [a, b, c, a * b, b * c, a * c, a * a - b * b],
    score: (truth, { values }) => cosineCorrelation(truth, values.x),
  },
};

/** Sets whose points lie on a circle, on a line, fill a plane, or lie on a curve that crosses itself. */
const shapes = {
  'a circle': ({ uniform }) => waves(TURN * uniform(), 1, 2, 3),
  'a line': ({ uniform }) => {
    const t = 2 * uniform() - 1;
    const [c, s] = waves(t, Math.PI);
    return [t, c, s, t * t, Math.sin(1.5 * Math.PI * t), t ** 3];
  },
  'a blob': ({ normal }) => {
    const [a, b] = [normal(), normal()];
    return [a, b, Math.sin(a), Math.sin(b), 0.5 * a * b, Math.cos(a + b)];
  },
  'a figure eight': ({ uniform }) => {
    const t = TURN * uniform();
    const [u, v] = [Math.sin(t), Math.sin(2 * t)];
    return [u, v, u * v, u * u - v * v, u ** 3, v ** 3];
  },
};
const SHAPE_SCALES = [1, 1, 0.5, 0.5, 0.3, 0.3];

/** N×D: features in random combinations, with noise; and the weights of these. */
function mixed(features, scales, columns, noise, { normal }) {
  const weights = count(columns).map(() => scales.map(() => normal()));
  const Y = Matrix.from(
    features.map((f) => weights.map((w) => f.reduce((sum, own, k) => sum + w[k] * scales[k] * own, noise * normal()))),
  );
  return { Y, weights };
}

/** Points that the true map brings closest to the observations, started at the true points. */
function placedBy(weights, features, scales, Y, truth) {
  const STEP = 1e-5;
  const placed = truth.map((point, i) => {
    const error = (x) => {
      const length = point.length === 3 ? Math.hypot(...x) : 1;
      const f = features(Array.from(x, (entry) => entry / length));
      const of = (w, d) => f.reduce((sum, own, k) => sum + w[k] * scales[k] * own, -Y.at(i, d)) ** 2;
      return weights.reduce((sum, w, d) => sum + of(w, d) / 2, 0);
    };
    const moved = (x, c, step) => x.map((entry, k) => (k === c ? entry + step : entry));
    const slope = (x, c) => (error(moved(x, c, STEP)) - error(moved(x, c, -STEP))) / (2 * STEP);
    const { x } = minimize((x) => ({ value: error(x), gradient: x.map((_, c) => slope(x, c)) }), point, lbfgs());
    const length = point.length === 3 ? Math.hypot(...x) : 1;
    return Array.from(x, (entry) => entry / length);
  });
  return Matrix.from(placed);
}

const uniformAngle = defineDensity({
  name: 'uniformAngle',
  logDensity: (_, { value }) => op.mul(-Math.log(TURN), op.ones([value.shape[0]])),
});
/** Angles as Gaussian rows: a process of the embedded circle's rbf is a periodic one of the angle. */
const angular = defineModel({
  name: 'angular',
  variables: ({ y, init, inducing }) => {
    const z = latent({ dim: 1, init, density: uniformAngle(), posterior: gaussian({ variance: 0.01 }) });
    const kernel = periodic({ period: fixed(TURN) });
    return { z, y: observed(y, { density: gaussianProcess({ kernel, inducing }), given: z }) };
  },
});

/** Angles around the circle, and draws of the functions there, which determine crossings. */
const [GRID, DRAWS] = [360, 60];

/**
 * log of the mean over all pairs of angles of p(f(a) = f(b) | Y) / p(f(a) = f(b)): the Savage–Dickey ratio, the evidence for a curve that crosses itself
 * relative to a circle. A process with f(a) = f(b) is the periodic one under this condition, so nothing else has to be fitted. Also returns the pair with the largest ratio among
 * pairs whose functions are correlated by less than a half.
 */
function crossingOf(result, columns) {
  const angles = Matrix.from(count(GRID).map((g) => [(TURN * g) / GRID]));
  const { mean } = result.predict(angles);
  const draws = count(DRAWS).map((seed) => result.sample(angles, { seed, noise: false }));
  // Covariances of the functions, which all columns share.
  const deviations = count(GRID).map((g) =>
    draws.flatMap((draw) => count(columns).map((d) => draw.at(g, d) - mean.at(g, d))),
  );
  const dot = (a, b) => a.reduce((sum, entry, k) => sum + entry * b[k], 0) / (DRAWS * columns);
  const own = deviations.map((list) => dot(list, list));
  const { 'y.kernel.periodic.variance': variance, 'y.kernel.periodic.lengthscale': lengthscale } = result.parameters;
  const ratios = [];
  for (let a = 0; a < GRID; a++) {
    for (let b = 0; b < a; b++) {
      const after = own[a] + own[b] - 2 * dot(deviations[a], deviations[b]);
      const before = 2 * variance * -Math.expm1(-2 * (Math.sin((Math.PI * (a - b)) / GRID) / lengthscale) ** 2);
      const squares = count(columns).reduce((sum, d) => sum + (mean.at(a, d) - mean.at(b, d)) ** 2, 0);
      const log = -0.5 * (columns * Math.log(after / before) + squares / after);
      ratios.push({ log, pair: [b, a], isApart: before > variance });
    }
  }
  const largest = (list) => list.reduce((found, own) => (own.log > found.log ? own : found));
  const { log: most } = largest(ratios);
  const { pair } = largest(ratios.some(({ isApart }) => isApart) ? ratios.filter(({ isApart }) => isApart) : ratios);
  const logRatio = most + Math.log(ratios.reduce((sum, { log }) => sum + Math.exp(log - most), 0) / ratios.length);
  return { logRatio, pair: pair.map((g) => (TURN * g) / GRID) };
}

const turnedBack = (angle) => angle - TURN * Math.floor(angle / TURN);

/** The other way through a crossing: angles between the two are passed backwards. */
const reversed = (angles, [from, to]) =>
  Array.from(angles, turnedBack).map((a) => [a > from && a < to ? from + to - a : a]);

/** Angles as points of a line of unit variance, cut where the gap between them is largest. */
function cutOpen(angles) {
  const turned = Array.from(angles, turnedBack);
  const sorted = [...turned].sort((a, b) => a - b);
  const gaps = sorted.map((a, i) => (i === 0 ? a + TURN - sorted.at(-1) : a - sorted[i - 1]));
  const cut = sorted[gaps.indexOf(Math.max(...gaps))];
  const line = turned.map((a) => (a < cut ? a + TURN : a));
  const mean = line.reduce((sum, a) => sum + a / line.length, 0);
  const deviation = Math.sqrt(line.reduce((sum, a) => sum + (a - mean) ** 2 / line.length, 0));
  return line.map((a) => [(a - mean) / deviation]);
}

/** Bounds on log p(Y) where the latents lie on a circle, on a circle whose image crosses itself, on a line and in a plane. */
async function bounds(Y, inducing, maxIterations) {
  const { latents } = await fit(circular(Y), { maxIterations });
  const onCircle = async (init) => {
    const result = await fit(angular({ y: Y, init, inducing }), { maxIterations });
    return { latents: result.latents, bound: result.objective, ...crossingOf(result, Y.columns) };
  };
  const first = await onCircle(latents);
  const ways = [first, await onCircle(reversed(first.latents.data, first.pair))];
  const flat = async (latentDim, further) => {
    const map = await fit(isomap(Y, { latentDim, neighbors: 10 }));
    const starts = [];
    for (const init of [undefined, map, ...further]) {
      const model = bayesianGplvm(Y, { latentDim, inducing, scale: false, ...(init && { init }) });
      starts.push((await fit(model, { maxIterations })).objective);
    }
    return Math.max(...starts);
  };
  return {
    circle: Math.max(...ways.map(({ bound }) => bound)),
    crossing: Math.max(...ways.map(({ bound, logRatio }) => bound + logRatio)),
    line: await flat(1, [cutOpen(latents.data)]),
    plane: await flat(2, []),
  };
}

async function run(study) {
  const seeds = count(study.quick ? 1 : 20).map((k) => k + 1);
  const maxIterations = study.quick ? 60 : 1000;
  const found = [];
  const told = [];
  study.note(
    `Latents on a manifold, y = W·f(x) + noise with standard normal W and features f of a uniform point x, ${seeds.length} set(s) of each (seeds 1 to ${seeds.length}), fitted at the defaults in ${maxIterations} iterations at the most: \`observed(y, { density: gaussianProcess({ kernel: rbf() }), given: mapped(latent(…), circle()) })\`, and torus() and sphere(). Angles are compared by the length of the mean of exp(i(θ ± θ′)), the lesser of both on the torus; points of the sphere by the correlation of the cosines between all pairs. A fit without noise ends at the floor of the noise, as its message says.`,
  );
  study.table(
    'Manifolds found',
    ['manifold', 'points', 'deviation of the noise', 'sets', 'agree by .99', 'by .999', 'least agreement', 'converged'],
    found,
  );
  for (const [name, { model, points, columns, scales, draw, features, score }] of Object.entries(manifolds)) {
    for (const noise of name === 'circle' ? [0, 0.1] : [0.1]) {
      const outcomes = [];
      for (const seed of seeds) {
        const own = await study.cell(`${name}, noise ${noise}, seed ${seed}`, async () => {
          const random = seededRandom(seed);
          const truth = count(points).map(() => draw(random));
          const { Y } = mixed(truth.map(features), scales, columns, noise, random);
          const result = await fit(model(Y), { maxIterations });
          return { status: result.status, score: score(truth, result) };
        });
        outcomes.push(own);
      }
      const above = (least) => outcomes.filter((own) => own.score >= least).length;
      const least = Math.min(...outcomes.map((own) => own.score));
      const converged = outcomes.filter(({ status }) => status === 'converged').length;
      found.push([name, points, noise, outcomes.length, above(0.99), above(0.999), least.toFixed(5), converged]);
    }
  }
  const inducing = study.quick ? 8 : 20;
  const steps = study.quick ? 40 : 300;
  study.note(
    `Whether there is a circle: bounds on log p(Y) of 100 points in 10 columns, noise .1, by Gaussian rows under a uniform density of the angle (a process with a periodic kernel, which is that of the embedded circle with an rbf; started at the angles of the points' fit, and again with those between the two angles that are most likely to cross turned round, as a curve may pass a crossing in two ways), and by Bayesian GPLVMs of one and two latent dimensions, their columns in the same units (the best of the starts at principal components, at Isomap and, of one dimension, at the angles cut open at their largest gap); ${inducing} inducing inputs, ${steps} iterations. The figure eight is a smooth image of a circle, but one that crosses itself. The model of a crossing is the circle's under f(a) = f(b) for two angles, each pair as likely: its evidence exceeds that of the circle by log of the mean over a and b of p(f(a) = f(b) | Y) / p(f(a) = f(b)), the Savage–Dickey ratio (Dickey 1971), here over ${GRID} angles, with covariances from ${DRAWS} draws of the fitted functions. Each bound is the best of its starts.`,
  );
  study.table(
    'What the evidence says',
    [
      'points lie on',
      'sets',
      'a circle',
      'a crossing',
      'a line',
      'a plane',
      'median lead of a circle',
      'least',
      'largest',
    ],
    told,
  );
  for (const [shape, draw] of Object.entries(shapes)) {
    const leads = [];
    const winners = [];
    for (const seed of seeds) {
      const own = await study.cell(`${shape}, seed ${seed}`, async () => {
        const random = seededRandom(seed);
        const features = count(study.quick ? 40 : 100).map(() => draw(random));
        return bounds(mixed(features, SHAPE_SCALES, 10, 0.1, random).Y, inducing, steps);
      });
      leads.push(own.circle - Math.max(own.crossing, own.line, own.plane));
      winners.push(Object.keys(own).reduce((best, name) => (own[name] > own[best] ? name : best)));
    }
    leads.sort((a, b) => a - b);
    const wins = (name) => winners.filter((own) => own === name).length;
    told.push([
      shape,
      winners.length,
      wins('circle'),
      wins('crossing'),
      wins('line'),
      wins('plane'),
      leads[Math.floor(leads.length / 2)].toFixed(1),
      leads[0].toFixed(1),
      leads.at(-1).toFixed(1),
    ]);
  }
}

/** Columns of the observations, few and many. */
const COLUMNS = [12, 48];

async function runAgreement(study) {
  const seeds = count(study.quick ? 1 : 20).map((k) => k + 1);
  const [maxIterations, steps] = study.quick ? [60, 60] : [1000, 300];
  const table = [];
  study.note(
    `How near fits come to the points that observations were made of: the torus and the sphere of the page [manifolds](manifolds.md), ${seeds.length} set(s) of each, noise .1, with ${COLUMNS.join(' and with ')} columns. Beside each fit stand points that are placed as near to their observations as the map can bring them that these were made by, which no fit knows: noise keeps them from the truth too. Where a fit ends beside the truth, the lead says whether that is the optimum of its model: by how much log p(Y | x) is above the one at the points that the observations were made of, whose covariance and noise are fitted in the same way.`,
  );
  study.table(
    'Agreement with the points that the observations were made of',
    [
      'manifold',
      'points',
      'columns',
      'sets',
      'agree by .99',
      'by .999',
      'least',
      'median',
      'with the map known: by .999',
      'least',
      'median',
      'lead of the fit: least',
      'median',
      'converged',
    ],
    table,
  );
  for (const name of ['torus', 'sphere']) {
    const { model, points, scales, draw, features, score } = manifolds[name];
    for (const D of study.quick ? COLUMNS.slice(0, 1) : COLUMNS) {
      const outcomes = [];
      for (const seed of seeds) {
        const own = await study.cell(`${name}, ${D} columns, noise 0.1, seed ${seed}`, async () => {
          const random = seededRandom(seed);
          const truth = count(points).map(() => draw(random));
          const { Y, weights } = mixed(truth.map(features), scales, D, 0.1, random);
          const result = await fit(model(Y), { maxIterations });
          const at = await fit(model({ y: Y, at: truth }), { maxIterations: steps });
          const known = placedBy(weights, features, scales, Y, truth);
          return {
            status: result.status,
            score: score(truth, result),
            lead: result.terms.y - at.terms.y,
            known: score(truth, { latents: known, values: { x: known } }),
          };
        });
        outcomes.push(own);
      }
      const above = (of, least) => outcomes.filter((own) => own[of] >= least).length;
      const spread = (of, digits) => {
        const sorted = outcomes.map((own) => own[of]).sort((a, b) => a - b);
        return [sorted[0], sorted[Math.floor(sorted.length / 2)]].map((own) => own.toFixed(digits));
      };
      table.push([
        name,
        points,
        D,
        outcomes.length,
        above('score', 0.99),
        above('score', 0.999),
        ...spread('score', 5),
        above('known', 0.999),
        ...spread('known', 5),
        ...spread('lead', 1),
        outcomes.filter(({ status }) => status === 'converged').length,
      ]);
    }
  }
}

export const manifoldAgreement = {
  name: 'manifold-agreement',
  title: 'How near points on a torus and a sphere come to the truth',
  source: 'A comparison of our own',
  files: [],
  run: runAgreement,
};

export const manifoldsFound = {
  name: 'manifolds',
  title: 'Latents on a circle, a torus and a sphere',
  source: 'A comparison of our own',
  files: [],
  run,
};
