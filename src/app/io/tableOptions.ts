import * as v from 'valibot';
import { functionOf, listOf, type OptionsIn, typed } from '../../core/options.ts';
import type { ColumnChoice } from './chosenColumns.ts';
import { countEntries } from './standardization.ts';

export interface ReadTableOptions extends OptionsIn<typeof tableOptions> {}

const column = v.union([v.string(), v.number()], 'the name of a column or its number from 0');
const columns = typed<ColumnChoice>(
  v.union([v.string(), v.number(), v.array(column)], 'names, patterns, ranges or numbers of columns'),
);
const yesOrNo = v.boolean('true or false');
const character = v.pipe(v.string('a character'), v.minLength(1, 'a character'));

export const tableOptions = v.strictObject({
  /**
   * Columns of the observations, in this order: names, patterns such as 'pixel*', ranges such as 'a:d', numbers from 0. By default all columns of
   * numbers, and of true and false as 1 and 0, except index-like and constant ones; for a NumPy array, all except constant ones. A chosen column of
   * dates is read as days since 1970-01-01; `day=season cosine` and `day=season sine` are the season of the dates in `day`, cos 2πu and sin 2πu for
   * the elapsed part u of the year.
   */
  columns: v.optional(columns),
  /** Columns that are not observations, chosen in the same way. */
  drop: v.optional(columns),
  /** Text columns that are encoded as columns of 0 and 1, one per category: `kind=oil` for `kind`; chosen in the same way. */
  oneHot: v.optional(columns),
  /** 'auto' also encodes text columns with 2 to 20 levels that occur at least 3 times on average; default only the columns of `oneHot`. */
  categories: v.optional(v.literal('auto', "'auto'")),
  /** Column that names the points; default the first that looks like an index. */
  id: v.optional(column),
  /** Column with labels, which may be text: its name or number from 0, or an array of an .npz archive. */
  labels: v.optional(column),
  /** Column to color pictures by: text, dates or numbers. A column of numbers remains an observation. */
  color: v.optional(column),
  /** Column with the times of the rows, numbers or dates, which is not an observation; or an array of an .npz archive. */
  time: v.optional(column),
  /** Column with the weights of the rows, numbers from 0, which is not an observation; or an array of an .npz archive. */
  weights: v.optional(column),
  /**
   * Columns of covariates, which are not observations: names. Text becomes columns of 0 and 1, one per category; dates are days since 1970-01-01.
   */
  given: v.optional(listOf(v.string(), 'names of columns')),
  /** Column with the offset of each row, a number that is added to the functions of counts and labels, which is not an observation. */
  offset: v.optional(v.string()),
  /** Column with the exposure of each row, a number above 0 whose logarithm is the offset, which is not an observation. */
  exposure: v.optional(v.string()),
  /** Column whose values name the sequence of each row, which is not an observation. */
  sequence: v.optional(column),
  /**
   * Whether columns of the fit that a matched table lacks, and categories that were not fitted, are read as missing. By default such columns are an
   * error, and such categories are 0 in each column of a category.
   */
  allowAbsent: v.optional(yesOrNo),
  /** Whether missing cells are read as NaN; by default they are an error. Missing labels are always read as ''. */
  allowMissing: v.optional(yesOrNo),
  /**
   * Texts and numbers that mark a missing value, such as `['.', -999]`, in addition to empty cells. Default NaN, NA, N/A, null, None, ?, a dash.
   * Explicit ones replace these: with `[]`, NA is ordinary text.
   */
  missingValues: v.optional(
    listOf(v.union([v.string(), v.number()]), 'texts and numbers that stand for a missing value'),
  ),
  /** Whether the first line contains names; by default determined from the cells. */
  header: v.optional(yesOrNo),
  /** Number of lines above the table; by default determined from the cells. */
  skip: v.optional(v.pipe(v.number('a number of lines'), v.integer('a whole number'), v.minValue(0, 'at least 0'))),
  /** Delimiter of cells; default a tab in .tsv, otherwise determined from the first lines. */
  delimiter: v.optional(character),
  /** Decimal separator; by default a comma only if the numbers cannot be read otherwise. */
  decimal: v.optional(v.picklist(['.', ','], "'.' or ','")),
  /** Thousands separator, if any. */
  thousands: v.optional(character),
  /** Array of an .npz archive; default its only table. */
  array: v.optional(character),
  /** Whether an array with three or more dimensions is reshaped to N × the product of its other lengths; otherwise it is an error. */
  flatten: v.optional(yesOrNo),
  /** Whether the table keeps its cells as in the file, for `completedText`; default false. */
  keepCells: v.optional(yesOrNo),
  /** Function that is called with the number of rows read, after every few thousand rows of a text. */
  onRows: v.optional(functionOf<(rows: number) => void>('a function that takes a number of rows')),
  /** Maximum size of the unpacked file in bytes; default 200 MB for text, 1.2 GB for arrays. */
  maxBytes: v.optional(v.pipe(v.number('a number of bytes'), v.minValue(1, 'at least 1'))),
  ...countEntries,
});
