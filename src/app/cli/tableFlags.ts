import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { InvalidInputError, type Matrix } from '../../index.ts';
import type { ColumnKindsByName } from '../../models/index.ts';
import { type ReadTableOptions, readLabels, readMatchingTable, readTable, type Table } from '../io/index.ts';
import { chosen, type Given, type MISSING, several, wholeFrom } from './flags.ts';
import { type Streams, writeLines } from './streams.ts';
import { notesOf, type TableRecord, unitsOf } from './tableReport.ts';

/**
 * Reads a table with its labels, if any: from a separate file if one of that name exists, otherwise from a column of the table, which is then
 * excluded from the observations.
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

/** Table with the columns of a fit, and its observations in the units of the fit. */
interface FittedTable {
  readonly table: Table;
  readonly observations: Matrix;
}

/** Reads a table and matches its columns with the columns of a fit, by name if the fit has names. Anything unusual is reported on stderr. */
export async function fittedTable(
  file: string,
  record: TableRecord | undefined,
  given: TableArguments & { readonly labels?: string; readonly keepCells?: boolean },
  { stderr }: Streams,
): Promise<FittedTable> {
  const options: ReadTableOptions = {
    ...tableOptions(given),
    ...(given.missing === 'ignore' && { allowAbsent: true }),
    ...(given.keepCells && { keepCells: true }),
  };
  const labels = given.labels === undefined || isFile(given.labels) ? {} : { labels: given.labels };
  const table =
    record === undefined
      ? await readLabeledTable(file, labels.labels, options)
      : await readMatchingTable(file, record, { ...options, ...labels });
  // Columns that the fit left out are left out again without a note.
  const leftOut = table.leftOut.filter(({ column }) => record !== undefined && !record.others.includes(column));
  const lines = notesOf(
    { ...table, leftOut },
    (them) => `the fit knows nothing of ${them}; one with --columns can take ${them}`,
  );
  writeLines(stderr, lines);
  return { table, observations: unitsOf(record)?.apply(table.observations) ?? table.observations };
}

const DELIMITERS: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', bar: '|', space: ' ' };

/** Flags for selecting and transforming the columns of a table to fit. */
export const COLUMN_FLAGS = [
  [
    '--columns <names>',
    "columns to use: names, patterns ('pixel*'), ranges ('a:d'), numbers from 0; dates as days, or as 'day=season cosine,day=season sine'",
    several,
  ],
  ['--one-hot <names>', 'columns of text to use as 0 and 1, one per category, such as kind=oil', several],
  [
    '--row-sums <n>',
    "scale each row to sum to n, or to 'median', the median of the sums (for counts of rows observed for different lengths of time)",
    rowSums,
  ],
  ['--log1p', 'take log(1 + y) of each entry, after --row-sums'],
] as const;

/** Flag for the covariates of a table's rows. */
export const GIVEN = [
  '--given <columns>',
  'columns of covariates, whose effects are modeled in addition to the map: numbers, dates or categories; new tables need them too',
  several,
] as const;

/** Flags for the offset of a table's rows. */
export const OFFSETS = [
  [
    '--exposure <column>',
    'the column with the exposure of each row, a number above 0, such as a population or a duration: counts are modeled per unit of it; new tables need it too',
  ],
  [
    '--offset <column>',
    'the column with a number that is added to the functions of counts or labels, such as the logarithm of an exposure; new tables need it too',
  ],
] as const;

/** Flag for the weights of a table's rows. */
export const WEIGHTS = [
  '--weights <column>',
  'the column with the weight of each row, a number from 0: it counts like so many repeated rows; for Gaussian-process models with inducing inputs',
] as const;

/** Flags for the densities of a table's columns. */
export const KIND_FLAGS = [
  [
    '--as <list>',
    "kinds of columns, in place of those that are detected: 'visits:count,plan:category' (number, amount, fraction, count, grade, binary, category)",
    kindsByName,
  ],
  ['--no-kinds', 'leave columns of text out and take all others for numbers'],
] as const;

/** Flags for reading a table. */
export const TABLE_FLAGS = [
  ['--drop <names>', 'columns to leave out, in the form of --columns', several],
  ['--id <column>', 'the column that names the points (default: the first that looks like an index)'],
  ['--skip <n>', 'lines above the table to skip (default: detected)', wholeFrom(0)],
  [
    '--missing-values <list>',
    "marks of a missing value in addition to an empty cell, separated by commas: '.,-999'; '' for none (default: NaN, NA, N/A, null, None, ?, a dash)",
    (text: string) => (text === '' ? [] : text.split(',')),
  ],
  [
    '--delimiter <text>',
    'separator of cells: tab, comma, semicolon, bar, space, or a character (default: detected)',
    delimiter,
  ],
  ['--header <how>', 'whether the first line has names (default: detected)', ['yes', 'no']],
  ['--decimal <mark>', 'decimal mark (default: detected)', ['.', ',']],
  ['--thousands <mark>', 'mark between thousands (default: none)'],
  ['--array <name>', 'the array of an .npz archive'],
  ['--flatten', 'read an array of three or more dimensions with one row for each point'],
  [
    '--max-bytes <n>',
    'limit on the bytes of a table, unpacked (default: 200 MB of text, 1.2 GB of arrays)',
    wholeFrom(1),
  ],
] as const;
export type TableArguments = Given<typeof TABLE_FLAGS> & Given<typeof COLUMN_FLAGS> & Given<readonly [typeof MISSING]>;

function delimiter(text: string): string {
  const value = DELIMITERS[text] ?? (text === '\\t' ? '\t' : text);
  if (value.length === 1) return value;
  throw new InvalidArgumentError(`It must be one character, or ${Object.keys(DELIMITERS).join(', ')}.`);
}

function kindsByName(text: string): ColumnKindsByName {
  const pairs = text.split(',').map((pair): [string, string] => {
    const end = pair.lastIndexOf(':');
    if (end < 1) throw new InvalidArgumentError("It must be a list such as 'visits:count,plan:category'.");
    return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
  });
  return Object.fromEntries(pairs) as ColumnKindsByName;
}

function rowSums(text: string): number | 'median' {
  const value = Number(text);
  if (text === 'median') return text;
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number above 0, or 'median'.");
}

/** Options of `readTable` from the flags. */
export function tableOptions(given: TableArguments): ReadTableOptions {
  const { header, ...options } = chosen(given, ...COLUMN_FLAGS, ...TABLE_FLAGS);
  return {
    ...options,
    ...(header !== undefined && { header: header === 'yes' }),
    allowMissing: given.missing !== 'error',
  };
}
