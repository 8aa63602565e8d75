import { components, count, drawnRows, library, plot, readLabels, readMatrix, rowsOf } from './data.mjs';

const {
  clusteringAccuracy,
  fit,
  isomap,
  kMeans,
  laplacianEigenmaps,
  lle,
  Matrix,
  mpme,
  meu,
  mvu,
  normalizedMutualInformation,
  pca,
} = library;
const { latentPlot, pictureGrid } = plot;

/** Data sets with the dimension that the paper states, and the accuracy and NMI that it prints by method. */
const SETS = {
  Coil20: {
    file: 'coil20_32',
    d: 84,
    paper: {
      'K-means': [0.6674, 0.7845],
      PCA: [0.6674, 0.7845],
      LE: [0.3889, 0.5077],
      LLE: [0.3493, 0.3848],
      MEU: [0.359, 0.5067],
      MPME: [0.759, 0.8862],
    },
  },
  USPS: {
    file: 'usps',
    from: 7291,
    d: 32,
    paper: {
      'K-means': [0.6153, 0.5657],
      PCA: [0.6208, 0.5664],
      LE: [0.4828, 0.4522],
      LLE: [0.1624, 0.0106],
      MEU: [0.6129, 0.5743],
      MPME: [0.7344, 0.7611],
    },
  },
  'YALE-B': {
    file: 'yaleb',
    unit: true,
    d: 116,
    paper: {
      'K-means': [0.1081, 0.1694],
      PCA: [0.111, 0.1781],
      LE: [0.1475, 0.2534],
      LLE: [0.0667, 0.081],
      MEU: [0.3094, 0.4174],
      MPME: [0.401, 0.5301],
    },
  },
  Pendigits: {
    file: 'pendigits_test',
    d: 9,
    paper: {
      'K-means': [0.6544, 0.6669],
      PCA: [0.6527, 0.6627],
      LE: [0.7742, 0.7397],
      LLE: [0.1215, 0.0059],
      MEU: [0.7138, 0.7635],
      MPME: [0.8276, 0.8139],
    },
  },
  Letter: {
    file: 'letter',
    rows: 5000,
    candidates: 20,
    d: 12,
    paper: {
      'K-means': [0.2632, 0.3621],
      PCA: [0.2634, 0.3591],
      LE: [0.0674, 0.0211],
      LLE: [0.3084, 0.3992],
      MEU: [0.2518, 0.3341],
      MPME: [0.3432, 0.4616],
    },
  },
};

async function readSet({ file, from = 0, rows, unit }, quick, drawn = false) {
  const all = await readMatrix(`${file}_X.npy`);
  const allLabels = readLabels(`${file}_y.npy`);
  const own = count(all.rows).slice(from);
  const most = quick ? 150 : rows;
  const few = most === undefined || own.length <= most;
  const firsts = () => (quick || drawn ? drawnRows(own.length, most, 1).map((k) => own[k]) : own.slice(0, most));
  const chosen = few ? own : firsts();
  const Y = rowsOf(all, chosen);
  return { Y: unit ? rowsOfUnitLength(Y) : Y, labels: chosen.map((i) => allLabels[i]) };
}

/** Each row centred and divided by its length, which gives the dimension that the paper states for YALE-B. */
function rowsOfUnitLength(Y) {
  return Matrix.from(
    count(Y.rows).map((i) => {
      const row = Y.row(i);
      const mean = row.reduce((sum, entry) => sum + entry, 0) / row.length;
      const length = Math.sqrt(row.reduce((sum, entry) => sum + (entry - mean) ** 2, 0));
      return Array.from(row, (entry) => (entry - mean) / length);
    }),
  );
}

