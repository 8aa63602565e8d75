import { arrowTable, parquetTable } from './columnarTable.ts';
import { delimitedTable, type TextOptions } from './delimitedTable.ts';
import type { Format } from './format.ts';
import { type NumpyOptions, numpyArchiveTable, numpyTable } from './numpyTable.ts';
import type { RawTable } from './rawTable.ts';

/** How files are read, whatever is then done with their columns. */
export type RawOptions = TextOptions & NumpyOptions;

/** A table as the bytes of its file have it. */
export async function rawTableOf(
  bytes: Uint8Array,
  format: Format,
  file: string,
  options: RawOptions,
): Promise<RawTable> {
  switch (format) {
    case 'npy':
      return numpyTable(bytes, file, options);
    case 'npz':
      return numpyArchiveTable(bytes, file, options);
    case 'parquet':
      return parquetTable(bytes, file);
    case 'arrow':
      return arrowTable(bytes, file);
    default:
      return delimitedTable(bytes, format, file, options);
  }
}
