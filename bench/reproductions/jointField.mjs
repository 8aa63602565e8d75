import { count, library, plot, readMatrix, rowsOf } from './data.mjs';

const { bestMultipliers, expectedMoments, fit, gplvm, knnGraph, maxEntropy, squaredDifferences } = library;
const { latentPlot, pictureGrid } = plot;

/** Evaluations of the latents; a Hessian counts as one. */
const MOST = 300;
/** A profiled precision of 200 points takes a second or more for each evaluation. */
const MOST_SECONDS = 3600;
const sets = [
  { name: 'run1', file: 'run1_X.npy', points: 55, most: { distances: MOST, moments: MOST } },
  { name: 'oil flow', file: 'oil_train_X.npy', points: 60, most: { distances: MOST, moments: MOST } },
  { name: 'USPS', file: 'usps_X.npy', points: 200, most: { distances: MOST, moments: MOST } },
];
const layers = {
  distances: {
    name: 'maxEntropy',
    on: (graph) =>
      maxEntropy({ copies: 1, slack: 25, multipliers: bestMultipliers(), expect: { near: squaredDifferences(graph) } }),
  },
  moments: { name: 'expectedMoments', on: (graph) => expectedMoments({ graph }) },
};

const listed = ({ size, sources, targets, weights }) => ({
  size,
  sources: [...sources],
  targets: [...targets],
  weights: [...weights],
});
const typed = ({ size, sources, targets, weights }) => ({
  size,
  sources: Int32Array.from(sources),
  targets: Int32Array.from(targets),
  weights: Float64Array.from(weights),
});

async function run(study) {
  const table = [];
  for (const { name, file, points, most } of study.quick ? sets.slice(0, 1) : sets) {
    const observations = rowsOf(await readMatrix(file), count(points));
    const graph = knnGraph(observations, 7);
    for (const [kind, layer] of Object.entries(layers)) {
      const maxEvaluations = study.quick ? 20 : most[kind];
      const result = await study.cell(`${name}, ${layer.name}`, async () => {
        const model = gplvm(observations, { latentDim: 2, priors: [layer.on(graph)] });
        const {
          status,
          diagnostics,
          objective,
          latents,
          graph: learned,
        } = await fit(model, {
          maxEvaluations,
          maxSeconds: MOST_SECONDS,
        });
        return {
          status,
          diagnostics,
          objective,
          latents: latents.toArrays().map((row) => Array.from(row)),
          graph: listed(learned),
        };
      });
      const { evaluations, kktResidual } = result.diagnostics;
      table.push([
        name,
        points,
        layer.name,
        evaluations,
        result.objective.toFixed(1),
        result.diagnostics.gradientNorm.toExponential(1),
        kktResidual <= 1e-8 ? '≤ 1e-8' : kktResidual.toExponential(1),
        result.status,
        `${result.graph.sources.length} of ${graph.sources.length}`,
        kind === 'distances' ? result.graph.weights.filter((weight) => weight > 99.9).length : '–',
      ]);
      if (study.quick || name !== 'run1' || kind !== 'distances') continue;
      const alone = await study.cell(`${name}, without a layer`, async () => {
        const { latents } = await fit(gplvm(observations, { latentDim: 2 }), { maxEvaluations });
        return latents.toArrays().map((row) => Array.from(row));
      });
      const panel = (latents, title, edges) => latentPlot({ latents, title, graph: edges, width: 420, height: 420 });
      const panels = [
        panel(alone, 'Neighbors of the observations; latents alone', graph),
        panel(result.latents, 'Graph and latents learned together', typed(result.graph)),
      ];
      const svg = pictureGrid(await Promise.all(panels), { columns: 2, title: 'A run (55 frames), GPLVM' });
      await study.figure(
        'joint-field.svg',
        svg,
        'Latents of a run without a field, and with the graph learned with them',
      );
    }
  }
  study.note(
    'GPLVMs with a field over their latents, all options at their defaults, 7 neighbors as candidates. The gradient is its largest entry in the variables of the solver, latents and logarithms of kernel parameters, of which 1e-5 counts as stationary; the violation that of the optimality conditions of the field at the latents where the fit was ended. A joint fit may take 300 evaluations here, among which its Hessians count, and an hour. At the cap are edges whose weight is 4C = 100, the most that the field of distances may have: latents that want to meet are held by it alone.',
  );
  study.table(
    'Joint fits',
    ['data', 'N', 'layer', 'evaluations', 'objective', 'gradient', 'violation', 'status', 'edges', 'at the cap'],
    table,
  );
}

export const jointField = {
  name: 'joint-field',
  title: 'Latents fitted together with a field over them',
  source: 'A comparison of our own',
  files: sets.map(({ file }) => file),
  run,
};
