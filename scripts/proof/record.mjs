// The record of a fit in the proof: for every answer, as numbers in order, a digest, their count, the first of them, and a
// projection that changes with any of them.
import { createHash } from 'node:crypto';
import { evaluate, fit, loadFit } from 'latentfield';
import { ownParts } from './models.mjs';

/** Iterations of each search: a change in the last bit grows with every one. */
const ITERATIONS = 4;
const SHOWN = 2;

/**
 * @param one - a model with the requests to its fit, see models.mjs
 * @returns answers by name, each in the form of {@link summary}; `file` with digests of the parts of its file;
 * `loads`: true if the loaded fit has the same answers, or the error
 */
export async function recordOf({ model: make, fit: options, rows, view, to }) {
  const model = make();
  const limits = model.solve === undefined && options?.maxEpochs === undefined ? { maxIterations: ITERATIONS } : {};
  const answers = model.solve === undefined ? { start: evaluate(model) } : {};
  const result = await fit(model, { seed: 1, engine: 'wasm', ...limits, ...options });
  const asked = { rows, view, to };
  const fitted = await answersOf(result, asked);
  const file = JSON.parse(JSON.stringify(result));
  const same = async () => {
    const loaded = await answersOf(loadFit(file, ownParts, { engine: 'wasm' }), asked);
    return digest(plain(fitted)) === digest(plain(loaded));
  };
  const loads = await same().catch((error) => error.name);
  return { ...recorded({ ...answers, ...fitted }, file), loads };
}

/** Answers of a saved fit. */
export async function recordOfSaved({ fit: json }, { rows, view, to }) {
  return recorded(await answersOf(loadFit(json, ownParts, { engine: 'wasm' }), { rows, view, to }));
}

async function answersOf(result, { rows, view, to }) {
  const q = result.latents.columns;
  const places = [Array(q).fill(0.3), Array.from({ length: q }, (_, c) => c - 0.7)];
  const viewed = view === undefined ? {} : { view };
  const short = { maxIterations: 5 };
  const missing = Array.isArray(rows)
    ? rows.map((row, i) => row.map((entry, j) => (i === j ? Number.NaN : entry)))
    : rows;
  const asks = {
    predict: () => result.predict(places, { noise: true, ...viewed }),
    sample: () => result.sample(places, { seed: 2, ...viewed }),
    functions: () => result.sample(places, { seed: 2, noise: false, ...viewed }),
    interpolate: () => result.interpolate(0, 3, 3, viewed),
    project: () => result.project(rows, short),
    reconstruct: () => result.reconstruct(rows, short),
    translate: () => result.translate(rows, to, short),
    // A field without a mapping fills in columns over its points, a mapping new rows.
    impute: () => (result.predict === undefined ? result.impute(fieldColumns(result)) : result.impute(missing, short)),
    forecast: () => result.forecast(2),
    precision: () => result.precision(),
    covariance: () => result.covariance(),
  };
  const answers = {};
  for (const name of ['objective', 'terms', 'latents', 'parameters', 'trace', 'status']) answers[name] = result[name];
  for (const name of ['graph', 'eigenvalues', 'latentVariances', 'relevance', 'evidence']) {
    if (result[name] !== undefined) answers[name] = result[name];
  }
  for (const [name, ask] of Object.entries(asks)) {
    if (result[name === 'functions' ? 'sample' : name] === undefined) continue;
    // A model must continue to refuse the same requests.
    answers[name] = await Promise.resolve()
      .then(ask)
      .catch((error) => error.name);
  }
  return answers;
}

/** A column over the points of the fit, with every third entry missing. */
function fieldColumns({ latents }) {
  return Array.from({ length: latents.rows }, (_, i) => [i % 3 === 1 ? Number.NaN : (i % 5) - 2]);
}

function recorded(answers, file) {
  const numbers = Object.entries(plain(answers)).map(([name, answer]) => [name, summary(answer)]);
  return { answers: Object.fromEntries(numbers), ...(file && { file: fileParts(file) }) };
}

/** Digests of the parts of a saved fit without seconds. */
function fileParts({ format: _, checksums: __, diagnostics: { seconds: ___, ...diagnostics }, ...rest }) {
  return Object.fromEntries(Object.entries({ ...rest, diagnostics }).map(([name, part]) => [name, digest(part)]));
}

/** [digest, numbers, their root mean square, their projection on fixed directions, the first ones …]. */
function summary(answer) {
  const numbers = numbersIn(answer);
  const finite = numbers.filter(Number.isFinite);
  const size = Math.sqrt(finite.reduce((sum, entry) => sum + entry * entry, 0) / Math.max(1, finite.length));
  // Weights by the golden ratio, which no two entries share.
  const projection = finite.reduce((sum, entry, i) => sum + entry * (0.5 + ((i * 0.618033988749895) % 1)), 0);
  return [
    digest(answer),
    numbers.length,
    Number(size.toPrecision(3)),
    projection / Math.max(1, finite.length),
    ...finite.slice(0, SHOWN),
  ];
}

function numbersIn(value) {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Lists of doubles as lists; numbers that JSON has no form for as text. */
function plain(value) {
  return JSON.parse(
    JSON.stringify(value, (_, entry) => {
      if (ArrayBuffer.isView(entry)) return Array.from(entry);
      return typeof entry === 'number' && !Number.isFinite(entry) ? String(entry) : entry;
    }),
  );
}

function digest(value) {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);
}
