import { arrowTable, parquetTable } from './columnarTable.ts';
import { delimitedTable, type TextOptions } from './delimitedTable.ts';
import { type Format, mostBytes } from './format.ts';
import { type NumpyOptions, numpyArchiveTable, numpyTable } from './numpyTable.ts';
import type { RawTable } from './rawTable.ts';

/** Options for reading a file, independent of what its columns are used for. */
export type RawOptions = TextOptions & NumpyOptions & { readonly maxBytes?: number | undefined };

/** Parses the bytes of a file into a table. */
export async function rawTableOf(
  bytes: Uint8Array,
  format: Format,
  file: string,
  options: RawOptions,
): Promise<RawTable> {
  const most = mostBytes(format, options.maxBytes);
  switch (format) {
    case 'npy':
      return numpyTable(bytes, file, options, most);
    case 'npz':
      return numpyArchiveTable(bytes, file, options, most);
    case 'parquet':
      return parquetTable(bytes, file, most);
    case 'arrow':
      return arrowTable(bytes, file, most);
    case 'mtx':
      return (await import('./matrixMarket.ts')).matrixMarketTable(bytes, file, most);
    default:
      return delimitedTable(bytes, format, file, options);
  }
}
