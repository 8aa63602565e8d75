import { denseRawTable } from './matrixMarket.ts';
import type { RawTable } from './rawTable.ts';
import { type RawOptions, rawTableOf } from './rawTableOf.ts';
import { isFolder, readMatrix } from './readSparseTable.ts';
import { readSource, STDIN } from './source.ts';

/** Reads the table of a file or of a Cell Ranger folder; `-` is standard input. */
export async function readRawTable(file: string, options: RawOptions): Promise<RawTable> {
  if (await isFolder(file))
    return denseRawTable(await readMatrix(file, undefined, options.maxBytes), file, options.maxBytes);
  const { bytes, format } = await readSource(file, options.maxBytes);
  return rawTableOf(bytes, format, file === STDIN ? 'standard input' : file, options);
}
