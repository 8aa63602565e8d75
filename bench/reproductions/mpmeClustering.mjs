import { components, count, library, plot, readMatrix, rowsOf } from './data.mjs';
import { CLUSTERED_FILES, readSet, SETS } from './mpmeSets.mjs';

const { clusteringAccuracy, fit, kMeans, Matrix, mpme, meu, mvu } = library;
const { latentPlot, pictureGrid } = plot;

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
      MVU: () => mvu(Y, { latentDim: 2, neighbors: 4 }),
      MEU: () => meu(Y, { latentDim: 2, neighbors: 4 }),
      // Figure 9: of as many copies as there are dimensions, so that the field of the same points is the same but for its scale.
      ...(noise >= 0.4 && {
        'MPME, half the largest λ, 3 dimensions': () =>
          mpme(Y, { latentDim: 3, basePrecision: (3 / 2) * (largest / 2) }),
        'MVU, 3 dimensions': () => mvu(Y, { latentDim: 3, neighbors: 4 }),
      }),
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
      if (method.includes('3 dimensions')) continue;
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
  study.table('Views between their neighbors', ['ρ', 'method', 'λ', 'edges', 'in order', 'of'], table);
  if (!study.quick)
    await study.figure(
      'mpme-teapots.svg',
      pictureGrid(panels, { columns: 4, title: 'Teapots with noise' }),
      'Teapots by MPME, MVU and MEU',
    );
}

export const mpmeFigure4 = {
  name: 'mpme-figure4',
  title: 'Clustering by λ and C',
  source: 'Mao et al. 2017, Figure 4',
  files: CLUSTERED_FILES,
  run: figure4,
};
export const mpmeTeapots = {
  name: 'mpme-teapots',
  title: 'Teapots with noise',
  source: 'Mao et al. 2017, Figures 8 and 9',
  files: ['teapots_X.npy'],
  run: teapots,
};