/** The embeddings that are clustered, each with the column of the paper that it belongs to. */
function embeddingsOf(Y, { d: latentDim, candidates }, quick) {
  const neighbours = 12;
  const few = candidates !== undefined && !quick && { neighbours: candidates };
  return {
    'K-means': { paper: 'K-means', settings: 'observations', make: undefined },
    PCA: { paper: 'PCA', settings: '', make: () => pca(Y, { latentDim }) },
    'MPME, squared distances': { paper: 'MPME', make: () => mpme(Y, { latentDim, ...few }) },
    'MPME, plain distances': { paper: 'MPME', make: () => mpme(Y, { latentDim, distances: 'plain', ...few }) },
    LE: {
      paper: 'LE',
      settings: `${neighbours} neighbours`,
      make: () => laplacianEigenmaps(Y, { latentDim, neighbours }),
    },
    LLE: { paper: 'LLE', settings: `${neighbours} neighbours`, make: () => lle(Y, { latentDim, neighbours }) },
    Isomap: { settings: `${neighbours} neighbours`, make: () => isomap(Y, { latentDim, neighbours }) },
    MEU: { paper: 'MEU', settings: `${neighbours} neighbours`, make: () => meu(Y, { latentDim, neighbours }) },
  };
}

/** Latents with columns of the same length: eigenvectors without their eigenvalues. */
function unscaled({ latents, eigenvalues }) {
  return new Matrix(
    latents.data.map((entry, k) => entry / Math.sqrt(eigenvalues[k % latents.columns])),
    latents.rows,
    latents.columns,
  );
}

/** Rounds of one kind of method over all sets: what the paper is about comes first. */
const ROUNDS = [
  ['K-means', 'PCA', 'MPME, squared distances', 'MPME, plain distances'],
  ['LE', 'LLE', 'MEU', 'Isomap'],
];

async function table2(study) {
  const sets = study.quick ? { Coil20: SETS.Coil20, USPS: SETS.USPS } : SETS;
  study.note(
    "K-means, the best of 20 starts, on each embedding, at the dimension that the paper states. MPME with all defaults: base precision by the rule of docs/fields.md, no slack, kernel PCA; nothing is tuned by labels, whereas the paper tunes λ and C on each set. Observations are in the units of the files; YALE-B: each row centred and divided by its length, which gives the paper's d and its numbers of K-means. USPS: the 2007 test digits; the paper's 32 dimensions keep less than 95 % of their variance. Letter: the first 5000 rows (the paper does not say which 5000 it has), and only pairs of 20 near neighbours may have a weight. Satimage and Isolet are not among the data sets here.",
  );
  const rows = [];
  study.table(
    'Clustering of embeddings',
    [
      'data',
      'N',
      'd',
      'method',
      'accuracy',
      'paper',
      'difference',
      'NMI',
      'paper ',
      'difference ',
      'objective',
      'settings',
      'CPU s',
    ],
    rows,
    { timed: ['CPU s'] },
  );
  const read = Object.fromEntries(
    await Promise.all(Object.entries(sets).map(async ([name, set]) => [name, await readSet(set, study.quick)])),
  );
  for (const methods of study.quick ? ROUNDS.slice(0, 1) : ROUNDS) await addRows(study, sets, read, methods, rows);
  if (study.quick) return;
  await chosenByLabels(study, sets, read);
  await onUnitSphere(study, sets, read);
}

/** The same defaults, with each row of an embedding divided by its length before K-means. */
async function onUnitSphere(study, sets, read) {
  study.note(
    'Spectral clustering after Ng, Jordan & Weiss (2002) divides each row of the embedding by its length before K-means. The paper does not say that it does. The third table has the defaults with such rows, for the methods that the paper compares with alike. No labels are used.',
  );
  const rows = [];
  study.table(
    'Rows of the embeddings brought to unit length: accuracy, NMI',
    ['data', 'K-means', 'PCA', 'MPME, squared distances', 'paper, MPME', 'difference of accuracy', 'of NMI'],
    rows,
  );
  for (const [name, set] of Object.entries(sets)) {
    const embeddings = embeddingsOf(read[name].Y, set);
    const scores = [];
    for (const method of ['K-means', 'PCA', 'MPME, squared distances']) {
      const { scaled } = await study.cell(`${name}, ${method}, rows of unit length`, () =>
        clusteringOf(read[name], { ...embeddings[method], prepare: unitRows }),
      );
      scores.push(scaled);
    }
    const [accuracy, nmi] = scores.at(-1);
    const printed = set.paper.MPME;
    rows.push([
      name,
      ...scores.map(asScores),
      asScores(printed),
      signed(accuracy - printed[0]),
      signed(nmi - printed[1]),
    ]);
  }
}

