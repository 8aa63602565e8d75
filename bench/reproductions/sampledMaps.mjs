import { count, errorsOf, library, plot, readLabels, readMatrix, rowsOf } from './data.mjs';

const { bayesianGplvm, samplePosterior, fit, gplvm, laplaceApproximation, Matrix, nuts, rbf } = library;
const { latentPlot, pictureGrid } = plot;

/** Rows, transitions of each chain in the warm-up and after it, and the most doublings of a trajectory: an evaluation takes N³. */
const sets = {
  'pipe-flow': { file: 'oil_train', take: () => count(50), transitions: [300, 300], maxDepth: 10 },
  iris: { file: 'iris', take: (N) => count(N), transitions: [100, 100], maxDepth: 8 },
};
const CHAINS = 4;

async function posteriorMaps(study) {
  const rows = [];
  const widths = [];
  for (const [name, set] of Object.entries(sets)) {
    const all = await readMatrix(`${set.file}_X.npy`);
    const places = study.quick ? count(10).map((i) => 5 * i) : set.take(all.rows);
    const every = readLabels(`${set.file}_y.npy`);
    const labels = places.map((i) => every[i]);
    const Y = rowsOf(all, places);
    const [warmup, draws] = study.quick ? [40, 40] : set.transitions;
    const model = gplvm(Y, { latentDim: 2, kernel: rbf() });
    const found = await study.cell(name, async () => {
      const start = await fit(model, {
        maxIterations: study.quick ? 60 : 2000,
        restarts: study.quick ? 1 : 5,
        seed: 1,
      });
      const method = nuts({ maxDepth: set.maxDepth });
      const drawn = await samplePosterior(model, {
        start,
        priors: 'weak',
        chains: CHAINS,
        warmup,
        draws,
        method,
        seed: 1,
      });
      const { latents, diagnostics, logDensity, divergences, message } = drawn;
      return {
        rHat: latents.rHat,
        essBulk: latents.essBulk,
        alone: Array.from(latents.chainRHat),
        modes: latents.modes.map((own) => ({
          chains: own.chains,
          latents: own.mean.toArrays(),
          covariances: own.covariances.map((covariance) => covariance.toArrays()),
        })),
        levels: count(CHAINS).map((c) => meanOf(logDensity.row(c))),
        evaluations: diagnostics.evaluations,
        divergences: divergences.length,
        message,
        laplace: await laplaceOf(model, start),
      };
    });
    const variational = await study.cell(`${name}, variational`, async () => {
      const options = { latentDim: 2, inducing: Math.min(20, Y.rows), kernel: rbf() };
      const result = await fit(bayesianGplvm(Y, options), { maxIterations: study.quick ? 30 : 1000, seed: 1 });
      return { latents: result.latents.toArrays(), variances: result.latentVariances.toArrays() };
    });
    const byMode = (of) =>
      Object.fromEntries(
        found.modes.map((mode) => [
          found.modes.length === 1
            ? 'draws'
            : `draws of ${mode.chains.length === 1 ? 'chain' : 'chains'} ${mode.chains.join(', ')}`,
          mode[of],
        ]),
      );
    const covariancesOf = {
      ...byMode('covariances'),
      Laplace: found.laplace.covariances,
      variational: variational.variances?.map(([a, b]) => [
        [a, 0],
        [0, b],
      ]),
    };
    const latentsOf = { ...byMode('latents'), Laplace: found.laplace.latents, variational: variational.latents };
    rows.push([
      name,
      Y.rows,
      found.rHat.toFixed(3),
      found.alone.map((own) => own.toFixed(2)).join(' '),
      found.modes.map(({ chains }) => chains.join(' ')).join('; '),
      found.essBulk.toFixed(0),
      found.levels.map((own) => own.toFixed(1)).join(' '),
      found.divergences,
      found.evaluations,
      study.secondsOf(name).toFixed(0),
    ]);
    for (const [way, latents] of Object.entries(latentsOf)) {
      const scale = spreadOf(latents);
      const radii = covariancesOf[way]?.map((own) => Math.sqrt(Math.sqrt(Math.max(0, determinant(own)))) / scale);
      widths.push([name, way, radii ? medianOf(radii).toFixed(4) : found.laplace.reason, errorsOf(latents, labels)]);
    }
    if (study.quick) continue;
    const panels = await Promise.all(
      Object.entries(latentsOf).map(([way, latents]) =>
        latentPlot({
          latents,
          ...(covariancesOf[way] && { covariances: covariancesOf[way] }),
          labels,
          title: `${name}, ${way}`,
          equalScales: true,
          width: 300,
          height: 260,
          axes: false,
        }),
      ),
    );
    await study.figure(
      `sampled-maps-${name}.svg`,
      pictureGrid(panels, { columns: 3, title: `Two latent dimensions of ${name}` }),
      `${name}: each point with an ellipse of two standard deviations, from draws, Laplace's approximation and a variational posterior`,
    );
  }
  study.note(
    `A GPLVM of two latent dimensions (rbf, noise, standard normal latents, weak priors on the three hyperparameters), ${CHAINS} chains by nuts from the best fit of several starts, ${Object.entries(
      sets,
    )
      .map(
        ([name, { transitions, maxDepth }]) =>
          `${transitions.join(' + ')} transitions of at most ${maxDepth} doublings for ${name}`,
      )
      .join(
        ', ',
      )}. Turning leaves distances as they are, so R̂ is the largest of distances between points (300 pairs); 'alone' is the same for each chain, split in halves. Chains belong to one map where the means of their distances differ by less than a standard deviation within a chain, root mean square; each map has a separate picture and width. Draws with R̂ above 1.01 have not converged. If each chain alone is near 1 then, each explores a separate mode, and the mean log densities show how far these are apart; if chains alone are above 1.01 too, they have not explored even one mode in this many transitions, and their ellipses show how far they have drifted.`,
  );
  study.table(
    'Whether the chains agree',
    [
      'data',
      'N',
      'R̂',
      'alone',
      'chains of each map',
      'least ESS',
      'log density of each chain',
      'divergences',
      'gradients',
      'CPU s',
    ],
    rows,
    { timed: ['CPU s'] },
  );
  study.table(
    "How wide the ellipses are: the median over points of the fourth root of a covariance's determinant, in units of the spread of the map",
    ['data', 'posterior', 'width', 'nearest neighbor errors'],
    widths,
  );
}

async function laplaceOf(model, start) {
  const latents = start.latents.toArrays();
  try {
    const approximation = await laplaceApproximation(model, start);
    return { latents, covariances: approximation.latents.covariances.map((own) => own.toArrays()) };
  } catch (error) {
    return { latents, reason: error.message };
  }
}

const meanOf = (values) => values.reduce((sum, entry) => sum + entry, 0) / values.length;
const medianOf = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const determinant = ([[a, b], [c, d]]) => a * d - b * c;

/** Root of the mean square of points about their mean, of both columns. */
function spreadOf(latents) {
  const X = Matrix.from(latents);
  const squares = [0, 1].map((d) => {
    const column = Array.from(X.column(d));
    const mean = meanOf(column);
    return meanOf(column.map((entry) => (entry - mean) ** 2));
  });
  return Math.sqrt((squares[0] + squares[1]) / 2);
}

export const sampledMaps = {
  name: 'sampled-maps',
  title: 'How sure a map is: draws beside Laplace and variational posteriors',
  source: 'A comparison of our own',
  files: ['oil_train_X.npy', 'oil_train_y.npy', 'iris_X.npy', 'iris_y.npy'],
  run: posteriorMaps,
};
