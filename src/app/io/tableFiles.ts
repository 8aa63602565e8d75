import { InvalidInputError } from '../../core/errors.ts';
import { type WriteOptions, writeAtomically } from '../../core/fileWriting.ts';
import type { MatrixLike } from '../../core/matrix.ts';
import { checkOptions, namedOptions } from '../../core/options.ts';
import { formatOf } from './format.ts';
import { denseRawTable } from './matrixMarket.ts';
import { type RawOptions, rawTableOf } from './parseTable.ts';
import { type RawTable, withCodes } from './rawTable.ts';
import { isFolder, readMatrix } from './readSparseTable.ts';
import { readSource, STDIN } from './source.ts';
import { type Table, tableOf } from './table.ts';
import { type ReadTableOptions, tableOptions } from './tableOptions.ts';
import { type LabelColumn, tableText, type WriteTableOptions } from './tableText.ts';

/**
 * Reads a table, one point per row, from .csv, .tsv, .txt, NumPy's .npy and .npz, .parquet (with the package hyparquet), .arrow and .feather
 * (with @uwdata/flechette), .mtx of Matrix Market, each also gzipped, or a folder of Cell Ranger (see `readSparseTable`); `-` is standard input.
 * Nothing is dropped silently: `leftOut` and `notes` report every change.
 *
 * @param file - path of the file; its extension determines the format
 * @param options - see {@link ReadTableOptions}
 * @returns observations N×D, the names of their columns, ids and labels of the points
 * @throws InvalidInputError if the file cannot be read, is empty or ragged, has an unknown extension, a cell is not a finite number, a chosen column
 *   does not exist, or no column is left, with line and column in the message; or for an unknown option
 * @example
 * ```ts
 * const { observations, columns, labels } = await readTable('iris.csv', { labels: 'species' });
 * ```
 */
export async function readTable(file: string, options: ReadTableOptions = {}): Promise<Table> {
  const given = checkOptions(tableOptions, options, 'readTable') as ReadTableOptions;
  return tableOf(await readRawTable(file, given), given);
}

/** Reads the table of a file or of a Cell Ranger folder; `-` is standard input. */
export async function readRawTable(file: string, options: RawOptions): Promise<RawTable> {
  if (await isFolder(file))
    return withCodes(
      denseRawTable(await readMatrix(file, undefined, options.maxBytes), file, options.maxBytes),
      options.missingValues,
    );
  const { bytes, format } = await readSource(file, options.maxBytes);
  return rawTableOf(bytes, format, file === STDIN ? 'standard input' : file, options);
}

/**
 * Writes `tableText` as .csv or .tsv.
 *
 * @param file - path of the file, in an existing folder
 * @param matrix - numbers, N×D; NaN reads back as a missing cell
 * @param columnNames - D names
 * @param labels - N labels, appended as a column
 * @param options - see {@link WriteTableOptions}
 * @throws InvalidInputError if names, ids or labels do not match the matrix, or the file cannot be written
 * @example
 * ```ts
 * await writeTable('latents.csv', result.latents, ['x1', 'x2']);
 * ```
 */
export async function writeTable(
  file: string,
  matrix: MatrixLike,
  columnNames: readonly string[],
  labels?: LabelColumn,
  options: WriteTableOptions & WriteOptions = {},
): Promise<void> {
  const format = file.endsWith('.gz') ? undefined : formatOf(file);
  if (format !== 'csv' && format !== 'tsv') {
    throw new InvalidInputError(`'${file}': tables are written as .csv or .tsv.`);
  }
  const delimiter = format === 'tsv' ? '\t' : ',';
  const { replace = true, ...text } = namedOptions(options, 'writeTable', ['replace', 'ids', 'guardFormulas']);
  await writeAtomically(file, tableText(matrix, columnNames, labels, { ...text, delimiter }), { replace });
}
