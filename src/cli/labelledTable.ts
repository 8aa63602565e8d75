import { statSync } from 'node:fs';
import { InvalidInputError } from '../index.ts';
import { type ReadTableOptions, readLabels, readTable, type Table } from '../io/index.ts';

/** What may be missing: entries of the matrix (then NaN), labels (then ''). */
export interface MayBeMissing {
  readonly entries?: boolean;
  readonly labels?: boolean;
}

/**
 * Reads a table with its labels, if any: from a file of their own when there is one of that name, else from a column of
 * the table, which is then none of its features. A whole number that is not a column's name is the column's index from 0.
 *
 * @param file - the table
 * @param labels - a file, or a column's name or index
 * @param missing - what may be missing; nothing unless given
 * @throws InvalidInputError as `readTable` and `readLabels` do
 */
export async function readLabelledTable(
  file: string,
  labels: string | undefined,
  missing: MayBeMissing = {},
): Promise<Table> {
  if (labels === undefined) return readTable(file, { allowMissing: missing.entries === true });
  if (isFile(labels)) {
    const table = await readTable(file, { allowMissing: missing.entries === true });
    return { ...table, labels: await readPointLabels(labels, table.matrix.rows, missing) };
  }
  try {
    return await readColumn(file, labels, missing);
  } catch (error) {
    if (!(error instanceof InvalidInputError) || !/^\d+$/.test(labels)) throw error;
    return readColumn(file, Number(labels), missing);
  }
}

/** Whether labels are a file of their own rather than a column of the table. */
export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Labels from a file of their own. */
export async function readPointLabels(file: string, count: number, missing: MayBeMissing = {}): Promise<string[]> {
  const labels = (await readLabels(file, { count })).map(presentLabel);
  const absent = labels.indexOf('');
  if (absent < 0 || missing.labels) return labels;
  throw new InvalidInputError(`'${file}' has no label for point ${absent} (from 0). Fill it in, or drop the point.`);
}

async function readColumn(file: string, labels: string | number, missing: MayBeMissing): Promise<Table> {
  const strict: ReadTableOptions = { labels };
  if (!missing.entries && !missing.labels) return readTable(file, strict);
  const table = await readTable(file, { labels, allowMissing: true });
  // The reader allows both or none; read strictly, it says where the first hole is.
  const isForbidden = !missing.entries && table.matrix.data.some(Number.isNaN);
  if (isForbidden) return readTable(file, strict);
  const present = table.labels!.map(presentLabel);
  const absent = present.indexOf('');
  if (absent < 0 || missing.labels) return { ...table, labels: present };
  throw new InvalidInputError(
    `'${file}' has no label for point ${absent} (from 0) in column ${JSON.stringify(labels)}. Fill it in, or drop the point.`,
  );
}

/** '' for a missing label: numbers are missing as NaN. */
const presentLabel = (label: string): string => (label === 'NaN' ? '' : label);
