import { InvalidInputError } from '../../core/errors.ts';
import { checkGiven, checkOptions } from '../../core/options.ts';
import { arrowTable, parquetTable } from './columnarTable.ts';
import { delimitedTable, type TextOptions } from './delimited.ts';
import { checkIsText, type Format, formatOf, mostBytes, unpacked } from './format.ts';
import { type NumpyOptions, numpyArchiveTable, numpyTable } from './numpyTable.ts';
import { type FileTable, type RawTable, withCodes } from './rawTable.ts';
import { type Table, tableOf } from './table.ts';
import { type ReadTableOptions, tableOptions } from './tableOptions.ts';

/**
 * `readTable` for the bytes of a file, such as one dropped on a page, with the same formats, rules and errors.
 *
 * @param bytes - content of the file, gzipped or not
 * @param name - its name, whose extension determines the format; errors contain it
 * @param options - see {@link ReadTableOptions}
 * @returns observations N×D, the names of their columns, ids and labels of the points
 * @throws InvalidInputError like `readTable`
 * @example
 * ```ts
 * const bytes = new TextEncoder().encode('length,width\n1,2\n3,4\n5,7');
 * const { observations, columns } = await parseTable(bytes, 'leaves.csv');
 * ```
 */
export async function parseTable(
  bytes: Uint8Array | ArrayBuffer,
  name: string,
  options: ReadTableOptions = {},
): Promise<Table> {
  const asked = checkOptions(tableOptions, options, 'parseTable') as ReadTableOptions;
  checkGiven(name, 'parseTable', "a file's name, a text", (given) => typeof given === 'string');
  const format = formatOf(name);
  const given = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const content = await unpacked(given, name, mostBytes(format, asked.maxBytes));
  if (content.length === 0) throw new InvalidInputError(`'${name}' is empty.`);
  return tableOf(await rawTableOf(content, format, name, asked), asked);
}

/** Options for reading a file, independent of the use of its columns. */
export type RawOptions = TextOptions & NumpyOptions & { readonly maxBytes?: number | undefined };

/** Parses the bytes of a file into a table. */
export const rawTableOf = async (
  bytes: Uint8Array,
  format: Format,
  file: string,
  options: RawOptions,
): Promise<RawTable> => withCodes(await fileTable(bytes, format, file, options), options.missingValues);

async function fileTable(bytes: Uint8Array, format: Format, file: string, options: RawOptions): Promise<FileTable> {
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
      checkIsText(bytes, file);
      return delimitedTable(bytes, format, file, options);
  }
}
