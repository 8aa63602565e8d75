import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ReadTableOptions } from '../io/index.ts';
import { wholeFrom } from './flags.ts';

/** Table flags as parsed by commander. */
export interface TableArguments {
  readonly columns?: string[];
  readonly drop?: string[];
  readonly oneHot?: string[];
  readonly id?: string;
  readonly delimiter?: string;
  readonly header?: 'yes' | 'no';
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
      .option('--one-hot <names>', 'columns of text to use as 0 and 1, one a category: kind=oil of kind', several)
      .option(
        '--row-sums <n>',
        "scale each row to sum to n, or to 'median', the median of the sums (counts of rows that were seen for different lengths of time)",
        rowSums,
      )
      .option('--log1p', 'take log(1 + y) of each entry, after --row-sums');
  }
  return command
    .option('--drop <names>', 'columns to leave out, given as for --columns', several)
    .option('--id <column>', 'the column that names the points (default: the first that looks like an index)')
    .option(
      '--delimiter <text>',
      'what separates cells: tab, comma, semicolon, bar, space, or a character (default: detected)',
      delimiter,
    )
    .addOption(
      new Option('--header <how>', 'whether the first line holds names (default: detected)').choices(['yes', 'no']),
    )
    .addOption(new Option('--decimal <mark>', 'decimal mark (default: detected)').choices(['.', ',']))
    .option('--thousands <mark>', 'mark between thousands (default: none)')
    .option('--array <name>', 'the array of an .npz archive')
    .option('--flatten', 'read an array of three or more dimensions with one row for each point')
    .option(
      '--max-bytes <n>',
      'bytes of a table, unpacked, at most (default: 200 MB of text, 1.2 GB of arrays)',
      wholeFrom(1),
    );
}

function delimiter(text: string): string {
  const value = DELIMITERS[text] ?? (text === '\\t' ? '\t' : text);
  if (value.length === 1) return value;
  throw new InvalidArgumentError(`It must be one character, or ${Object.keys(DELIMITERS).join(', ')}.`);
}

function rowSums(text: string): number | 'median' {
  const value = Number(text);
  if (text === 'median') return text;
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("It must be a number above 0, or 'median'.");
}

/** Options of `readTable` from the flags. */
export function tableOptions(given: TableArguments): ReadTableOptions {
  const { header, columns, drop, oneHot, id, delimiter, decimal, thousands, array, flatten, maxBytes, rowSums, log1p } =
    given;
  const options = {
    columns,
    drop,
    oneHot,
    id,
    delimiter,
    decimal,
    thousands,
    array,
    flatten,
    maxBytes,
    rowSums,
    log1p,
  };
  return {
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    ...(header === undefined ? {} : { header: header === 'yes' }),
  };
}
