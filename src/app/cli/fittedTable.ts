import type { Matrix } from '../../index.ts';
import { type ReadTableOptions, readMatchingTable, type Table } from '../io/index.ts';
import { isFile, readLabelledTable } from './labelledTable.ts';
import type { Streams } from './streams.ts';
import { type TableArguments, tableOptions } from './tableFlags.ts';
import { type TableRecord, unitsOf } from './tableRecord.ts';
import { leftOutReport } from './tableReport.ts';

/** A table with the columns of a fit, and its observations in the units of the fit. */
export interface FittedTable {
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