/** Rows divided by their lengths, from the mean of all rows. */
function unitRows(X) {
  const mean = count(X.columns).map((c) => count(X.rows).reduce((sum, i) => sum + X.at(i, c), 0) / X.rows);
  return Matrix.from(
    count(X.rows).map((i) => {
      const row = Array.from(X.row(i), (entry, c) => entry - mean[c]);
      const length = Math.hypot(...row);
      return row.map((entry) => entry / length);
    }),
  );
}

/** The rows of some methods on all sets. */
async function addRows(study, sets, read, methods, rows) {
  const place = Object.keys(sets);
  for (const [name, set] of Object.entries(sets)) {
    const { Y } = read[name];
    const embeddings = embeddingsOf(Y, set, study.quick);
    for (const method of methods) {
      const outcome = await study.cell(`${name}, ${method}`, () =>
        clusteringOf(read[name], embeddings[method], study.quick),
      );
      rows.push(...rowsFor(name, Y, set, method, embeddings[method], outcome));
    }
    // Methods of one set stand together.
    rows.sort((a, b) => place.indexOf(a[0]) - place.indexOf(b[0]));
  }
}

/** Multiples of the default base precision by which the paper's search is imitated, for each kind of distances. */
const SEARCHED = { squared: [16, 256], plain: [16] };

/** What the paper's search may have gained: embeddings at multiples of the rule's λ, and the best by the labels. */
async function chosenByLabels(study, sets, read) {
  study.note(
    'The paper takes plain Euclidean distances (§4.1), tunes λ and C in grids and does not say by what. The second table has the accuracy and NMI of MPME with both kinds of distances at multiples of the default λ, C = ∞. The best of a row, eigenvectors scaled or unscaled, was chosen with the labels: it is no result that one without labels can have.',
  );
  const variants = Object.entries(SEARCHED).flatMap(([distances, multiples]) =>
    [1, ...multiples].map((multiple) => ({ distances, multiple })),
  );
  const rows = [];
  study.table(
    'MPME by distances and multiples of the default λ: accuracy, NMI',
    [
      'data',
      ...variants.map(({ distances, multiple }) => `${distances}, ${multiple === 1 ? 'λ' : `${multiple} λ`}`),
      'best',
      'paper',
      'difference of accuracy',
      'of NMI',
    ],
    rows,
  );
  for (const [name, set] of Object.entries(sets)) {
    const [scores, candidates] = [[], []];
    for (const { distances, multiple } of variants) {
      const method = `MPME, ${distances} distances`;
      const { scaled, unscaled } = await (multiple === 1
        ? study.cell(`${name}, ${method}`, () => clusteringOf(read[name], embeddingsOf(read[name].Y, set)[method]))
        : study.cell(`${name}, ${method}, λ × ${multiple}`, () =>
            clusteringOf(read[name], { make: () => mpmeAt(read[name].Y, set, distances, multiple) }),
          ));
      scores.push(scaled);
      candidates.push([...scaled, ''], [...unscaled, ', unscaled']);
    }
    const [accuracy, nmi, how] = candidates.reduce((a, b) => (b[0] > a[0] ? b : a));
    const printed = set.paper.MPME;
    rows.push([
      name,
      ...scores.map(asScores),
      `${asScores([accuracy, nmi])}${how}`,
      asScores(printed),
      signed(accuracy - printed[0]),
      signed(nmi - printed[1]),
    ]);
  }
}

const asScores = (scores) => scores.map((score) => score.toFixed(3)).join(', ');

/** MPME at a multiple of the base precision that it takes by itself. */
async function mpmeAt(Y, { d: latentDim, candidates }, distances, multiple) {
  const options = { distances, ...(candidates !== undefined && { neighbours: candidates }) };
  const basePrecision = multiple * (await defaultPrecision(Y, options));
  return mpme(Y, { latentDim, basePrecision, ...options });
}

