import { statSync } from 'node:fs';
import { InvalidInputError, type Matrix } from '../../index.ts';
import { type ReadTableOptions, readLabels, readMatchingTable, readTable, type Table } from '../io/index.ts';
import type { Streams } from './streams.ts';
import { type TableArguments, tableOptions } from './tableFlags.ts';
import { type TableRecord, unitsOf } from './tableRecord.ts';
import { leftOutReport } from './tableReport.ts';

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

/** A table with the columns of a fit, and its observations in the units of the fit. */
interface FittedTable {
  readonly table: Table;
  readonly observations: Matrix;
}

/** Reads a table and matches its columns with those of a fit, by name if the fit knows names. Anything unusual is reported on stderr. */
export async function fittedTable(
  file: string,
  record: TableRecord | undefined,
  given: TableArguments & { readonly labels?: string; readonly missing?: string; readonly json?: boolean },
  { stderr }: Streams,
): Promise<FittedTable> {
  const options: ReadTableOptions = {
    ...tableOptions(given),
    allowMissing: given.missing === 'ignore',
    allowMissingLabels: true,
  };
  const labels = given.labels === undefined || isFile(given.labels) ? {} : { labels: given.labels };
  const table =
    record === undefined
      ? await readLabelledTable(file, labels.labels, options)
      : await readMatchingTable(file, record, { ...options, ...labels });
  // Columns that the fit left out are left out again without a note.
  const news = table.leftOut.filter(({ column }) => record !== undefined && !record.others.includes(column));
  const lines = [
    ...leftOutReport(news, (them) => `the fit knows nothing of ${them}; one with --columns can take ${them}`),
    ...table.notes.map((note) => `note: ${note}`),
  ];
  stderr.write(lines.map((line) => `${line}\n`).join(''));
  return { table, observations: unitsOf(record)?.apply(table.observations) ?? table.observations };
}
