import { statSync } from 'node:fs';
import { InvalidInputError } from '../../index.ts';
import { type ReadTableOptions, readLabels, readTable, type Table } from '../io/index.ts';

/**
 * Reads a table with its labels, if any: from a separate file if there is one of that name, otherwise from a column of the table, which is then not
 * an observation.
 *
 * @param file - the table
 * @param labels - a file, or a column's name or number
 * @param options - options of `readTable`; `allowMissingLabels` applies to both sources
 * @throws InvalidInputError like `readTable` and `readLabels`
 */
export async function readLabelledTable(
  file: string,
  labels: string | undefined,
  options: ReadTableOptions = {},
): Promise<Table> {
  if (labels === undefined) return readTable(file, options);
  if (!isFile(labels)) {
    try {
      return await readTable(file, { ...options, labels });
    } catch (error) {
      if (!(error instanceof InvalidInputError && error.code === 'unknownName' && error.subject === labels))
        throw error;
      throw new InvalidInputError(`There is no file '${labels}' with labels, and ${error.message}`, { cause: error });
    }
  }
  const table = await readTable(file, options);
  const count = table.observations.rows;
  return { ...table, labels: await readPointLabels(labels, count, options.allowMissingLabels ?? options.allowMissing) };
}

/** True if the path is a file, so that labels are not a column of the table. */
export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Labels from a separate file; '' for missing ones, if they are allowed. */
export async function readPointLabels(file: string, count: number, allowMissing = false): Promise<string[]> {
  const labels = await readLabels(file, { count });
  const absent = labels.indexOf('');
  if (absent < 0 || allowMissing) return labels;
  throw new InvalidInputError(`'${file}' has no label for point ${absent} (from 0). Fill it in, or drop the point.`);
}
