import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromDist } from '../context.mjs';

const FOLDER = process.env.LATENTFIELD_DATA ?? fileURLToPath(new URL('../../../shared/data/', import.meta.url));

const built = (await import('../library.mjs')).default;

/** Endings of fits in their order, one word per fit, with the message of failed ones: studies read the fits behind a value. */
export const endings = [];

/** `fit` of starts: how they end is not noted. */
export const { fit: fitStart } = built;

/** The library, whose `fit` notes how fits end. */
export const library = {
  ...built,
  async fit(model, options) {
    const result = await built.fit(model, options);
    endings.push(result.status === 'failed' ? `failed (${model.name}): ${result.message}` : result.status);
    return result;
  },
};
export const op = await fromDist('engine/tensors/ops.js');
const { readTable } = await fromDist('app/io/index.js');

/** Whether a file of real data is there. */
export const hasData = (name) => existsSync(`${FOLDER}/${name}`);

/** The path of a file of real data; ends the process with a sentence when it is not there. */
function dataFile(name) {
  const file = `${FOLDER}/${name}`;
  if (existsSync(file)) return file;
  console.error(`${name} is not in ${FOLDER}. Name the folder of the data sets in LATENTFIELD_DATA.`);
  process.exit(2);
}

/** A matrix of real data: rows are points, entries as in the file. */
export async function readMatrix(name) {
  return (await readTable(dataFile(name), { flatten: true, columns: '*' })).observations;
}

/** Pictures of data and embeddings. */
export const plot = await fromDist('app/plot/index.js');

/** Generated data sets. */
export const generated = await fromDist('app/data/index.js');

/** 0 … N − 1 */
export const count = (N) => Array.from({ length: N }, (_, i) => i);

/** The parts into which edges of positive weight divide the points. */
export function components({ size, sources, targets }) {
  const parent = count(size);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i];
    return i;
  };
  sources.forEach((i, e) => {
    parent[root(i)] = root(targets[e]);
  });
  return parent.filter((p, i) => p === i).length;
}

/** The first `perClass` points of each class, in the order of the file. */
export function firstOfEachClass(labels, perClass) {
  const taken = new Map();
  return count(labels.length).filter((i) => {
    const before = taken.get(labels[i]) ?? 0;
    taken.set(labels[i], before + 1);
    return before < perClass;
  });
}

/** `count` points drawn without replacement, ascending. */
export function drawnRows(N, size, seed) {
  const random = library.seededRandom(seed);
  const order = count(N);
  for (let i = N - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.slice(0, size).sort((a, b) => a - b);
}

/** Columns of mean 0 and variance 1 by the first matrix, constant ones of 0; the same change of the others. */
export function standardizedBy(first, ...others) {
  const { rows: N, columns: D } = first;
  const mean = new Float64Array(D);
  const deviation = new Float64Array(D);
  first.data.forEach((entry, k) => {
    mean[k % D] += entry / N;
  });
  first.data.forEach((entry, k) => {
    deviation[k % D] += (entry - mean[k % D]) ** 2 / N;
  });
  const scale = deviation.map((variance) => Math.sqrt(variance) || 1);
  return [first, ...others].map(
    (Y) =>
      new library.Matrix(
        Y.data.map((entry, k) => (entry - mean[k % D]) / scale[k % D]),
        Y.rows,
        D,
      ),
  );
}

/** Errors of the nearest other point, of N: a count. */
export const errorsOf = (X, labels) => Math.round(library.nearestNeighborError(X, labels) * labels.length);

/** Labels of an int32 .npy file. */
export function readLabels(name) {
  const bytes = new Uint8Array(readFileSync(dataFile(name)));
  return Array.from(new Int32Array(bytes.slice(128).buffer));
}

/** Some rows of a matrix. */
export function rowsOf(A, rows) {
  const result = library.Matrix.zeros(rows.length, A.columns);
  rows.forEach((i, k) => {
    result.data.set(A.row(i), k * A.columns);
  });
  return result;
}

/** Prints rows of texts and numbers in columns. */
export function printTable(rows) {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0].map((_, c) => Math.max(...texts.map((row) => row[c].length)));
  for (const row of texts) {
    console.log(row.map((text, c) => (c === 0 ? text.padEnd(widths[c]) : text.padStart(widths[c]))).join('  '));
  }
}
