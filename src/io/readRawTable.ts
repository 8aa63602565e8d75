import { arrowTable, parquetTable } from './columnarTable.ts';
import { delimitedTable, type TextOptions } from './delimitedTable.ts';
import { type NumpyOptions, numpyArchiveTable, numpyTable } from './numpyTable.ts';
import type { RawTable } from './rawTable.ts';
import { readSource } from './source.ts';

/** How files are read, whatever is then done with their columns. */
export type RawOptions = TextOptions & NumpyOptions;

/** A table as its file has it; `-` is standard input. */
export async function readRawTable(file: string, options: RawOptions): Promise<RawTable> {
  const { bytes, format } = await readSource(file);
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
