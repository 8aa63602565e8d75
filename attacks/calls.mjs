// Random calls of every public function: named models with random options on random data, fitted and used; and every other export with
// arguments of other kinds. Every outcome must be typed: a result whose numbers are finite unless it has failed, or one of the
// library's errors.
import * as tf from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import latentfield from './everything.mjs';
import { exportedFunctions, hostile as hostileValues, isOwn, shown } from './hostile.mjs';
import { tried } from './report.mjs';

const { fit, namedModels, Matrix } = latentfield;
const hostile = fc.constantFrom(...hostileValues);

const entry = fc.oneof(
  { weight: 60, arbitrary: fc.double({ min: -3, max: 3, noNaN: true }) },
  { weight: 30, arbitrary: fc.integer({ min: -2, max: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1e-200, 1e200, -1e8, 1e-8) },
);

/** Small tables: duplicates, constant and collinear columns, two rows, one column, holes, classes. */
const tables = fc
  .record({
    rows: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 5, max: 12 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
    ),
    columns: fc.integer({ min: 1, max: 5 }),
    entries: fc.array(entry, { minLength: 60, maxLength: 60 }),
    trouble: fc.constantFrom(
      'none',
      'none',
      'duplicates',
      'constant',
      'collinear',
      'holes',
      'same',
      'isolated',
      'counts',
      'nothing',
    ),
    as: fc.constantFrom('arrays', 'arrays', 'Matrix', 'Float64Array'),
  })
  .map(({ rows, columns, entries, trouble, as }) => {
    const Y = Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_, j) => entries[i * columns + j]),
    );
    if (trouble === 'duplicates') for (let i = 1; i < rows; i += 2) Y[i] = [...Y[i - 1]];
    if (trouble === 'constant') for (const row of Y) row[0] = 3;
    if (trouble === 'collinear') for (const row of Y) row.fill(row[0]);
    if (trouble === 'holes') for (let i = 0; i < rows; i += 3) Y[i][i % columns] = Number.NaN;
    if (trouble === 'same') Y.fill(Y[0]);
    if (trouble === 'isolated') Y[0] = Y[0].map(() => 1e6);
    if (trouble === 'counts')
      for (const row of Y)
        row.forEach((value, j) => {
          row[j] = Math.abs(Math.round(value)) % 5;
        });
    if (trouble === 'nothing') return { Y: [], trouble, as: 'arrays' };
    return { Y, trouble, as };
  });

const kernels = fc.constantFrom(
  'rbf',
  'rbf + bias',
  'linear',
  'matern32 * linear',
  'rbf + white(0.1)',
  'periodic',
  'mlp',
  'polynomial',
);
const small = fc.integer({ min: -1, max: 8 });
/** Options of any model, sensible or not. */
const optionValues = {
  latentDim: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 1, max: 2 }) }, { weight: 1, arbitrary: small }),
  neighbors: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 2, max: 5 }) }, { weight: 1, arbitrary: small }),
  radius: fc.double({ min: -1, max: 5, noNaN: true }),
  kernel: fc.oneof(
    kernels.map((text) => latentfield.parseKernel(text)),
    fc.constant('rbf'),
  ),
  noise: fc.oneof(fc.double({ min: -0.1, max: 2, noNaN: true }), fc.constantFrom(0, 1e-12, 1e12)),
  missing: fc.constantFrom('ignore', 'ignore', 'ignore', 'other'),
  center: fc.boolean(),
  scale: fc.boolean(),
  inducing: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 2, max: 4 }) }, { weight: 1, arbitrary: small }),
  backConstraint: fc.constantFrom('kernel', 'mlp', 'linear', 'kernel', 'none'),
  dynamics: fc.constantFrom(true, false, { order: 'difference' }, { segments: [2] }),
  strength: fc.double({ min: -1, max: 100, noNaN: true }),
  slackPenalty: fc.constantFrom(1, 0.1, 0, -1, Number.POSITIVE_INFINITY),
  basePrecision: fc.constantFrom(1, 1e-6, 0, -1),
  penalty: fc.constantFrom(0.1, 0.01, 0, 10),
  disconnected: fc.constantFrom('connect', 'largest', 'error'),
  input: fc.constantFrom('points', 'distances'),
  perplexity: fc.double({ min: 0, max: 12, noNaN: true }),
  init: fc.constantFrom('pca', 'other'),
  landmarks: small,
  shrinkage: fc.constantFrom('auto', 0, 0.5, 1, 2),
  regularization: fc.constantFrom(1e-3, 0, 1, -1),
  likelihood: fc.constantFrom(latentfield.poisson(), latentfield.bernoulli(), latentfield.studentT()),
};

