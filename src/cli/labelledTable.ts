import { statSync } from 'node:fs';
import { InvalidInputError } from '../index.ts';
import { readLabels, readTable, type Table } from '../io/index.ts';

/**
 * Reads a table with its labels, if any: from a file of their own when there is one of that name, else from a column of
 * the table, which is then none of its features. A whole number that is not a column's name is the column's index from 0.
 *
 * @param file - the table
 * @param labels - a file, or a column's name or index
 * @throws InvalidInputError as `readTable` and `readLabels` do
 */
export async function readLabelledTable(file: string, labels: string | undefined): Promise<Table> {
  if (labels === undefined) return readTable(file);
  if (statSync(labels, { throwIfNoEntry: false })?.isFile()) {
    const table = await readTable(file);
    return { ...table, labels: await readLabels(labels, { count: table.matrix.rows }) };
  }
  try {
    return await readTable(file, { labels });
  } catch (error) {
    if (!(error instanceof InvalidInputError) || !/^\d+$/.test(labels)) throw error;
    return readTable(file, { labels: Number(labels) });
  }
}
