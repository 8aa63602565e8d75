import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromDist } from '../context.mjs';

const FOLDER = process.env.LATENTFIELD_DATA ?? fileURLToPath(new URL('../../../shared/data/', import.meta.url));

export const library = await fromDist('index.js');
export const op = await fromDist('tensors/ops.js');
const { readTable } = await fromDist('io/index.js');

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
  return (await readTable(dataFile(name))).matrix;
}

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