/** Options of fits that every one takes. */
const SENSIBLE = fc.record({ seed: fc.nat({ max: 9 }), engine: fc.constantFrom('wasm', 'typescript') });

const FIT_OPTIONS = fc.record(
  {
    maxIterations: fc.constantFrom(0, 1, 3, 3, 3, 3, 3, -1, 1.5),
    restarts: fc.constantFrom(0, 0, 1, 1, 1, -1),
    seed: fc.constantFrom(0, 1, 2, 3, 1.5),
    engine: fc.constantFrom('wasm', 'wasm', 'typescript', 'typescript', 'other'),
    tolerance: fc.constantFrom(0, 1e-3, 1e-3, 1e-5, -1, Number.NaN),
  },
  { requiredKeys: [] },
);

/** Options of each model; now and then one of another model is added. */
const GP = [
  'kernel',
  'noise',
  'missing',
  'center',
  'scale',
  'inducing',
  'backConstraint',
  'dynamics',
  'init',
  'likelihood',
];
const GRAPH = ['neighbors', 'disconnected'];
const TAKEN = {
  gplvm: GP,
  tpslvm: GP,
  gplrf: [...GP, 'strength', 'neighbors'],
  dgplvm: [...GP, 'strength'],
  llGplvm: [...GP, 'strength', 'neighbors'],
  rankGplvm: [...GP, 'strength'],
  tsneGplvm: [...GP, 'strength', 'perplexity'],
  bayesianGplvm: ['kernel', 'noise', 'missing', 'center', 'scale', 'inducing', 'likelihood'],
  meu: ['neighbors', 'disconnected', 'basePrecision', 'slackPenalty', 'missing'],
  mpme: ['neighbors', 'disconnected', 'basePrecision', 'slackPenalty'],
  alle: ['neighbors'],
  drill: ['neighbors', 'penalty'],
  kernelPca: ['kernel'],
  classicalMds: ['input'],
  isomap: [...GRAPH, 'input', 'landmarks'],
  mvu: GRAPH,
  lle: ['neighbors'],
  laplacianEigenmaps: GRAPH,
  lda: ['shrinkage'],
  kernelLda: ['kernel', 'regularization'],
  lpp: ['neighbors', 'regularization', 'kernel'],
  slpp: ['neighbors', 'regularization', 'kernel'],
  sammon: ['init'],
};
const optionsOf = (name) =>
  fc
    .tuple(
      fc.subarray(TAKEN[name] ?? []).map((own) => own.slice(0, 3)),
      fc.subarray(Object.keys(optionValues), { maxLength: 1 }),
      fc.integer({ min: 0, max: 11 }),
    )
    .chain(([own, other, luck]) => {
      const names = ['latentDim', ...own, ...(luck === 0 ? other : [])];
      return fc.record(Object.fromEntries(names.map((key) => [key, optionValues[key]])));
    });

const modelCase = fc.constantFrom(...Object.keys(namedModels)).chain((name) =>
  fc.record({
    kind: fc.constant('model'),
    name: fc.constant(name),
    table: tables,
    labels: fc.constantFrom('classes', 'classes', 'classes', 'one class', 'few', 'none'),
    options: optionsOf(name),
    fitOptions: fc.oneof({ weight: 8, arbitrary: SENSIBLE }, { weight: 1, arbitrary: FIT_OPTIONS }),
    use: fc.constantFrom('predict', 'project', 'sample', 'impute', 'reconstruct', 'interpolate', 'forecast', 'toJSON'),
    at: fc.oneof(
      hostile,
      fc.constant(() => [[0.1]]),
      fc.constant(() => [[0.1, 0.2]]),
      fc.constant(() => 1),
    ),
  }),
);

const exported = exportedFunctions();
const callCase = fc.record({
  kind: fc.constant('call'),
  which: fc.nat({ max: exported.length - 1 }),
  args: fc.array(hostile, { maxLength: 3 }),
});

const cases = fc.oneof({ weight: 1, arbitrary: modelCase }, { weight: 1, arbitrary: callCase });

