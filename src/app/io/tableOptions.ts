import * as v from 'valibot';
import type { ColumnChoice } from './chosenColumns.ts';
import { countEntries, type NormaliseCountsOptions } from './normaliseCounts.ts';

export interface ReadTableOptions extends NormaliseCountsOptions {
  /**
   * The columns of the observations: names, patterns such as 'pixel*', ranges such as 'a:d', numbers from 0, in that order. Unless given, all columns of
   * numbers, and of true and false as 1 and 0, but those that look like an index, and constant ones; of an array of NumPy, all.
   */
  readonly columns?: ColumnChoice;
  /** Columns that are none of the observations, chosen likewise. */
  readonly drop?: ColumnChoice;
  /** Columns of text that are read as columns of 0 and 1, one a category: `kind=oil` of `kind`; chosen likewise. */
  readonly oneHot?: ColumnChoice;
  /** The column that names the points; unless given, the first that looks like an index. */
  readonly id?: string | number;
  /** The column that holds labels, which may be text: its name, or its number from 0; or an array of an .npz archive. */
  readonly labels?: string | number;
  /** The column to colour pictures by: text, dates or numbers. A column of numbers stays among the observations. */
  readonly color?: string | number;
  /** The column of the times of the rows, numbers or dates, which is none of the observations; or an array of an .npz archive. */
  readonly time?: string | number;
  /** Whether missing cells (empty, NaN, NA, N/A, null, None, ?) are read as NaN (true) or are an error (false, the default). */
  readonly allowMissing?: boolean;
  /** Whether labels may be missing, read as ''; as `allowMissing` unless given. */
  readonly allowMissingLabels?: boolean;
  /** Whether the first line holds names; seen from the cells unless given. */
  readonly header?: boolean;
  /** What separates cells; a tab in .tsv, otherwise seen from the first lines. */
  readonly delimiter?: string;
  /** What stands before decimals; a comma is taken where the numbers can be read in no other way. */
  readonly decimal?: '.' | ',';
  /** What stands between thousands, if anything. */
  readonly thousands?: string;
  /** The array of an .npz archive; its only table unless given. */
  readonly array?: string;
  /** Whether an array of three and more dimensions is read as N × the product of its other lengths; an error unless true. */
  readonly flatten?: boolean;
  /** Most bytes that the file may hold when it is unpacked; 200 MB of text, 1.2 GB of arrays unless given. */
  readonly maxBytes?: number;
}

const column = v.union([v.string(), v.number()], 'the name of a column or its number from 0');
const columns = v.union([v.string(), v.number(), v.array(column)], 'names, patterns, ranges or numbers of columns');
const yesOrNo = v.boolean('true or false');
const character = v.pipe(v.string('a character'), v.minLength(1, 'a character'));

export const tableOptions = v.strictObject({
  columns: v.optional(columns),
  drop: v.optional(columns),
  oneHot: v.optional(columns),
  id: v.optional(column),
  labels: v.optional(column),
  color: v.optional(column),
  time: v.optional(column),
  allowMissing: v.optional(yesOrNo),
  allowMissingLabels: v.optional(yesOrNo),
  header: v.optional(yesOrNo),
  delimiter: v.optional(character),
  decimal: v.optional(v.picklist(['.', ','], "'.' or ','")),
  thousands: v.optional(character),
  array: v.optional(character),
  flatten: v.optional(yesOrNo),
  maxBytes: v.optional(v.pipe(v.number('a number of bytes'), v.minValue(1, 'at least 1'))),
  ...countEntries,
});
