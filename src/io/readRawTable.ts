import type { RawTable } from './rawTable.ts';
import { type RawOptions, rawTableOf } from './rawTableOf.ts';
import { readSource, STDIN } from './source.ts';

/** A table as its file has it; `-` is standard input. */
export async function readRawTable(file: string, options: RawOptions): Promise<RawTable> {
  const { bytes, format } = await readSource(file, options.maxBytes);
  return rawTableOf(bytes, format, file === STDIN ? 'standard input' : file, options);
}
