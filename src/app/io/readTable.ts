import { checkOptions } from '../../core/options.ts';
import { readRawTable } from './readRawTable.ts';
import { type Table, tableOf } from './table.ts';
import { type ReadTableOptions, tableOptions } from './tableOptions.ts';

/**
 * Reads a table, one point per row, from .csv, .tsv, .txt, NumPy's .npy and .npz, .parquet (with the package hyparquet), .arrow and .feather
 * (with @uwdata/flechette), .mtx of Matrix Market, each also gzipped, or a folder of Cell Ranger (see `readSparseTable`); `-` is standard input.
 * Nothing is dropped silently: `leftOut` and `notes` say what was done.
 *
 * @param file - path of the file; its extension gives the format
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