/** The base precision that mpme takes by itself: rows of the precision L + λI sum to λ, whatever the weights. */
async function defaultPrecision(Y, options) {
  const { precision } = await fit(mpme(Y, options), { maxIterations: 1 });
  return precision()
    .row(0)
    .reduce((sum, entry) => sum + entry, 0);
}

/** Accuracy and NMI of K-means on an embedding. */
async function clusteringOf({ Y, labels }, { make, prepare = (X) => X }, quick) {
  const classes = new Set(labels).size;
  const clustered = (X) => {
    const { clusters } = kMeans(prepare(X), classes, { seed: 1, restarts: quick ? 4 : 19 });
    return [clusteringAccuracy(labels, clusters), normalizedMutualInformation(labels, clusters)];
  };
  if (make === undefined) return { scaled: clustered(Y) };
  const before = process.cpuUsage();
  const result = await fit(await make());
  const { user, system } = process.cpuUsage(before);
  const field = result.model === 'mpme' && {
    unscaled: clustered(unscaled(result)),
    edges: result.graph.sources.length,
  };
  const { objective, status } = result;
  return { scaled: clustered(result.latents), ...field, seconds: (user + system) / 1e6, objective, status };
}

function rowsFor(name, Y, set, method, { paper, settings }, outcome) {
  const { scaled, unscaled: plain, edges, objective, seconds, status } = outcome;
  const printed = set.paper[paper];
  const row = (label, [accuracy, nmi], how) => [
    name,
    Y.rows,
    set.d,
    label,
    accuracy.toFixed(3),
    printed?.[0] ?? '–',
    printed === undefined ? '–' : signed(accuracy - printed[0]),
    nmi.toFixed(3),
    printed?.[1] ?? '–',
    printed === undefined ? '–' : signed(nmi - printed[1]),
    (edges && objective?.toFixed(1)) ?? '–',
    how,
    seconds?.toFixed(0) ?? '–',
  ];
  const how = [settings, edges && `${edges} edges`, status].filter(Boolean).join(', ');
  return [
    row(method, scaled, how),
    ...(plain ? [row(`${method}, eigenvectors unscaled`, plain, 'the same field')] : []),
  ];
}

const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;

async function figure4(study) {
  const sets = study.quick ? ['USPS'] : ['USPS', 'YALE-B'];
  const lambdas = study.quick ? [0.1] : [0.1, 0.5, 1, 5, 10];
  const slacks = study.quick ? [1] : [0.1, 1, 10, 100, Infinity];
  for (const name of sets) {
    const { Y, labels } = await readSet({ ...SETS[name], rows: 500 }, study.quick, true);
    const { d } = SETS[name];
    const rows = [];
    for (const basePrecision of lambdas) {
      const row = [basePrecision];
      for (const slackPenalty of slacks) {
        const [accuracy] = await study.cell(`${name}, λ = ${basePrecision}, C = ${slackPenalty}`, async () => {
          const { latents, status } = await fit(
            mpme(Y, { latentDim: d, basePrecision, slackPenalty, distances: 'plain' }),
          );
          if (status === 'degenerate') return [Number.NaN];
          const { clusters } = kMeans(latents, new Set(labels).size, { seed: 1 });
          return [clusteringAccuracy(labels, clusters)];
        });
        row.push(accuracy === null || Number.isNaN(accuracy) ? '–' : accuracy.toFixed(3));
      }
      rows.push(row);
    }
    study.table(
      `${name}, ${Y.rows} rows: accuracy by λ (rows) and C (columns)`,
      ['λ', ...slacks.map((C) => (C === Infinity ? '∞' : String(C)))],
      rows,
    );
  }
}

/** The largest base precision, to a hundredth of itself, at which the graph that MPME learns is connected. */
async function largestConnecting(Y) {
  let [connected, apart] = [1e-6, 1];
  while (apart > 1.01 * connected) {
    const middle = Math.sqrt(connected * apart);
    const { graph } = await fit(mpme(Y, { basePrecision: middle }));
    if (components(graph) === 1) connected = middle;
    else apart = middle;
  }
  return connected;
}

