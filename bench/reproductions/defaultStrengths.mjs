import { count, drawnRows, library, readLabels, readMatrix, rowsOf, standardisedBy } from './data.mjs';
import { testError } from './digits.mjs';

const { fit, gplrf, gplvm, llGplvm, nearestNeighbourError, rankGplvm, trustworthiness, tsneGplvm } = library;

const SETS = {
  iris: ['iris_X.npy', 'iris_y.npy'],
  wine: ['wine_X.npy', 'wine_y.npy'],
  'oil flow': ['oil_train_X.npy', 'oil_train_y.npy'],
  'digits 8×8': ['digits8x8_X.npy', 'digits8x8_y.npy'],
  robot: ['robot_train_X.npy'],
};
const POINTS = 150;
const ITERATIONS = 300;
const FACTORS = [0.01, 0.1, 1, 10];

async function readSet(name, points) {
  const [file, labelFile] = SETS[name];
  const all = await readMatrix(file);
  const rows = drawnRows(all.rows, Math.min(points, all.rows), 1);
  const labels = labelFile && readLabels(labelFile);
  const Y = rowsOf(all, rows);
  return { Y: name === 'wine' ? standardisedBy(Y)[0] : Y, labels: labels && rows.map((i) => labels[i]) };
}

/** The models, each with what multiplies the factor: the scale of the data. */
const MODELS = {
  llGplvm: { make: llGplvm, latentDim: 2, scale: ({ columns: D }) => D },
  tsneGplvm: { make: tsneGplvm, latentDim: 2, scale: ({ rows: N, columns: D }) => N * D },
  rankGplvm: { make: rankGplvm, latentDim: 4, scale: ({ rows: N, columns: D }) => N * D },
};

/** (Σ s²)²/Σ s⁴ over the singular values s of the centred latents: how many directions they have. */
function directions(X) {
  const q = X.columns;
  const mean = count(q).map((d) => X.column(d).reduce((sum, entry) => sum + entry, 0) / X.rows);
  const at = (a, b) => count(X.rows).reduce((sum, i) => sum + (X.at(i, a) - mean[a]) * (X.at(i, b) - mean[b]), 0);
  let energy = 0;
  let squares = 0;
  for (let a = 0; a < q; a++) {
    energy += at(a, a);
    for (let b = 0; b < q; b++) squares += at(a, b) ** 2;
  }
  return energy ** 2 / squares;
}

async function run(study) {
  const fitted = { maxIterations: study.quick ? 15 : ITERATIONS };
  const points = study.quick ? 40 : POINTS;
  const factors = study.quick ? [1] : FACTORS;
  const rows = [];
  for (const name of study.quick ? ['iris'] : Object.keys(SETS)) {
    const { Y, labels } = await readSet(name, points);
    const measured = ({ latents }) => ({
      error: labels && nearestNeighbourError(latents, labels),
      trust: trustworthiness(Y, latents, 10),
      directions: directions(latents),
    });
    for (const [model, { make, latentDim, scale }] of Object.entries(MODELS)) {
      const found = [
        await study.cell(`${name}, gplvm ${latentDim}`, async () =>
          measured(await fit(gplvm(Y, { latentDim }), fitted)),
        ),
      ];
      for (const factor of factors) {
        const strength = factor * scale(Y);
        found.push(
          await study.cell(`${name}, ${model}, ${factor}`, async () =>
            measured(await fit(make(Y, { latentDim, strength }), fitted)),
          ),
        );
      }
      const show = ({ error, trust, directions: k }) =>
        `${error === undefined ? '–' : error.toFixed(3)} ${trust.toFixed(3)} ${k.toFixed(1)}`;
      rows.push([name, model, ...found.map(show)]);
    }
  }
  study.table(
    'error, trustworthiness and directions by strength as a multiple of the scale',
    ['data', 'model', 'gplvm', ...factors.map(String)],
    rows,
  );
  await labelled(study, fitted);
}

async function labelled(study, fitted) {
  const rows = [];
  const factors = study.quick ? [1] : [0.1, 1, 10, 100];
  for (const name of study.quick ? ['iris'] : Object.keys(SETS).filter((set) => SETS[set].length > 1)) {
    const { Y, labels } = await readSet(name, study.quick ? 40 : 2 * POINTS);
    const half = new Set(drawnRows(Y.rows, Math.floor(Y.rows / 2), 2));
    const part = (chosen) => {
      const kept = count(Y.rows).filter((i) => half.has(i) === chosen);
      return { Y: rowsOf(Y, kept), labels: kept.map((i) => labels[i]) };
    };
    const [training, test] = [part(true), part(false)];
    const sizes = new Map();
    for (const label of training.labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
    const edges = [...sizes.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
    const scale = (training.Y.columns * training.Y.rows) / (2 * edges);
    const errorAt = async (strength) => {
      const result = await fit(gplrf(training.Y, training.labels, { latentDim: 2, strength }), fitted);
      const { latents } = await result.project(test.Y);
      return testError({ ...training, Y: result.latents }, { ...test, Y: latents });
    };
    const found = [testError(training, test), await study.cell(`${name}, gplrf, one`, () => errorAt(1))];
    for (const factor of factors) {
      found.push(await study.cell(`${name}, gplrf, ${factor}`, () => errorAt(factor * scale)));
    }
    rows.push([name, scale.toFixed(2), ...found.map((error) => error.toFixed(3))]);
  }
  study.table(
    'GPLRF: errors of held-out halves',
    ['data', 'scale', 'observations', 'strength 1', ...factors.map(String)],
    rows,
  );
}

export const defaultStrengths = {
  name: 'default-strengths',
  title: 'Default strengths of priors',
  source: 'Urtasun et al. 2008; Geiger et al. 2009; van der Maaten 2009; Zhong et al. 2010',
  files: Object.values(SETS).flat(),
  run,
};
