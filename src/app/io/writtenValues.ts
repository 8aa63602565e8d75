import { counted } from '../../core/counted.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { isMissingText } from '../../core/observations.ts';
import type { RawColumn, RawTable } from './rawTable.ts';

/** Text that stands for numbers, cell by cell; undefined where a cell does not, or none is there. */
function numbersIn({ text }: RawColumn, read: (cell: string) => number | undefined): Float64Array | undefined {
  if (text === undefined) return undefined;
  const numbers = new Float64Array(text.length);
  let held = 0;
  for (const [i, cell] of text.entries()) {
    const isMissing = isMissingText(cell);
    const value = isMissing ? Number.NaN : read(cell);
    if (value === undefined) return undefined;
    if (!isMissing) held++;
    numbers[i] = value;
  }
  return held === 0 ? undefined : numbers;
}

const truth = (cell: string): number | undefined => (/^true$/i.test(cell) ? 1 : /^false$/i.test(cell) ? 0 : undefined);

/** The table with columns of true and false as 1 and 0; as labels and ids they are still text. */
export function withTruths(raw: RawTable): RawTable {
  const read: string[] = [];
  const columns = raw.columns.map((column): RawColumn => {
    const numbers = numbersIn(column, truth);
    if (numbers === undefined) return column;
    read.push(`'${column.name}'`);
    const { name, isNamed, text } = column;
    return { name, isNamed, numbers, source: (row) => text![row]! };
  });
  if (read.length === 0) return raw;
  const some = read.length > 5 ? `${read.slice(0, 5).join(', ')}, …` : read.join(', ');
  const note = `${counted(read.length, 'column')} of true and false ${read.length === 1 ? 'is' : 'are'} read as 1 and 0: ${some}.`;
  return { ...raw, columns, notes: [...raw.notes, note] };
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;
const DAY = 86_400_000;

/** Days since 1970-01-01 of a date of ISO 8601, with a time or without; of no time zone, that of Greenwich. */
function days(cell: string): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] = DATE.exec(cell) ?? [];
  if (date === undefined) return undefined;
  // Not every program refuses the 31st of February.
  if (new Date(`${date}T00:00Z`).toJSON()?.slice(0, 10) !== date) return undefined;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / DAY;
}

/** A column of dates as days since 1970-01-01, NaN where missing; undefined where it is none. */
export const datesIn = (column: RawColumn): Float64Array | undefined => numbersIn(column, days);

/** True if the cell is a date of ISO 8601. */
export const isDate = (cell: string): boolean => days(cell) !== undefined;

const categoryName = (column: string, category: string) => `${column}=${category}`;

/** Categories of one column at most. */
const MOST_CATEGORIES = 1000;

/**
 * The table with each of these columns of text as columns of 0 and 1, one a category in the order of the alphabet, `kind=oil` of `kind`; NaN where
 * it is missing.
 *
 * @throws InvalidInputError for a column of numbers, or of too many categories
 */
export function withCategories(raw: RawTable, chosen: readonly number[]): RawTable {
  const columns = raw.columns.flatMap((column, j) => {
    if (!chosen.includes(j)) return [column];
    const { text, name, source, numbers } = column;
    const cells = text ?? (source === undefined ? undefined : Array.from(numbers!, (_, i) => source(i)));
    if (cells === undefined) {
      throw new InvalidInputError(`Column '${name}' of '${raw.file}' holds numbers, not categories. Take it as it is.`);
    }
    const categories = [...new Set(cells.filter((cell) => !isMissingText(cell)))].sort();
    if (categories.length > MOST_CATEGORIES) {
      throw new InvalidInputError(
        `Column '${name}' of '${raw.file}' holds ${categories.length} categories, more than ${MOST_CATEGORIES}. Leave it out, or join some.`,
      );
    }
    return [column, ...categories.map((category) => indicator(column, cells, category))];
  });
  return { ...raw, columns };
}

const indicator = ({ name, isNamed }: RawColumn, cells: readonly string[], category: string): RawColumn => ({
  name: categoryName(name, category),
  isNamed,
  numbers: Float64Array.from(cells, (cell) => (isMissingText(cell) ? Number.NaN : Number(cell === category))),
});

/**
 * The table with the columns of categories that a fit knows, of those that it has not.
 *
 * @throws InvalidInputError for a category that the fit does not know
 */
export function withKnownCategories(raw: RawTable, known: readonly string[]): RawTable {
  const names = new Set(raw.columns.map(({ name }) => name));
  const added = raw.columns.flatMap((column) => {
    const { name, text, numbers, source } = column;
    const wanted = known.filter((each) => each.startsWith(`${name}=`) && !names.has(each));
    const cells = text ?? (source === undefined ? undefined : Array.from(numbers!, (_, i) => source(i)));
    if (wanted.length === 0 || cells === undefined) return [];
    const row = cells.findIndex((cell) => !isMissingText(cell) && !known.includes(categoryName(name, cell)));
    if (row >= 0) {
      throw new InvalidInputError(
        `'${raw.file}', ${raw.place(row)}, column '${name}' is '${cells[row]}', a category that the fit does not know. Leave its row out.`,
      );
    }
    return wanted.map((each) => indicator(column, cells, each.slice(name.length + 1)));
  });
  return added.length === 0 ? raw : { ...raw, columns: [...raw.columns, ...added] };
}
