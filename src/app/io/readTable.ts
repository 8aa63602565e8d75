import { checkOptions } from '../../core/options.ts';
import { readRawTable } from './readRawTable.ts';
import { type Table, tableOf } from './table.ts';
import { type ReadTableOptions, tableOptions } from './tableOptions.ts';

/**
 * Reads a table, one point a row, from .csv, .tsv, .txt, NumPy's .npy and .npz, .parquet (with the package hyparquet), .arrow and .feather
 * (with @uwdata/flechette), .mtx of Matrix Market, each also gzipped, or a folder of Cell Ranger (see `readSparseTable`); `-` is standard input. Nothing is left out in silence: `leftOut` and `notes` say what was done.
 *
 * @param file - path of the file; its extension says the format
 * @param options - see {@link ReadTableOptions}
 * @returns observations N×D, the names of their columns, ids and labels of the points
 * @throws InvalidInputError when the file cannot be read, is empty or ragged, its extension is unknown, a cell is not a finite number, a
 * column that is asked for is not there, or none is left, the message giving line and column; or for an unknown option
 * @example
 * ```ts
 * const { observations, columns, labels } = await readTable('iris.csv', { labels: 'species' });
 * ```
 */
export async function readTable(file: string, options: ReadTableOptions = {}): Promise<Table> {
  const given = checkOptions(tableOptions, options, 'readTable') as ReadTableOptions;
  return tableOf(await readRawTable(file, given), given);
}