export async function attackCalls({ seed, cases: count, report }) {
  const drawn = fc.sample(cases, { seed, numRuns: count });
  for (const [i, drawnCase] of drawn.entries()) {
    const before = tf.engine().state.numTensors;
    if (drawnCase.kind === 'model') await modelCalled(i, drawnCase, report);
    else await exportCalled(i, drawnCase, report);
    const left = tf.engine().state.numTensors - before;
    if (left !== 0)
      report.fail(`case ${i}: ${drawnCase.name ?? exported[drawnCase.which][0]}`, `${left} tensors were left`);
  }
  if ({}.polluted !== undefined) report.fail('prototypes', 'Object.prototype was changed');
}

async function exportCalled(i, { which, args }, report) {
  const [name, value] = exported[which];
  const made = args.map((make) => make());
  const what = `case ${i}: ${name}(${made.map(shown).join(', ')})`;
  const isMine = (error) => isOwn(name, error);
  const outcome = await tried(
    report,
    what,
    async () => {
      let result = await value(...made);
      // Results are often unused; generators begin on their first request.
      if (typeof result?.next === 'function') result = await result.next();
      return result;
    },
    isMine,
  );
  if (outcome !== undefined) report.count(outcome.error === undefined ? 'calls that return' : 'typed errors of calls');
}

async function modelCalled(i, { name, table, labels: kind, options, fitOptions, use, at }, report) {
  const what = `case ${i}: ${name} of ${table.Y.length}×${table.Y[0]?.length ?? 0} (${table.trouble}), ${JSON.stringify(options, plain)}, ${JSON.stringify(fitOptions)}`;
  const Y = tableAs(table);
  const labels = labelsOf(kind, table.Y.length);
  const outcome = await tried(report, what, async () => {
    const model = namedModels[name].make(Y, labels, options);
    return fit(model, { ...(model.solve === undefined && { maxIterations: 3 }), maxSeconds: 5, ...fitOptions });
  });
  if (outcome === undefined) return;
  if (outcome.error !== undefined) return report.count('typed errors of models');
  const result = outcome.value;
  const finite = result.latents.data.every(Number.isFinite) && Number.isFinite(result.objective);
  if (!finite && result.status !== 'failed') report.fail(`${what}: '${result.status}', not finite`, result.message);
  if (result.message.length > 2000)
    report.fail(`${what}: message of ${result.message.length} characters`, result.message);
  report.count(`fits that are ${result.status}`);
  if (i % 5 === 0) await geometryCalled(what, result, at, report);
  if (typeof result[use] !== 'function') return;
  const used = await tried(report, `${what}, then ${use}(${shown(at())})`, async () => result[use](at(), at(), 3));
  if (used !== undefined) report.count(used.error === undefined ? 'uses that return' : 'typed errors of uses');
}

/** Each function of the geometry of a fit, if it has one. */
async function geometryCalled(what, result, at, report) {
  const made = await tried(report, `${what}, then geometry`, async () => latentfield.geometry(result));
  if (made?.value === undefined) return report.count('typed errors of geometries');
  // Some are computed when they are read.
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(made.value))) {
    if (get !== undefined) {
      const read = await tried(report, `${what}, then geometry().${name}`, async () => made.value[name]);
      if (read !== undefined)
        report.count(read.error === undefined ? 'geometries that return' : 'typed errors of geometries');
    }
    if (typeof value !== 'function') continue;
    for (const given of [[at(), at()], [0, 1], [[0, 1]], [[[0, 1]]], [result.latents], [0, [0.1, -0.1]]]) {
      const asked = `${what}, then geometry().${name}(${given.map(shown).join(', ')})`;
      const used = await tried(report, asked, async () => made.value[name](...given));
      if (used !== undefined)
        report.count(used.error === undefined ? 'geometries that return' : 'typed errors of geometries');
    }
  }
}

function tableAs({ Y, as }) {
  if (as === 'Matrix') return Matrix.from(Y);
  return as === 'Float64Array' ? Y.map((row) => Float64Array.from(row)) : Y;
}

function labelsOf(kind, rows) {
  if (kind === 'none') return undefined;
  return Array.from({ length: rows }, (_, i) => (kind === 'classes' ? i % 3 : kind === 'few' && i > 1 ? undefined : 0));
}

const plain = (_, value) => (value?.kind === 'kernel' || value?.kind === 'likelihood' ? value.name : value);
