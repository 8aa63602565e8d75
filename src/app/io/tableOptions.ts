import * as v from 'valibot';
import type { ColumnChoice } from './chosenColumns.ts';
import { countEntries, type NormalizeCountsOptions } from './normalizeCounts.ts';

export interface ReadTableOptions extends NormalizeCountsOptions {
  /**
   * The columns of the observations: names, patterns such as 'pixel*', ranges such as 'a:d', numbers from 0, in that order. Unless given, all columns of
   * numbers, and of true and false as 1 and 0, but those that look like an index, and constant ones; of an array of NumPy, all but constant ones.
   */
  readonly columns?: ColumnChoice;
  /** Columns that are not observations, chosen in the same way. */
  readonly drop?: ColumnChoice;
  /** Text columns that are encoded as columns of 0 and 1, one per category: `kind=oil` for `kind`; chosen in the same way. */
  readonly oneHot?: ColumnChoice;
  /** Column that names the points; default the first that looks like an index. */
  readonly id?: string | number;
  /** Column with labels, which may be text: its name or number from 0, or an array of an .npz archive. */
  readonly labels?: string | number;
  /** Column to color pictures by: text, dates or numbers. A column of numbers remains an observation. */
  readonly color?: string | number;
  /** Column with the times of the rows, numbers or dates, which is not an observation; or an array of an .npz archive. */
  readonly time?: string | number;
  /** Column whose values name the sequence of each row, which is not an observation. */
  readonly sequence?: string | number;
  /** Whether columns of the fit that a matched table lacks are read as missing throughout; an error unless given. */
  readonly allowAbsent?: boolean;
  /** Whether missing cells are read as NaN or are an error (default false). Missing labels are always read as ''. */
  readonly allowMissing?: boolean;
  /**
   * Texts and numbers that stand for a missing value, such as `['.', -999]`; an empty cell always does. By default the usual ones: NaN, NA, N/A, null,
   * None, ?, a dash. Those that are given replace them: with `[]`, NA is a text like others.
   */
  readonly missingValues?: readonly (string | number)[];
  /** Whether the first line holds names; by default determined from the cells. */
  readonly header?: boolean;
  /** Number of lines above the table; by default determined from the cells. */
  readonly skip?: number;
  /** Delimiter of cells; default a tab in .tsv, otherwise determined from the first lines. */
  readonly delimiter?: string;
  /** Decimal separator; by default a comma only if the numbers cannot be read otherwise. */
  readonly decimal?: '.' | ',';
  /** Separator of thousands, if any. */
  readonly thousands?: string;
  /** Array of an .npz archive; default its only table. */
  readonly array?: string;
  /** Whether an array with three or more dimensions is reshaped to N × the product of its other lengths; otherwise it is an error. */
  readonly flatten?: boolean;
  /** Called with the number of rows after every few thousand of a text: how far reading is. */
  readonly onRows?: (rows: number) => void;
  /** Largest size of the unpacked file in bytes; default 200 MB for text, 1.2 GB for arrays. */
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
  sequence: v.optional(column),
  allowAbsent: v.optional(yesOrNo),
  allowMissing: v.optional(yesOrNo),
  missingValues: v.optional(
    v.array(v.union([v.string(), v.number()]), 'texts and numbers that stand for a missing value'),
  ),
  header: v.optional(yesOrNo),
  skip: v.optional(v.pipe(v.number('a number of lines'), v.integer('a whole number'), v.minValue(0, 'at least 0'))),
  delimiter: v.optional(character),
  decimal: v.optional(v.picklist(['.', ','], "'.' or ','")),
  thousands: v.optional(character),
  array: v.optional(character),
  flatten: v.optional(yesOrNo),
  onRows: v.optional(v.function('a function that takes a number of rows')),
  maxBytes: v.optional(v.pipe(v.number('a number of bytes'), v.minValue(1, 'at least 1'))),
  ...countEntries,
});
