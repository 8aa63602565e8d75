import { statSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { InvalidInputError, type Matrix } from '../../index.ts';
import { type ReadTableOptions, readLabels, readMatchingTable, readTable, type Table } from '../io/index.ts';
import { wholeFrom } from './flags.ts';
import type { Streams } from './streams.ts';
import { leftOutReport, type TableRecord, unitsOf } from './tableReport.ts';

/**
 * Reads a table with its labels, if any: from a separate file if there is one of that name, otherwise from a column of the table, which is then not
 * an observation.
 *
 * @param file - the table
 * @param labels - a file, or a column's name or number
 * @param options - options of `readTable`
 * @throws InvalidInputError like `readTable` and `readLabels`
 */
export async function readLabeledTable(
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
  return { ...table, labels: await readLabels(labels, { count, ...codesOf(options) }) };
}

const codesOf = ({ missingValues }: ReadTableOptions) => (missingValues === undefined ? {} : { missingValues });

/** True if the path is a file, so that labels are not a column of the table. */
export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

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
    allowMissing: given.missing !== 'error',
    ...(given.missing === 'ignore' && { allowAbsent: true }),
  };
  const labels = given.labels === undefined || isFile(given.labels) ? {} : { labels: given.labels };
  const table =
    record === undefined
      ? await readLabeledTable(file, labels.labels, options)
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

/** Table flags as parsed by commander. */
export interface TableArguments {
  readonly columns?: string[];
  readonly drop?: string[];
  readonly oneHot?: string[];
  readonly id?: string;
  readonly delimiter?: string;
  readonly header?: 'yes' | 'no';
  readonly skip?: number;
  readonly missingValues?: string[];
  readonly decimal?: '.' | ',';
  readonly thousands?: string;
  readonly array?: string;
  readonly flatten?: boolean;
  readonly maxBytes?: number;
  readonly rowSums?: number | 'median';
  readonly log1p?: boolean;
}

const DELIMITERS: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', bar: '|', space: ' ' };

const several = (value: string, previous: string[] = []) => [...previous, value];

/** Adds the flags for reading a table. */
export function addTableFlags(command: Command, { choosesColumns }: { choosesColumns: boolean }): Command {
  if (choosesColumns) {
    command
      .option(
        '--columns <names>',
        "columns to use: names, patterns ('pixel*'), ranges ('a:d'), numbers from 0",
        several,
      )
      .option('--one-hot <names>', 'columns of text to use as 0 and 1, one per category, such as kind=oil', several)
      .option(
        '--row-sums <n>',
        "scale each row to sum to n, or to 'median', the median of the sums (for counts of rows observed for different lengths of time)",
        rowSums,
      )
      .option('--log1p', 'take log(1 + y) of each entry, after --row-sums');
  }
  return command
    .option('--drop <names>', 'columns to leave out, in the form of --columns', several)
    .option('--id <column>', 'the column that names the points (default: the first that looks like an index)')
    .option('--skip <n>', 'lines above the table to skip (default: detected)', wholeFrom(0))
    .option(
      '--missing-values <list>',
      "marks of a missing value in addition to an empty cell, separated by commas: '.,-999'; '' for none (default: NaN, NA, N/A, null, None, ?, a dash)",
      codes,
    )
    .option(
      '--delimiter <text>',
      'separator of cells: tab, comma, semicolon, bar, space, or a character (default: detected)',
      delimiter,
    )
    .addOption(
      new Option('--header <how>', 'whether the first line has names (default: detected)').choices(['yes', 'no']),
    )
    .addOption(new Option('--decimal <mark>', 'decimal mark (default: detected)').choices(['.', ',']))
    .option('--thousands <mark>', 'mark between thousands (default: none)')
    .option('--array <name>', 'the array of an .npz archive')
    .option('--flatten', 'read an array of three or more dimensions with one row for each point')
    .option(
      '--max-bytes <n>',
      'limit on the bytes of a table, unpacked (default: 200 MB of text, 1.2 GB of arrays)',
      wholeFrom(1),
    );
}

function delimiter(text: string): string {
  const value = DELIMITERS[text] ?? (text === '\\t' ? '\t' : text);
  if (value.length === 1) return value;
  throw new InvalidArgumentError(`It must be one character, or ${Object.keys(DELIMITERS).join(', ')}.`);
}

const codes = (text: string): string[] => (text === '' ? [] : text.split(','));

function rowSums(text: string): number | 'median' {
  const value = Number(text);
  if (text === 'median') return text;
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number above 0, or 'median'.");
}

/** Flags that have the name and the values of an option of `readTable`. */
const READ_FLAGS = [
  'columns',
  'drop',
  'oneHot',
  'id',
  'skip',
  'missingValues',
  'delimiter',
  'decimal',
  'thousands',
  'array',
  'flatten',
  'maxBytes',
  'rowSums',
  'log1p',
] as const;

/** Options of `readTable` from the flags. */
export function tableOptions(given: TableArguments): ReadTableOptions {
  const { header } = given;
  const options = Object.fromEntries(READ_FLAGS.map((flag) => [flag, given[flag]]));
  return {
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    ...(header === undefined ? {} : { header: header === 'yes' }),
  };
}