async function teapots(study) {
  const raw = await readMatrix('teapots_X.npy');
  const rows = study.quick ? count(raw.rows).filter((i) => i % 4 === 0) : count(raw.rows);
  const clean = rowsOf(raw, rows).data.map((entry) => entry / 255);
  const N = rows.length;
  const ring = (X) =>
    count(N).filter((i) => {
      const near = count(N)
        .filter((j) => j !== i)
        .sort((a, b) => distance(X, i, a) - distance(X, i, b))
        .slice(0, 2);
      return near.every((j) => (j - i + N) % N === 1 || (i - j + N) % N === 1);
    }).length;
  const distance = (X, i, j) => X[i].reduce((sum, entry, d) => sum + (entry - X[j][d]) ** 2, 0);
  const table = [];
  const panels = [];
  for (const noise of study.quick ? [0, 0.4] : [0, 0.1, 0.2, 0.4, 0.5]) {
    const random = library.seededRandom(1);
    const Y = new Matrix(
      clean.map((entry) => entry + noise * random.uniform()),
      N,
      raw.columns,
    );
    const largest = await study.cell(`noise ${noise}, largest λ`, () => largestConnecting(Y));
    const methods = {
      'MPME, defaults': () => mpme(Y, { latentDim: 2 }),
      'MPME, half the largest λ': () => mpme(Y, { latentDim: 2, basePrecision: largest / 2 }),
      MVU: () => mvu(Y, { latentDim: 2, neighbours: 4 }),
      MEU: () => meu(Y, { latentDim: 2, neighbours: 4 }),
    };
    for (const [method, make] of Object.entries(methods)) {
      const { X, edges, lambda } = await study.cell(`noise ${noise}, ${method}`, async () => {
        const { latents, graph, precision } = await fit(make());
        // The precision is L + λI, and the rows of a graph Laplacian L sum to 0.
        const lambda = precision?.()
          .row(0)
          .reduce((sum, entry) => sum + entry, 0);
        return { X: latents.toArrays(), edges: graph.sources.length, lambda };
      });
      table.push([noise, method, method.startsWith('MPME') ? lambda.toPrecision(3) : '–', edges, ring(X), N]);
      panels.push(
        await latentPlot({
          latents: X,
          title: `${method}, noise ${noise}`,
          width: 190,
          height: 180,
          axes: false,
          equalScales: true,
        }),
      );
    }
  }
  study.note(
    '100 views of the teapot (the paper has 400), pixels in [0, 1] plus uniform noise between 0 and ρ. Counted are views whose two nearest latents are the views before and after. MPME runs with its default λ, which keeps the graph connected whatever the data, and with half of the largest λ at which the learned graph is connected, found by bisection: no view is looked at for it. At the default, which is smaller, the graph has edges across the ring, and the ring is folded. The paper does not say its λ here.',
  );
  study.table('Views between their neighbours', ['ρ', 'method', 'λ', 'edges', 'in order', 'of'], table);
  if (!study.quick)
    await study.figure(
      'mpme-teapots.svg',
      pictureGrid(panels, { columns: 4, title: 'Teapots with noise' }),
      'Teapots by MPME, MVU and MEU',
    );
}

const clusteringFiles = Object.values(SETS).flatMap(({ file }) => [`${file}_X.npy`, `${file}_y.npy`]);
export const mpmeTable2 = {
  name: 'mpme-table2',
  title: 'Clustering of MPME embeddings',
  source: 'Mao et al. 2017, Table 2',
  files: clusteringFiles,
  run: table2,
};
export const mpmeFigure4 = {
  name: 'mpme-figure4',
  title: 'Clustering by λ and C',
  source: 'Mao et al. 2017, Figure 4',
  files: clusteringFiles,
  run: figure4,
};
export const mpmeTeapots = {
  name: 'mpme-teapots',
  title: 'Teapots with noise',
  source: 'Mao et al. 2017, Figures 8 and 9',
  files: ['teapots_X.npy'],
  run: teapots,
};
