import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { log1p } from '../../core/elementary/index.ts';
import { InvalidInputError } from '../../core/errors.ts';
import type { NormalizedCounts } from '../../core/namedTable.ts';
import { checkGiven, checkOptions, type OptionsIn } from '../../core/options.ts';
import { SparseMatrix } from '../../core/sparseMatrix.ts';
import { medianOf } from '../../engine/vectors.ts';
import { parseMatrixMarket } from './matrixMarket.ts';
import { uniqueNames } from './rawTable.ts';
import { readSource } from './source.ts';
import { countEntries, countsNote, type NormalizeCountsOptions } from './standardization.ts';

export interface ReadSparseTableOptions extends OptionsIn<typeof schema> {}

/** Sparse table with one point per row. */
export interface SparseTable {
  /** Observations, N×D. */
  readonly observations: SparseMatrix;
  /** D names; `column0`, `column1`, … if the file has none. */
  readonly columns: string[];
  readonly isNamed: boolean;
  /** N names of the points, if there are any. */
  readonly ids?: string[];
  /** Notes about how the file was read. */
  readonly notes: readonly string[];
  /** Normalization of the observations, if `rowSums` or `log1p` was set. */
  readonly counts?: NormalizedCounts;
}

const schema = v.strictObject({
  ...countEntries,
  /** Whether rows or columns of the file are the points; by default rows of an .mtx file, columns of a 10x folder. */
  points: v.optional(v.picklist(['rows', 'columns'], "'rows' or 'columns'")),
  /** Largest size of an unpacked file in bytes; default 1.2 GB. */
  maxBytes: v.optional(v.pipe(v.number('a number of bytes'), v.minValue(1, 'at least 1'))),
});

/** Names of the files in folders of Cell Ranger, versions 3 and 2, each optionally gzipped. */
const FEATURES = ['features.tsv', 'genes.tsv'];

/**
 * Reads a sparse table: a Matrix Market file (.mtx, .mtx.gz), or a folder of Cell Ranger (10x Genomics) with matrix.mtx,
 * barcodes.tsv and features.tsv or genes.tsv, each also gzipped, whose points are the barcodes and whose columns are the names of the features.
 *
 * @param path - path of the file or the folder
 * @param options - see {@link ReadSparseTableOptions}
 * @returns observations N×D by their compressed rows, names of columns and points
 * @throws InvalidInputError if a file is missing, damaged or too large, names do not fit the matrix, or rows cannot be normalized; or for an unknown
 *   option
 * @example
 * ```ts
 * const { observations, columns, ids } = await readSparseTable('filtered_feature_bc_matrix', { rowSums: 'median', log1p: true });
 * ```
 */
export async function readSparseTable(path: string, options: ReadSparseTableOptions = {}): Promise<SparseTable> {
  const { points, maxBytes, rowSums, log1p: isLog } = checkOptions(schema, options, 'readSparseTable');
  checkGiven(path, 'readSparseTable', "a file's or a folder's path, a text", (given) => typeof given === 'string');
  const read = await readMatrix(path, points, maxBytes);
  if (rowSums === undefined && !isLog) return read;
  const { observations, counts } = normalized(read.observations, { rowSums, log1p: isLog }, path);
  return { ...read, observations, counts, notes: [...read.notes, countsNote(counts)] };
}

/** True if a path is a folder, which is read as Cell Ranger output. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Table as in its files. */
export async function readMatrix(path: string, points?: 'rows' | 'columns', maxBytes?: number): Promise<SparseTable> {
  const isTenX = await isFolder(path);
  const file = isTenX ? await firstOf(path, ['matrix.mtx']) : path;
  const { bytes, format } = await readSource(file, maxBytes);
  if (format !== 'mtx')
    throw new InvalidInputError(`'${file}' is not a Matrix Market file, whose name ends in .mtx or .mtx.gz.`);
  const matrix = parseMatrixMarket(bytes, file, maxBytes);
  const isTurned = (points ?? (isTenX ? 'columns' : 'rows')) === 'columns';
  const observations = isTurned ? matrix.transposed() : matrix;
  if (!isTenX) {
    const columns = Array.from({ length: observations.columns }, (_, j) => `column${j}`);
    return { observations, columns, isNamed: false, notes: isTurned ? ['Columns of the file are the points.'] : [] };
  }
  const features = await namesOf(await firstOf(path, FEATURES), matrix.rows, 'rows', maxBytes);
  const barcodes = await namesOf(await firstOf(path, ['barcodes.tsv']), matrix.columns, 'columns', maxBytes);
  const names = uniqueNames(features.map((cells) => cells[1] ?? cells[0]!));
  const ids = barcodes.map(([barcode]) => barcode!);
  const kinds = [...new Set(features.map((cells) => cells[2]).filter((kind) => kind !== undefined))];
  const notes = kinds.length > 1 ? [`The columns are features of ${kinds.length} kinds: ${kinds.join(', ')}.`] : [];
  return isTurned
    ? { observations, columns: names, isNamed: true, ids, notes }
    : { observations, columns: uniqueNames(ids), isNamed: true, ids: names, notes };
}

/** First of some files that exists, gzipped or not. */
async function firstOf(folder: string, names: readonly string[]): Promise<string> {
  for (const name of names.flatMap((name) => [name, `${name}.gz`])) {
    const file = join(folder, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  throw new InvalidInputError(
    `The folder '${folder}' has no ${names.join(' or ')}, also gzipped: one of Cell Ranger has matrix.mtx, barcodes.tsv and features.tsv or genes.tsv.`,
    { code: 'cannotRead' },
  );
}

async function namesOf(file: string, count: number, of: string, maxBytes?: number): Promise<string[][]> {
  const { bytes } = await readSource(file, maxBytes);
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === count) return lines.map((line) => line.split('\t'));
  throw new InvalidInputError(
    `'${file}' has ${lines.length} names, but its matrix has ${count} ${of}. Take files that were written together.`,
  );
}

function normalized(
  Y: SparseMatrix,
  { rowSums, log1p: isLog = false }: NormalizeCountsOptions,
  path: string,
): { observations: SparseMatrix; counts: NormalizedCounts } {
  const sums = new Float64Array(Y.rows);
  for (let i = 0; i < Y.rows; i++) {
    for (let p = Y.starts[i]!; p < Y.starts[i + 1]!; p++) {
      if (Y.values[p]! >= 0) sums[i]! += Y.values[p]!;
      else
        throw new InvalidInputError(
          `'${path}', point index ${i}, column index ${Y.indices[p]} is ${Y.values[p]}: row sums and log1p are of numbers from 0. Drop its row or its column.`,
        );
    }
  }
  const empty = rowSums === undefined ? -1 : sums.indexOf(0);
  if (empty >= 0)
    throw new InvalidInputError(
      `'${path}', point index ${empty} is 0 throughout: it has no sum to divide by. Drop it.`,
    );
  const sum = rowSums === 'median' ? medianOf(sums) : rowSums;
  const values = Y.values.slice();
  for (let i = 0; i < Y.rows; i++) {
    for (let p = Y.starts[i]!; p < Y.starts[i + 1]!; p++) {
      const scaled = sum === undefined ? values[p]! : (values[p]! * sum) / sums[i]!;
      values[p] = isLog ? log1p(scaled) : scaled;
    }
  }
  const { rows, columns, starts, indices } = Y;
  return {
    observations: new SparseMatrix({ rows, columns, starts, indices, values }),
    counts: { ...(sum !== undefined && { rowSums: sum }), ...(isLog && { log1p: true }) },
  };
}
