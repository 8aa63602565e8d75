import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fitStart, library } from './data.mjs';
import { CLUSTERED_FILES, isThere, readSet, SETS } from './mpmeSets.mjs';
import { basePrecisionOf, classesOf, clustered } from './mpmeTable2.mjs';

const { fit, isomap, laplacianEigenmaps, lle, Matrix, meu, mpme, tsne, umap } = library;

const pathOf = (name) => fileURLToPath(new URL(`../peers/${name}`, import.meta.url));
const python = process.env.LATENTFIELD_PYTHON ?? '/usr/bin/python3';

/** A map by another program; undefined where it is not installed. */
function mapBy([program, ...given], Y) {
  const { status, stdout } = spawnSync(program, given, {
    input: Buffer.from(Float64Array.from(Y.data).buffer),
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' },
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) return undefined;
  return new Matrix(new Float64Array(Uint8Array.from(stdout).buffer), Y.rows, 2);
}

const latentsOf = async (model) => (await fit(model)).latents;
/** The default base precision, read off after one iteration. */
const usualPrecision = async (Y, options) =>
  basePrecisionOf((await fitStart(mpme(Y, options), { maxIterations: 1 })).precision);
const byRule = (k) => ({ vectors: k, rows: 'unit' });
const NEIGHBORS = [6, 12, 24];
const [PERPLEXITIES, NEAR] = [
  [10, 30, 100],
  [8, 15, 50],
];

/** Methods with the values of the one setting that each is tuned by, the usual one among them. */
const rivals = {
  't-SNE': {
    setting: 'perplexity',
    usual: 30,
    values: PERPLEXITIES,
    map: (Y, perplexity) => latentsOf(tsne(Y, { perplexity })),
  },
  't-SNE of scikit-learn': {
    setting: 'perplexity',
    usual: 30,
    values: PERPLEXITIES,
    map: (Y, perplexity) => mapBy([python, pathOf('maps.py'), Y.rows, Y.columns, perplexity].map(String), Y),
  },
  UMAP: { setting: 'neighbors', usual: 15, values: NEAR, map: (Y, neighbors) => latentsOf(umap(Y, { neighbors })) },
  'UMAP of uwot': {
    setting: 'neighbors',
    usual: 15,
    values: NEAR,
    map: (Y, neighbors) => mapBy(['Rscript', pathOf('maps.R'), 'uwot', Y.rows, Y.columns, 1, neighbors].map(String), Y),
  },
  ...Object.fromEntries(
    Object.entries({ MEU: meu, LE: laplacianEigenmaps, LLE: lle, Isomap: isomap }).map(([name, make]) => [
      name,
      {
        setting: 'neighbors',
        usual: 12,
        values: NEIGHBORS,
        map: (Y, neighbors, k) => latentsOf(make(Y, { neighbors, embedding: byRule(k) })),
      },
    ]),
  ),
  ...Object.fromEntries(
    ['squared', 'plain'].map((distances) => [
      `MPME, ${distances} distances`,
      {
        setting: 'multiple of λ',
        usual: 1,
        values: [1, 16, 256],
        // Pairs of near neighbors alone: on these sets the scores of all pairs to .004.
        map: async (Y, multiple, k) => {
          const options = { distances, neighbors: 20 };
          const basePrecision = multiple === 1 ? undefined : multiple * (await usualPrecision(Y, options));
          return latentsOf(mpme(Y, { ...options, latentDim: 2, basePrecision, embedding: byRule(k) }));
        },
      },
    ]),
  ),
};
const MAPS = Object.keys(rivals).slice(0, 4);
/** The sets on which MPME by the rule is behind the paper: there every method is tuned as the paper tunes its own. */
const TUNED = ['USPS', 'Satimage'];

async function run(study) {
  const sets = Object.keys(study.quick ? { USPS: SETS.USPS } : SETS).filter((name) => isThere(SETS[name]));
  const [maps, tuned] = [[], []];
  study.note(
    'The first table has maps in two dimensions, which are what most users would take, by this library and by the programs that others use, at their defaults, clustered by K-means with as many clusters as classes, as in [mpme-table2](mpme-table2.md), which has MPME by its rule. The second has each method at the best of three values of its one setting, chosen by the accuracy itself, as the paper chooses λ and C of its own method for each set. The spectral methods are read by the rule (k eigenvectors, rows of unit length); MPME is fitted with pairs of 20 near neighbors, and C = ∞: the C of the paper bounds hardly any weight of these sets.',
  );
  study.table('Maps at their defaults: accuracy, NMI', ['data', ...MAPS, 'MPME of the paper'], maps);
  study.table(
    'Tuned as in the paper, by the accuracy itself: accuracy, NMI',
    ['data', 'method', 'setting', 'usual', 'at the usual', 'best', 'at the best', 'paper, MPME'],
    tuned,
  );
  const text = (scores) => scores?.map((score) => score.toFixed(3)).join(', ') ?? 'not installed';
  const scoresAt = (name, { Y, labels }, method, value) =>
    study.cell(`${name}, ${method}, ${value}`, async () => {
      const X = await rivals[method].map(Y, value, classesOf(labels));
      return X === undefined ? null : clustered(X, labels, study.quick).scores;
    });
  for (const name of sets) {
    const set = await readSet(SETS[name], study.quick);
    const shown = study.quick ? MAPS.filter((method) => !method.includes(' of ')) : MAPS;
    const row = [];
    for (const method of MAPS) {
      row.push(shown.includes(method) ? text(await scoresAt(name, set, method, rivals[method].usual)) : '–');
    }
    maps.push([name, ...row, text(SETS[name].paper.MPME)]);
  }
  for (const name of sets.filter((each) => TUNED.includes(each))) {
    const set = await readSet(SETS[name], study.quick);
    for (const [method, { setting, usual, values }] of Object.entries(rivals)) {
      if (study.quick && method !== 'LE') continue;
      const found = [];
      for (const value of values) {
        const scores = await scoresAt(name, set, method, value);
        if (scores !== null) found.push([value, scores]);
      }
      if (found.length === 0) continue;
      const [best, scores] = found.reduce((a, b) => (b[1][0] > a[1][0] ? b : a));
      const at = found.find(([value]) => value === usual)[1];
      tuned.push([name, method, setting, usual, text(at), best, text(scores), text(SETS[name].paper.MPME)]);
    }
  }
}

export const mpmeRivals = {
  name: 'mpme-rivals',
  title: 'What others would take for the clusters of Table 2, and every method tuned as the paper tunes its own',
  source: 'Mao et al. 2017, Table 2',
  files: CLUSTERED_FILES,
  run,
};
